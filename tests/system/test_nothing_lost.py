"""Measured data are neither written over, nor called complete when they are not."""

import json
import os
import resource
import shutil
import subprocess
import time

import pytest

from conftest import HERE, eventually, install, keys


@pytest.fixture
def measured(campaign):
    """A campaign with a results file."""
    status, _, err = campaign.run()
    assert status == 0, err
    return campaign


def unchanged(path):
    """A check that a file is as it is now."""
    before = path.read_bytes()
    def check():
        assert path.read_bytes() == before, f"{path} was written over"
    return check


def add_worker(campaign, name):
    install((HERE / "fake_worker.py").read_text(encoding="utf-8"), campaign.bin / f"syncmeter-{name}")


@pytest.mark.parametrize("kind", ["itself", "symbolic link", "hard link", "another folder's name"])
def test_show_does_not_write_its_table_over_its_file(measured, kind):
    name = {"itself": "results.jsonl", "another folder's name": "bin/../results.jsonl"}.get(kind, "link")
    if kind == "symbolic link":
        (measured.home / name).symlink_to(measured.file)
    if kind == "hard link":
        os.link(measured.file, measured.home / name)
    check = unchanged(measured.file)
    for force in ([], ["--force"]):
        status, _, err = measured.call("show", str(measured.file), "--csv", name, *force)
        assert status == 2 and f"--csv: '{name}' is a file of this command already" in err
        check()


def test_a_campaign_does_not_write_its_table_over_its_results(campaign):
    status, _, err = campaign.run("--csv", str(campaign.file))
    assert status == 2 and "is a file of this command already" in err
    assert not campaign.file.exists() and not campaign.log("measure")


def test_a_resumed_campaign_does_not_write_its_table_over_its_results(measured):
    check = unchanged(measured.file)
    status, _, err = measured.resume("--csv", "results.jsonl")
    assert status == 2 and "is a file of this command already" in err
    check()


def test_what_exists_is_replaced_only_with_force(measured):
    arguments = ["show", "results.jsonl", "--csv"]
    table = measured.home / "table"
    table.write_text("precious\n", encoding="utf-8")
    table.chmod(0o640)
    status, _, err = measured.call(*arguments, "table")
    assert status == 2 and "--csv: 'table' exists" in err and "--force" in err
    assert table.read_text(encoding="utf-8") == "precious\n"
    assert measured.call(*arguments, "table", "--force")[0] == 0
    assert "precious" not in table.read_text(encoding="utf-8") and table.stat().st_mode & 0o777 == 0o640


def test_results_of_another_campaign_are_not_replaced_even_with_force(measured):
    other = measured.home / "other.jsonl"
    shutil.copy(measured.file, other)
    check = unchanged(other)
    status, _, err = measured.call("show", str(measured.file), "--csv", str(other), "--force")
    assert status == 2 and "holds the results of a run" in err
    check()


def test_compressed_results_are_not_replaced_either(measured):
    other = measured.home / "other.jsonl.zst"
    arguments = measured.arguments()
    arguments[arguments.index("--output") + 1] = str(other)
    assert measured.call(*arguments)[0] == 0
    before = other.read_bytes()
    status, _, err = measured.call("show", str(measured.file), "--csv", str(other), "--force")
    assert status == 2 and "--csv" in err
    assert other.read_bytes() == before


