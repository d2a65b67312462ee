"""Command lines drawn at random: `trials.py random_commands` makes any number.

Their words are those that completion knows, and what nobody should write. Nothing is measured (--dry-run). Each must
end in time, with a documented status and, where it is not 0, a sentence; print no control characters; and leave the
results file alone.
"""

import os
import random
import re
import subprocess

from short_campaign import DEADLINE_S, MARK, OPTIONS, in_pool

STATUSES = {0, 1, 2, 4}
NASTY = [b"", b" ", b"-", b"--", b"---", b"0", b"-1", b"1e999", b"nan", b"inf", b"99999999999999999999", b"4294967296", b"0x10",
         b"1-", b"-1-2", b"5-1", b"1,,2", b",", b"max,max", b"1-1000000000", b"*", b"**", b"[", b"a" * 5000, b"1," * 5000 + b"1",
         b"\xff\xfe", b"\x1b[31mred", b"\xc2\x9b31m", "\u202e".encode(), b"a\nb", b"a\rb", b"%s%n", b"$(id)", b"'; ls", b"../..", b"/", b".",
         b"/dev/null", b"/dev/full", b"/proc/self/mem", b"results.jsonl", b"torn.jsonl", b"empty", b"folder", b"missing", b"missing/x",
         b"1ms", b"1e-300s", b"1y", b"-5ms", b"0ms", b"package:4 core:2 pu:2", b"pu:100000", b"pu:0", b"core:99999999", b"true", b"none"]
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Grammar:
    """What completion offers: options by command, and the words that an option takes."""

    def __init__(self, driver):
        script = subprocess.run([driver, "completion", "bash"], capture_output=True, text=True, timeout=DEADLINE_S, check=True).stdout
        self.options = {name: words.split() for name, words in re.findall(r"^    '(\w+) '\*\) words='([^']*)'", script, re.MULTILINE)}
        found = re.findall(r"^    '(\w+) (--[\w-]+)'\)(?: \w+='([^']*)')?", script, re.MULTILINE)
        self.values = {(command, option): words.split() for command, option, words in found}
        assert len(self.options) >= 5 and len(self.values) >= 40, "completion looks otherwise"

    def words(self, chance):
        command = chance.choice([*self.options] + ["run"] * 6 + ["completion", "manual", "--version", "nonsense"])
        words = [command.encode()]
        for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 4, 8])):
            option = chance.choice(self.options.get(command, ["--help"]))
            known = self.values.get((command, option))
            if chance.random() < 0.05:
                option = chance.choice(["--lane", "--Lanes", "--threads=", "-x", "--help-me", "--output=x", "--no-wide"])
            words.append(option.encode())
            if known is not None and chance.random() < 0.95:
                words.append(self.value(known, chance))
        if chance.random() < 0.3:
            words.append(chance.choice(NASTY))
        if command == "show":
            words.insert(1, chance.choice([b"results.jsonl"] * 4 + NASTY))
        if command == "run" and b"--dry-run" not in words:
            words.append(b"--dry-run")
        return words

    @staticmethod
    def value(known, chance):
        if known and chance.random() < 0.7:
            return ",".join(chance.sample(known, chance.randint(1, min(3, len(known))))).encode()
        if chance.random() < 0.4:
            return str(chance.choice([1, 2, 3, 8, 64, 1000])).encode() + chance.choice([b"", b"", b"ms", b"us", b"-9", b",max"])
        return chance.choice(NASTY)


def set_up(programs, home):
    """The folder that commands run in, with what they may name."""
    home.mkdir()
    environment = {**os.environ, "PATH": "/usr/bin:/bin", "SYNCMETER_REPORT": "off"}
    subprocess.run([programs / "syncmeter", "run", *OPTIONS, "--output", "results.jsonl"], cwd=home, env=environment, check=True,
                   capture_output=True, timeout=60)
    (home / "torn.jsonl").write_bytes((home / "results.jsonl").read_bytes()[:-30])
    (home / "empty").touch()
    (home / "folder").mkdir()
    return environment


def broken_promise(programs, home, environment, words):
    """(status, what is wrong or an empty text)."""
    results = {name: (home / name).read_bytes() for name in ("results.jsonl", "torn.jsonl")}
    try:
        done = subprocess.run([programs / "syncmeter", *words], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        return "late", f"no end within {DEADLINE_S} s"
    out, err = (stream.decode("utf-8", errors="replace") for stream in (done.stdout, done.stderr))
    if done.returncode not in STATUSES:
        return done.returncode, f"status {done.returncode}: {err[-300:]}"
    # A census prints what is wrong in its table.
    sentence = re.search(r"^syncmeter: .{10}", err, re.MULTILINE) or (words[0] == b"census" and done.returncode == 1 and out)
    if done.returncode != 0 and not sentence:
        return done.returncode, f"status {done.returncode} without a sentence: {err[-300:]!r}"
    if found := UNPRINTABLE.search(out + err):
        return done.returncode, f"prints {found[0]!r}"
    if any((home / name).read_bytes() != data for name, data in results.items()):
        return done.returncode, "changed a results file"
    return done.returncode, ""


def trials(programs, home, seeds, jobs):
    environment = set_up(programs, home) | {MARK: "commands"}
    grammar = Grammar(programs / "syncmeter")

    def attempt(seed):
        words = grammar.words(random.Random(seed))
        status, flaw = broken_promise(programs, home, environment, words)
        return [f"{words[0].decode()}: status {status}"], f"{[word[:200] for word in words]}: {flaw}" if flaw else None

    return in_pool(jobs, seeds, attempt)
