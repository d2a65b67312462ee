"""Ways of waiting made by hand: for how long to spin, and what follows for the runtimes."""

import math
import re

import pytest

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.spin_then_sleep import advice
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections, spin_settings, waiting
from syncmeter_analysis.studies import waiting as drawing
from syncmeter_analysis.studies.waiting import Way
from tests.made import campaign, point, read, visits, write

LATES = (1, 10, 100, 1000, 10000)


def late(op, late_us, backend="posix", wait="active"):
    return point(op, backend=backend, lanes=2, wait=wait, order="unordered", late_us=late_us)


def curve(op, costs, cpu_us=None, **axes):
    """Five visits at each lateness."""
    lines = []
    for late_us, cost in zip(LATES, costs, strict=True):
        burnt = {} if cpu_us is None else {"waiting_cpu_ns": 1e3 * cpu_us(late_us)}
        lines += visits([cost] * 5, late(op, late_us, **axes), family="handoff", **burnt)
    return lines


def usual():
    """Sleeping costs 20 us more from 10 us on; a barrier's 30 us, its looks 10 ns each."""
    lines = curve("wait_pause", [100.0] * 5, lambda us: us)
    lines += curve("wait_futex", [600.0, 20100.0, 20100.0, 20100.0, 20100.0], lambda us: 3.0)
    lines += curve("wait_condition", [900.0, 25100.0, 25100.0, 25100.0, 25100.0])
    for backend in ("omp", "omp-llvm"):
        lines += curve("barrier_late", [200.0] * 5, backend=backend)
        lines += curve("barrier_late", [30200.0] * 5, backend=backend, wait="passive")
    return lines + visits([10.0] * 5, point("spin_pause", backend="posix", order="unordered"))


def first():
    return campaign(options={"study": "waiting"})


def part_of(tmp_path, lines):
    (part,) = waiting.rows(read(write(tmp_path / "f", lines, first=first())))
    return part


def printed_text(tmp_path, lines):
    (section,) = sections(read(write(tmp_path / "f", lines, first=first())), ["waiting"])
    return " ".join(as_plain(section.title, section.blocks).split())


def test_spinning_for_what_sleeping_costs_more_never_costs_more_than_twice(tmp_path):
    part = part_of(tmp_path, usual())
    assert part.between == ("pause", "futex")
    # A way that is not shown to cost more is named beside it.
    alike = [20100.0 * x for x in (0.97, 0.99, 1.0, 1.04, 1.06)]
    lines = [x for x in usual() if x["point"]["op"] != "wait_condition"]
    lines += visits(alike, late("wait_condition", LATES[-1]), family="handoff")
    assert part_of(tmp_path, lines).between == ("pause", "futex or condition")
    assert part.advice.extra_ns == pytest.approx(20000.0)
    assert part.advice.extra_at_us == 100, "10 us late the other one comes before that is paid off"


def test_who_may_lose_a_tenth_spins_ten_times_as_long(tmp_path):
    a = part_of(tmp_path, usual()).advice
    # 20 us are a tenth of 200 us.
    assert a.spin_ns == pytest.approx(200e3, rel=0.06)
    assert a.worst <= 0.10
    assert a.burns_ns == pytest.approx(220e3, rel=0.06)
    assert a.other_burns_ns(math.inf) == 1e7


@pytest.mark.parametrize("extra", [13500.0, 17300.0, 20000.0, 26100.0])
def test_spinning_less_would_be_more_than_a_tenth_behind(extra):
    spin, sleep = Way("spin", False), Way("sleep", True)
    for way, cost in ((spin, 0.0), (sleep, extra)):
        way.costs = {late_us: _cost_of(cost) for late_us in LATES}
    found = advice(spin.curve_of, sleep.curve_of)
    assert found.spin_ns % 10000 == 0, "two digits are what is known of it"
    assert extra / found.spin_ns <= 0.10 < extra / (found.spin_ns - 10000)
    assert found.worst == pytest.approx(extra / found.spin_ns)


class _cost_of:
    """As much of a point as a curve reads."""

    status = "ok"

    def __init__(self, ns):
        self.cost = Interval(ns, ns, ns)


