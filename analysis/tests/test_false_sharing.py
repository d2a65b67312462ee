"""The destructive interference size from costs made by hand: what is concluded, and what is not."""

import json
import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.false_sharing import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.relation import Verdict, verdict
from syncmeter_analysis.relate.strides import apart_bytes, size_of_all
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import false_sharing, sections
from tests.made import point, point_lines, read, visits, write

STRIDES = (4, 8, 16, 32, 64, 128, 256, apart_bytes)


def line_of_64(stride):
    return 50.0 if stride < 64 else 10.0


def visits_at(cost, jitter=0.002, strides=STRIDES, hops=(), **axes):
    """Five visits at each stride. The machine drifts by 10 % a visit, which cancels; the strides part
    by `jitter`, which does not."""
    axes = {"lanes": 2, "type": "int32", "op": "atomic_add", "n": 5, **axes}
    n = axes.pop("n")
    size = 8 if axes["type"] == "uint64" else 4
    lines = []
    for stride in strides:
        if stride < size:
            continue
        what = point(placement="strided", stride=stride // size, **axes)
        costs = [
            cost(stride) * 1.1**k * (1 + jitter * (-1) ** (k + (stride == apart_bytes)))
            for k in range(1, n + 1)
        ]
        made = visits(costs, what)
        for line, hop in zip(made, hops, strict=False):
            line["estimates"][0]["hop_ns"] = hop
        lines += made
    return lines


def rows_of(path, *lines):
    return false_sharing.rows(read(write(path, *lines))).rows


def printed_text(path, *lines):
    (section,) = sections(read(write(path, *lines)), ["false-sharing"])
    return as_plain(section.title, section.blocks)


def concluded(path, *lines):
    """The conclusion on padding, then the conclusions on each operation."""
    found = conclude(read(write(path, *lines)))
    padding = [c for c in found if c.question == "padding"]
    return (padding or [None])[0], [c for c in found if c.question == "distance"]


def padded(c):
    """Kind, distance and known slower distance."""
    slower = c.condition("slower_at")
    return str(c.kind), c.effect.value, slower and slower.value


def test_a_line_of_64_bytes(tmp_path):
    (row,) = rows_of(tmp_path / "f", visits_at(line_of_64))
    assert (row.size.enough, row.size.slower_at) == (64, 32)
    assert row.strides == [4, 8, 16, 32, 64, 128, 256]
    assert row.over_apart[4].value == pytest.approx(5, rel=0.01)  # the drift cancels
    assert row.over_apart[4].visits == 5
    assert verdict(row.next_line) is Verdict.same
    assert row.one_element["int32"].value == row.over_apart[4].value
    text = printed_text(tmp_path / "f", visits_at(line_of_64))
    assert "Place data that different threads write 64 bytes apart: a larger distance" in text
    assert re.search(r"atomic add +64 bytes apart +[\d.]+ +4 bytes apart +[\d.]+ +5.1", text)
    padding, (of_adds,) = concluded(tmp_path / "g", visits_at(line_of_64))
    assert padded(padding) == ("use", 64, 32)
    assert of_adds.kind is Kind.use
    assert [x.variant for x in (of_adds.subjects[0], of_adds.reference)] == ["64", "4"]
    assert of_adds.effect.value == pytest.approx(5, rel=0.01)
    assert "Marks: = the same within 5 %, > more." in text  # no other mark is in the table


def test_a_type_that_only_another_version_knows_comes_last(tmp_path):
    lines = [*visits_at(line_of_64, type="uint32"), *visits_at(line_of_64)]
    estimated = [*map(json.dumps, lines), *point_lines(tmp_path / "f", lines)]
    (row,) = rows_of(tmp_path / "f", [line.replace("uint32", "int16") for line in estimated])
    assert row.types == ["int32", "int16"]


def test_pairs_of_lines_make_it_128_bytes(tmp_path):
    lines = visits_at(lambda b: 50.0 if b < 64 else 13.0 if b < 128 else 10.0)
    (row,) = rows_of(tmp_path / "f", lines)
    assert row.size.enough == 128
    assert re.search(r" 128 +1.30 >", printed_text(tmp_path / "f", lines))


def test_where_a_line_is_enough_and_where_it_is_not_is_said_by_lanes(tmp_path):
    """Said of all lanes at once, 64 B were 2.7 times slower than 128 B, or the same."""

    def at(lanes, next_line, **axes):
        def cost(b):
            return 50.0 if b < 64 else next_line if b < 128 else 10.0

        return visits_at(cost, lanes=lanes, **axes)

    lines = [*at(2, 10.0), *at(4, 10.0), *at(8, 27.0)]
    _, found = concluded(tmp_path / "g", lines)
    assert [(c.situation.threads, c.subjects[0].variant) for c in found] == [
        (8, "128"),
        (4, "128"),
        (2, "128"),
    ]


def test_an_interval_across_the_margin_is_no_answer(tmp_path):
    lines = visits_at(line_of_64, jitter=0.2)
    (row,) = rows_of(tmp_path / "f", lines)
    assert (row.size.enough, row.size.slower_at) == (None, 32)
    assert "at 64 B the ratio is" in row.size.why
    padding, (of_adds,) = concluded(tmp_path / "f", lines)
    assert padded(padding) == ("undecided", 64, 32)
    assert (of_adds.kind, of_adds.subjects[0].variant) == (Kind.use, "64")
    assert "64 bytes are enough" in printed_text(tmp_path / "f", lines).partition("Whether ")[2]


def test_a_smaller_stride_that_is_not_resolved_hides_the_size(tmp_path):
    # 64 B is the same as apart, but 32 B may be: the report once said "64 bytes are enough".
    lines = [line for line in visits_at(line_of_64) if line["point"]["stride_bytes"] != 32]
    lines += visits_at(lambda b: 10.4, jitter=0.05, strides=(32,))
    (row,) = rows_of(tmp_path / "f", lines)
    assert row.size.enough is None
    assert "at 32 B the ratio is" in row.size.why
    assert padded(concluded(tmp_path / "f", lines)[0]) == ("undecided", 32, 16)


@pytest.mark.parametrize(("at_64", "size"), [(10.3, 64), (10.7, 128)])
def test_the_margin_decides(tmp_path, at_64, size):
    lines = visits_at(lambda b: 50.0 if b < 64 else at_64 if b == 64 else 10.0)
    assert rows_of(tmp_path / "f", lines)[0].size.enough == size


def test_a_larger_stride_that_costs_more_is_no_size(tmp_path):
    lines = visits_at(lambda b: 50.0 if b < 64 or b == 128 else 10.0)
    (row,) = rows_of(tmp_path / "f", lines)
    assert (row.size.enough, row.size.slower_at) == (None, 128)
    assert row.size.why == "64 B apart cost the same as cells apart, 128 B more"


def test_without_cells_apart_there_is_no_section(tmp_path):
    lines = visits_at(line_of_64, strides=STRIDES[:-1])
    assert sections(read(write(tmp_path / "f", lines))) == []


def test_types_are_pooled_and_affinities_that_place_alike_are_one_row(tmp_path):
    wide = visits_at(lambda b: 80.0 if b < 64 else 10.0, type="uint64")
    same = [
        {
            "kind": "same",
            "point": {**line["point"], "affinity": "smt"},
            "measured_as": line["point"],
            "why": "equal placement",
        }
        for line in [*visits_at(line_of_64, n=1), *visits_at(line_of_64, n=1, type="uint64")]
    ]
    (row,) = rows_of(tmp_path / "f", visits_at(line_of_64), wide, same)
    assert (row.types, row.affinities) == (["int32", "uint64"], ["close", "smt"])
    # At 4 B int32 alone; at 8 B the middle of 5 and 8 on logarithms.
    assert row.over_apart[4].value == pytest.approx(5, rel=0.01)
    assert row.over_apart[8].value == pytest.approx(40**0.5, rel=0.01)
    assert list(row.one_element) == ["int32", "uint64"]


def test_a_state_that_the_control_did_not_see_is_left_out(tmp_path):
    # Far visits cost 10 times as much. Only near visits with 32 B can be compared.
    near, far = 65.0, 235.0
    lines = visits_at(line_of_64, hops=[near] * 5)
    for line in lines:
        if line["point"]["stride_bytes"] == 64 and line["visit"] <= 2:
            (e,) = line["estimates"]
            e["hop_ns"] = far
            e["cost_ns"] = {k: 10 * v for k, v in e["cost_ns"].items()}
    (row,) = rows_of(tmp_path / "f", lines)
    assert row.over_apart[64].visits == 3
    assert row.over_apart[64].value == pytest.approx(1.0, abs=0.01)


def test_files_whose_classes_are_numbered_differently_do_not_contradict(tmp_path):
    """Class 1 is a hop of 65 ns in one file and of 235 ns in the other: told of by number, 32 B of one
    was compared with cells apart in another state, and 32 bytes were said to be enough."""
    first = visits_at(line_of_64, hops=[235.0, 235.0, 235.0, 65.0, 65.0])
    far = visits_at(lambda b: 10 * line_of_64(b), n=3, hops=[235.0] * 3)
    for line, other in zip([x for x in first if x["visit"] <= 3], far, strict=True):
        line["estimates"] = other["estimates"]
    locks = visits([9.0] * 5, point("lock_add", lanes=2), estimate={"hop_ns": 20.0})
    locks += visits([5.0] * 5, point("lock_add", lanes=2, type="int32"), estimate={"hop_ns": 65.0})
    # The other file has the cells apart too, in the state that it calls 1.
    locks += visits_at(lambda b: 50.0, strides=(apart_bytes,), hops=[65.0] * 5, n=6)
    alone = read(write(tmp_path / "a", first))
    both = campaign_of([read_results(tmp_path / "a"), read_results(write(tmp_path / "b", locks))])
    for campaign in (alone, both):
        sharing = false_sharing.rows(campaign)
        assert size_of_all(sharing.rows).enough == 64
        (padding,) = [c for c in conclude(campaign) if c.question == "padding"]
        assert padded(padding) == ("use", 64, 32)


def test_the_size_of_a_machine_is_the_largest_of_ops_bases_and_files(tmp_path):
    larger = visits_at(lambda b: 50.0 if b < 128 else 10.0, op="plain_add", base_offset=32)
    a = write(tmp_path / "a", visits_at(line_of_64))
    b = write(tmp_path / "b", visits_at(line_of_64, lanes=4), larger)
    sharing = false_sharing.rows(campaign_of([read_results(a), read_results(b)]))
    assert sorted(r.size.enough for r in sharing.rows) == [64, 64, 128]
    assert size_of_all(sharing.rows).enough == 128


def test_rows_that_contradict_each_other_cannot_tell(tmp_path):
    odd = visits_at(lambda b: 50.0 if b < 64 or b == 128 else 10.0, op="plain_add")
    sharing = false_sharing.rows(read(write(tmp_path / "f", visits_at(line_of_64), odd)))
    size = size_of_all(sharing.rows)
    assert (size.enough, size.slower_at) == (None, 128)


def test_if_sharing_costs_nothing_neighbours_are_kept(tmp_path):
    padding, (of_adds,) = concluded(tmp_path / "f", visits_at(lambda b: 10.0))
    assert padded(padding) == ("keep", 4, None)
    assert (of_adds.kind, of_adds.reason) == (Kind.keep, None)
    assert of_adds.subjects[0].variant == of_adds.reference.variant == "4"
    text = printed_text(tmp_path / "f", visits_at(lambda b: 10.0))
    assert "Padding gains nothing on this machine" in text


def test_a_store_that_needs_no_padding_has_the_reason(tmp_path):
    lines = [*visits_at(line_of_64), *visits_at(lambda b: 10.0, op="atomic_write")]
    padding, found = concluded(tmp_path / "f", lines)
    assert padded(padding) == ("use", 64, 32)
    (write_,) = [c for c in found if c.situation.work == "atomic_write"]
    assert (write_.kind, write_.reason.name) == (Kind.keep, "stores_are_buffered")
    assert "because stores are buffered" in printed_text(tmp_path / "f", lines)


def test_one_visit_says_why_there_is_no_size(tmp_path):
    (row,) = rows_of(tmp_path / "f", visits_at(line_of_64, n=1))
    assert row.size.why == "at 4 B only one visit has both in one placement state"
