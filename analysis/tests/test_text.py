"""Figures are written as the driver writes them (driver/show/table_rows.cpp)."""

import ast
import re
from pathlib import Path

import pytest

import syncmeter_analysis as package
from syncmeter_analysis.record.point import point_from
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.point_text import names_apart, short_name
from syncmeter_analysis.studies.blocks import escaped_md
from tests.made import point


@pytest.mark.parametrize(
    ("per_s", "shown"),
    [
        (0, "0.00"),
        (7, "7.00"),
        (12857, "12.9 k"),
        (999.6, "1.00 k"),
        (205e6, "205 M"),
        (9.994e9, "9.99 G"),
        (99.96e12, "100 T"),
        (4.2e16, "4.2e+04 T"),
    ],
)
def test_a_rate_has_three_digits_and_a_prefix(per_s, shown):
    assert text.rate(per_s) == shown


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (0, "0.0000"),
        (0.00094, "9.4e-04"),
        (0.5, "0.5000"),
        (4.8762, "4.876"),
        (45.678, "45.68"),
        (45678.9, "45679"),
        (999.96, "1000"),
        (-3.2, "-3.200"),
    ],
)
def test_nanoseconds_have_four_digits(ns, shown):
    assert text.nanoseconds(ns) == shown


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (9999.4, "9999 ns"),
        (37_900, "37.90 us"),
        (100_000, "100.0 us"),
        (999_990, "1000 us"),
        (3_014_000, "3.014 ms"),
        (2e9, "2.000 s"),
        (float("inf"), "unknown"),
    ],
)
def test_a_duration_has_four_digits_and_the_unit_that_suits(ns, shown):
    assert text.duration(ns) == shown


def test_no_text_of_the_package_says_dear_or_cheap():
    """A cost is lower or higher, an op slower or faster."""
    words = re.compile(r"\b(dear|cheap)(er|est)?\b", re.IGNORECASE)
    for path in Path(package.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not words.search(node.value), (path.name, node.lineno, node.value)


def test_a_mutex_is_named_as_its_api_does():
    """std's lock_add and posix's are one lock, and critical_add is no critical section there."""

    def of(backend, op="lock_add"):
        return point_from(point(op, backend=backend, type="int32", placement="shared"))

    of_omp, of_std, of_posix = map(of, ("omp", "std", "posix"))
    assert names_apart(of_std, of_posix) == (
        "std lock_add (std::mutex)",
        "posix lock_add (pthread_mutex)",
    )
    assert names_apart(of_omp, of_std) == ("omp lock_add", "std lock_add (std::mutex)")
    section = of("std", "critical_add")
    assert names_apart(section, of_std) == ("critical_add (std::mutex)", "lock_add (std::mutex)")


@pytest.mark.parametrize(
    ("op", "size", "shown"),
    [
        ("branch_in_warp", 8, "8 paths"),
        ("branch_in_warp", 1, "1 path"),
        ("load_strided", 9, "with a stride of 9 words"),
        ("coalesced_sync", 32, "of 32 threads"),
        ("additional_graph_launch", 1, "of 1 kernel"),
        ("gpu_handoff", 2, "between 2 GPUs"),
        ("somebodys_own", 7, "size 7"),
        ("barrier", 0, ""),
    ],
)
def test_a_size_says_what_it_counts(op, size, shown):
    """Cards compared "size 8" with "size 1"."""
    of_size = point_from(point(op, backend="cuda", size=size))
    assert short_name(of_size, ("backend", "lanes", "affinity")) == f"{op} {shown}".rstrip()


def test_code_spans_are_code_in_markdown_and_other_backticks_are_text():
    assert (
        escaped_md("run `syncmeter show a_b.jsonl` again") == "run `syncmeter show a_b.jsonl` again"
    )
    assert escaped_md("a` and *b*") == r"a\` and \*b\*"
    assert escaped_md("``a_b``") == r"\`\`a\_b\`\`", "runs of several"
    assert escaped_md("`a|b`") == r"\`a\|b\`", "the end of a cell"
    assert "\n" not in escaped_md("`a\n\n# b`"), "no heading"


def test_each_unit_and_per_cent_have_one_notation():
    assert (text.duration(45_700), text.percent(0.05), text.percent(0.0123, 1)) == (
        "45.70 us",
        "5 %",
        "1.2 %",
    )
    root = Path(package.__file__).parent
    for file in root.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        assert not re.search(r"[\u00b5\u03bc]s\b", source), f"{file}: us"
        assert not re.search(r"\{[^{}]*:\.\d%\}", source), f"{file}: percent()"