def test_a_table_that_cannot_be_written_in_full_leaves_the_old_one(measured):
    table = measured.home / "table.csv"
    table.write_text("precious\n", encoding="utf-8")
    status, _, err = measured.call(
        "show", str(measured.file), "--csv", str(table), "--force",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    assert status == 1 and "was not written in full: File too large" in err
    assert table.read_text(encoding="utf-8") == "precious\n"
    assert {path.name for path in measured.home.iterdir()} == {"bin", "behaviour.json", "log.jsonl", "results.jsonl", "table.csv"}


@pytest.mark.parametrize("closed", ["<&- 2>&-", "<&- >&- 2>&-", ">&-"])
def test_closed_standard_streams_cost_no_visit(campaign, closed):
    command = ["sh", "-c", f'exec "$0" "$@" {closed}', str(campaign.driver), *campaign.arguments(visits=20)]
    status = subprocess.run(command, env=campaign.environment, cwd=campaign.home, timeout=60, capture_output=True).returncode
    assert status == (1 if ">&-" in closed.split(" 2>")[0] else 0), "a table that nobody can read is an error"
    assert len(campaign.visits()) == 60 and campaign.lines()[-1]["reason"] == "complete"


@pytest.fixture
def two_backends(campaign):
    """A campaign of two workers' backends that was cut off after a few visits."""
    add_worker(campaign, "other")
    campaign.environment["PATH"] = f"{campaign.bin}:/usr/bin:/bin"
    shutil.copy(campaign.driver, campaign.home / "syncmeter")  # without the workers beside it
    campaign.driver = campaign.home / "syncmeter"
    return campaign


def of_every_backend(campaign, *more):
    arguments = campaign.arguments(*more, visits=4)
    at = arguments.index("--backend")
    del arguments[at:at + 2]
    return campaign.call(*arguments)


def test_a_resume_without_a_worker_is_not_complete_and_names_what_lacks(two_backends):
    assert of_every_backend(two_backends)[0] == 0
    two_backends.cut_at_visit(10)
    worker = two_backends.bin / "syncmeter-other"
    worker.rename(two_backends.home / "gone")
    status, out, err = two_backends.resume()
    lacking = 12 - sum(visit["backend"] == "other" for visit in two_backends.visits())
    assert status == 4, err
    said = f"{lacking} of the 12 repetitions of backend 'other' cannot be measured here now: no worker for backend 'other'"
    assert said in err and said in " ".join(out.split())
    end = two_backends.lines()[-1]
    assert end["reason"] == "missing" and said in end["missing"][0]
    assert sum(visit["backend"] == "fake" for visit in two_backends.visits()) == 12
    (two_backends.home / "gone").rename(worker)
    assert two_backends.resume()[0] == 0
    assert len(two_backends.visits()) == 24 and two_backends.lines()[-1]["reason"] == "complete"


def test_a_resume_without_a_worker_that_has_measured_all_is_complete(two_backends):
    assert of_every_backend(two_backends)[0] == 0
    (two_backends.bin / "syncmeter-other").unlink()
    assert two_backends.resume()[0] == 0


@pytest.mark.parametrize("older", [False, True])
def test_a_worker_that_came_later_adds_nothing_to_a_resumed_plan(two_backends, older):
    (two_backends.bin / "syncmeter-other").unlink()
    assert of_every_backend(two_backends)[0] == 0
    two_backends.cut_at_visit(10)
    if older:
        two_backends.edit_campaign_line(lambda line: line["plan"].pop("backends"))
    add_worker(two_backends, "other")
    assert two_backends.resume()[0] == 0
    assert len(two_backends.visits()) == 12 and set(keys(two_backends.visits()).values()) == {1}


def test_two_files_in_one_are_refused_by_line(measured):
    text = measured.file.read_text(encoding="utf-8")
    measured.file.write_text(text + text, encoding="utf-8")
    second = text.count("\n") + 1
    for arguments in (["show"], ["run", "--resume"]):
        status, _, err = measured.call(*arguments, str(measured.file))
        assert status == 2 and f"line {second}: a second run begins here" in err


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list"], ["topology"], ["show", "results.jsonl"],
                                       ["show", "results.jsonl", "--json"], ["completion", "bash"], ["manual"],
                                       ["run", "--help"], ["run", "--resume", "results.jsonl"]])
