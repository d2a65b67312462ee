"""Whatever stands in a file: each command ends with a status and at most a sentence on standard error,
within 20 s and 2 GB. SYNCMETER_FUZZ=N takes N times as many files."""

import contextlib
import io
import itertools
import os
import resource
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from syncmeter_analysis.command import main
from syncmeter_analysis.formats.export import export
from syncmeter_analysis.record.text_file import opened
from tests import mutated, published
from tests.made import read

root = Path(__file__).parents[2]
times = int(os.environ.get("SYNCMETER_FUZZ", "1"))
# No search for the smallest file: it would take longer than to look at the one found.
fuzzed = settings(
    max_examples=25 * times,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
most_seconds, most_kib = 20, 2 << 20


def corpus(folder="."):
    """The first lines of each measured file."""
    for path in sorted((root / "analysis" / "tests" / "data" / folder).glob("*.jsonl.xz")):
        with opened(path) as file:
            yield [line.rstrip() for line in itertools.islice(file, 40)]


measured = [lines for lines in corpus() if len(lines) > 5]
advised = [*corpus("advise")]
table_exported = export(
    read(root / "docs/measurements/xeon-16-vcpu-contention.jsonl.xz"), "csv", None
)
table_exported = "\n".join(table_exported.splitlines()[:12]).encode()
table_published = published.table("omp_barrier", [1, 2, 4], {"int": [1e-7, 2e-7, 3e-7]}).encode()
printed_by_epcc = published.epcc_run(
    4, ("PARALLEL", 2.1), ("DYNAMIC 16", 3.7, 3.1), ("ATOMIC", -0.1)
).encode()


@contextlib.contextmanager
def within_20_seconds():
    def too_long(*_):
        raise TimeoutError(f"more than {most_seconds} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(most_seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(*arguments):
    """The command's status; it printed letters, and a sentence where it found nothing to do."""
    out, err = io.StringIO(), io.StringIO()
    with within_20_seconds(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(a) for a in arguments])
    printed, complaint = out.getvalue(), err.getvalue()
    assert status in (0, 1, 2)
    assert not {c for c in printed + complaint if not c.isprintable()} - {"\n"}
    if status == 2 and arguments[0] != "compare":
        assert complaint.startswith("syncmeter: ") and complaint.count("\n") == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < most_kib
    return status


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mutated")


commands = [
    *(
        ["text"],
        ["claims", "--all"],
        ["md"],
        ["export"],
        ["export", "--format", "google-benchmark"],
    ),
    *(
        ["html", "-o", "page.html"],
        ["share", "-o", "s.jsonl", "--force"],
        ["compare", "--by", "backend"],
    ),
    *(
        ["compare", "--all", "f.jsonl"],
        ["export", "-o", "p.csv", "--force"],
    ),
]


@fuzzed
@given(
    st.sampled_from(measured).flatmap(mutated.results),
    st.lists(st.sampled_from(commands), min_size=2, max_size=2, unique_by=str),
)
def test_any_results_file_is_read_or_refused_in_a_sentence(folder, content, asked):
    (folder / "f.jsonl").write_bytes(content)
    with contextlib.chdir(folder):
        for command in asked:
            status = check(*command, "f.jsonl")
            if command[0] == "share" and status == 0:
                assert check("text", "s.jsonl") in (0, 2)


@fuzzed
@given(
    st.sampled_from(advised).flatmap(mutated.results),
    st.sampled_from((["--format", "json"], ["--format", "markdown"], ["--html", "a.html"], [])),
)
def test_any_file_of_a_program_is_read_or_refused_in_a_sentence(folder, content, asked):
    (folder / "a.jsonl").write_bytes(content)
    with contextlib.chdir(folder):
        check("advise", "a.jsonl", *asked)


@fuzzed
@given(mutated.tables(table_exported))
def test_any_table_is_read_or_refused_in_a_sentence(folder, content):
    (folder / "t.csv").write_bytes(content)
    with contextlib.chdir(folder):
        if check("import", "table", "t.csv", "-o", "t.jsonl", "--force") == 0:
            assert check("claims", "t.jsonl") == 0


@fuzzed
@given(mutated.tables(table_published))
def test_any_published_table_is_read_or_refused_in_a_sentence(folder, content):
    published.put(folder / "x" / "omp_barrier", "")
    (folder / "x" / "omp_barrier" / "runtimes.csv").write_bytes(content)
    with contextlib.chdir(folder):
        if check("import", "syncperformance", "x", "-o", "x.jsonl", "--force") == 0:
            assert check("text", "x.jsonl") in (0, 2)


@fuzzed
@given(mutated.changed_bytes(printed_by_epcc))
def test_any_output_of_epcc_is_read_or_refused_in_a_sentence(folder, content):
    (folder / "e.txt").write_bytes(content)
    with contextlib.chdir(folder):
        if check("import", "epcc", "e.txt", "-o", "e.jsonl", "--force") == 0:
            assert check("claims", "e.jsonl") == 0
