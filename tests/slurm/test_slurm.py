"""Campaigns as jobs of a Slurm of one node: lanes in the allocation, job and node in the file, killed jobs resumed.

By hand, some five minutes: SYNCMETER_BIN=build/release/bin python3 -m pytest -s tests/slurm (as root).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import one_node
import pytest

BIN = pathlib.Path(os.environ.get("SYNCMETER_BIN", "/nowhere")).resolve()
RUN = f"{BIN}/syncmeter run --backend std"
#: Longer than a job may run before it is killed (a minute and a half at most, of which it sleeps 50 s).
LONG = f"{RUN} --study control --op control_multiply_* --type int32 --repetitions 1000"
pytestmark = [
    pytest.mark.skipif(bool(one_node.missing()), reason=one_node.missing()),
    pytest.mark.skipif(not (BIN / "syncmeter").exists(), reason="SYNCMETER_BIN names no folder with syncmeter"),
]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    os.environ["SYNCMETER_REPORT"] = "off"
    with one_node.Slurm(tmp_path_factory.mktemp("slurm")) as found:
        yield found


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]


def of_kind(kind, found):
    return [line for line in found if line["kind"] == kind]


def pus_told(log):
    """The PUs that taskset named in a job's output."""
    text = next(line for line in log.read_text(encoding="utf-8").splitlines() if "affinity list" in line).split(": ")[1]
    return {pu for part in text.split(",") for pu in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two jobs side by side need two PUs")
def test_two_jobs_stay_in_their_allocations_and_name_themselves(slurm, tmp_path):
    # The sleep keeps the first one's PU taken until the second one has its own.
    script = f"srun sh -c 'taskset -pc $$; sleep 3; {RUN} --op atomic_add --type int32 --repetitions 1 --output $SLURM_JOB_ID.jsonl'\n"
    jobs = [slurm.submit(script, tmp_path, "--ntasks=1", "--cpus-per-task=1", "--time=5") for _ in range(2)]
    used = []
    for job in jobs:
        log = tmp_path / f"job-{job}.log"
        assert slurm.ended(job, 120) == "COMPLETED", log.read_text()
        found = lines(tmp_path / f"{job}.jsonl")
        granted = pus_told(log)
        first, last = found[0], found[-1]
        print(f"job {job}: granted PUs {granted}, scheduler {first['scheduler']}, host {first['machine']['host']}")
        assert set(first["allowed_pus"]) == granted and len(granted) == 1
        visits = of_kind("visit", found)
        assert visits and all(set(visit["pus"]) <= granted for visit in visits)
        assert first["scheduler"] == {"name": "slurm", "job": job, "step": "0", "node": slurm.host, "partition": "all",
                                      "cluster": "onenode"} == last["scheduler"]
        used.append(granted)
    assert not used[0] & used[1]


def test_more_lanes_than_were_allocated_are_refused(slurm, tmp_path):
    job = slurm.submit(f"srun {RUN} --op barrier --threads {len(os.sched_getaffinity(0)) + 1} --repetitions 1 --output x.jsonl\n",
                       tmp_path, "--ntasks=1", "--cpus-per-task=1", "--time=5")
    assert slurm.ended(job, 60) == "FAILED"
    printed = (tmp_path / f"job-{job}.log").read_text(encoding="utf-8")
    print(f"job {job}: {printed.splitlines()[0]}")
    assert "--threads" in printed or "processing unit" in printed or "PU" in printed


def test_a_quota_inside_the_job_lowers_the_lanes(slurm, tmp_path):
    """Of one CPU, set as a container's runtime or a site's prolog does it; by cgroup v1 or v2, whichever is there."""
    v1, v2 = pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup")
    if (v1 / "cpu.cfs_quota_us").exists():
        home, file, text = v1, "cpu.cfs_quota_us", "100000"
    elif (v2 / "cgroup.subtree_control").exists() and "cpu" in (v2 / "cgroup.subtree_control").read_text().split():
        home, file, text = v2, "cpu.max", "100000 100000"
    else:
        pytest.skip("no cgroup here has the cpu controller")
    group = home / f"syncmeter-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / file).write_text(text)
        job = slurm.submit(f"srun sh -c 'echo $$ > {group}/cgroup.procs; exec {RUN} --op barrier --repetitions 1 --output quota.jsonl'\n",
                           tmp_path, "--exclusive", "--time=5")
        assert slurm.ended(job, 60) == "COMPLETED", (tmp_path / f"job-{job}.log").read_text()
    finally:
        slurm.wait_for(lambda: not (group / "cgroup.procs").read_text(), "the job's processes stay")
        group.rmdir()
    found = lines(tmp_path / "quota.jsonl")
    print(f"job {job}: PUs {found[0]['allowed_pus']}, quota {found[0]['quota_cpus']}, "
          f"lanes {sorted({visit['point']['lanes'] for visit in of_kind('visit', found)})}")
    assert found[0]["quota_cpus"] == 1
    assert {visit["point"]["lanes"] for visit in of_kind("visit", found)} == {1}


def resumed_by_another_job(slurm, work, file, killed):
    """Submits a job that finishes `file`, and checks that it has every planned visit once, and both jobs' names."""
    before = lines(file)
    done = len(of_kind("visit", before))
    planned = before[0]["plan"]["visits"]
    print(f"job {killed}: {done} of {planned} visits, ends: {[end['reason'] for end in of_kind('end', before)]}")
    assert 0 < done < planned
    assert all(end["reason"] != "complete" for end in of_kind("end", before))
    job = slurm.submit(f"srun {RUN.partition(' --')[0]} --resume {file}\n", work, "--exclusive", "--time=5")
    assert slurm.ended(job, 200) == "COMPLETED", (work / f"job-{job}.log").read_text()
    after = lines(file)
    visits = of_kind("visit", after)
    keys = {(json.dumps(visit["point"], sort_keys=True), visit["visit"]) for visit in visits}
    print(f"job {job}: resumed to {len(visits)} visits, ends: {[end['reason'] for end in of_kind('end', after)]}")
    assert len(keys) == len(visits) and len([v for v in visits if not v.get("again")]) == planned
    assert visits[:done] == of_kind("visit", before), "what was measured is lost"
    assert after[-1]["reason"] == "complete" and after[-1]["scheduler"]["job"] == job
    assert after[0]["scheduler"]["job"] == killed


def test_a_job_killed_at_its_time_limit_is_finished_by_resume(slurm, tmp_path):
    """Slurm's shortest limit is a minute; it looks each half minute, so that a job may run for one and a half."""
    job = slurm.submit(f"srun sh -c 'sleep 50; exec {LONG} --output long.jsonl'\n", tmp_path, "--exclusive", "--time=1")
    assert slurm.ended(job, 200) == "TIMEOUT"
    found = lines(tmp_path / "long.jsonl")
    # The signal went to the workers too, and cost no visit.
    assert found[-1]["reason"] == "interrupted" and found[-1]["failed"] == 0
    assert not {visit["status"] for visit in of_kind("visit", found)} & {"failed", "timeout"}
    resumed_by_another_job(slurm, tmp_path, tmp_path / "long.jsonl", job)


def test_a_driver_killed_without_warning_is_finished_by_resume(slurm, tmp_path):
    """As the kernel does to a job that takes more memory than it was allocated."""
    job = slurm.submit(f"srun sh -c '{LONG} --output killed.jsonl & sleep 30; kill -9 $!'\n", tmp_path, "--exclusive", "--time=5")
    slurm.ended(job, 60)
    assert not of_kind("end", lines(tmp_path / "killed.jsonl"))
    resumed_by_another_job(slurm, tmp_path, tmp_path / "killed.jsonl", job)


@pytest.mark.skipif(shutil.which("reframe") is None, reason="no reframe on PATH (PyPI: reframe-hpc)")
def test_the_reframe_check_runs_as_a_job(slurm, tmp_path):
    packaging = pathlib.Path(__file__).parents[2] / "packaging/reframe"
    text = (packaging / "settings.py").read_text(encoding="utf-8")
    settings = text.replace('"scheduler": "local", "launcher": "local"', '"scheduler": "squeue", "launcher": "srun"')
    assert settings != text
    (tmp_path / "settings.py").write_text(settings, encoding="utf-8")
    done = subprocess.run(["reframe", "--nocolor", "-C", str(tmp_path / "settings.py"), "-c", str(packaging / "syncmeter_checks.py"),
                           "--prefix", str(tmp_path), "--keep-stage-files", "-n", "syncmeter_run_check%backend=std",
                           "-S", f"bin_dir={BIN}", "-S", "ops=atomic_add", "-r"],
                          cwd=tmp_path, env=slurm.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          timeout=200, check=False)
    print("\n".join(line for line in done.stdout.splitlines() if re.match(r"P: |\[ +(OK|FAIL|PASSED)", line)))
    assert done.returncode == 0 and "Ran 1/1 test case(s)" in done.stdout, done.stdout[-3000:]
    file, = tmp_path.glob("stage/**/results.jsonl")
    assert lines(file)[0]["scheduler"]["name"] == "slurm"
