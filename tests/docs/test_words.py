"""scripts/lib/words.py finds each kind of fault in documents, comments and docstrings, and no fault in plain text."""

import sys
from pathlib import Path

import pytest
from documents import ROOT, user_pages

sys.path.insert(0, str(ROOT / "scripts/lib"))
import words  # noqa: E402

LONG = "The driver starts a worker for each launch environment and reads " + " and ".join(["one result"] * 8) + "."


def kinds(name, text):
    return {fault.kind for fault in words.faults_of(Path(name), text)}


@pytest.mark.parametrize(("sentence", "kind"), [
    ("Of a condition the report shows the median.", "opening"),
    ("What a thread acquires is a lock.", "opening"),
    ("That which was seen is a lock.", "opening"),
    ("The median of the waits of the threads of a team grows.", "of"),
    (LONG, "long"),
    ("Locks scale badly; barriers scale well.", "phrases"),
    ("Locks take 2.01 times as long here.", "phrases"),
    ("The interval is told in the file.", "phrases"),
    ("Every lock but for the spin lock sleeps.", "phrases"),
    ("It is what those that have it say of it to others.", "pointers"),
    ("The median of waits grows. The mean of waits of locks grows.", "of"),
])
def test_a_fault_is_found_in_each_language(sentence, kind):
    assert kind in kinds("a.md", f"# Title\n\nThe page has text.\n\n{sentence}\n")
    assert kind in kinds("a.hpp", f"#pragma once\n/// {sentence}\nint f();\n")
    assert kind in kinds("a.cpp", f"int f();  // {sentence}\n")
    assert kind in kinds("a.py", f"x = 1\n# {sentence}\n")
    assert kind in kinds("a.py", f'def f():\n    """{sentence}"""\n')


@pytest.mark.parametrize("sentence", [
    "Use spin_lock: 2.0x faster than omp critical (95 % CI 1.7 to 2.1).",
    "Returns the mean of the samples, or nullopt if the series has no sample.",
    "What does a barrier cost?",
    "Prevents a tail call: the callee reads the return address of its caller.",
    LONG[:60] + ".",
])
def test_plain_text_has_no_fault(sentence):
    for name, text in (("a.md", sentence), ("a.hpp", f"/// {sentence}\n"), ("a.py", f"# {sentence}\n"), ("a.py", f'"""{sentence}"""\n')):
        assert kinds(name, text) == set()


@pytest.mark.parametrize(("name", "text"), [
    ("a.md", "```console\n$ echo Of that; but for what\n```\n"),
    ("a.md", "| Of that; | but for what |\n# Of that; but for what\n"),
    ("a.md", "The option `of; that; those` has a value.\n"),
    ("a.cpp", 'const char* url = "http://of;that";\nint a; int b;\n'),
    ("a.py", 'TEXT = """\nOf that; but for what\n# Of that; but for what\n"""\nx = 1\n'),
    ("a.py", "x = 1; y = 2\n"),
])
def test_code_tables_and_headings_are_no_prose(name, text):
    assert kinds(name, text) == set()


def test_items_and_paragraphs_end_a_sentence():
    item = "the driver starts a worker and reads the results of this worker\n"
    assert "long" not in kinds("a.md", f"- {item}- {item}- {item}")
    assert "long" not in kinds("a.hpp", f"/// - {item}/// - {item}///\n/// {item}")
    assert "long" in kinds("a.hpp", f"/// {item}/// {item}/// {item}")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "BASELINE", tmp_path / "baseline.tsv")
    return tmp_path


def test_the_baseline_only_falls(tree):
    page, names = tree / "page.md", ["page.md"]
    page.write_text("Locks wait; threads sleep.\n\nLocks spin; threads run.\n")
    assert words.findings(names, {}) == ["page.md: phrases: 2, at most 0"]
    words.write_baseline({"page.md": words.counts_of("page.md")})
    assert words.findings(names, words.read_baseline()) == []
    page.write_text(page.read_text() + "\nLocks fail; threads end.\n")
    assert words.lowered(words.read_baseline())["page.md"]["phrases"] == 2, "more faults do not raise it"
    assert words.findings(names, words.read_baseline()) != []
    page.write_text("Locks wait; threads sleep.\n")
    words.write_baseline(words.lowered(words.read_baseline()))
    assert words.read_baseline()["page.md"]["phrases"] == 1
    page.write_text("Locks wait.\n")
    words.write_baseline(words.lowered(words.read_baseline()))
    assert words.read_baseline() == {}


@pytest.mark.parametrize("name", [str(path.relative_to(ROOT)) for path in user_pages()])
def test_a_page_for_users_has_no_fault_and_no_baseline(name):
    assert words.findings([name], {}) == []
    assert name not in words.read_baseline()
