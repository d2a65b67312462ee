#!/usr/bin/env python3
"""Checks the wording of documents, comments and docstrings by the rules of CONTRIBUTING.md, "Words".

words.py [FILE...]         fails if a file (default: each tracked or new file) has more faults than its baseline
words.py --show FILE...    prints each fault with its line
words.py --lower           lowers the baseline of files that have fewer faults now
words.py --accept FILE...  writes the faults of FILE into the baseline, for a file that moved

scripts/lib/words_baseline.tsv has the faults of each file that had some when this check began. A file without a line
there may have none.
"""

import argparse
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BASELINE = Path(__file__).with_name("words_baseline.tsv")
KINDS = ("pointers", "of", "long", "opening", "phrases")

#: Limits for one sentence, and for 100 words in a file.
MOST_WORDS, MOST_OF = 25, 2
MOST_IN_100 = {"of": 3.5, "pointers": 8}
LEAST = 2  # a file with few words may have two
POINTERS = frozenset(
    "that those these this it its they them their one ones other others such so there then where"
    " what which who whose whatever whichever whoever".split()
)
OPENING = re.compile(r"(?:Of|What|Whose|Where|Nor|That|Those|So|As)\b")
#: A phrase, and the words to use instead.
PHRASES = [
    (re.compile(pattern), use)
    for pattern, use in (
        (r";", "a full stop"),
        (r"\b(?:is|are|was|were) (?:told|said)\b", "the program that prints it as the subject"),
        (r"\btold apart\b|\b(?:cannot|not) be told\b", "'distinguish' or 'undecided'"),
        (r"\btimes as (?:long|much|fast|many)\b", "'N times slower' or 'N times more'"),
        (r"\bin the mean\b", "'on average'"),
        (r"\banew\b", "'again'"),
        (r"\bbut for\b", "'except'"),
        (r"\bin place of\b", "'instead of'"),
        (r"\bso that\b", "'to', or a sentence with the effect"),
        (r"\b(?:is|are|was|were) of (?:a|an|the|one|this|each|no)\b", "'belongs to', 'comes from' or 'describes'"),
        (r"\b(?:lanes?|threads?) that meet\b", "'threads that synchronize'"),
        (r"\bwho(?:ever)? (?:spins|waits|sleeps)\b", "'a thread that ...'"),
        (r"\b95 ?% sure\b", "'95 % CI'"),
    )
]

CPP = frozenset((".cpp", ".hpp", ".cu", ".cuh", ".h", ".def"))
#: Comments that tools read.
FOR_TOOLS = re.compile(r"(?:NOLINT|clang-format|noqa|type:|fmt:|shellcheck|!/)")


class Passage(NamedTuple):
    """A paragraph, a list item or a comment."""

    line: int
    text: str


class Fault(NamedTuple):
    line: int
    kind: str
    text: str
    use: str


def paragraphs(lines: list[tuple[int, str]]) -> Iterator[Passage]:
    """Joins numbered lines. Empty lines, list items, headings and table rows end a paragraph."""
    begin, words = 0, []
    for number, line in lines:
        text = line.strip().lstrip(">").strip()
        item = re.match(r"(?:[-*+]|\d+\.) ", text)
        if words and (item or not text or text[0] in "|#"):
            yield Passage(begin, " ".join(words))
            words = []
        if text and text[0] not in "|#":
            begin = begin if words else number
            words.append(text[item.end():] if item else text)
    if words:
        yield Passage(begin, " ".join(words))


def blank(match: re.Match[str]) -> str:
    """Returns only the line ends of the match, because later lines keep their numbers."""
    return "\n" * match[0].count("\n")


def in_markdown(text: str) -> Iterator[Passage]:
    text = re.sub(r"^( *)(```+|~~~+).*?^ *\2|<!--.*?-->", blank, text, flags=re.S | re.M)
    yield from paragraphs(list(enumerate(text.split("\n"), 1)))


def in_comments(text: str, mark: str) -> Iterator[Passage]:
    """Yields comments. Consecutive comment lines are one comment. Two blanks separate code and comment."""
    pattern = re.compile(rf"^[ \t]*{mark}(.*)|^.*\S  {mark}[!<]*(.*)")
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = pattern.match(line) if mark[0] in line else None
        if found and found[1] is not None and not FOR_TOOLS.match(found[1].lstrip()):
            block.append((number, found[1]))
            continue
        yield from paragraphs(block)
        block = []
        if found and found[2]:
            yield from paragraphs([(number, found[2])])
    yield from paragraphs(block)


def in_python(text: str) -> Iterator[Passage]:
    strings = re.compile(r"^([ \t]*)?[rRbBfFuU]{0,2}(\"\"\"|''')(.*?)\2|(?:(?<=[^\n])[rRbBfFuU]{0,2}(\"\"\"|''').*?\4)", re.S | re.M)
    for found in strings.finditer(text):
        if found[2]:
            first = text.count("\n", 0, found.start()) + 1
            yield from paragraphs(list(enumerate(found[3].split("\n"), first)))
    yield from in_comments(strings.sub(blank, text), "#")


def passages(path: Path, text: str) -> Iterator[Passage]:
    if path.suffix == ".md":
        return in_markdown(text)
    return in_comments(text, "//[/!]?<?") if path.suffix in CPP else in_python(text)