def test_what_it_loses_at_worst_is_by_the_ends_of_the_intervals_too(tmp_path):
    """Costs that vary by a fifth from visit to visit promise no tenth."""
    steady = part_of(tmp_path, usual())
    assert {round(a.worst_at_ends, 2) for a in (steady.advice, steady.runtimes[0].advice)} == {0.1}
    lines = [
        {**line, "estimates": [{**e, "cost_ns": {k: v * by for k, v in e["cost_ns"].items()}}]}
        for line, by in zip(usual(), [0.8, 0.9, 1.0, 1.1, 1.2] * 1000, strict=False)
        for e in line["estimates"]
    ]
    part = part_of(tmp_path, lines)
    assert part.advice.worst <= 0.10
    assert 0.11 < part.advice.worst_at_ends < 0.20
    libgomp, libomp = part.runtimes
    # It counts looks, which take longer or shorter too.
    assert libgomp.advice.worst_at_ends > libomp.advice.worst_at_ends
    text = printed_text(tmp_path, lines)
    worst = f"at most {100 * libgomp.advice.worst_at_ends:.0f} %"
    assert f"than with the better of spinning and sleeping (95 % sure: {worst}, 5 visits)" in text
    # So many looks last as the clock goes: 20 % shorter or longer.
    for lasting in (r"which spins for (\S+) to (\S+) us", r"300000, (\S+) to (\S+) ms"):
        least, most = re.search(lasting, text).groups()
        assert float(most) / float(least) == pytest.approx(1.2 / 0.8, rel=0.03)


def test_one_visit_promises_nothing(tmp_path):
    a = part_of(tmp_path, [v for v in usual() if v["visit"] == 1]).advice
    assert math.isinf(a.worst_at_ends)
    text = printed_text(tmp_path, [v for v in usual() if v["visit"] == 1])
    assert "the better of spinning and sleeping (scatter unknown)" in text
    assert "at most" not in text


def test_one_lateness_decides_nothing(tmp_path):
    lines = [v for v in usual() if v["point"].get("late_us") == 10]
    assert part_of(tmp_path, lines).advice is None
    assert "cannot tell how long to spin" in printed_text(
        tmp_path, [v for v in lines if v["point"]["op"] != "barrier_late"]
    )


def test_each_runtime_gets_its_own_variable(tmp_path):
    text = printed_text(tmp_path, usual())
    libgomp, libomp = part_of(tmp_path, usual()).runtimes
    assert libgomp.spins == pytest.approx(30000, rel=0.06), "300 us of 10 ns each"
    # It sets the waiting of every team, and one of two was measured.
    team = "2 threads (no larger team was measured)"
    assert f"omp, {team}: export GOMP_SPINCOUNT={libgomp.spins}, which spins for " in text
    blocktime = math.ceil(libomp.advice.spin_ns / 1e3)
    setting = (
        f"omp-llvm, {team}: export KMP_BLOCKTIME={blocktime}us (default: 200 ms; before LLVM 18: "
    )
    assert (
        f"{setting}KMP_BLOCKTIME=1, which is 1 ms), so that no wait takes over about 10 % " in text
    )
    assert re.search(
        r"omp-llvm, with that: a wait of 10 ms burns \d+ us of CPU time, 10 ms with the default",
        text,
    )


def test_a_runtime_gets_what_its_version_takes():
    """LLVM took whole milliseconds alone before 18: for that long the figures are then."""

    def says(llvm):
        active, passive = ({us: cost for us in LATES} for cost in (200.0, 7200.0))
        found = advice(
            lambda _: active, lambda _: passive, whole_ns=spin_settings.whole_ns_of(llvm)
        )
        return " ".join(spin_settings.setting(spin_settings.Runtime("omp-llvm", found, llvm=llvm)))

    old, new, unknown = map(says, (14, 18, None))
    assert "export KMP_BLOCKTIME=1, which is 1 ms (default: 200 ms; LLVM 14 takes whole ms, " in old
    assert "and 1 is the least that spins), so that no wait takes over about 10 % longer" in old
    assert "a wait of 10 ms burns 1.0 ms of CPU time, 10 ms with the default" in old
    assert re.search(r"export KMP_BLOCKTIME=\d\dus \(default: 200 ms\), so that no wait", new)
    assert "before LLVM 18: KMP_BLOCKTIME=1, which is 1 ms" in unknown
    assert re.search(r"burns \d\d us of CPU time, 10 ms with the default", new)
    assert spin_settings.llvm_of("Clang 14.0.6") == 14
    assert spin_settings.llvm_of("GNU 12.2.0") is None


