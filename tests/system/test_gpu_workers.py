"""A worker that says it has a GPU: what it is asked, how it may end, and what is said when it has none."""

import pytest

from conftest import is_alive

GPU = {"architectures": ["sm_90"], "devices": [
    {"index": index, "name": f"GPU {index}", "compute_capability": "9.0", "multiprocessors": 4, "max_threads_per_block": 1024,
     "max_threads_per_multiprocessor": 2048, "max_blocks_per_multiprocessor": 32, "warp_size": 32, "l2_bytes": 1048576,
     "memory_bytes": 1073741824, "uuid": f"GPU-{index}"} for index in (0, 1)]}


@pytest.fixture
def gpu_campaign(campaign):
    campaign.behave(gpu=GPU)
    return campaign


def gpu_arguments(campaign, *more, **points):
    """As the campaign's, but for the number of threads: 64 in each of 4 blocks."""
    arguments = campaign.arguments("--blocks", "sm", *more, **points)
    arguments[arguments.index("--threads") + 1] = "64"
    return arguments


def test_a_request_names_the_device_and_no_units(gpu_campaign):
    status, out, err = gpu_campaign.call(*gpu_arguments(gpu_campaign, "--device", "1"))
    assert status == 0, err
    for entry in gpu_campaign.log("measure"):
        assert entry["device"] == 1 and entry["pus"] == []
        assert entry["point"]["blocks"] == 4 and entry["point"]["lanes"] == 64 and entry["point"]["affinity"] == "none"
        assert not entry["options"]["watch_states"] and entry["options"]["state_bounds_ns"] == []
    assert not gpu_campaign.log("probe"), "placement states are those of CPUs"
    assert gpu_campaign.lines("campaign")[0]["gpus"] == {"fake": "GPU 1 (GPU-1)"}
    assert all(visit["device"] == 1 for visit in gpu_campaign.visits())
    assert "grid" in out and "4 x 64" in out, "blocks x threads"


@pytest.mark.parametrize(("study", "queued"), [("paper", 16), ("quick", None)])
def test_a_file_says_how_many_rounds_a_gpu_might_queue(study, queued, gpu_campaign):
    arguments = gpu_campaign.arguments("--study", study, ops="atomic_add")
    del arguments[arguments.index("--threads"):arguments.index("--threads") + 2]
    status, _, err = gpu_campaign.call(*arguments)
    assert status == 0, err
    assert gpu_campaign.visits(), "without any nothing is shown"
    for lines in (gpu_campaign.visits(), gpu_campaign.lines("point")):
        assert {line.get("rounds_at_once") for line in lines if line.get("device") is not None} == {queued}


def test_a_gpu_is_visited_three_times_unless_told_otherwise(gpu_campaign):
    arguments = gpu_arguments(gpu_campaign, ops="atomic_add")
    del arguments[arguments.index("--repetitions"):arguments.index("--repetitions") + 2]
    assert gpu_campaign.call(*arguments)[0] == 0
    assert [visit["visit"] for visit in gpu_campaign.visits()] == [1, 2, 3]
    assert gpu_campaign.log("measure")[0]["options"]["max_time_ns"] == pytest.approx(45e6 / 3), "what quick gives a GPU, over three visits"


def test_a_worker_that_ends_with_its_visit_is_replaced_without_a_crash(gpu_campaign):
    gpu_campaign.behave(gpu=GPU, ends=["atomic_add"], status={"atomic_add": "failed"})
    status, _, err = gpu_campaign.call(*gpu_arguments(gpu_campaign, visits=4))
    assert status == 1, "the visit itself failed"
    visits = gpu_campaign.visits()
    lost = [visit for visit in visits if visit["status"] == "failed"]
    assert len(lost) == 1 and lost[0]["worker_ends"] and lost[0]["stopped_by"] == "precision", "its own word settles the point"
    assert len(visits) == 1 + 2 * 4, "other ops are measured"
    assert len(gpu_campaign.log("hello")) in (4, 5), "one for each pass, and one after the end unless it was the last of its pass"
    assert "crash" not in err
    assert not [entry["pid"] for entry in gpu_campaign.log("hello") if is_alive(entry["pid"])]


def test_a_worker_may_end_with_every_visit(gpu_campaign):
    gpu_campaign.behave(gpu=GPU, ends=["atomic_add"])
    status, _, err = gpu_campaign.call(*gpu_arguments(gpu_campaign, ops="atomic_add", visits=5))
    assert status == 0, err
    assert len(gpu_campaign.visits()) == 5 and len(gpu_campaign.log("hello")) == 5, "never given up"


def test_without_a_gpu_the_backend_is_listed_with_the_reason_and_left_out(campaign):
    campaign.behave(gpu={"architectures": ["sm_90"], "devices": []}, problem="no CUDA driver: libcuda.so.1 is not there")
    status, out, err = campaign.call("list", "--backend", "fake")
    assert status == 0 and "atomic_add" in out and "fake: no CUDA driver" in out
    status, _, err = campaign.call(*gpu_arguments(campaign))
    assert status == 2 and "'fake' cannot be used: no CUDA driver: libcuda.so.1 is not there" in err
    assert not campaign.file.exists()


