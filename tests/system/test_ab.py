"""`syncmeter ab`: two builds, or one in two environments, visited in turn and compared."""

import json
import random
import shlex
import subprocess

import pytest
from conftest import HERE, driver_path, install

OPS = ("atomic_add", "atomic_read", "plain_read")


class Builds:
    """Two fake builds. Each arm's FAKE_DIR, where its behaviour and its log are, comes by --env-a and --env-b."""

    def __init__(self, home):
        self.home = home
        self.file = home / "results.jsonl"
        for arm in "ab":
            (home / arm).mkdir()
            self.behave(arm)
        self.worker = home / "syncmeter-fake"
        install((HERE / "fake_worker.py").read_text(encoding="utf-8"), self.worker)

    def behave(self, arm, **behaviour):
        (self.home / arm / "behaviour.json").write_text(json.dumps(behaviour), encoding="utf-8")

    def call(self, *arguments):
        done = subprocess.run([driver_path(), *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False,
                              cwd=self.home)
        return done.returncode, done.stdout, done.stderr

    def named(self):
        return ("ab", self.worker, "--env-a", f"FAKE_DIR={self.home}/a", "--env-b", f"FAKE_DIR={self.home}/b")

    def ab(self, *more, ops=OPS, visits=6):
        return self.call(*self.named(), "--op", ",".join(ops), "--type", "int32", "--layout", "shared", "--threads", "1", "--order", "relaxed",
                         "--repetitions", visits, "--seed", "7", "--output", self.file, *more)

    def cut_last_visit(self):
        lines = self.file.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["kind"] not in ("point", "end")]
        self.file.write_text("".join(kept[:-1]), encoding="utf-8")

    def lines(self, kind):
        with open(self.file, encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if line["kind"] == kind]

    def asked(self, arm):
        """(time, op, visit) of what its workers were asked to measure."""
        with open(self.home / arm / "log.jsonl", encoding="utf-8") as file:
            return [(line["time"], line["op"], line["visit"]) for line in map(json.loads, file) if line["kind"] == "measure"]


@pytest.fixture
def builds(tmp_path):
    return Builds(tmp_path)


def noisy(cost, share, seed, visits=200):
    """Costs by visit."""
    drawn = random.Random(seed)
    return [cost * (1 + drawn.gauss(0, share)) for _ in range(visits)]


def told(out):
    return {point["point"]["op"]: point for point in json.loads(out)["points"]}


def test_a_planted_change_is_found_and_nothing_else(builds):
    for arm, factor in (("a", 1), ("b", 1.03)):
        builds.behave(arm, cost={op: noisy(5 * (factor if op == "atomic_add" else 1), 0.003, f"{arm} {op}") for op in OPS})
    status, out, err = builds.ab("--format", "json", visits=10)
    assert status == 1, err
    found = told(out)
    assert found["atomic_add"]["verdict"] == "slower"
    assert found["atomic_add"]["ratio"]["low"] > 1.01
    assert {found[op]["verdict"] for op in OPS[1:]} <= {"same", "cannot_tell"}
    assert json.loads(out)["exit_status"] == 1


def test_both_arms_are_visited_in_turn(builds):
    status, out, err = builds.ab("--format", "json")
    assert status == 0, err
    assert {point["verdict"] for point in told(out).values()} == {"same"}
    order = sorted((when, arm, op, visit) for arm in "ab" for when, op, visit in builds.asked(arm))
    turns = {}
    for (_, first, op, visit), (_, second, *same) in zip(order[::2], order[1::2], strict=True):
        assert same == [op, visit]
        turns.setdefault(op, []).append(first + second)
    assert turns == {op: ["ab", "ba"] * 3 for op in OPS}


def test_the_results_file_has_the_arm_of_each_visit_and_everyone_reads_it(builds):
    assert builds.ab()[0] == 0
    visits = builds.lines("visit")
    assert {(line["arm"], line["backend"], line["point"]["backend"], line["point"]["arm"]) for line in visits} == {
        ("a", "fake", "fake", "a"), ("b", "fake", "fake", "b")}
    (campaign,) = builds.lines("campaign")
    assert campaign["schema"]["major"] == 1
    assert [arm["name"] for arm in campaign["ab"]["arms"]] == ["a", "b"]
    assert {(line["worker"], line["arm"]) for line in builds.lines("worker")} == {("fake", "a"), ("fake", "b")}
    status, out, err = builds.call("show", builds.file, "--json")
    assert status == 0, err
    assert {(point["backend"], point["arm"]) for point in json.loads(out)} == {("fake", "a"), ("fake", "b")}


