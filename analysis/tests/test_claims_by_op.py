"""Claims on unlike ops, on placements that are alike, on doubtful figures, and across states."""

import pytest

from syncmeter_analysis.claims import all_claims, judged
from syncmeter_analysis.claims.claim import cannot_tell, differs, fails, holds, not_measured
from syncmeter_analysis.claims.conclusions import conclusions_of
from syncmeter_analysis.conclude.recommend import cards_of
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.voice.claims import evidence, ratios
from tests.claim_cases import strided
from tests.made import around, point, read, visits, write

by_id = {claim.id: claim for claim in all_claims()}


def concluded(path, id=None):
    """The conclusions of all claims, or of this claim."""
    c = read(path)
    found = conclusions_of(c, judged(Evidence(c)))
    return [x for x in found if id in (None, x.cause)]


def said(c):
    """Returns the verdict, the kind and the operations of a partial conclusion."""
    ops = [s.op for s in c.subjects] if c.condition("some") else []
    return c.remedy, str(c.kind), ops


def judge(id, path):
    return by_id[id].judge(Evidence(read(path)))


def orders(op, over, under, **axes):
    """The same op at both orders, its seq_cst form `over` and its relaxed one `under` ns."""
    what = {"placement": "shared", "type": "int32", **axes}
    return [
        *visits(around(over), point(op, order="seq_cst", **what)),
        *visits(around(under), point(op, **what)),
    ]


def test_stores_and_reads_are_not_one_median(tmp_path):
    """Most pairs cost the same; the stores among them cost 20 times as much."""
    lines = orders("atomic_write", 20.0, 1.0)
    for lanes in range(1, 7):
        lines += orders("atomic_add", 5.0, 5.0, lanes=lanes)
        lines += orders("atomic_read", 1.0, 1.0, lanes=lanes)
    path = write(tmp_path / "f.jsonl", lines)
    found = judge("belief-relaxed", path)
    assert found.verdict == differs
    assert {op: f.verdict for op, f in found.parts.items()} == {
        "atomic_write": holds,
        "atomic_add": fails,
        "atomic_read": fails,
    }
    text = evidence("belief-relaxed", found)
    assert "confirmed for atomic_write 20 " in text
    assert "refuted for atomic_add 1.0 " in text
    assert list(map(said, concluded(path, "belief-relaxed"))) == [
        ("holds", "use", ["atomic_write"]),
        ("fails", "keep", ["atomic_add", "atomic_read"]),
    ]


def test_few_pairs_that_are_unlike_have_a_range_and_no_middle(tmp_path):
    """3 times alone and 20 times by 64 threads: 11.5 is no pair's."""

    def both(lanes, times):
        what = {"placement": "shared", "type": "int32", "lanes": lanes}
        return [
            *visits(around(5.0 * times), point("critical_add", **what), family="critical"),
            *visits(around(5.0), point("atomic_add", **what)),
        ]

    found = judge(
        "omp-atomic-over-critical", write(tmp_path / "f.jsonl", both(1, 3.0), both(8, 20.0))
    )
    says = "a critical section over an atomic add: 3.0 (1 thread) to 20 (8 threads), 2 pairs"
    assert evidence("omp-atomic-over-critical", found) == says
    # The advice is for the most threads.
    (advice,) = concluded(tmp_path / "f.jsonl", "omp-atomic-over-critical")
    assert (advice.situation.threads, advice.effect.value) == (8, pytest.approx(20.0))
    assert [s.op for s in (*advice.subjects, advice.reference)] == ["atomic_add", "critical_add"]
    alike = judge(
        "omp-atomic-over-critical", write(tmp_path / "g.jsonl", both(1, 3.0), both(8, 3.1))
    )
    assert ratios(alike) == "3.1 (3.0 to 3.1)"


def test_ops_that_agree_are_one_verdict(tmp_path):
    lines = orders("atomic_write", 20.0, 1.0) + orders("atomic_exchange", 9.0, 3.0)
    found = judge("belief-relaxed", write(tmp_path / "f.jsonl", lines))
    assert (found.verdict, list(found.parts)) == (holds, ["atomic_write", "atomic_exchange"])
    (advice,) = concluded(tmp_path / "f.jsonl", "belief-relaxed")
    assert said(advice) == ("holds", "use", [])


