"""Read-mostly data, by costs made by hand: what is fastest."""

from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from tests.made import campaign, point, read, visits, write


def printed_text(tmp_path, study, *lines):
    path = write(tmp_path / "f", *lines, first=campaign(options={"study": study}))
    (section,) = sections(read(path), [study])
    return as_plain(section.title, section.blocks, width=200)


def five(what, ns, **members):
    return visits([ns * (1 + 0.002 * (-1) ** n) for n in range(1, 6)], what, **members)


def datum(scheme, reads, ns, lanes=2):
    axes = {"lanes": lanes, "size": 64, "reads_per_write": reads}
    what = point(f"{scheme}_read_mostly", backend="std", order="unordered", **axes)
    return five(what, ns, family="structure")


def test_the_fastest_scheme_is_told_by_runs_of_ratios(tmp_path):
    lines = []
    for reads, mutex, seqlock in ((1, 50.0, 80.0), (10, 50.0, 20.0), (100, 50.0, 10.0)):
        lines += datum("mutex", reads, mutex) + datum("seqlock", reads, seqlock)
    text = " ".join(printed_text(tmp_path, "read-mostly", lines).split())
    assert (
        "- 2 threads, 64 bytes: at 1 read a write take std mutex, because std seqlock takes "
        in text
    )
    assert "; at 10 and 100 take std seqlock, because std mutex takes 2.50 to 5.00 " in text


def test_of_schemes_without_a_difference_the_one_of_the_api_is_taken(tmp_path):
    lines = datum("mutex", 1, 50.0) + datum("seqlock", 1, 49.0)
    text = " ".join(printed_text(tmp_path, "read-mostly", lines).split())
    assert "at 1 read a write keep std mutex: std seqlock is not shown to be faster" in text


def test_one_scheme_alone_is_no_contest(tmp_path):
    path = write(tmp_path / "f", datum("mutex", 1, 50.0))
    assert sections(read(path), ["read-mostly"]) == []


def test_schemes_that_were_visited_once_are_not_compared(tmp_path):
    once = [datum("mutex", 100, 90.0)[:1], datum("seqlock", 100, 30.0)[:1]]
    text = " ".join(printed_text(tmp_path, "read-mostly", *once).split())
    assert "cannot tell which to take: std seqlock and std mutex were not compared" in text
    assert "undecided" not in text
