"""The completion scripts and the manual page: every command and option of --help is in them, and the shells take them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

OWN = {"run", "ab", "advise", "list", "topology", "show", "explain", "census", "check-worker", "completion", "manual"}
#: Commands for syncmeter-report.
OF_THE_REPORT = {"compare", "fleet", "text", "html", "md", "claims", "import", "export", "share"}
SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"]}
COMPLETE = """source "$1" && shift
[[ $(complete -p syncmeter) == 'complete -F _syncmeter syncmeter' ]] || exit 3
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_syncmeter && printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def options(driver):
    """What --help says: the options of each command."""
    names = re.findall(r"^  syncmeter ([a-z][a-z-]*)", driver("--help"), re.M)
    assert OWN | OF_THE_REPORT == set(names)
    return {name: set(re.findall(r"^  (?:-\w \[ )?(--[a-z][a-z-]*)", driver(name, "--help"), re.M)) for name in OWN}


@pytest.fixture
def complete(driver):
    """Sources bash's script and completes the last of the words with it."""
    script = driver.home / "syncmeter.bash"
    script.write_text(driver("completion", "bash"), encoding="utf-8")

    def complete(*words):
        done = subprocess.run(["bash", "--norc", "-c", COMPLETE, "bash", script, "syncmeter", *words], cwd=driver.home,
                              capture_output=True, encoding="utf-8", timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout.split("\n")[:-1] if done.stdout != "\n" else []

    return complete


def needs(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def test_bash_completes_commands_and_every_option(complete, options):
    assert set(complete("")) == {*OWN, *OF_THE_REPORT, "--help", "--version"}
    assert complete("cen") == ["census"]
    for command, names in options.items():
        assert len(names) >= 1 and set(complete(command, "--")) == names, command
    assert complete("run", "--stu") == ["--study"]


def test_bash_completes_values(driver, complete):
    studies = re.findall(r"^  ([a-z][\w-]*) ", driver("run", "--help").split("Studies\n")[1].split("\nOptions")[0], re.M)
    assert complete("run", "--study", "") == studies
    assert complete("run", "--retry", "--study", "po") == ["portability"]
    assert complete("run", "--study", "=", "po") == ["portability"], "--study=po, as readline splits it"
    assert complete("run", "--study", "=") == studies
    assert complete("run", "--type", "int32,u") == ["int32,uint32", "int32,uint64"]
    assert complete("run", "--op", "atomic_cas_p") == ["atomic_cas_pass"]
    manifests = (Path(__file__).parents[2] / "backends").glob("*/backend.cmake")
    named = [call for manifest in manifests
             for call in re.findall(r"^sm_backend\(([a-z0-9-]+) (\d+)", manifest.read_text(encoding="utf-8"), re.MULTILINE)]
    assert complete("list", "--backend", "") == [name for name, place in sorted(named, key=lambda call: (int(call[1]), call[0]))]
    assert complete("topology", "--affinity", "s") == ["spread", "smt"]
    assert set(complete("completion", "")) >= set(SHELLS)
    assert complete("run", "--threads", "") == [], "numbers are not known beforehand"


def test_bash_completes_files(driver, complete):
    (driver.home / "a file.jsonl").touch()
    assert complete("show", "a") == ["a file.jsonl"]
    assert complete("run", "--resume", "a") == ["a file.jsonl"]
    assert complete("run", "--study", "at") == ["atomics"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_its_script(driver, shell):
    needs(shell)
    script = driver.home / "script"
    script.write_text(driver("completion", shell), encoding="utf-8")
    done = subprocess.run([*SHELLS[shell], script], capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_option_is_in_the_script_of_zsh(driver, options):
    zsh = driver("completion", "zsh")
    for command, names in options.items():
        of_command = zsh.partition(f"\n    {command}) _arguments ")[2].partition(";;")[0]
        assert set(re.findall(r"'(--[a-z-]+)=?\[", of_command)) == names, command
    assert "_values -s , LIST int32 uint32 uint64 float double'" in zsh


@pytest.mark.parametrize("words, said", [
    (["completion"], "no shell given; use one of bash, zsh"),
    (["completion", "bach"], "unknown shell 'bach'; did you mean 'bash'?"),
    (["completion", "bash", "zsh"], "unexpected argument 'zsh'"),
    (["manual", "run"], "unexpected argument 'run'"),
])
def test_mistakes(driver, words, said):
    assert said in driver.mistake(*words)


@pytest.mark.parametrize("formatter", [
    ["groff", "-Tascii", "-P-c", "-man", "-ww"],
    ["man", "--warnings", "-E", "ascii", "-l"],
])
def test_the_manual_page_has_every_option(driver, options, formatter):
    needs(formatter[0])
    page = driver.home / "syncmeter.1"
    page.write_text(driver("manual"), encoding="utf-8")
    done = subprocess.run([*formatter, page], capture_output=True, encoding="utf-8", timeout=60, check=False,
                          env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80"})
    assert (done.returncode, done.stderr) == (0, "")
    text = re.sub(".\b", "", done.stdout)
    for command, names in options.items():
        section = re.search(rf"^ +syncmeter {command} \[options\].*?(?=^ +syncmeter \w+ \[options\]|^STUDIES)", text, re.M | re.S)
        assert section, f"no section of {command}"
        assert set(re.findall(r"^ +(--[a-z-]+)", section[0], re.M)) >= names, command
    assert re.search(r"^ +core-to-core", text, re.M), "the studies"
    assert max(map(len, text.splitlines())) <= 80
