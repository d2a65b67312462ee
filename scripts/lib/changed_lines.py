"""Mutates the product code that a change touches, by universalmutator."""

import ast
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PINNED = "universalmutator==1.14.1"
PRODUCT = re.compile(r"(core|driver|probe|backends)/.*\.(cpp|hpp)|analysis/syncmeter_analysis/.*\.py")
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)
STRING = re.compile(r'"[^"]*"|\s')
#: Operators in types, not in expressions: the formatter puts blanks around binary operators.
UNSPACED = re.compile(r"(?<=[^ ])[<>*&/%]=?|[<>*&/%](?=[^ =])")
#: Writes the line number and the new line for each mutant.
GENERATE = """
import contextlib, io, json, sys
from universalmutator.mutator import mutants_regexp
with contextlib.redirect_stdout(io.StringIO()):
    found = mutants_regexp(open(sys.argv[1]).readlines(), sys.argv[2:], ignorePatterns=[], ignoreStringOnly=True)
print(json.dumps([mutant[:2] for mutant in found]))
"""
#: A larger change is sampled.
MOST_LINES = 400
#: Many Python tests import the central modules. Tests with a similar name and short tests come first.
MOST_TESTS = 5
#: Probe tests for a file without a planted bug.
PROBE_TESTS = ["tests/probe/test_objects.py", "tests/probe/test_times.py", "tests/probe/test_conditions.py"]


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def base_of(root: Path, base: str) -> str:
    """Returns BASE, or the merge base with the upstream branch or main."""
    for words in [["rev-parse", "--verify", base]] if base else [["merge-base", "HEAD", "@{upstream}"], ["merge-base", "HEAD", "main"]]:
        found = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.strip()
    sys.exit(f"scripts/mutate: --changed: '{base or '@{upstream} or main'}' is not a commit; name one, such as HEAD~3")


def changed_lines(root: Path, base: str, paths: list[str]) -> dict[str, list[int]]:
    """Returns the lines of product code that differ from base."""
    found = {}
    for file in git(root, "diff", "--name-only", "--diff-filter=d", "-z", base, "--", *paths).split("\0"):
        if PRODUCT.fullmatch(file):
            hunks = HUNK.findall(git(root, "diff", "-U0", base, "--", file))
            found[file] = [line for first, size in hunks for line in range(int(first), int(first) + int(size or 1))]
    return found


def generator(root: Path) -> list[str | Path]:
    """Returns the command of universalmutator, which is installed once into a virtual environment of its own."""
    venv = root / "build/mutants/venv"
    stamp = venv / PINNED
    if not stamp.is_file():
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run([venv / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", PINNED], check=True)
        stamp.touch()
    return [venv / "bin/python", "-c", GENERATE]


def code_of(text: str) -> str:
    """Returns the syntax tree of Python code without docstrings, or "" if the text is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    return ast.dump(tree)


def mutants_of(root: Path, file: str, lines: set[int]) -> Iterator[tuple[str, str]]:
    """Yields the name and text of each mutated file. A mutant that differs inside strings only is left out."""
    rules = ["universal.rules", *(["python.rules"] if file.endswith(".py") else ["c_like.rules", "cpp.rules"])]
    written = subprocess.run([*generator(root), file, *rules], cwd=root, check=True, capture_output=True, text=True).stdout
    old = (root / file).read_text().splitlines(keepends=True)
    seen = {code_of("".join(old))} if file.endswith(".py") else set()
    for line, new in json.loads(written.splitlines()[-1]):
        before = old[line - 1]
        if line not in lines or new.count("\n") != 1 or STRING.sub("", new) == STRING.sub("", before):
            continue
        is_comment = new.lstrip().startswith("/*")
        if not file.endswith(".py") and not is_comment and UNSPACED.findall(new) != UNSPACED.findall(before):
            continue
        text = "".join([*old[: line - 1], new, *old[line:]])
        if file.endswith(".py"):
            code = code_of(text)
            if not code or code in seen:
                continue
            seen.add(code)
        yield f"{file}:{line}: {before.strip()} ==> {new.strip()}", text


def tests_of(root: Path, file: str, planted: list) -> str:
    """Returns the tests that planted bugs in the file name, and tests that include or import the file."""
    known = list(dict.fromkeys(bug.killed_by for bug in planted if bug.file == file))
    names = list(dict.fromkeys(name for tests in known for name in tests.split() if name.endswith(".py")))
    if file.startswith("probe/"):
        alike = (root / "tests/probe").glob(f"test_{Path(file).stem}*.py")
        return " ".join(dict.fromkeys([*names, *(str(path.relative_to(root)) for path in alike)] or PROBE_TESTS))
    if file.endswith(".py"):
        imported = re.compile(rf"^(?:from|import) .*\b{Path(file).stem}\b", re.M)
        paths = [path for path in (root / "analysis/tests").glob("test_*.py")
                 if Path(file).stem in path.stem or imported.search(path.read_text())]
        paths.sort(key=lambda path: (Path(file).stem not in path.stem, path.stat().st_size))
        return " ".join(dict.fromkeys([*names, *(str(path.relative_to(root)) for path in paths[:MOST_TESTS])]))
    header = f'"{Path(file).with_suffix(".hpp")}"'
    suites = [suite for path in (root / "tests/unit").rglob("*.cpp") if header in (text := path.read_text())
              for suite in re.findall(r"^TEST(?:_[FP])?\((\w+),", text, re.M)]
    return ":".join(dict.fromkeys([*known, *(f"*{suite}.*" for suite in suites)]))


def mutants_of_changed_lines(root: Path, base: str, paths: list[str], planted: list) -> list[tuple[str, str, str, str]]:
    """Returns name, file, text and tests for each mutant, in an order drawn by a fixed seed."""
    draw = random.Random(1)
    changed = changed_lines(root, base_of(root, base), paths)
    every = [(file, line) for file, lines in changed.items() for line in lines]
    sample = set(draw.sample(every, min(len(every), MOST_LINES)))
    found = []
    for file in changed:
        lines = {line for name, line in sample if name == file}
        if tests := tests_of(root, file, planted):
            found += [(name, file, text, tests) for name, text in mutants_of(root, file, lines)]
        else:
            print(f"{file}: no test mentions it")
    draw.shuffle(found)
    return found
