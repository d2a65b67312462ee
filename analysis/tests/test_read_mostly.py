"""Read-mostly data, by costs made by hand: which scheme to use."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.read_mostly import conclude
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from tests.made import campaign, point, read, visits, write


def printed_text(tmp_path, study, *lines):
    path = write(tmp_path / "f", *lines, first=campaign(options={"study": study}))
    (section,) = sections(read(path), [study])
    return as_plain(section.title, section.blocks, width=200)


def five(what, ns, **members):
    return visits([ns * (1 + 0.002 * (-1) ** n) for n in range(1, 6)], what, **members)


def datum(scheme, reads, ns, lanes=2, size=64):
    axes = {"lanes": lanes, "size": size, "reads_per_write": reads}
    what = point(f"{scheme}_read_mostly", backend="std", order="unordered", **axes)
    return five(what, ns, family="structure")


def concluded(tmp_path, *lines):
    first = campaign(options={"study": "read-mostly"})
    found = conclude(read(write(tmp_path / "f", *lines, first=first)))
    return {c.situation.reads_per_write: c for c in found}


def schemes(ratios):
    lines = []
    for reads, mutex, seqlock in ratios:
        lines += datum("mutex", reads, mutex) + datum("seqlock", reads, seqlock)
    return lines


def test_each_ratio_of_reads_to_writes_has_its_scheme(tmp_path):
    lines = schemes([(1, 50.0, 80.0), (10, 50.0, 20.0), (100, 50.0, 10.0)])
    found = concluded(tmp_path, lines)
    chosen = {reads: (str(c.kind), c.subjects[0].op) for reads, c in found.items()}
    assert chosen == {
        1: ("keep", "mutex_read_mostly"),
        10: ("use", "seqlock_read_mostly"),
        100: ("use", "seqlock_read_mostly"),
    }
    assert {c.reference.op for c in found.values()} == {"mutex_read_mostly"}
    assert found[100].effect.value == pytest.approx(5)
    assert found[100].condition("own_code") and not found[1].condition("own_code")


def test_a_scheme_that_is_not_shown_to_be_faster_does_not_replace_the_mutex(tmp_path):
    found = concluded(tmp_path, datum("mutex", 1, 50.0) + datum("seqlock", 1, 49.0))
    assert (found[1].kind, found[1].subjects[0].op) == (Kind.keep, "mutex_read_mostly")


def test_one_scheme_alone_is_no_contest(tmp_path):
    path = write(tmp_path / "f", datum("mutex", 1, 50.0))
    assert sections(read(path), ["read-mostly"]) == []


def test_one_repetition_decides_nothing(tmp_path):
    once = [datum("mutex", 100, 90.0)[:1], datum("seqlock", 100, 30.0)[:1]]
    c = concluded(tmp_path, *once)[100]
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "one_repetition")


def test_the_screen_has_the_size_of_all_ratios_first(tmp_path):
    lines = schemes([(1, 50.0, 80.0), (100, 50.0, 10.0)])
    lines += datum("mutex", 100, 40.0, size=8) + datum("seqlock", 100, 20.0, size=8)
    lines += datum("mutex", 100, 40.0, lanes=1) + datum("seqlock", 100, 20.0, lanes=1)
    text = printed_text(tmp_path, "read-mostly", lines)
    flat = " ".join(text.split())
    assert "64 bytes, 100 seqlock (a)" in flat
    assert flat.index("64 bytes, 100") < flat.index(" 8 bytes, 100")
    assert "Read-mostly data, 2 threads: wall time of an access in ns" in flat
    assert "Read-mostly data, 1 thread: wall time of an access in ns" in flat
    (section,) = sections(read(tmp_path / "f"), ["read-mostly"])
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]