def test_one_over_several_is_judged_for_each_of_them(tmp_path):
    def cuda(op, size=0):
        return point(op, backend="cuda", affinity="none", lanes=32, size=size)

    path = write(
        tmp_path / "f.jsonl",
        visits(around(20.0), cuda("barrier"), device=0),
        visits(around(20.0), cuda("tile_sync", 32), device=0),
        visits(around(4.0), cuda("coalesced_sync", 32), device=0),
        # Half a warp is no block.
        visits(around(4.0), cuda("warp_sync_partial"), device=0),
        visits(around(4.0), cuda("tile_sync", 16), device=0),
    )
    found = judge("levels-one-warp-block", path)
    assert {op: f.verdict for op, f in found.parts.items()} == {
        "barrier over tile_sync": holds,
        "barrier over coalesced_sync": fails,
    }


def placed(cost, op, affinity, pus, **more):
    return visits(around(cost), point(op, lanes=2, affinity=affinity), pus=pus, **more)


def test_equal_placements_say_nothing_of_the_affinity(tmp_path):
    lines = placed(50.0, "barrier", "close", [0, 1]) + placed(99.0, "barrier", "spread", [0, 1])
    assert judge("omp-affinity", write(tmp_path / "f.jsonl", lines)).verdict == not_measured
    lines += placed(99.0, "fence", "spread", [0, 8]) + placed(50.0, "fence", "close", [0, 1])
    found = judge("omp-affinity", write(tmp_path / "f.jsonl", lines))
    assert (found.verdict, found.pairs) == (fails, 1)
    assert (found.worst.over.point.op, found.worst.over.point.lanes) == ("fence", 2)


def test_equal_placements_count_once(tmp_path):
    lines = []
    for affinity, pus in (("close", [0, 1]), ("spread", [0, 1]), ("smt", [0, 1]), ("none", [])):
        lines += placed(50.0, "critical_add", affinity, pus, family="critical")
        lines += placed(10.0, "atomic_add", affinity, pus)
    found = judge("omp-atomic-over-critical", write(tmp_path / "f.jsonl", lines))
    assert (found.verdict, found.pairs) == (holds, 2)


def test_equal_placements_are_one_end(tmp_path):
    lines = []
    for affinity in ("close", "smt"):
        for lanes in (4, 8):
            what = point("barrier", lanes=lanes, affinity=affinity)
            lines += visits(around(10.0 * lanes), what)
    assert judge("omp-barrier-lanes", write(tmp_path / "f.jsonl", lines)).pairs == 1


@pytest.mark.parametrize(
    ("members", "doubt"),
    [
        ({"estimate": {"busy": True}}, "disturbed"),
        ({"status": "noisy", "reason": "x"}, "dropped"),
        ({"imported": True, "doubt": "not its name"}, "not its name"),
    ],
)
def test_doubtful_evidence_makes_no_recommendation(tmp_path, members, doubt):
    path = write(
        tmp_path / "f.jsonl",
        visits(around(50.0), point("critical_add", lanes=2), **members),
        visits(around(10.0), point(lanes=2), **members),
    )
    c = read(path)
    findings = judged(Evidence(c))
    found = dict((claim.id, f) for claim, f in findings)["omp-atomic-over-critical"]
    assert found.verdict == holds
    assert doubt in found.doubts[0]
    # A disturbed ratio is advice with this condition.
    advice = concluded(path, "omp-atomic-over-critical")
    disturbed = "busy" in str(members)
    assert [[x.name for x in a.conditions] for a in advice] == [["disturbed"]] * disturbed
    assert [r.conclusion for r in cards_of([("claims", advice)])] == advice


def test_a_doubtful_op_is_left_out_of_advice_on_the_others(tmp_path):
    lines = orders("atomic_write", 20.0, 1.0)
    busy = orders("atomic_exchange", 9.0, 3.0, lanes=2)
    for line in busy:
        line["estimates"][0]["busy"] = True
    (advice,) = concluded(write(tmp_path / "f.jsonl", lines, busy), "belief-relaxed")
    assert said(advice) == ("holds", "use", ["atomic_write"])
    assert advice.condition("disturbed") is None


def with_hops(lines, hops):
    for line, hop in zip(lines, hops, strict=True):
        line["estimates"][0]["hop_ns"] = hop
    return lines


def test_ways_to_wait_are_compared_in_one_state_only(tmp_path):
    """Most visits of the one were far apart, of the other near: no quotient of the two headlines."""
    on = {"lanes": 2, "affinity": "none", "pus": [0, 1], "order": "unordered"}
    far, near = [235.0] * 4 + [65.0], [65.0] * 4 + [235.0]
    path = write(
        tmp_path / "f.jsonl",
        with_hops(visits([240.0] * 4 + [62.0], point("handoff_cas", **on)), far),
        with_hops(visits([62.0] * 4 + [240.0], point("handoff", **on)), near),
    )
    found = judge("belief-spin-cas", path)
    assert found.verdict == cannot_tell
    assert found.effect is None or found.effect.value == pytest.approx(1)