def sentences(passage: Passage) -> Iterator[tuple[str, bool]]:
    """Yields sentences without markup, and whether each follows a colon."""
    text = re.sub(r"!?\[([^]]*)\](?:\([^)]*\)|\[[^]]*\])", r"\1", passage.text)
    text = re.sub(r"``[^`]*``|`[^`]*`|https?://\S+", "CODE", text).replace("*", "")
    for sentence in re.split(r"(?<=[.?!])[\")]*\s+", text):
        for number, part in enumerate(re.split(r"(?<=:)\s+", sentence)):
            yield part, number > 0


def faults_of(path: Path, text: str) -> list[Fault]:
    """Returns all faults. More "of" and pointer words than MOST_IN_100 are faults."""
    faults, words_in_file = [], 0
    counted: dict[str, list[Fault]] = {kind: [] for kind in MOST_IN_100}
    for passage in passages(path, text):
        for sentence, is_part in sentences(passage):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) < 3:
                continue

            def add(kind: str, use: str, to: list[Fault] = faults, line: int = passage.line, sentence: str = sentence) -> None:
                to.append(Fault(line, kind, sentence, use))

            plain = re.findall(r"[a-z']+", sentence.lower())
            words_in_file += len(plain)
            for word in plain:
                if word in POINTERS:
                    add("pointers", f"a noun instead of '{word}'", counted["pointers"])
                elif word == "of":
                    add("of", "noun + noun or a verb instead of 'of'", counted["of"])
            if plain.count("of") > MOST_OF:
                add("of", f"'of' at most {MOST_OF} times")
            if len(words) > MOST_WORDS:
                add("long", f"at most {MOST_WORDS} words, not {len(words)}")
            if not is_part and not sentence.endswith("?") and (found := OPENING.match(sentence)):
                add("opening", f"the subject first instead of '{found[0]}'")
            for pattern, use in PHRASES:
                if found := pattern.search(sentence):
                    add("phrases", f"{use} instead of '{found[0]}'")
    for kind, most in MOST_IN_100.items():
        faults += counted[kind][max(LEAST, math.ceil(words_in_file * most / 100)):]
    return faults


def counts_of(name: str) -> dict[str, int]:
    path = ROOT / name
    faults = faults_of(path, path.read_text(encoding="utf-8"))
    return {kind: sum(fault.kind == kind for fault in faults) for kind in KINDS}


def is_checked(name: str) -> bool:
    """Returns whether the check reads the file. Programs in scripts/ have no suffix."""
    path = ROOT / name
    if not path.is_file() or path.is_symlink() or "expected" in path.parts:  # expected: what tests compare with
        return False
    if not path.suffix and path.parent.name == "scripts":
        return path.read_bytes()[:40].partition(b"\n")[0].endswith(b"python3")
    return path.suffix in CPP | {".md", ".py"}


def all_files() -> list[str]:
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({name for name in done.stdout.split("\0") if name and is_checked(name)})


def read_baseline() -> dict[str, dict[str, int]]:
    if not BASELINE.exists():
        return {}
    rows = (line.split("\t") for line in BASELINE.read_text(encoding="utf-8").splitlines()[1:])
    return {name: dict(zip(KINDS, map(int, figures), strict=True)) for name, *figures in rows}


def write_baseline(baseline: dict[str, dict[str, int]]) -> None:
    lines = ["\t".join(("file", *KINDS))]
    lines += ["\t".join((name, *(str(counts[kind]) for kind in KINDS))) for name, counts in sorted(baseline.items()) if any(counts.values())]
    BASELINE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def lowered(baseline: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Returns the baseline with lower figures of today. Deleted files have no line."""
    now = {name: counts_of(name) for name in baseline if is_checked(name)}
    return {name: {kind: min(baseline[name][kind], counts[kind]) for kind in KINDS} for name, counts in now.items()}


def findings(names: list[str], baseline: dict[str, dict[str, int]]) -> list[str]:
    """Returns a line for each file and kind above the baseline."""
    found = []
    for name in names:
        allowed = baseline.get(name, dict.fromkeys(KINDS, 0))
        found += [f"{name}: {kind}: {number}, at most {allowed[kind]}"
                  for kind, number in counts_of(name).items() if number > allowed[kind]]
    return found


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--show", action="store_true", help="print each fault of FILE with its line")
    action.add_argument("--lower", action="store_true", help="lower the baseline to the faults of today")
    action.add_argument("--accept", action="store_true", help="write the faults of FILE into the baseline")
    parser.add_argument("files", nargs="*", metavar="FILE")
    given = parser.parse_args(words)
    names = [str(Path(file).resolve().relative_to(ROOT)) for file in given.files]
    names = [name for name in names if is_checked(name)] if names else all_files()
    if given.show:
        for name in names:
            for fault in sorted(faults_of(ROOT / name, (ROOT / name).read_text(encoding="utf-8"))):
                print(f"{name}:{fault.line}: {fault.kind}: use {fault.use}\n    {fault.text[:160]}")
        return 0
    if given.lower:
        write_baseline(lowered(read_baseline()))
        return 0
    if given.accept:
        write_baseline(read_baseline() | {name: counts_of(name) for name in names})
        return 0
    found = findings(names, read_baseline())
    for line in found:
        print(line)
    if found:
        print("scripts/lib/words.py --show FILE prints each fault; the rules are in CONTRIBUTING.md, \"Words\"")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
