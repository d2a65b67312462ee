"""Machines that do not give what was hoped for: one PU, no binding, an hwloc that sees nothing, another's topology.

What still makes sense is measured by the real OpenMP worker; what does not is said in one sentence.
"""

import os
import pathlib
import tempfile

import pytest

from conftest import driver_path

PUS = sorted(os.sched_getaffinity(0))
HERE = pathlib.Path(__file__).parent
TOPOLOGIES = HERE.parent / "data" / "topologies"
# LD_PRELOAD holds a list: a name ends at a blank, and the library's own path may have one.
LINKS = tempfile.TemporaryDirectory(prefix="refuse-binding-")
SANITIZED = {"ASAN_OPTIONS": "verify_asan_link_order=0"}

pytestmark = pytest.mark.skipif(not (driver_path().parent / "syncmeter-omp").exists(), reason="no OpenMP worker was built")
needs_two = pytest.mark.skipif(len(PUS) < 2, reason="needs two PUs")


@pytest.fixture
def measure(campaign):
    """Runs a few points of the real worker; the campaign's results are in `campaign`."""
    def call(*more, environment=None, ops="atomic_add,barrier", pus=None):
        campaign.environment.update(environment or {})
        how = {"preexec_fn": lambda: os.sched_setaffinity(0, pus)} if pus else {}
        return campaign.call_again("run", "--backend", "omp", "--op", ops, "--repetitions", "2", "--max-time", "20ms",
                                   "--output", str(campaign.file), *more, **how)
    return call


def without_binding(which):
    library = os.environ.get("REFUSE_BINDING_LIBRARY")
    if not library:
        pytest.skip("REFUSE_BINDING_LIBRARY is not set")
    link = pathlib.Path(LINKS.name, "library.so")
    if not link.exists():
        link.symlink_to(library)
    return {"LD_PRELOAD": str(link), "REFUSE_BINDING": which, **SANITIZED}


def one_sentence(err):
    """What the driver says on standard error, without its progress."""
    lines = [line for line in err.splitlines() if line.startswith("syncmeter: ")]
    assert len(lines) == 1, err
    return lines[0]


def test_one_pu_measures_what_one_lane_can(campaign, measure):
    status, out, err = measure(pus={PUS[-1]})
    assert status == 0, err
    visits = campaign.visits()
    assert visits and all(visit["pus"] == [PUS[-1]] for visit in visits)
    assert campaign.lines("campaign")[0]["allowed_pus"] == [PUS[-1]]
    if len(PUS) > 1:
        assert "- Only 1 of the machine's" in out


@pytest.mark.parametrize("arguments, words", [
    (["--study", "core-to-core"], "measures pairs of CPUs, but this process may use only CPU {pu}"),
    (["--threads", "2"], "--threads: 2 is more than the 1 thread allowed here (1 CPU)"),
    pytest.param(["--cpus", str(PUS[0])], "--cpus: this process may not use CPU {other}, only {pu}", marks=needs_two),
])
def test_one_pu_cannot_do_what_takes_two(campaign, measure, arguments, words):
    status, _, err = measure(*arguments, pus={PUS[-1]}, ops="*")
    assert status == 2 and words.format(pu=PUS[-1], other=PUS[0]) in one_sentence(err)
    assert not campaign.file.exists()


def test_false_sharing_on_one_pu_measures_the_lone_lane(campaign, measure):
    status, _, err = measure("--study", "false-sharing", pus={PUS[0]}, ops="atomic_add")
    assert status == 0, err
    assert {visit["point"]["lanes"] for visit in campaign.visits()} == {1}


def test_a_sandbox_that_forbids_binding_leaves_lanes_to_the_system(campaign, measure):
    status, out, err = measure(environment=without_binding("all"))
    assert status == 0, err
    assert "threads cannot be bound here" in err and "by a sandbox (seccomp" in err
    assert all(visit["point"]["affinity"] == "none" for visit in campaign.visits())
    assert all(set(visit["pus"]) == {-1} for visit in campaign.visits())
    assert "Operation not permitted" in campaign.lines("campaign")[0]["machine"]["unbound_because"]
    assert "- Threads cannot be bound here" in out, "whoever reads the table must know"


@pytest.mark.parametrize("arguments", [["--study", "core-to-core"], ["--cpus", str(PUS[0])]])
def test_without_binding_no_lane_can_be_put_on_a_pu(campaign, measure, arguments):
    status, _, err = measure(*arguments, environment=without_binding("all"), ops="*")
    assert status == 2 and "threads cannot be bound here: cannot bind this thread to CPU" in err
    assert not campaign.file.exists()