def test_an_unknown_device_is_a_mistake_that_lists_the_devices(gpu_campaign):
    status, _, err = gpu_campaign.call(*gpu_arguments(gpu_campaign, "--device", "2"))
    assert status == 2 and "has no device 2; available: 0 (GPU 0), 1 (GPU 1)" in err


def test_another_gpu_is_other_ground(gpu_campaign):
    assert gpu_campaign.call(*gpu_arguments(gpu_campaign))[0] == 0
    other = {**GPU, "devices": [{**GPU["devices"][0], "uuid": "GPU-other"}]}
    gpu_campaign.behave(gpu=other)
    status, _, err = gpu_campaign.resume()
    assert status == 2 and "on the GPU" in err and "GPU-other" in err


def test_what_was_too_slow_is_not_tried_by_more_lanes(gpu_campaign):
    gpu_campaign.behave(gpu=GPU, status={"atomic_add": "too_slow"})
    arguments = gpu_arguments(gpu_campaign, ops="atomic_add,barrier")
    arguments[arguments.index("--threads") + 1] = "1024,32,256"
    assert gpu_campaign.call(*arguments)[0] == 0
    tried = {op: [e["point"]["lanes"] for e in gpu_campaign.log("measure") if e["point"]["op"] == op] for op in ("atomic_add", "barrier")}
    assert tried["atomic_add"] == [32] and sorted(set(tried["barrier"])) == [32, 256, 1024]
    left_out = [visit for visit in gpu_campaign.visits() if visit["stopped_by"] == "not_tried"]
    assert sorted(visit["point"]["lanes"] for visit in left_out) == [256, 1024]
    assert {(visit["status"], visit["reason"]) for visit in left_out} == {
        ("too_slow", "not tried: a step took too long at --threads 32 --blocks 4")}


EQUAL = {**GPU, "devices": [{**device, "name": "GPU"} for device in GPU["devices"]]}


@pytest.fixture
def shared_campaign(campaign):
    """Two equal GPUs, whose visits take long enough to be seen side by side."""
    campaign.behave(gpu=EQUAL, sleep_s=0.1)
    return campaign


def devices_by_point(visits):
    found = {}
    for visit in visits:
        found.setdefault(visit["point"]["op"], []).append(visit["visited_device"])
    return found


def test_equal_gpus_share_the_points_at_the_same_time(shared_campaign):
    status, _, err = shared_campaign.call(*gpu_arguments(shared_campaign, "--device", "0,1", visits=4))
    assert status == 0, err
    assert all(sorted(devices) == [0, 0, 1, 1] for devices in devices_by_point(shared_campaign.visits()).values())
    assert {visit["device"] for visit in shared_campaign.visits()} == {0}, "one kind of GPU, one point"
    asked = [entry["device"] for entry in shared_campaign.log("measure")]
    assert sorted(asked) == [0] * 6 + [1] * 6 and asked != sorted(asked)
    took_s = shared_campaign.lines("end")[0]["wall_ns"] * 1e-9
    assert took_s < 0.1 * 12 + 4, "not one after the other"
    assert shared_campaign.lines("campaign")[0]["gpus"] == {"fake": "2 x GPU (GPU-0, GPU-1)"}
    assert not [entry["pid"] for entry in shared_campaign.log("hello") if is_alive(entry["pid"])]


def test_all_stands_for_every_gpu(shared_campaign):
    assert shared_campaign.call(*gpu_arguments(shared_campaign, "--device", "all", ops="atomic_add"))[0] == 0
    assert devices_by_point(shared_campaign.visits()) == {"atomic_add": [0, 1]}


def test_a_campaign_on_several_gpus_is_resumed_where_it_was_cut_off(shared_campaign):
    assert shared_campaign.call(*gpu_arguments(shared_campaign, "--device", "0,1"))[0] == 0
    before = {visit["key"]: visit["visited_device"] for visit in shared_campaign.visits()}
    lines = shared_campaign.file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines[:-1] if '"visit":2' not in line.replace(" ", "")]
    assert len(kept) < len(lines) - 1
    shared_campaign.file.write_text("".join(kept), encoding="utf-8")
    status, _, err = shared_campaign.resume()
    assert status == 0, err
    assert {visit["key"]: visit["visited_device"] for visit in shared_campaign.visits()} == before


def test_a_crash_on_one_gpu_is_that_visit_alone(shared_campaign):
    shared_campaign.behave(gpu=EQUAL, sleep_s=0.1, faults=[{"do": "exit", "op": "plain_read", "visit": 1, "times": 1}])
    status, _, err = shared_campaign.call(*gpu_arguments(shared_campaign, "--device", "0,1"))
    assert status == 1
    lost = [visit for visit in shared_campaign.visits() if visit["status"] != "ok"]
    assert [(visit["point"]["op"], visit["visit"]) for visit in lost] == [("plain_read", 1)]
    assert len(shared_campaign.visits()) == 6


def test_gpus_of_different_kinds_do_not_share_points(gpu_campaign):
    status, _, err = gpu_campaign.call(*gpu_arguments(gpu_campaign, "--device", "all"))
    assert status == 2 and "1 (GPU 1) is not of the same kind as 0 (GPU 0)" in err
