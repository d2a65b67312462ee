"""The programs whose commands the documents show, and what they offer.

SYNCMETER_BIN names the directory that holds `syncmeter`.
"""

import functools
import os
import pathlib
import re
import shlex
import subprocess

import pytest
from documents import ROOT

SCRIPTS = ("run", "test", "format", "docs", "mutate", "fuzz", "atlas", "reference")


class Programs:
    def __init__(self):
        where = os.environ.get("SYNCMETER_BIN")
        if not where:
            pytest.exit("SYNCMETER_BIN is not set: it names the directory that holds `syncmeter`", returncode=2)
        self.bin = pathlib.Path(where).resolve()
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "SYNCMETER_REPORT": "off"}

    def call(self, words, folder=None):
        """(status, what it printed)"""
        done = subprocess.run(words, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", timeout=60, check=False)
        return done.returncode, done.stdout

    @functools.cache
    def help(self, *words):
        status, text = self.call([*words, "--help"])
        assert status == 0, f"{' '.join(words)} --help: {text}"
        return text

    @functools.cache
    def commands(self, program):
        """The names of its sub-commands."""
        text = self.help(program)
        if program == "syncmeter":
            return set(re.findall(r"^  syncmeter (\w[\w-]*)", text, re.M))
        return set(re.findall(r"^    (\w+) ", text, re.M))

    @functools.cache
    def options(self, program, command=None):
        """The long options that its help lists; those of the sub-command too where one is named."""
        words = (program,) if command is None else (program, command)
        return {"--help", "--version"} | set(re.findall(r"^\s+(?:-\w \[ |-\w \w+, |-\w, )?(--[a-z][\w-]*)", self.help(*words), re.M))

    @functools.cache
    def script_options(self, script):
        text = (ROOT / "scripts" / script).read_text(encoding="utf-8")
        return set(re.findall(r"--[a-z][a-z-]*", text)) | (self.options("syncmeter", "run") if script == "run" else set())

    @functools.cache
    def studies(self):
        text = self.help("syncmeter", "run")
        names = re.findall(r"^  ([a-z][\w-]*)  ?\S*", text.split("Studies\n")[1].split("\nOptions:")[0], re.M)
        assert len(names) > 10
        return names

    @functools.cache
    def knows_backend(self, name):
        """Whether `list` says how to get a backend that was not built here."""
        return f"\n  {name}: " in self.call(["syncmeter", "list"])[1].partition("\nNot usable")[2]

    @functools.cache
    def all_options(self):
        found = set()
        for program in ("syncmeter", "syncmeter-report"):
            for command in self.commands(program):
                found |= self.options(program, command)
        for script in SCRIPTS:
            found |= self.script_options(script)
        return found

    def faults(self, command):
        """What in a command no program knows: its sub-command, its options, a study, a variable."""
        words = shlex.split(command, comments=True)
        variables = []
        while words and re.match(r"[A-Z_]+=", words[0]):
            variables.append(words.pop(0).split("=")[0])
        wrong = [f"no script reads {name}" for name in variables if not is_read(name)]
        # A launcher's own words stand before the program's.
        names = [pathlib.PurePath(word).name if "/bin/" in word else word for word in words]
        at = next((i for i, name in enumerate(names) if name in ("syncmeter", "syncmeter-report")
                   or name.startswith("scripts/")), None)
        if at is None:
            return [*wrong, f"'{command}' names no program of this project"]
        program, rest = names[at], words[at + 1:]
        if rest[:1] == ["advise"] and "--" in rest:  # behind it stands the reader's program
            rest = rest[:rest.index("--")]
        if program.startswith("scripts/"):
            script = program.removeprefix("scripts/")
            if not os.access(ROOT / program, os.X_OK):
                return [*wrong, f"there is no {program}"]
            known = self.script_options(script)
        else:
            named = rest[0] if rest and not rest[0].startswith("-") else None
            if (program, named) == ("syncmeter", "build"):  # a command of what pip installs
                return [*wrong, *(f"syncmeter builds no {word}" for word in rest[1:] if word not in built_by_pip())]
            if (program, named) == ("syncmeter", "help"):
                unknown = [word for word in rest[1:] if word not in self.commands(program)]
                return [*wrong, *(f"{program} has no command '{word}'" for word in unknown)]
            if named is not None and named not in self.commands(program):
                return [*wrong, f"{program} has no command '{named}'"]
            known = self.options(program, named)
        wrong += [f"{program} has no option {word}" for word in rest if word.startswith("--") and
                  word.split("=")[0] not in known]
        if "--study" in rest[:-1]:
            study = rest[rest.index("--study") + 1]
            wrong += [f"there is no study {study}"] * (study.islower() and study not in self.studies())
        return wrong


@functools.cache
def built_by_pip():
    """What `syncmeter build` can compile."""
    (table,) = re.findall(r"^MINUTES = \{(.*)\}$", (ROOT / "packaging/wheel/__init__.py").read_text(encoding="utf-8"), re.M)
    return re.findall(r'"(\w+)":', table)


@functools.cache
def is_read(variable):
    """Whether a script, the driver, a worker or CMake reads an environment variable of this name."""
    places = [*(ROOT / "scripts").rglob("*"), *(ROOT / "cmake").glob("*"), *(ROOT / "backends").glob("*/*.cpp"),
              ROOT / "driver/plan/options.cpp"]
    return any(re.search(rf"\b{variable}\b", p.read_text(encoding="utf-8")) for p in places
               if p.is_file() and p.suffix != ".pyc")


@pytest.fixture(scope="session")
def programs():
    return Programs()
