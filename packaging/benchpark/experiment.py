# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
"""Benchpark's experiment of syncmeter: lay it in experiments/syncmeter/ of a repository of experiments."""

from benchpark.directives import variant
from benchpark.experiment import Experiment


class Syncmeter(Experiment):
    """What synchronization costs on one node: one process, which uses the whole node."""

    variant(
        "programming_model",
        default="openmp",
        values=("openmp", "cuda"),
        description="on-node parallelism model",
    )
    variant(
        "workload",
        default="quick",
        values=("quick", "paper", "multi-gpu"),
        description="set of points; multi-gpu needs programming_model=cuda",
    )

    def compute_applications_section(self):
        cuda = self.spec.satisfies("programming_model=cuda")
        workload = next(name for name in ("quick", "paper", "multi-gpu") if self.spec.satisfies(f"workload={name}"))
        if workload == "multi-gpu" and not cuda:
            raise ValueError("syncmeter: workload=multi-gpu needs programming_model=cuda")
        variables = {"n_nodes": "1", "n_ranks": "1"}
        if cuda:
            variables["n_gpus"] = "{sys_gpus_per_node}" if workload == "multi-gpu" else "1"
        else:
            variables["n_cores_per_node"] = "{sys_cores_per_node}"
        if workload != "multi-gpu":
            backend = "cuda" if cuda else "omp"
            variables |= {"selection": f"--backend {backend}", "census_backend": backend}
        return {
            "syncmeter": {
                "workloads": {
                    workload: {
                        "experiments": {
                            "syncmeter_" + workload.replace("-", "_") + "_{n_nodes}": {
                                "variants": {"package_manager": "spack"},
                                "variables": variables,
                            }
                        }
                    }
                }
            }
        }

    def compute_spack_section(self):
        spec = "syncmeter@1.0.0-rc1"
        if self.spec.satisfies("programming_model=cuda"):
            spec += "+cuda cuda_arch={cuda_arch}"
        else:
            spec += "+openmp"
        return {
            "packages": {"syncmeter": {"pkg_spec": spec, "compiler": "default-compiler"}},
            "environments": {"syncmeter": {"packages": ["syncmeter"]}},
        }