def test_one_lane_is_compared_with_every_state(tmp_path):
    at = {"placement": "shared", "type": "int32"}
    lines = visits(around(2.5), point(**at))
    lines += with_hops(visits(around(15.9), point(lanes=2, **at)), [65.0] * 5)
    found = judge("omp-atomic-contention", write(tmp_path / "f.jsonl", lines))
    assert (found.verdict, found.pairs) == (holds, 1)
    assert found.effect.value == pytest.approx(6.36)


def strides(costs, **axes):
    """Returns lines for one row in the study false-sharing, with a control."""
    lines = []
    for stride, cost in costs.items():
        lines += visits(around(cost), strided(stride=stride // 4, lanes=2, **axes))
    return lines


small = {4: 80.0, 32: 80.0, 64: 10.0, 128: 10.0, 4096: 10.0}
large = {4: 80.0, 32: 80.0, 64: 40.0, 128: 10.0, 4096: 10.0}
cliff = {4: 80.0, 32: 30.0, 64: 30.0, 128: 30.0, 4096: 10.0}


@pytest.mark.parametrize(
    ("rows", "verdict", "worst"),
    [
        ([(small, "atomic_add", 0)], holds, 1),
        ([(small, "atomic_add", 0), (large, "plain_add", 0)], fails, 4),
        ([(small, "atomic_add", 0), (large, "atomic_add", 32)], fails, 4),
        ([(cliff, "atomic_add", 0)], fails, 3),
    ],
)
def test_enough_is_enough_for_every_op_and_base(tmp_path, rows, verdict, worst):
    lines = [strides(costs, op=op, base_offset=base) for costs, op, base in rows]
    found = judge("belief-padding-64", write(tmp_path / "f.jsonl", *lines))
    assert (found.verdict, found.pairs) == (verdict, len(rows))
    assert found.effect.value == pytest.approx(worst, rel=0.01)


def test_enough_is_enough_for_every_file(tmp_path):
    one = write(tmp_path / "a.jsonl", strides(small))
    other = write(tmp_path / "b.jsonl", strides(large, affinity="spread"))
    data = Evidence(read_campaign([str(one), str(other)]))
    assert by_id["belief-padding-64"].judge(data).verdict == fails


def test_a_size_that_cannot_be_told_makes_no_claim(tmp_path):
    unknown = {**small, 64: 10.4}
    lines = strides(unknown)
    for line in lines:
        if line["point"]["stride_bytes"] == 64:
            cost = line["estimates"][0]["cost_ns"]
            cost.update({end: cost[end] * (1 + 0.1 * (line["visit"] - 3)) for end in cost})
    found = judge("belief-padding-64", write(tmp_path / "f.jsonl", lines))
    assert found.verdict == cannot_tell
    (note,) = found.notes
    assert (note.name, note.count) == ("slower_bytes", 32)


def grid(blocks, lanes, cost):
    what = point("barrier", backend="cuda", affinity="none", lanes=lanes, blocks=blocks)
    return visits([cost] * 3, what, family="barrier", device=0, scope="")


def test_barriers_in_small_grids_are_not_judged_by_large_ones(tmp_path):
    """Up to 132 blocks have a multiprocessor each; more large grids than small were measured."""
    lines = []
    for lanes in (32, 256):
        for blocks in (1, 2, 132, 264, 528, 1056):
            lines += grid(blocks, lanes, 7.0 * max(1.0, blocks / 132))
    claim = by_id["cuda-syncthreads-grid"]
    found = judge(claim.id, write(tmp_path / "f.jsonl", lines))
    assert {step: f.verdict for step, f in found.parts.items()} == {
        "barrier in 2 to 132 blocks": holds,
        "barrier in 264 to 1056 blocks": fails,
    }
    small, large = concluded(tmp_path / "f.jsonl", claim.id)
    assert (small.remedy, str(small.kind), small.situation.blocks) == ("holds", "any", 132)
    assert (large.remedy, str(large.kind), large.situation.blocks) == ("fails", "avoid", 1056)
    few = judge(claim.id, write(tmp_path / "g.jsonl", grid(1, 32, 7.0), grid(132, 32, 7.0)))
    assert (few.verdict, few.pairs) == (holds, 1)
    assert judge(claim.id, write(tmp_path / "h.jsonl", grid(1, 32, 7.0))).verdict == "not measured"
