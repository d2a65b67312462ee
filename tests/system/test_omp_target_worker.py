"""The worker of OpenMP on a GPU where there is none: what it says, and that the host runs what it measures when OpenMP is
told so."""

import json
import os
import re
import subprocess

import pytest

from conftest import driver_path

PROGRAM = driver_path().parent / "syncmeter-omp-target"
ON_HOST = {"OMP_TARGET_OFFLOAD": "disabled", "OMP_WAIT_POLICY": "passive"}
OPS = "atomic_add,atomic_fetch_add,atomic_exchange,atomic_cas_pass,critical_add,critical_named_add,lock_add,fence,handoff,barrier,target_region,target_reduction_sum"


@pytest.fixture(autouse=True)
def built():
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM.name} was not built here")


def test_without_a_device_it_says_why_and_what_to_do(campaign):
    done = subprocess.run([PROGRAM, "--capabilities"], capture_output=True, encoding="utf-8", check=True)
    (backend,) = json.loads(done.stdout)["backends"]
    assert (backend["portable"], backend["native_of"]) == (True, "cuda")
    if not backend["device"]["devices"]:
        assert "OMP_TARGET_OFFLOAD=disabled" in backend["problem"]
        status, _, err = campaign.call("run", "--backend", "omp-target")
        assert status == 2 and re.split("[:;]", backend["problem"])[0] in " ".join(err.split())


def test_a_gpu_that_cannot_load_what_was_compiled_is_named(tmp_path):
    driver = tmp_path / "cuda.cpp"
    driver.write_text('extern "C" {\nint cuInit(unsigned) { return 0; }\nint cuDeviceGetCount(int* n) { return *n = 1, 0; }\n'
                      "int cuDeviceGetAttribute(int* value, int which, int) { return *value = which == 75 ? 7 : 5, 0; }\n}\n",
                      encoding="utf-8")
    subprocess.run(["g++", "-shared", "-fPIC", driver, "-o", tmp_path / "libcuda.so.1"], check=True, timeout=60)
    done = subprocess.run([PROGRAM, "--capabilities"], env=os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}, capture_output=True,
                          encoding="utf-8", check=True)
    (backend,) = json.loads(done.stdout)["backends"]
    assert backend["device"]["devices"] == []
    assert "has compute capability 7.5, and target regions are compiled for 8.0 or newer" in backend["problem"]


def test_on_the_host_every_visit_is_right(campaign):
    campaign.environment |= ON_HOST
    status, out, err = campaign.call("run", "--backend", "omp-target", "--op", OPS, "--type", "int32,double", "--lanes", "2,32",
                                     "--blocks", "1,2", "--stride", "0,1", "--visits", "1", "--max-time", "20ms", "--output",
                                     str(campaign.file), within=200)
    points = [json.loads(line) for line in campaign.file.read_text(encoding="utf-8").splitlines()]
    visits = [line for line in points if line["kind"] == "visit"]
    assert [v for v in visits if v["status"] == "failed"] == [], out + err
    assert {v["point"]["op"] for v in visits if v.get("timed_ns", 0) > 0} == set(OPS.split(","))


def answer(**axes):
    point = {"backend": "omp-target", "order": "unordered", "blocks": 1, **axes}
    request = {"kind": "measure", "id": 1, "point": point, "pus": [], "device": 0, "visit": 1,
               "options": {"max_time_ns": 1e6, "min_sample_ns": 1e4}}
    done = subprocess.run([PROGRAM], input=json.dumps(request) + "\n", env=os.environ | ON_HOST, capture_output=True,
                          encoding="utf-8", check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("teams", [1, 2])
def test_each_team_has_a_ring_of_all_its_threads(teams):
    assert answer(op="handoff", lanes=2, blocks=teams)["participants"] == 2


def test_what_a_team_cannot_be_is_refused_in_words():
    def refused(**axes):
        visit = answer(**axes)
        assert visit["status"] == "unsupported"
        return visit["reason"]

    assert "a lane is a thread of OpenMP here" in refused(op="barrier", lanes=33)
    of_atomic = {"op": "atomic_add", "type": "int32", "order": "relaxed", "scope": "device", "flavour": "function",
                 "space": "global", "placement": "shared"}
    assert "a thread of OpenMP has 32 lanes on a device" in refused(**of_atomic, lanes=48)