def test_a_time_to_spin_says_what_it_aims_at(tmp_path):
    """That a wait as long ended a tenth later asleep said neither why a tenth nor what for."""
    lines = curve("wait_pause", [100.0] * 5)
    lines += curve("wait_futex", [600.0, 6100.0, 3100.0, 3100.0, 3100.0])
    for backend in ("omp", "omp-llvm"):
        lines += curve("barrier_late", [100.0] * 5, backend=backend)
        slept = [600.0, 6100.0, 3100.0, 3100.0, 3100.0]
        lines += curve("barrier_late", slept, backend=backend, wait="passive")
    lines += visits([10.0] * 5, point("spin_pause", backend="posix", order="unordered"))
    text = printed_text(tmp_path, lines)
    settings = re.findall(
        r"(?:for |=)(\d+) ?[uµ]s(?: \(default[^)]*\))?, so that no wait takes over about 10 % longer "
        r"than with the better of spinning and sleeping \(95 % sure: at most \d+ %, 5 visits\)", text
    )  # fmt: skip
    assert len(settings) == 3, text
    # Two digits are what is known of it.
    assert all(len(spun.rstrip("0")) <= 2 for spun in settings)
    assert re.search(r"GOMP_SPINCOUNT=\d\d00,", text)


def test_what_a_setting_spares_is_beside_what_the_runtime_does_without_it(tmp_path):
    """libgomp's default, 300000 looks of 10 ns, ends before a wait of 10 ms does; libomp's does not."""
    libgomp, libomp = part_of(tmp_path, usual()).runtimes
    assert libgomp.default_ns == pytest.approx(3e6, rel=0.01)
    assert libgomp.advice.other_burns_ns(3e6) == pytest.approx(3030e3, rel=0.01)
    assert libomp.advice.other_burns_ns(libomp.default_ns) == 1e7
    text = printed_text(tmp_path, usual())
    assert (
        "omp, with that: a wait of 10 ms burns 330 us of CPU time, 3.0 ms with the default" in text
    )
    assert re.search(
        r"longer spin: a wait of 10 ms burns \d+ us of CPU time, 10 ms where it only", text
    )


def test_where_sleeping_costs_nothing_sleep_at_once(tmp_path):
    lines = curve("wait_spin", [100.0] * 5) + curve("wait_atomic", [100.0] * 5, backend="std")
    lines += curve("barrier_late", [100.0] * 5, backend="omp")
    lines += curve("barrier_late", [100.0] * 5, backend="omp", wait="passive")
    text = printed_text(tmp_path, lines)
    assert "your own code, 2 threads: sleep (atomic) at once" in text
    assert "omp, 2 threads (no larger team was measured): export OMP_WAIT_POLICY=passive" in text


def test_where_sleeping_never_pays_off_keep_spinning(tmp_path):
    lines = curve("wait_spin", [100.0] * 5) + curve("wait_futex", [5e6] * 5)
    lines += curve("barrier_late", [100.0] * 5, backend="omp")
    lines += curve("barrier_late", [5e6] * 5, backend="omp", wait="passive")
    assert "measured): export OMP_WAIT_POLICY=active" in printed_text(tmp_path, lines)


def test_what_a_wait_burns_has_a_table_of_its_own(tmp_path):
    text = printed_text(tmp_path, usual())
    assert "us of CPU time that a waiting lane burns" in text
    part = part_of(tmp_path, usual())
    pausing = next(way for way in part.ways if way.name == "pause")
    assert pausing.cpu_ns[1000] == pytest.approx(1e6)


