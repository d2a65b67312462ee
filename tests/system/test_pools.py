"""Workers that start their threads once: one process for each number of lanes."""


def test_a_pool_gets_a_process_for_each_number_of_lanes(campaign):
    campaign.behave(pool=True)
    campaign.environment["KOKKOS_NUM_THREADS"] = "9"
    arguments = campaign.arguments("--oversubscribe", ops="atomic_add", visits=2)
    arguments[arguments.index("--threads") + 1] = "1,2"
    status, _, err = campaign.call(*arguments)
    assert status == 0, err
    threads = {entry["pid"]: entry["environment"]["KOKKOS_NUM_THREADS"] for entry in campaign.log("hello")}
    assert sorted(threads.values()) == ["1", "1", "2", "2"], "once a pass for each size"
    for entry in campaign.log("measure"):
        assert threads[entry["pid"]] == str(entry["point"]["lanes"]) == str(len(entry["pus"]))
    assert {line["threads"] for line in campaign.lines("worker")} == {1, 2}


def test_other_workers_are_told_no_pool_size(campaign):
    campaign.environment["KOKKOS_NUM_THREADS"] = "9"
    assert campaign.run()[0] == 0
    assert "KOKKOS_NUM_THREADS" not in campaign.log("hello")[0]["environment"]
    assert all("threads" not in line for line in campaign.lines("worker"))
