# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks of what synchronization costs on a node: of programs that are there, and of a build of their own.

Settable (-S NAME=VALUE): study, ops, types, visits, bin_dir, baseline, slower, source (of the build).
"""

import json
import os
import sys

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import deferrable, fixture, parameter, run_after, run_before, sanity_function, variable

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import figures  # noqa: E402


class syncmeter_base_check(rfm.RunOnlyRegressionTest):
    """Measures ops of one backend on a whole node, and judges them together with controls from the same job."""

    #: API to measure: a worker `syncmeter-BACKEND` must be installed.
    backend = parameter(["omp", "std"])
    #: Set of points, as `syncmeter run --help` names them.
    study = variable(str, value="quick")
    #: Ops of the study, * matches any characters; empty: all of them.
    ops = variable(str, value="atomic_add,lock_add,barrier,handoff_cas")
    #: Types of the ops; empty: the study's.
    types = variable(str, value="int32")
    #: Visits to each point.
    visits = variable(int, value=3)
    #: Folder of the programs; empty: they are on PATH.
    bin_dir = variable(str, value="")
    #: Rows of `syncmeter show FILE --json` from an earlier run on such a node: costs are then also given as ratios to it.
    baseline = variable(str, value="")
    #: Share by which a ratio to the baseline may be above 1.
    slower = variable(float, value=0.1)

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    exclusive_access = True
    num_tasks = 1
    num_tasks_per_node = 1
    time_limit = "5m"
    tags = {"syncmeter", "synchronization", "microbenchmark"}
    maintainers = ["the syncmeter authors"]
    keep_files = ["results.jsonl", "controls.jsonl", "results.json"]

    def program(self):
        return os.path.join(self.bin_dir, "syncmeter") if self.bin_dir else "syncmeter"

    @run_after("setup")
    def set_commands(self):
        self.executable = self.program()
        chosen = [f"{option} '{value}'" for option, value in (("--op", self.ops), ("--type", self.types)) if value]
        self.executable_opts = ["run", "--backend", self.backend, "--study", self.study, *chosen, "--repetitions", str(self.visits),
                                "--output", "results.jsonl"]
        self.env_vars["SYNCMETER_REPORT"] = "off"
        # They take a second or two; known costs, measured where and when the others are.
        self.prerun_cmds = [f"{self.program()} run --backend {self.backend} --study control --type int32 --repetitions 2"
                            " --op control_multiply_1,control_multiply_8,control_aa --output controls.jsonl"]
        self.postrun_cmds = [f"{self.program()} show {name}.jsonl --json > {name}.json" for name in ("results", "controls")]

    def rows(self, name):
        with open(os.path.join(self.stagedir, f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)

    @deferrable
    def found_problems(self):
        return [problem for name in ("results", "controls")
                for problem in figures.problems(os.path.join(self.stagedir, f"{name}.jsonl"))]

    @deferrable
    def control(self):
        return figures.control_ratio(self.rows("controls"))

    @deferrable
    def empty(self):
        return figures.largest_empty_share(self.rows("controls"))

    @sanity_function
    def is_a_result(self):
        return sn.all([
            sn.assert_eq(self.found_problems(), [], msg="{0}"),
            sn.assert_bounded(self.control(), 7.6, 8.4, msg="8 dependent multiplications cost {0} times one, not 8"),
            sn.assert_le(self.empty(), 0.05, msg="an empty op costs {0} of a multiplication"),
        ])

    @run_before("performance")
    def set_figures(self):
        if self.is_dry_run():
            return  # nothing was measured
        costs = figures.costs(self.rows("results"))
        chosen = {"control_multiply_8_over_1": sn.make_performance_function(self.control(), "1")}
        references = {"control_multiply_8_over_1": (8, -0.05, 0.05, "1")}
        for name, (ns, _) in costs.items():
            chosen[name] = sn.make_performance_function(sn.defer(ns), "ns")
        if self.baseline:
            with open(self.baseline, encoding="utf-8") as file:
                for name, ratio in figures.ratios(costs, figures.costs(json.load(file))).items():
                    chosen[f"{name}_over_baseline"] = sn.make_performance_function(sn.defer(ratio), "1")
                    references[f"{name}_over_baseline"] = (1, None, self.slower, "1")
        self.perf_variables = chosen
        own = f"{self.current_system.name}:{self.current_partition.name}"
        for name, reference in references.items():
            if f"{own}:{name}" not in self.reference:  # else it is the site's own
                self.reference[f"{own}:{name}"] = reference


@rfm.simple_test
class syncmeter_run_check(syncmeter_base_check):
    """Of programs that are installed (`bin_dir`, else PATH)."""

    descr = "What synchronization costs on a node: installed programs"


class syncmeter_build(rfm.CompileOnlyRegressionTest):
    """Builds the driver and the workers `omp` and `std` from a source tree or a tarball of it."""

    #: Folder or tarball of syncmeter's source; by default the one that this file is part of.
    source = variable(str, value=os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")))

    descr = "Builds syncmeter"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    build_system = "CMake"
    build_locally = False
    build_time_limit = "20m"

    @run_before("compile")
    def set_options(self):
        self.sourcesdir = None
        if os.path.isdir(self.source):
            self.build_system.configuredir = self.source
        else:
            self.prebuild_cmds = [f"mkdir -p src && tar -xf '{self.source}' -C src --strip-components=1"]
            self.build_system.configuredir = "src"
        self.build_system.builddir = "build"
        self.build_system.max_concurrency = 4
        self.build_system.config_opts = ["-DCMAKE_BUILD_TYPE=Release", "-DSM_TESTS=OFF", "-DSM_CUDA=OFF", "-DSM_KOKKOS=OFF",
                                         "-DSM_OMP_LLVM=OFF", "-DSM_INSTALL_REPORT=OFF"]

    @sanity_function
    def has_programs(self):
        return sn.all([sn.assert_true(os.path.exists(os.path.join(self.stagedir, "build", "bin", name)), msg=f"no {name}")
                       for name in ("syncmeter", "syncmeter-omp", "syncmeter-std")])


@rfm.simple_test
class syncmeter_build_check(syncmeter_base_check):
    """Of programs built with the compilers of each environment: what a compiler or its runtime changed."""

    descr = "What synchronization costs on a node: programs built in this environment"
    programs = fixture(syncmeter_build, scope="environment")

    @run_before("run")
    def use_what_was_built(self):
        self.bin_dir = os.path.join(self.programs.stagedir, "build", "bin")
        self.set_commands()