@needs_two
def test_a_pu_that_goes_away_costs_the_points_on_it(campaign, measure):
    status, out, err = measure("--affinity", "close", environment=without_binding(str(PUS[-1])))
    assert status == 1, err
    for visit in campaign.visits():
        on_it = PUS[-1] in visit["pus"]
        assert (visit["status"] == "failed") == on_it, visit
        if on_it:
            assert f"cannot bind this thread to CPU {PUS[-1]}: Invalid argument" in visit["reason"]
    assert any(visit["status"] != "failed" for visit in campaign.visits())


@pytest.mark.parametrize("components", ["no_os,stop", "stop"])
def test_an_hwloc_that_sees_nothing_still_places_lanes(campaign, measure, components):
    status, out, err = measure(environment={"HWLOC_COMPONENTS": components})
    assert status == 0, err
    assert f"- hwloc tells CPUs alone, no cores, caches or packages" in out and f"'{components}'" in out
    machine = campaign.lines("campaign")[0]["machine"]
    assert machine["cores"] == 0 and machine["pus"] == len(PUS)
    assert {pu for visit in campaign.visits() for pu in visit["pus"]} <= set(PUS)


@needs_two
def test_pairs_that_hwloc_knows_nothing_of_have_no_class(campaign, measure):
    status, out, err = measure("--study", "core-to-core", "--dry-run", environment={"HWLOC_COMPONENTS": "no_os,stop"}, ops="handoff")
    assert status == 0, err
    assert "(not known)" in out and "same" not in out


def test_a_topology_that_does_not_fit_is_refused_by_name_of_the_difference(campaign, measure):
    status, _, err = measure("--topology", str(TOPOLOGIES / "cpuset-hole.xml"))
    if status == 0:
        pytest.skip("this machine has the PUs of the file")
    assert status == 2
    assert "cpuset-hole.xml' does not fit this machine: it " in one_sentence(err)
    assert not campaign.file.exists()


def flat_topology(path):
    """An XML file of this machine's PUs, all in one package: what hwloc itself would not say of it."""
    mask = f"0x{sum(1 << pu for pu in PUS):08x}"
    sets = f'cpuset="{mask}" complete_cpuset="{mask}" nodeset="0x1" complete_nodeset="0x1"'
    cores = "".join(
        f'<object type="Core" os_index="{pu}" cpuset="0x{1 << pu:08x}" complete_cpuset="0x{1 << pu:08x}" nodeset="0x1" '
        f'complete_nodeset="0x1" gp_index="{100 + pu}"><object type="PU" os_index="{pu}" cpuset="0x{1 << pu:08x}" '
        f'complete_cpuset="0x{1 << pu:08x}" nodeset="0x1" complete_nodeset="0x1" gp_index="{200 + pu}"/></object>' for pu in PUS)
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">'
        f'<object type="Machine" os_index="0" {sets} allowed_cpuset="{mask}" allowed_nodeset="0x1" gp_index="1">'
        f'<object type="NUMANode" os_index="0" {sets} gp_index="2" local_memory="1024"/>'
        f'<object type="Package" os_index="7" {sets} gp_index="3">{cores}</object></object></topology>\n', encoding="utf-8")
    return path


@pytest.mark.skipif(PUS[-1] > 31, reason="the file is written for the PUs 0 to 31")
def test_a_topology_that_fits_is_used_by_driver_and_worker(campaign, measure, tmp_path):
    file = flat_topology(tmp_path / "mine.xml")
    status, _, err = measure("--topology", str(file))
    assert status == 0, err
    line = campaign.lines("campaign")[0]
    assert line["machine"]["caches"] == [] and line["machine"]["cores"] == len(PUS), "the file knows of no cache"
    assert line["options"]["topology"] == str(file)
    assert all(visit["pus"] == visit["pus_seen"] for visit in campaign.visits()), "and lanes are bound by it"


@pytest.mark.parametrize("name, classes", [
    ("two-packages", {"same core": 8, "same L3": 16, "other package": 32}),
    ("chiplets", {"same core": 16, "same L3": 32, "same NUMA node": 192}),
    ("hybrid", {"same core, kind 1": 4, "same L2, kind 0": 12, "same L3, kind 1": 8, "same L3, kinds 0 and 1": 32}),
    ("cpuset-hole", {"same core": 6, "same L3": 12, "other package": 24}),
])
def test_pairs_of_another_machine_are_planned_in_their_classes(measure, name, classes):
    status, out, err = measure("--study", "core-to-core", "--dry-run", "--topology", str(TOPOLOGIES / f"{name}.xml"),
                               ops="handoff")
    assert status == 0, err
    for text, number in classes.items():
        assert out.count(f" ({text}), ") == number, text
    assert f"Configurations to measure: {sum(classes.values())};" in out
