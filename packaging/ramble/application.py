# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
"""Ramble's view of syncmeter: lay it in applications/syncmeter/ of a repository of applications (`ramble repo add`)."""

import os

from ramble.appkit import *

# The table's columns, in order, up to the last that is read. Those that name a point may be empty.
COLUMNS = ("backend family op type order placement stride_elements stride_bytes base_offset_bytes cells lanes blocks scope "
           "flavour space active waves size affinity wait home late_us section_ns think_ns reads_per_write gap_us repeat "
           "status reason measured_as state headline visits cost_ns cost_low_ns cost_high_ns").split()
SKIPPED = r'(?:"(?:[^"]|"")*"|[^",]*)'
POINT = ("{backend} {op} {type} {order} {placement} stride={stride_elements} offset={base_offset_bytes} cells={cells} "
         "lanes={lanes} blocks={blocks} {scope} {flavour} {space} active={active} waves={waves} size={size} {affinity} {wait} "
         "home={home} late={late_us} section={section_ns} think={think_ns} reads={reads_per_write} gap={gap_us} repeat={repeat}")


def row_up_to(column, **others):
    """A regular expression for a row of the table, up to this column; `others` replace a column's own expression."""
    fields = {}
    for name in COLUMNS:
        fields[name] = rf'(?P<{name}>[^",]*)' if "{" + name + "}" in POINT else SKIPPED
        if name.startswith("cost_"):
            fields[name] = rf"(?P<{name}>[0-9.e+-]+)"
    fields.update({"status": "ok", "headline": "true"}, **others)
    return "^" + ",".join(fields[name] for name in COLUMNS[: COLUMNS.index(column) + 1])


class Syncmeter(ExecutableApplication):
    """Measures what synchronization primitives cost on a node, with intervals.

    A figure of merit is a row of `syncmeter show --csv`, whose columns are documented and tested to stay: the cost in
    ns of a point that is shown first, named by backend, op, type, placement and lanes.
    """

    name = "syncmeter"

    tags("synchronization", "single-node", "atomics", "barrier", "locks", "openmp", "cuda", "micro-benchmark")

    software_spec("syncmeter", pkg_spec="syncmeter", package_manager="spack*")
    required_package("syncmeter", package_manager="spack*")

    executable("begin", "rm -f results.jsonl figures.csv", use_mpi=False)
    # One process on the node, on all PUs that the scheduler grants: not under mpirun, which would bind it to one.
    executable(
        "measure",
        "{syncmeter_path}/bin/syncmeter run --study {study} {selection} --seed {seed} --output results.jsonl",
        use_mpi=False,
        output_capture=OUTPUT_CAPTURE.ALL,
    )
    executable("figures", "{syncmeter_path}/bin/syncmeter show results.jsonl --csv figures.csv", use_mpi=False)
    # In brackets, so that what Ramble redirects is the output of both.
    executable("census", "({syncmeter_path}/bin/syncmeter census --check --backend {census_backend} && echo census clean)",
               use_mpi=False)

    commands = ["begin", "measure", "figures", "census"]
    workload("quick", executables=commands)
    workload("paper", executables=commands)
    # What a GPU's code compiled to is shown by the CUDA toolkit's disassembler, which a node need not have.
    workload("multi-gpu", executables=commands[:3])

    for _study in ("quick", "paper", "multi-gpu"):
        workload_variable("study", default=_study, description="set of points, as `syncmeter run --help` names them",
                          workload=_study)
    workload_variable("selection", default="", workloads=["quick", "paper"],
                      description="further options, as '--backend omp --op atomic_add,barrier --visits 3'")
    workload_variable("selection", default="--device all", workload="multi-gpu",
                      description="further options, as '--device 0,1'")
    workload_variable("seed", default="0", workloads=["quick", "paper", "multi-gpu"],
                      description="of the order of points; 0: drawn at random")
    workload_variable("census_backend", default="omp", workloads=["quick", "paper"],
                      description="backends whose code is compared with what it declares, with commas")
    environment_variable("SYNCMETER_REPORT", value="off", description="no text of the Python report",
                         workloads=["quick", "paper", "multi-gpu"])

    for _name, _column in (("cost", "cost_ns"), ("cost, low end", "cost_low_ns"), ("cost, high end", "cost_high_ns")):
        figure_of_merit(
            f"{_name}: {POINT}",
            log_file="{experiment_run_dir}/figures.csv",
            fom_regex=row_up_to(_column),
            group_name=_column,
            units="ns",
        )
    figure_of_merit(
        f"failed: {POINT}",
        log_file="{experiment_run_dir}/figures.csv",
        fom_regex=row_up_to("status", status="(?P<status>failed|timeout)"),
        group_name="status",
        units="",
    )

    # The end line of a results file, its members in the order of the alphabet (docs/results-file.md).
    success_criteria("complete", mode="string", file="{experiment_run_dir}/results.jsonl",
                     match=r'.*"failed":0,"kind":"end",.*"reason":"complete"')

    def evaluate_success(self):
        """The census found every op as it is declared; of a workload without one nothing is asked."""
        if self.expander.workload_name == "multi-gpu":
            return True
        log = self.expander.expand_var("{log_file}")
        if not os.path.exists(log):
            return False
        with open(log, encoding="utf-8") as file:
            return "census clean" in file.read().splitlines()
