"""`syncmeter advise` runs a program as it would run by itself, counts it however it ends, and refuses what it cannot count.
No thread of these programs spins: they may run beside others."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
import tables
from test_advise import DRIVER, advise  # noqa: F401 (a fixture)


@pytest.fixture
def endings(build):
    return build("endings", "g++", "-O1")


def test_nothing_to_gain(advise, endings):  # noqa: F811
    advice = advise(endings, "")
    assert advice.counts("mutex_lock") == 1000
    words = " ".join(advice.text.split())
    disturbed = advice.header["withheld"] is not None
    said = ("Nothing to gain: no call site takes 2 % of the time." in words, "something to gain is not known, as" in words)
    # A thread that others preempt under a timed lock spends more than 2 % during these few milliseconds.
    assert said == ((False, False) if advice.advice else (not disturbed, disturbed))


@pytest.mark.parametrize("name", ["probe", "kokkos-tool", "swaps"])
def test_a_library_with_another_layout_is_refused(name, tmp_path):
    for path in (DRIVER, *tables.PROBE.parent.glob("libsyncmeter-*.so")):
        shutil.copy(path, tmp_path)
    library = tmp_path / f"libsyncmeter-{name}.so"
    library.write_bytes(re.sub(rb"smprobe:[0-9a-f]{16}", b"smprobe:0123456789abcdef", library.read_bytes()))
    done = subprocess.run([tmp_path / "syncmeter", "advise", "--", "/usr/bin/echo", "it ran"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{library} has another layout than this driver" in done.stderr


def test_streams_are_the_program_s(advise, tmp_path):  # noqa: F811
    given = tmp_path / "given"
    given.write_bytes(bytes(range(256)) * 1000)
    with given.open("rb") as stdin:
        advice = advise("/usr/bin/tee", "/dev/stderr", stdin=stdin)
    sampled = ["sample"] if advice.header["sampling"] else []
    assert [run["arm"] for run in advice.header["runs"]] == ["plain", "count", *sampled, "time"]
    assert advice.done.stdout == given.read_bytes() * (3 + len(sampled))
    assert advice.done.stderr.startswith(given.read_bytes() * (3 + len(sampled)))


def test_a_pipe_is_read_once(advise):  # noqa: F811
    advice = advise("/usr/bin/cat", stdin=None, input=b"once")
    assert advice.done.stdout == b"once"
    assert [run["arm"] for run in advice.header["runs"]] == ["time"]
    assert advice.header["counting_cost"] is None and "Standard input is a pipe" in advice.text


def test_shares_of_a_program_that_ran_once_are_not_known(advise, endings):  # noqa: F811
    advice = advise(endings, "", stdin=None, input=b"")
    assert advice.advice == [] and advice.header["counting_cost"] is None
    assert "something to gain is not known, as " in advice.header["conclusion"]
    assert "Give it a file as standard input" in advice.header["conclusion"]


@pytest.mark.parametrize(("how", "exit_status", "words"), [("_exit", 3, "exit status 3"), ("kill", -9, "signal 9 (Killed)"),
                                                           ("crash", -11, "signal 11")])
def test_however_it_ends(how, exit_status, words, advise, endings):  # noqa: F811
    advice = advise(endings, how)
    assert (advice.done.returncode, advice.counts("mutex_lock")) == (0, 1000)
    assert {run["exit"] for run in advice.header["runs"]} == {exit_status}
    assert words in advice.text


def test_all_processes_are_counted(advise, endings):  # noqa: F811
    advice = advise(endings, "fork")
    assert (advice.header["processes"], advice.counts("mutex_lock")) == (101, 1000 + sum(100 + i for i in range(100)))


def test_a_script_s_programs_are_counted(advise, endings, tmp_path):  # noqa: F811
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{endings}\n{endings}\n", encoding="utf-8")
    script.chmod(0o755)
    assert advise(script).counts("mutex_lock") == 2000


def test_another_preloaded_library_stays(advise, endings, monkeypatch):  # noqa: F811
    other = str(pathlib.Path("/usr/lib/x86_64-linux-gnu/libz.so.1"))
    if not os.path.exists(other):
        pytest.skip("not x86-64")
    monkeypatch.setenv("LD_PRELOAD", other)
    advice = advise("/usr/bin/env")
    assert f":{other}\n".encode() in advice.done.stdout


def test_nothing_to_count(advise):  # noqa: F811
    assert "calls nothing that synchronizes" in advise("/usr/bin/true").text


@pytest.mark.parametrize(("options", "words"), [
    (["-static"], "is a static program: no library can be preloaded"),
    (["-fsanitize=address"], "needs libasan.so"),
])
def test_what_cannot_be_counted_is_refused_before_it_runs(options, words, advise, tmp_path):  # noqa: F811
    (tmp_path / "says.cpp").write_text('extern "C" int puts(const char*);\nint main() { puts("It ran."); }\n', encoding="utf-8")
    subprocess.run(["g++", *options, tmp_path / "says.cpp", "-o", tmp_path / "says"], check=True, timeout=120)
    advice = advise(tmp_path / "says")
    assert (advice.done.returncode, advice.done.stdout) == (2, b"")
    assert words in " ".join(advice.text.split())


def test_a_static_runtime_is_named_before_the_run(advise, build):  # noqa: F811
    advice = advise(build("own_runtime", "g++", "-O1"))
    assert advice.done.returncode == 0
    assert "GOMP_parallel is defined in the file" in " ".join(advice.text.split())
    assert any("GOMP_parallel" in note for note in advice.header["notes"])


@pytest.mark.parametrize(("command", "words"), [
    ([], "no program given, as in syncmeter advise -- ./app"),
    (["no-such-program"], "'no-such-program' is not on PATH"),
    (["./no-such-program"], "is not a program that can be run: there is no such file"),
    (["/etc/passwd"], "is not a program that can be run: it is not executable"),
    (["/etc"], "is not a program that can be run: it is a folder"),
])
def test_commands_that_cannot_run(command, words, advise):  # noqa: F811
    advice = advise(*command)
    assert advice.done.returncode == 2
    assert words in " ".join(advice.text.split())


@pytest.mark.parametrize(("first_line", "words"), [
    ("#!/no/such/interpreter -x", "begins with #!/no/such/interpreter, which is not a program that can be run: there is no such file"),
    ("echo", "is neither an ELF program nor a script that begins with #!"),
])
def test_a_script_that_nothing_runs(first_line, words, tmp_path, advise):  # noqa: F811
    script = tmp_path / "script"
    script.write_text(first_line + "\n", encoding="utf-8")
    script.chmod(0o755)
    advice = advise(str(script))
    assert advice.done.returncode == 2
    assert words in " ".join(advice.text.split())


def test_a_program_that_stands_before_the_dashes(advise):  # noqa: F811
    advice = advise(options=["./app"])
    assert advice.done.returncode == 2
    assert "'./app' is no option; the program and its arguments stand behind --, as in syncmeter advise -- ./app" in " ".join(advice.text.split())


def test_a_file_that_exists_is_kept(tmp_path):
    file = tmp_path / "advice.jsonl"
    file.write_text("mine", encoding="utf-8")
    done = subprocess.run([DRIVER, "advise", "--json", file, "--", "/usr/bin/true"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, file.read_text(encoding="utf-8")) == (2, "mine")
    assert f"--json: '{file}' exists; name another file\n" in done.stderr


def test_no_folder_is_left_behind(advise):  # noqa: F811
    """Other tests use their own folders at the same time."""
    advice = advise("/bin/sh", "-c", "env; kill -9 $$")
    folders = {pathlib.Path(name.decode()) for name in re.findall(rb"[^=\s]*/syncmeter-advise-\w+", advice.done.stdout)}
    assert folders and not [folder for folder in folders if folder.exists()], advice.text


def begun(words, tmp_path, *options, **how):
    """Starts `advise` with a shell and waits for the shell. Returns the driver and the file of begun runs."""
    runs = tmp_path / "begun"
    driver = subprocess.Popen([DRIVER, "advise", *options, "--", "/bin/sh", "-c", f'echo "$$ $SYNCMETER_PROBE_FOLDER" >> {runs}; {words}'],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how)
    wait_for(lambda: runs.exists() and "\n" in runs.read_text(encoding="utf-8"))
    return driver, runs


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_alive(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def test_a_killed_advise_leaves_no_program_and_the_next_one_removes_its_counts(advise, tmp_path):  # noqa: F811
    file = tmp_path / "killed.jsonl"
    driver, runs = begun('test -z "$SYNCMETER_PROBE_FOLDER" || exec sleep 100', tmp_path, "--json", file)
    wait_for(lambda: runs.read_text(encoding="utf-8").count("\n") == 2)
    pid, folder = runs.read_text(encoding="utf-8").split("\n")[1].split(" ")
    wait_for(lambda: "sleep" in pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"))
    driver.kill()
    driver.communicate(timeout=60)
    wait_for(lambda: not is_alive(pid))
    assert not file.exists(), "an empty file would be no result"
    assert os.path.exists(folder)
    advise("/usr/bin/true")
    assert not os.path.exists(folder)


def test_sigterm_ends_a_stopped_program(tmp_path):
    driver, runs = begun("kill -STOP $$; exec sleep 100", tmp_path)
    pid = runs.read_text(encoding="utf-8").split()[0]
    wait_for(lambda: "State:\tT" in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    driver.terminate()
    driver.communicate(timeout=60)
    assert driver.returncode == 128 + signal.SIGTERM and not is_alive(pid)


def test_a_report_that_cannot_be_written_is_no_success():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([DRIVER, "advise", "--budget", "1ms", "--", "/usr/bin/true"], stdin=subprocess.DEVNULL, stderr=full, timeout=60,
                              check=False)
    assert done.returncode == 1


def test_no_program_of_the_current_folder_is_started(tmp_path, endings):
    for name in ("addr2line", "objdump"):
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/it-ran\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    for path in ("", ":", f".:{os.environ['PATH']}"):
        subprocess.run([DRIVER, "advise", "--budget", "1ms", "--", endings, ""], stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                       check=True, cwd=tmp_path, env={**os.environ, "PATH": path})
    assert not (tmp_path / "it-ran").exists()


def test_a_missing_probe_is_named_before_the_program_runs(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "CMakeCache.txt").touch()
    shutil.copy(DRIVER, tmp_path / "bin")
    done = subprocess.run([tmp_path / "bin/syncmeter", "advise", "--", "/usr/bin/echo", "it ran"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout) == (1, "")
    assert f"cmake --build {tmp_path} --target syncmeter-probe" in done.stderr


@pytest.mark.parametrize(("number", "send"), [(signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)],
                         ids=["ctrl-c-of-a-terminal", "sigterm-of-a-scheduler"])
def test_a_signal_ends_the_program_and_all_runs(number, send, tmp_path):
    runs = tmp_path / "runs"
    words = f'echo "$$ $SYNCMETER_PROBE_FOLDER" >> {runs}; test -z "$SYNCMETER_PROBE_FOLDER" || exec sleep 100'
    driver = subprocess.Popen([DRIVER, "advise", "--", "/bin/sh", "-c", words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while not runs.exists() or runs.read_text(encoding="utf-8").count("\n") < 2:
        assert time.monotonic() < deadline and driver.poll() is None
        time.sleep(0.01)
    pid, folder = runs.read_text(encoding="utf-8").split("\n")[1].split(" ")
    while "sleep" not in pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"):
        time.sleep(0.01)
    send(driver.pid, number)
    _, text = driver.communicate(timeout=60)
    assert driver.returncode == 128 + number
    assert runs.read_text(encoding="utf-8").count("\n") == 2
    assert not os.path.exists(folder) and not os.path.exists(f"/proc/{pid}")
    assert f"advise was interrupted by signal {int(number)}" in text and "With the library" not in text
    assert "a signal ended advise before a run was timed" in " ".join(text.split())