def test_a_file_without_ways_of_waiting_has_no_section(tmp_path):
    lines = curve("barrier_late", [200.0] * 5, backend="omp")
    assert not waiting.rows(read(write(tmp_path / "f", lines, first=first())))


def test_the_figure_says_what_follows_of_the_ways_that_it_draws(tmp_path):
    (figure,) = drawing.figures(waiting.rows(read(write(tmp_path / "f", usual(), first=first()))))
    assert figure.title.startswith("your own code, 2 threads: spin (pause) for ")
    assert [panel.title for panel in figure.panels] == [
        "ns until it is seen",
        "ns of CPU time burnt",
    ]


def beside(way, lanes, cost, affinity="close"):
    axes = {"backend": "posix", "lanes": lanes, "order": "unordered", "affinity": affinity}
    costs = [cost * f for f in (1.0, 1.001, 0.999, 1.0, 1.0)]
    return visits(costs, point(f"work_beside_{way}", **axes), family="handoff")


def test_what_a_waiting_lane_costs_one_that_works(tmp_path):
    lines = [line for way in ("spin", "pause", "futex", "x") for line in beside(way, 1, 1e5)]
    lines += beside("x", 2, 1e5)  # somebody's own
    for way, cost in (("spin", 1.6e5), ("pause", 1.3e5), ("futex", 1e5)):
        lines += beside(way, 2, cost, "smt") + beside(way, 2, 1e5)
    part = part_of(tmp_path, lines)
    assert [(n.way, n.affinity) for n in part.neighbours] == [
        (way, where) for where in ("close", "smt") for way in ("spin", "pause", "futex")
    ]
    shown = printed_text(tmp_path, lines)
    assert "on the same core: spin 1.60 (1.60..1.60) times as long, pause 1.30" in shown
    assert "times as long; the same as alone: futex" in shown
    assert "on another core: the same as alone: spin, pause, futex" in shown
    assert "how long to spin" not in shown, "no way to wait was measured"


def test_what_is_open_of_a_neighbour_says_what_is_asked_what_it_may_be_and_what_to_run(tmp_path):
    def open_of(way):
        axes = {"backend": "posix", "lanes": 2, "order": "unordered", "affinity": "close"}
        costs = [1e5 * f for f in (0.8, 0.9, 1.0, 1.1, 1.2)]
        return visits(costs, point(f"work_beside_{way}", **axes), family="handoff")

    alone = [line for way in ("spin", "pause", "futex") for line in beside(way, 1, 1e5)]
    shown = printed_text(tmp_path, [*alone, *open_of("spin"), *open_of("futex")])
    assert re.search(
        r"work beside a thread that waits on another core: undecided whether spin or futex slows "
        r"it: it takes 0\.8\d\d to 1\.2\d times as long as alone \(95 % sure\); `syncmeter run "
        r"--study waiting ",
        shown,
    )
    shown = printed_text(tmp_path, [*alone, *open_of("spin"), *beside("futex", 2, 1e5)])
    assert "another core: the same as alone: futex; undecided: spin" in shown
    assert "cannot tell" not in shown


def test_without_smt_no_core_is_said_to_be_the_same(tmp_path):
    lines = beside("spin", 1, 1e5) + beside("spin", 2, 1.5e5) + beside("spin", 2, 1.5e5, "smt")
    head = first()
    head["machine"]["smt"] = False
    (section,) = sections(read(write(tmp_path / "f", lines, first=head)), ["waiting"])
    shown = " ".join(as_plain(section.title, section.blocks).split())
    assert "on another core: spin 1.50" in shown
    assert "cannot be seen here: no core shows two processing units" in shown
    assert "same core:" not in shown


def test_the_loss_at_the_shortest_lateness_counts():
    spinning, sleeping = {1: 0.0, 10: 0.0, 100: 0.0}, {1: 80.0, 10: 0.0, 100: 0.0}
    found = advice(lambda end: spinning, lambda end: sleeping)
    assert (found.spin_ns, found.worst) == (0, pytest.approx(0.08))
