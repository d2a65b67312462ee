"""What things cost: the ratio to the fastest is of one placement state."""

from syncmeter_analysis.render.costs import costs
from tests.made import point, read, visits, write

near, far = 60.0, 240.0


def lock(op, seen):
    lines = []
    for number, (cost, hop) in enumerate(seen, 1):
        what = point(op, type="int32", lanes=2)
        (line,) = visits([cost], what, estimate={"hop_ns": hop})
        lines.append({**line, "visit": number})
    return lines


def test_the_ratio_is_no_quotient_of_headlines_of_two_states(tmp_path):
    # Headlines: 10 (near) and 640 (far), 64 times; far, where both were seen, twice.
    cheap = lock("critical_add", [(10.0, near)] * 3 + [(320.0, far)] * 2)
    ticket = lock("ticket_lock_add", [(640.0, far)] * 5)
    elsewhere = lock("spin_lock_add", [(5000.0, 2000.0)] * 5)
    campaign = read(write(tmp_path / "f", cheap, ticket, elsewhere))
    (table,) = [b for b in costs(campaign).blocks if hasattr(b, "rows")]
    times = {row[0].text: row[-1].note.rpartition(", ")[2] for row in table.rows}
    assert times == {
        "critical_add": "x 1.00",
        "ticket_lock_add": "x 2.00",
        "spin_lock_add": "not comparable",
    }
