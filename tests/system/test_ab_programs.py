"""`syncmeter ab --command`: two whole programs, run in turn. Figures are planted by --metric, so that nothing here
depends on how fast the machine is."""

import json
import pathlib
import signal
import subprocess

import pytest
from conftest import driver_path, eventually


@pytest.fixture
def program(tmp_path):
    """A command that writes these figures, one a run, over and over."""
    def command(name, figures, word="ops", settings=""):
        count = tmp_path / f"{name}.count"
        script = tmp_path / f"{name}.sh"
        script.write_text(f"""n=$(cat '{count}' 2>/dev/null || echo 0)
echo $((n + 1)) > '{count}'
set -- {' '.join(map(str, figures))}
shift $((n % $#))
echo "{word} $1"
""", encoding="utf-8")
        return f"{settings} sh '{script}'"

    return command


def ab(*arguments):
    done = subprocess.run([driver_path(), "ab", *map(str, arguments)], capture_output=True, text=True, timeout=100,
                          check=False)
    return done.returncode, " ".join(done.stdout.split()), done.stderr


BY_METRIC = ("--metric", "ops ([0-9.]+)", "--budget", "3s")
NEAR_100 = (100, 100.5, 99.7, 100.2, 99.9, 100.3, 99.6)
NEAR_120 = (120, 120.4, 119.8, 120.1, 119.7, 120.3)


@pytest.mark.parametrize("better, verdict, status", [("higher", "faster", 0), ("lower", "slower", 1)])
def test_a_planted_figure_is_judged_by_its_direction(program, better, verdict, status):
    got, out, err = ab("--command", program("a", NEAR_100), "--command", program("b", NEAR_120), *BY_METRIC, "--better", better)
    assert (got, err) == (status, "")
    words = {"higher": "more is better", "lower": "less is better"}[better]
    assert "% more than a's (" in out and f"%) ({words}): {verdict}." in out, out


def test_one_program_in_two_environments(program, tmp_path):
    command = f"sh -c 'echo ops $SPEED'"
    kept = tmp_path / "kept.json"
    status, out, err = ab("--command", command, "--env-a", "SPEED=5", "--env-b", "SPEED=4", *BY_METRIC, "--format", "json",
                          "--output", kept)
    assert status == 0, err
    found = json.loads(out)
    assert found == json.loads(kept.read_text(encoding="utf-8"))
    assert (found["verdict"], found["ratio"]["value"]) == ("faster", 0.8)
    assert [arm["settings"] for arm in found["arms"]] == [["SPEED=5"], ["SPEED=4"]]
    assert len(found["arms"][0]["runs"]) == 8


def test_time_is_judged_where_no_figure_is_named():
    status, out, err = ab("--command", "sleep 0.02", "--command", "sleep 0.4", "--budget", "60s")
    assert (status, err) == (1, "")
    assert "times as much time as a (" in out and "times): slower." in out


@pytest.mark.parametrize("a, b, status, words", [
    ("true", "exit 3", 1, "Not compared: b failed: exit status 3."),
    ("exit 4", "true", 2, "Not compared: a failed: exit status 4."),
    ("true", "kill -9 $$", 1, "Not compared: b was ended by signal 9 (Killed)."),
    ("echo one", "echo two", 1, "Not compared: b writes something else than a"),
    ("echo one", "echo $$", 1, "Not compared: b writes something else than a"),
])
def test_what_fails_or_differs_is_refused(a, b, status, words):
    got, out, err = ab("--command", a, "--command", b, "--budget", "60s")
    assert (got, err) == (status, "")
    assert words in out


def test_what_varies_is_refused_a_verdict(program):
    # Three pairs, however fast the machine is.
    status, out, err = ab("--command", program("a", (10, 90, 50)), "--command", program("b", (70, 15, 40, 95)), *BY_METRIC[:2],
                          "--budget", "1ms")
    assert (status, err) == (3, "")
    assert "Undecided: --budget had room for 3 pairs of runs, and a verdict takes 8 at least: give it" in out


def test_one_run_that_writes_something_else_is_noted(program):
    status, out, err = ab("--command", "echo ops 0", "--command", program("b", (0, 0, 0, 1)), "--budget", "1ms")
    assert (status, err) == (3, "")
    assert "b wrote something else than a in 1 run, which may be chance" in " ".join(out.split()), out


def test_few_pairs_exclude_no_slowdown():
    status, out, _ = ab("--command", "sleep 0.2", "--command", "sleep 0.02", "--budget", "1ms")
    assert "a verdict takes 8 at least" in " ".join(out.split()) and status == 3


def test_a_program_with_another_output_never_passes(program):
    status, out, _ = ab("--command", program("a", (0,)), "--command", program("b", (0, 0, 0, 0, 0, 0, 1, 0, 0)), "--budget", "20s", "--threshold", "0.99")
    assert "which may be chance" in " ".join(out.split()) and status == 3, out