def old_names(file):
    """The file as versions wrote it in which the arm was no axis: in the backend's name."""
    lines = []
    with open(file, encoding="utf-8") as whole:
        for line in map(json.loads, whole):
            arm = line.get("point", {}).pop("arm", None) or line.get("arm")
            if line["kind"] == "campaign":
                (name, share), = line["plan"]["backends"].items()
                half = {count: n // 2 for count, n in share.items()}
                line["plan"]["backends"] = {f"{name}@a": half, f"{name}@b": half}
            for holder, member in ((line, "backend"), (line.get("point"), "backend"), (line, "worker")):
                if arm and holder and member in holder:
                    holder[member] += f"@{arm}"
            if "key" in line:
                line["key"] = line["key"].replace("backend=fake", f"backend=fake@{arm}").replace(f" arm={arm}", "")
            if line["kind"] not in ("point", "end"):
                lines.append(json.dumps(line) + "\n")
    file.write_text("".join(lines), encoding="utf-8")


def test_a_file_with_arms_in_the_names_of_backends_is_shown_judged_and_resumed(builds):
    assert builds.ab()[0] == 0
    old_names(builds.file)
    status, out, _ = builds.call("show", builds.file, "--json")
    assert (status, {(point["backend"], point["arm"]) for point in json.loads(out)}) == (0, {("fake", "a"), ("fake", "b")})
    lines = builds.file.read_text(encoding="utf-8").splitlines(keepends=True)
    builds.file.write_text("".join(lines[:-2]), encoding="utf-8")
    status, out, err = builds.call(*builds.named(), "--resume", builds.file, "--format", "json")
    assert status == 0, err
    assert len(builds.lines("visit")) == 36
    assert {point["verdict"] for point in told(out).values()} == {"same"}


def test_without_the_package_the_file_is_complete_and_the_command_that_judges_it_is_named(builds, monkeypatch):
    monkeypatch.setenv("SYNCMETER_REPORT", "off")
    status, out, err = builds.ab()
    assert status == 2
    assert "is complete, and this judges it, where Python is 3.11 or newer: syncmeter-report compare" in err
    assert len(builds.lines("visit")) == 36


def test_what_the_budget_cut_is_resumed(builds):
    for arm in "ab":
        builds.behave(arm, sleep_s=0.1)
    # Enough for both workers to start and answer once, even where the machine has no time for them for a second.
    status, out, err = builds.ab("--budget", "2.5s")
    words = shlex.split(err.split("continue with: syncmeter ")[1])
    done = len(builds.lines("visit"))
    assert 0 < done < 36
    status, _, err = builds.call("run", "--resume", builds.file)
    assert status == 2
    assert "compares two builds; continue it with: syncmeter ab A B --resume" in err
    status, out, err = builds.call(*words, "--format", "json")
    assert status == 0, err
    assert len(builds.lines("visit")) == 36
    assert {point["verdict"] for point in told(out).values()} == {"same"}


def starts(builds):
    """How often a worker began, of both builds."""
    return sum(len((builds.home / arm / "log.jsonl").read_text(encoding="utf-8").splitlines()) for arm in "ab")


def test_a_results_file_runs_no_program(builds):
    """Whoever wrote a file would choose the worker and its environment: only the command line names them."""
    assert builds.ab()[0] == 0
    before = starts(builds)
    status, out, err = builds.call("ab", "--resume", builds.file, "--format", "json")
    assert status == 0, err
    assert {point["verdict"] for point in told(out).values()} == {"same"}
    builds.cut_last_visit()
    status, _, err = builds.call("ab", "--resume", builds.file)
    assert (status, "name them again" in err) == (2, True)
    status, _, err = builds.call("ab", "--resume", builds.file, "--budget", "1s")
    assert (status, "name them again" in err) == (2, True)
    assert starts(builds) == before


@pytest.mark.parametrize("words, why", [
    (("old={worker}", "b={worker}"), "a build A named 'a', but here it is 'old'"),
    (("a={worker}", "b={worker}", "--env-a", "FAKE_DIR={home}/b"), "--env-a of build 'a' 'FAKE_DIR="),
    (("a={worker}", "b={worker}", "--env-a", "FAKE_DIR={home}/a"), "but here it is '(none)'"),
    (("{worker}", "{other}", "--env-a", "FAKE_DIR={home}/a", "--env-b", "FAKE_DIR={home}/b"), "by syncmeter-fake of build"),
])
def test_other_builds_than_those_of_the_file_are_refused(builds, words, why):
    assert builds.ab()[0] == 0
    builds.cut_last_visit()
    other = builds.home / "other" / "syncmeter-fake"
    other.parent.mkdir()
    install((HERE / "fake_worker.py").read_text(encoding="utf-8").replace("0123456789abcdef", "another build"), other)
    words = [word.format(worker=builds.worker, other=other, home=builds.home) for word in words]
    status, _, err = builds.call("ab", *words, "--resume", builds.file)
    assert (status, why in err) == (2, True), err


def test_with_a_budget_only_what_cannot_be_told_is_visited_again(builds):
    for arm in "ab":
        builds.behave(arm, cost={"atomic_add": noisy(5, 0.02, arm)})
    for budget in ("6s", "20s", "40s"):  # a busy machine takes a part of a second to start a worker, twice a pass
        builds.file.unlink(missing_ok=True)
        for arm in "ab":
            (builds.home / arm / "log.jsonl").unlink(missing_ok=True)
        status, out, err = builds.ab("--budget", budget, "--format", "json")
        visits = {op: len([1 for *_, asked, _ in builds.asked("a") if asked == op]) for op in OPS}
        if visits["atomic_add"] > 6:
            break
    assert status == 0, err
    assert visits["atomic_read"] == visits["plain_read"] == 6
    assert visits["atomic_add"] > 6
    assert told(out)["atomic_add"]["confidence"] > 0.95


def test_what_one_build_alone_has_is_named(builds):
    builds.behave("b", ops={"atomic_read": {"supported": False, "reason": "forgotten"}})
    status, out, err = builds.ab()
    assert status == 3, err
    assert "Only in a: 1 configuration (atomic_read)." in " ".join(out.split())
    assert {line["point"]["op"] for line in builds.lines("visit")} == {"atomic_add", "plain_read"}


def test_a_point_that_fails_in_b_alone_is_a_regression(builds):
    builds.behave("b", status={"plain_read": "failed"})
    status, out, _ = builds.ab()
    assert status == 1
    assert "Broken in b only: plain_read, shared, 1 thread (as the test asked)." in " ".join(out.split())
    builds.file.unlink()
    builds.behave("a", status={"plain_read": "failed"})
    assert builds.ab()[0] == 0


def test_one_visit_is_nothing_to_compare(builds):
    status, out, _ = builds.ab(visits=1)
    assert status == 2
    assert "with fewer than 3 pairs of repetitions in one vCPU placement" in " ".join(out.split())


def test_a_way_of_waiting_named_by_the_environment_is_the_points(builds):
    status, out, err = builds.ab("--env-a", "OMP_WAIT_POLICY=active", "--env-b", "OMP_WAIT_POLICY=passive", "--format", "json")
    assert status == 0, err
    assert {(line["arm"], line["point"].get("wait", "active")) for line in builds.lines("visit")} == {
        ("a", "active"), ("b", "passive")}
    assert len(told(out)) == len(OPS)


@pytest.mark.parametrize("more, why", [
    (["--env-b", "OMP_NUM_THREADS=1"], "OMP_NUM_THREADS is not allowed"),
    (["--env-b", "nonsense"], "'nonsense' is not NAME=VALUE"),
    (["--threshold", "0"], "--threshold"),
    (["--env-b", "OMP_WAIT_POLICY=active", "--wait", "passive"], "--wait"),
])
def test_wrong_usage(builds, more, why):
    status, _, err = builds.ab(*more)
    assert status == 2
    assert why in err


def test_one_build_needs_two_environments(builds):
    status, _, err = builds.call("ab", builds.worker)
    assert status == 2
    assert "give --env-a or --env-b, or a second build" in err


@pytest.fixture(scope="module")
def real():
    path = driver_path().with_name("syncmeter-std")
    if not path.exists():
        pytest.skip("syncmeter-std was not built")
    return path


def test_a_build_is_equal_to_its_copy(real, builds):
    """No call in these loops, so that nothing but they can differ."""
    arguments = ("ab", f"old={real}", f"new={real}", "--op", "atomic_add,control_aa", "--type", "int32", "--threads", "1",
                 "--format", "json", "--output", builds.file)
    status, out, err = builds.call(*arguments)
    assert status == 0, err
    counts = json.loads(out)
    assert counts["equal"] > 0 or "objdump" in err
    measured = {point["point"]["op"] for point in counts["points"]}
    assert "atomic_add" not in measured


def test_all_measures_equal_code_too(real, builds):
    status, out, err = builds.call("ab", f"old={real}", f"new={real}", "--op", "atomic_add", "--type", "int32", "--threads", "1",
                                   "--all", "--repetitions", 3, "--format", "json", "--output", builds.file)
    assert status in (0, 1, 2, 3), err  # three visits on a busy machine may mean anything
    assert {line["arm"] for line in builds.lines("visit")} == {"old", "new"}
    assert json.loads(out)["equal"] == 0
