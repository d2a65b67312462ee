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
    status, out, err = campaign.call("run", "--backend", "omp-target", "--op", OPS, "--type", "int32,double", "--threads", "2,32",
                                     "--blocks", "1,2", "--stride", "0,1", "--repetitions", "1", "--max-time", "20ms", "--output",
                                     str(campaign.file), within=200)
    points = [json.loads(line) for line in campaign.file.read_text(encoding="utf-8").splitlines()]
    visits = [line for line in points if line["kind"] == "visit"]
    assert [v for v in visits if v["status"] == "failed"] == [], out + err
    assert {v["point"]["op"] for v in visits if v.get("timed_ns", 0) > 0} == set(OPS.split(","))


def request(visit=1, seed=1, **axes):
    point = {"backend": "omp-target", "order": "unordered", "blocks": 1, **axes}
    return json.dumps({"kind": "measure", "id": 1, "point": point, "pus": [], "device": 0, "visit": visit,
                       "options": {"max_time_ns": 1e6, "min_sample_ns": 1e3, "seed": seed, "trips": 1}}) + "\n"


def answered(*requests, **environment):
    """The last answer, and what was printed beside the answers."""
    done = subprocess.run([PROGRAM], input="".join(requests), env=os.environ | ON_HOST | environment, capture_output=True,
                          encoding="utf-8", check=True)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def answer(**axes):
    return answered(request(**axes))[0]


def test_a_visit_has_the_same_places_in_every_campaign(tmp_path):
    """Copies to cells are noted: their bytes, by which points differ here, and where they go, one for each sample of one trip."""
    (tmp_path / "copies.cpp").write_text(
        "#include <cstdio>\n#include <cstring>\n"
        'extern "C" int omp_target_memcpy(void* to, const void* from, std::size_t n, std::size_t a, std::size_t b, int, int) {\n'
        '  if (a > 0) std::fprintf(stderr, "%zu %zu\\n", n, a);\n'
        "  return std::memcpy(static_cast<char*>(to) + a, static_cast<const char*>(from) + b, n), 0;\n}\n", encoding="utf-8")
    library = tmp_path / "copies.so"
    subprocess.run(["g++", "-shared", "-fPIC", tmp_path / "copies.cpp", "-o", library], check=True, timeout=60)
    other, added = ({"op": "atomic_add", "type": type, "order": "relaxed", "scope": "device", "flavour": "function", "space": "global",
                     "placement": "shared", "lanes": 32} for type in ("int32", "double"))

    def places(*requests):
        visit, copies = answered(*requests, LD_PRELOAD=str(library))
        assert (visit["trips"], visit["status"] != "failed") == (1, True), visit
        # Both sides of a round have one. How many rounds there are is a matter of time.
        return list(dict.fromkeys(line for line in copies.splitlines() if line.startswith("8 ")))[:5]

    first = places(request(visit=3, seed=1, **added))
    assert len(first) == 5
    assert places(request(visit=2, seed=3, **other), request(visit=3, seed=2, **added)) == first
    assert not set(places(request(visit=4, seed=1, **added))) & set(first)


@pytest.mark.parametrize("teams", [1, 2])
def test_each_team_has_a_ring_of_all_its_threads(teams):
    assert answer(op="handoff", lanes=2, blocks=teams)["participants"] == 2


def test_what_a_team_cannot_be_is_refused_in_words():
    def refused(**axes):
        visit = answer(**axes)
        assert visit["status"] == "unsupported"
        return visit["reason"]

    assert "a thread is an OpenMP thread here" in refused(op="barrier", lanes=33)
    of_atomic = {"op": "atomic_add", "type": "int32", "order": "relaxed", "scope": "device", "flavour": "function",
                 "space": "global", "placement": "shared"}
    assert "a thread of OpenMP has 32 lanes on a device" in refused(**of_atomic, lanes=48)