def test_a_full_disk_under_standard_output_is_an_error(measured, arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([measured.driver, *arguments], env=measured.environment, cwd=measured.home, timeout=60,
                              stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output cannot be written" in done.stderr


def test_results_into_a_named_pipe_do_not_hang(campaign):
    os.mkfifo(campaign.file)
    reader = subprocess.Popen(["cat", campaign.file], stdout=subprocess.PIPE, text=True)
    status, _, err = campaign.run()
    lines = [json.loads(line) for line in reader.communicate(timeout=20)[0].splitlines()]
    assert status == 0 and "no table: the results went to" in err
    assert sum(line["kind"] == "visit" for line in lines) == 6 and lines[-1]["reason"] == "complete"


def test_results_into_standard_output_do_not_hang(campaign):
    arguments = campaign.arguments()
    arguments[arguments.index("--output") + 1] = "/dev/stdout"
    status, out, _ = campaign.call(*arguments, within=30)
    assert status == 0 and [json.loads(line)["kind"] for line in out.splitlines()].count("visit") == 6


def test_a_file_that_was_left_empty_is_begun_anew(campaign):
    campaign.file.touch()
    status, _, err = campaign.resume()
    assert status == 2 and "is empty" in err and "--output" in err
    assert campaign.run()[0] == 0 and len(campaign.visits()) == 6


def test_a_stop_of_everything_is_no_timeout(campaign):
    campaign.behave(sleep_s=0.3)
    process = campaign.start(*campaign.arguments(visits=3))
    worker = eventually("a visit has begun", lambda: campaign.log("measure"))[0]["pid"]
    for pid in (process.pid, worker):
        os.kill(pid, 19)
    time.sleep(7)
    for pid in (process.pid, worker):
        os.kill(pid, 18)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert {visit["status"] for visit in campaign.visits()} == {"ok"}


@pytest.mark.parametrize("other", [False, True])
def test_a_file_that_is_removed_while_it_is_written_is_written_anew(campaign, other):
    campaign.behave(sleep_s=0.3)
    process = campaign.start(*campaign.arguments())
    eventually("two visits", lambda: campaign.file.exists() and len(campaign.visits()) >= 2)
    campaign.file.unlink()
    if other:
        campaign.file.write_text("of somebody else", encoding="utf-8")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    anew = campaign.file.with_name(campaign.file.name + ".1") if other else campaign.file
    assert "was removed during the run: all of its lines are written anew in" in err and str(anew) in err
    lines = [json.loads(line) for line in anew.read_text(encoding="utf-8").splitlines()]
    assert len({line["key"] for line in lines if line["kind"] == "visit"}) == 6
    assert [lines[0]["kind"], lines[-1]["kind"], lines[-1]["reason"]] == ["campaign", "end", "complete"]
    assert not other or campaign.file.read_text(encoding="utf-8") == "of somebody else"


def test_a_file_that_is_moved_while_it_is_written_is_named_by_its_new_name(campaign):
    campaign.behave(sleep_s=0.3)
    process = campaign.start(*campaign.arguments())
    eventually("two visits", lambda: campaign.file.exists() and len(campaign.visits()) >= 2)
    moved = campaign.file.rename(campaign.home / "moved.jsonl")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"was moved during the run: its lines are in '{moved}'" in err
    assert json.loads(moved.read_text(encoding="utf-8").splitlines()[-1])["reason"] == "complete"


def test_a_resume_whose_only_worker_cannot_be_asked_misses_its_visits(campaign):
    assert campaign.call(*campaign.arguments())[0] == 0
    campaign.cut_at_visit(3)
    campaign.behave(capabilities="exit")
    status, _, err = campaign.resume()
    assert status == 4, err
    assert "3 of the 6 repetitions of backend 'fake' cannot be measured here now" in err
    campaign.behave()
    assert campaign.resume()[0] == 0
    assert len(campaign.visits()) == 6


def test_a_worker_that_is_killed_when_it_is_asked_what_it_can_is_asked_again(campaign):
    (campaign.home / "kill-once").touch()
    campaign.behave(capabilities="killed once")
    status, _, err = campaign.call(*campaign.arguments())
    assert status == 0, err
