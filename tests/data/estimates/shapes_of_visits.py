"""How many visits there are, how they scatter, what they say, and in which states they were."""

from building import T, between, five, linear, lost, powers_of_2, scattered, several, shape, v

busy_text = "a processing unit of its lanes was shared or slow while measuring"
bound_text = "the interval holds 0; at most {} ns"

# How many visits there are, and how they scatter. Of five the interval is their range.
shape("five visits", several(scattered), five)
shape("two visits", several([1.0, 2.0]), (1.5, *powers_of_2(2)))
shape("three visits", several([4.0, 1.0, 2.0]), (2.0, *powers_of_2(3)))
shape("four visits", several([8.0, 1.0, 4.0, 2.0]), (3.0, *powers_of_2(4)))
six = (6.0, between(1.0, 2.0, 0.5 / 1.4), between(32.0, 16.0, 0.5 / 1.4))
shape("six visits: a tenth between two ranks", several([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), six)
part = (0.984375 - 0.95) / (0.984375 - 0.875)
inwards = 6 * part / (1 + 5 * part)
seven = (8.0, between(1.0, 2.0, inwards), between(64.0, 32.0, inwards))
shape("seven visits", several([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]), seven)
skewed = [24e3, 423e3, 269e3, 700e3, 568e3]
shape("skewed visits", several(skewed), (423e3, 24e3, 700e3))
shape("one visit: nothing is known of its scatter", [v(5.0)], (5.0, None, None))
shape("five visits that agree", several([3.0] * 5), (3.0, 3.0, 3.0))

# Costs that are none.
shape(
    "one visit that saw no cost",
    [v(1.0, 3.0)],
    status="not_resolved",
    reason=bound_text.format(4),
)
shape(
    "an interval over 0",
    several([-1.0, 0.5, 1.0, 2.0, -0.2]),
    status="not_resolved",
    reason=bound_text.format(2),
    cost_high_ns=2.0,
)
shape(
    "a visit that found 0 keeps all on the linear scale",
    several([0.0, 1.0]),
    status="not_resolved",
    reason=bound_text.format(f"{linear([0.0, 1.0])[1]:.3g}"),
    cost_high_ns=linear([0.0, 1.0])[1],
)
shape(
    "the test side is faster",
    several([-5.0, -4.0, -3.0, -4.5, -3.5], baseline_ns=9.0, test_ns=5.0),
    status="interferes",
    reason="the test side is faster: 5 ns a step against 9 ns",
    baseline_ns_per_step=9.0,
    test_ns_per_step=5.0,
)

# Visits that say what an interval cannot.
said = {"reason": "said so"}
shape(
    "elided",
    several([1.0] * 5, members={"status": "elided", **said}),
    status="elided",
    **said,
)
for status in ("failed", "timeout", "too_slow", "unsupported"):
    shape(
        f"one visit of five {status}",
        [*several([5.0] * 4), lost(status, "said so")],
        status=status,
        **said,
    )
noisy = {"status": "noisy", **said}
shape(
    "most visits noisy",
    several(scattered[:2]) + several(scattered[2:], members=noisy),
    five,
    status="noisy",
    **said,
)
shape(
    "noisy and not resolved",
    several([-1.0, 0.5, 1.0, 2.0, -0.2], members=noisy),
    status="noisy",
    **said,
    cost_high_ns=2.0,
)
shape("few visits noisy", several(scattered[:3]) + several(scattered[3:], members=noisy), five)
shape(
    "no visit with an estimate",
    [lost("ok", "")],
    status="noisy",
    reason="no visit holds an estimate",
)
shape(
    "a lost visit tried again",
    [v(5.0), lost("timeout", visit=2), v(4.0, members={"visit": 2})]
    + [v(c, members={"visit": n}) for n, c in enumerate([6.0, 5.5, 4.5], 3)],
    five,
)

# Placement states and busy visits: the state of most visits counts, then quiet before busy, then
# rounds.
near, far = {"hop": 65.0}, {"hop": 235.0}
shape(
    "two states",
    [v(1.0, **near), v(2.0, **near), v(4.0, **near), v(90.0, **far), v(95.0, **far)],
    (2.0, *powers_of_2(3)),
    at={"lanes": 2},
    total=2,
    state="hop 65 ns, quiet (60 %)",
    visits=3,
)
both = v(1.0, **near)
both["estimates"] += v(50.0, **far, rounds=22)["estimates"]
other = v(2.0, **near)
other["estimates"] += v(60.0, **far, rounds=22)["estimates"]
shape(
    "two states in each visit: the nearest, not the one of more rounds",
    [both, other],
    (1.5, *powers_of_2(2)),
    at={"lanes": 3},
    total=3,
    state="hop 65 ns, quiet (33 %)",
)
shape("one state", several(scattered, hop=70.0), five, at={"lanes": 4}, total=4, state="hop 70 ns")
shape(
    "two classes of a worker without hops",
    several([1.0, 4.0, 2.0], cls=1) + several([9.0, 9.0]),
    (2.0, *powers_of_2(3)),
    at={"lanes": 5},
    total=5,
    state="state 1, quiet (60 %)",
    visits=3,
)
shape(
    "few busy visits",
    several([1.0, 4.0, 2.0]) + several([9.0, 9.0], busy=True),
    (2.0, *powers_of_2(3)),
    state="quiet (60 %)",
    visits=3,
)
shape(
    "most visits busy",
    several([1.0, 4.0, 2.0], busy=True) + several([9.0, 9.0]),
    (2.0, *powers_of_2(3)),
    status="busy",
    reason=busy_text,
    state="busy (60 %)",
    visits=3,
)
shape(
    "as many busy as quiet",
    several([9.0, 9.0], busy=True) + several([1.0, 2.0]),
    (1.5, *powers_of_2(2)),
    state="quiet (50 %)",
    visits=2,
)
shape("all busy", several(scattered, busy=True), five, status="busy", reason=busy_text)
shape(
    "a busy state far away",
    several([1.0, 4.0, 2.0], busy=True, hop=240.0) + several([9.0, 9.0], hop=60.0),
    (2.0, *powers_of_2(3)),
    at={"lanes": 6},
    total=6,
    status="busy",
    reason=busy_text,
    state="hop 240 ns, busy (60 %)",
    visits=3,
)
shape(
    "three quiet visits beside five busy ones",
    several([1.0, 4.0, 2.0]) + several([9.0] * 5, busy=True),
    (2.0, *powers_of_2(3)),
    state="quiet (38 %)",
    visits=3,
)
shape(
    "the nearest of two placements, though the other came more often",
    several([1.0, 4.0, 2.0], hop=60.0) + several([9.0] * 5, hop=240.0),
    (2.0, *powers_of_2(3)),
    at={"lanes": 13},
    total=13,
    state="hop 60 ns, quiet (38 %)",
    visits=3,
)
# Of three points on the same lanes one alone was seen near: all three show the far placement.
near_and_far = several([9.0] * 3, hop=60.0) + several([1.0, 4.0, 2.0], hop=240.0)
for name, found, told in (
    ("near and far, beside two that were far", near_and_far, ", quiet (50 %)"),
    ("far", several([1.0, 4.0, 2.0], hop=240.0), ""),
    ("far too", several([1.0, 4.0, 2.0], hop=240.0), ""),
):
    shape(
        name,
        found,
        (2.0, *powers_of_2(3)),
        at={"lanes": 14},
        total=14,
        state="hop 240 ns" + told,
        visits=3,
    )
shape(
    "thin visits beside solid ones",
    several([1.0, 4.0, 2.0]) + several([900.0, 901.0], rounds=4),
    (2.0, *powers_of_2(3)),
    visits=3,
)
shape("thin visits only", several(scattered, rounds=4), five)