def test_output_that_varies_anyway_is_noted():
    status, out, _ = ab("--command", "echo $$", "--command", "echo $$", "--budget", "1s", "--threshold", "0.9")
    assert status in (0, 3)
    assert "What a writes differs from run to run" in out


def test_a_check_says_which_output_is_right():
    check = ("--check", "grep -q one", "--budget", "1s", "--threshold", "0.9")
    _, out, _ = ab("--command", "echo one", "--command", "echo one more", *check)
    assert "Not compared" not in out
    status, out, _ = ab("--command", "echo one", "--command", "echo two", *check)
    assert (status, "b wrote what --check does not accept" in out) == (1, True)


@pytest.mark.parametrize("arguments, words", [
    (("--command", "true"), "in two environments"),
    (("--command", "true", "--command", "true", "--metric", "("), "not a regular expression"),
    (("--command", "true", "--command", "true", "--better", "higher"), "--better higher is of a --metric"),
    (("--command", "true", "--command", "true", "--command", "true"), "may be given twice"),
    (("--command", "true", "--command", "true", "old/bin"), "old/bin"),
])
def test_wrong_usage(arguments, words):
    status, out, err = ab(*arguments)
    assert (status, out) == (2, "")
    assert words in " ".join(err.split())


@pytest.mark.parametrize("metric, a, b, words", [
    ("ops (.*)", "ops 5", "ops 1:05", "b wrote '1:05', of which --metric would read 1: have it print"),
    ("([0-9.]+) requests", "1,900 requests", "12,100 requests", "a wrote '1,900', of which --metric would read 900"),
    ("lat ([0-9.]+)", "lat 1.04 ms", "lat 937 us", "b wrote 'us' behind the figure, where the first run wrote 'ms'"),
])
def test_a_figure_written_in_parts_is_not_read_as_one_of_them(metric, a, b, words):
    status, out, _ = ab("--command", f"echo {a}", "--command", f"echo {b}", "--metric", metric, "--check", "true")
    assert (status, words in out) == (2 if words.startswith("a") else 1, True), out


def test_a_figure_behind_a_long_line_is_found():
    long = "printf 'ops 5 %060000d\\n' 1"
    status, out, err = ab("--command", long, "--command", long, "--metric", "ops ([0-9]+) .*$", "--budget", "1ms")
    assert (status, err) == (0, ""), out


def test_figures_that_are_none(program):
    status, out, _ = ab("--command", "echo ops 5", "--command", "echo nothing", *BY_METRIC)
    assert (status, "b wrote nothing that --metric" in out) == (1, True)


def test_a_killed_ab_leaves_no_program(tmp_path):
    begun, kept = tmp_path / "begun", tmp_path / "kept.json"
    driver = subprocess.Popen([driver_path(), "ab", "--command", f"echo $$ > {begun}; exec sleep 100", "--command", "true", "--output", kept])
    eventually("the program begins", lambda: begun.exists() and begun.read_text(encoding="utf-8").endswith("\n"))
    pid = int(begun.read_text(encoding="utf-8"))
    driver.kill()
    driver.wait(timeout=60)
    eventually("the program has ended", lambda: not pathlib.Path(f"/proc/{pid}").exists()
               or "State:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    assert not kept.exists()


def test_a_scheduler_s_signal_ends_the_program_too(tmp_path):
    begun = tmp_path / "begun"
    words = f"echo $$ > {begun}; exec sleep 100"
    driver = subprocess.Popen([driver_path(), "ab", "--command", words, "--command", "true"], stdout=subprocess.PIPE, text=True)
    pid = eventually("the program runs", lambda: begun.exists() and begun.read_text(encoding="utf-8").strip())
    driver.terminate()
    out, _ = driver.communicate(timeout=60)
    assert driver.returncode == 128 + signal.SIGTERM and "Not compared: a was ended by signal 15" in out
    assert not pathlib.Path(f"/proc/{pid}").exists()


def test_a_signal_leaves_a_comparison_of_the_pairs_before_it(tmp_path):
    runs, begun = tmp_path / "runs", tmp_path / "begun"
    # The first run does not count; four pairs follow.
    words = f"echo >> {runs}; [ $(wc -l < {runs}) -lt 6 ] || {{ echo $$ > {begun}; exec sleep 100; }}"
    driver = subprocess.Popen([driver_path(), "ab", "--command", "true", "--command", words], stdout=subprocess.PIPE, text=True)
    eventually("the program runs", lambda: begun.exists() and begun.read_text(encoding="utf-8").strip())
    driver.terminate()
    out, _ = driver.communicate(timeout=60)
    out = " ".join(out.split())
    assert driver.returncode == 128 + signal.SIGTERM
    assert "4 pairs of runs, interrupted before more were made." in out, out
    assert "Not compared" not in out
