"""Ways of waiting made by hand: how long to spin, and the settings of the runtimes."""

import math
import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import spin_settings
from syncmeter_analysis.conclude.studies.waiting import Way, conclude
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.spin_then_sleep import advice
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections, waiting
from syncmeter_analysis.voice.numbers import duration
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


def concluded(tmp_path, lines):
    """The conclusions by question and backend of their setting."""
    found = conclude(read(write(tmp_path / "f", lines, first=first())))
    return {(c.question, c.subjects[0].backend if c.subjects else ""): c for c in found}


def of_runtime(tmp_path, lines, backend="omp"):
    return concluded(tmp_path, lines)["runtime", backend]


def test_spinning_for_what_sleeping_costs_more_never_costs_more_than_twice(tmp_path):
    part = part_of(tmp_path, usual())
    assert [way.name for way in (part.own.spin, part.own.sleep, part.own.use)] == [
        *("pause", "futex", "futex")
    ]
    # The most portable of the ways that are not shown to cost more is used.
    alike = [20100.0 * x for x in (0.97, 0.99, 1.0, 1.04, 1.06)]
    lines = [x for x in usual() if x["point"]["op"] != "wait_condition"]
    lines += visits(alike, late("wait_condition", LATES[-1]), family="handoff")
    assert part_of(tmp_path, lines).own.use.name == "condition"
    assert part.own.advice.extra_ns == pytest.approx(20000.0)
    assert part.own.advice.extra_at_us == 100, (
        "10 us late the other one comes before that is paid off"
    )


def test_who_may_lose_a_tenth_spins_ten_times_as_long(tmp_path):
    a = part_of(tmp_path, usual()).own.advice
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
    assert {round(a.worst_at_ends, 2) for a in (steady.own.advice, steady.runtimes[0].advice)} == {
        0.1
    }
    lines = [
        {**line, "estimates": [{**e, "cost_ns": {k: v * by for k, v in e["cost_ns"].items()}}]}
        for line, by in zip(usual(), [0.8, 0.9, 1.0, 1.1, 1.2] * 1000, strict=False)
        for e in line["estimates"]
    ]
    part = part_of(tmp_path, lines)
    assert part.own.advice.worst <= 0.10
    assert 0.11 < part.own.advice.worst_at_ends < 0.20
    libgomp, libomp = part.runtimes
    # It counts looks, which take longer or shorter too.
    assert libgomp.advice.worst_at_ends > libomp.advice.worst_at_ends
    c = of_runtime(tmp_path, lines)
    assert c.condition("longer_wait").compared == libgomp.advice.worst_at_ends
    # As many looks last 20 % shorter or longer with the clock.
    assert c.effect.high / c.effect.low == pytest.approx(1.2 / 0.8, rel=0.03)
    assert f"at most {100 * libgomp.advice.worst_at_ends:.0f} %" in printed_text(tmp_path, lines)


def test_one_visit_promises_nothing(tmp_path):
    once = [v for v in usual() if v["visit"] == 1]
    assert math.isinf(part_of(tmp_path, once).own.advice.worst_at_ends)
    c = of_runtime(tmp_path, once)
    assert c.condition("longer_wait").compared is None
    assert "about 10 %" in (text := printed_text(tmp_path, once))
    assert "poor (only 1 repetition)" in text


def test_one_lateness_decides_nothing(tmp_path):
    lines = [v for v in usual() if v["point"].get("late_us") == 10]
    assert part_of(tmp_path, lines).own is None
    assert of_runtime(tmp_path, lines).kind is Kind.undecided
    lines = [v for v in lines if v["point"]["op"] != "barrier_late"]
    assert {c.kind for c in concluded(tmp_path, lines).values()} == {Kind.undecided}
    assert "undecided how long to spin" in printed_text(tmp_path, lines)


def test_each_runtime_gets_its_own_variable(tmp_path):
    found = concluded(tmp_path, usual())
    libgomp, libomp = part_of(tmp_path, usual()).runtimes
    assert libgomp.spins == pytest.approx(30000, rel=0.06), "300 us of 10 ns each"
    looks, blocktime = found["runtime", "omp"], found["runtime", "omp-llvm"]
    assert (looks.kind, looks.subjects[0].op) == (Kind.use, "GOMP_SPINCOUNT")
    assert looks.subjects[0].variant == str(libgomp.spins)
    microseconds = math.ceil(libomp.advice.spin_ns / 1e3)
    assert (blocktime.subjects[0].op, blocktime.subjects[0].variant) == (
        "KMP_BLOCKTIME",
        f"{microseconds}us",
    )
    # Older versions have whole milliseconds, and this version is unknown.
    assert blocktime.condition("whole_ms").subject.variant == "1"
    assert {c.reference.op for c in (looks, blocktime)} == {"default_wait"}
    assert found["idle", "omp"].kind is Kind.keep
    text = printed_text(tmp_path, usual())
    assert (
        f"libgomp spins 3.0 ms GOMP_SPINCOUNT={libgomp.spins} ({duration(looks.effect.value)}) "
        "at most 10 % 2.7 ms of 10 ms" in text
    )
    assert f"libomp spins 200 ms KMP_BLOCKTIME={microseconds}us" in text
    assert "If other programs need the CPUs" in text


def test_spinning_of_own_code_needs_a_cpu_for_each_thread(tmp_path):
    found = concluded(tmp_path, usual())
    short, long = found["own_code", "posix"], found["own_code_long", "posix"]
    assert (short.effect.value, short.condition("at_most_twice").value) == (
        pytest.approx(20e3),
        2.0,
    )
    assert long.effect.value == pytest.approx(200e3, rel=0.06)
    assert all(c.condition("cpu_per_thread") for c in (short, long))
    text = printed_text(tmp_path, usual())
    assert "own code spins spin 20 us, then futex at most 100 %" in text
    assert "With more threads than CPUs, let them sleep at once" in text
    assert "After a wait of 10 ms, a thread that slept resumes 20 us after the event" in text
    assert "Own code: spin 200 us if most waits are shorter than that, otherwise 20 us" in text


def test_a_runtime_gets_what_its_version_takes():
    """LLVM before 18 has whole milliseconds."""

    def setting(llvm):
        active, passive = ({us: cost for us in LATES} for cost in (200.0, 7200.0))
        found = advice(
            lambda _: active, lambda _: passive, whole_ns=spin_settings.whole_ns_of(llvm)
        )
        runtime = spin_settings.Runtime("omp-llvm", found, llvm=llvm)
        return runtime.setting.variant, found.burns_ns

    old, new, unknown = map(setting, (14, 18, None))
    assert old == ("1", pytest.approx(1e6, rel=0.01))
    assert re.fullmatch(r"\d\dus", new[0]) and new[1] < 1e5
    assert unknown == new
    assert spin_settings.llvm_of("Clang 14.0.6") == 14
    assert spin_settings.llvm_of("GNU 12.2.0") is None


def test_a_runtime_without_a_measured_look_gets_a_time(tmp_path):
    lines = [v for v in usual() if v["point"]["op"] != "spin_pause"]
    c = of_runtime(tmp_path, lines)
    assert (c.kind, c.subjects[0].variant) == (Kind.use, "")
    assert c.condition("no_look") and c.effect.value == pytest.approx(300e3, rel=0.06)
    text = printed_text(tmp_path, lines)
    assert "libgomp spins GOMP_SPINCOUNT (a)" in text
    assert "(a) the time of one look was not measured: it has to spin" in text


def test_the_least_setting_that_spins_through_all_measured_waits_changes_nothing(
    tmp_path, monkeypatch
):
    """LLVM 14 has whole milliseconds, and no wait was longer than 1 ms."""
    monkeypatch.setattr("syncmeter_analysis.conclude.studies.waiting.llvm_of", lambda _: 14)
    assert of_runtime(tmp_path, usual(), "omp-llvm").subjects[0].variant == "1"
    lines = [v for v in usual() if v["point"].get("late_us", 0) <= 1000]
    c = of_runtime(tmp_path, lines, "omp-llvm")
    assert (c.kind, c.subjects[0].op) == (Kind.keep, "default_wait")
    assert c.condition("least_setting").subject.variant == "1"
    text = printed_text(tmp_path, lines)
    assert "for waits over 1.0 ms, use KMP_BLOCKTIME=1: it spins 1.0 ms" in text


def test_times_to_spin_have_two_digits(tmp_path):
    lines = curve("wait_pause", [100.0] * 5)
    lines += curve("wait_futex", [600.0, 6100.0, 3100.0, 3100.0, 3100.0])
    for backend in ("omp", "omp-llvm"):
        lines += curve("barrier_late", [100.0] * 5, backend=backend)
        slept = [600.0, 6100.0, 3100.0, 3100.0, 3100.0]
        lines += curve("barrier_late", slept, backend=backend, wait="passive")
    lines += visits([10.0] * 5, point("spin_pause", backend="posix", order="unordered"))
    found = concluded(tmp_path, lines)
    spun = [c.subjects[0].variant for (q, _), c in found.items() if q == "runtime"]
    assert len(spun) == 2
    assert all(len(each.removesuffix("us").rstrip("0")) <= 2 for each in spun)
    assert re.fullmatch(r"\d\d00", spun[0])


def test_what_a_setting_spares_is_beside_what_the_runtime_does_without_it(tmp_path):
    """libgomp's default, 300000 looks of 10 ns, ends before a wait of 10 ms does; libomp's does not."""
    libgomp, libomp = part_of(tmp_path, usual()).runtimes
    assert libgomp.default_ns == pytest.approx(3e6, rel=0.01)
    assert libgomp.advice.other_burns_ns(3e6) == pytest.approx(3030e3, rel=0.01)
    assert libomp.advice.other_burns_ns(libomp.default_ns) == 1e7
    freed = {q: c.condition("cpu_time_freed") for q, c in concluded(tmp_path, usual()).items()}
    assert freed["runtime", "omp"].value == pytest.approx(3030e3 - 330e3, rel=0.03)
    assert freed["runtime", "omp-llvm"].value == pytest.approx(1e7 - 330e3, rel=0.03)
    assert freed["own_code_long", "posix"].compared == 1e7


def test_a_short_spin_that_frees_no_more_than_the_long_one_is_not_shown(tmp_path):
    lines = curve("wait_pause", [100.0] * 5, lambda us: us)
    lines += curve("wait_futex", [600.0, 3100.0, 3100.0, 3100.0, 3100.0], lambda us: 3.0)
    assert {q for q, _ in concluded(tmp_path, lines)} >= {"own_code", "own_code_long"}
    text = printed_text(tmp_path, lines)
    assert "own code spins spin 30 us, then futex at most 10 %" in text
    assert "Own code: spin" not in text and " or spins" not in text


def test_if_sleeping_costs_nothing_sleep_at_once(tmp_path):
    lines = curve("wait_spin", [100.0] * 5) + curve("wait_atomic", [100.0] * 5, backend="std")
    lines += curve("barrier_late", [100.0] * 5, backend="omp")
    lines += curve("barrier_late", [100.0] * 5, backend="omp", wait="passive")
    found = concluded(tmp_path, lines)
    own, runtime = found["own_code", "std"], found["runtime", "omp"]
    assert (own.kind, own.subjects[0].variant, own.condition("cpu_per_thread")) == (
        Kind.use,
        "",
        None,
    )
    assert (runtime.subjects[0].op, runtime.subjects[0].variant) == ("OMP_WAIT_POLICY", "passive")
    assert "std::atomic::wait at once" in printed_text(tmp_path, lines)


def test_if_sleeping_never_pays_off_keep_spinning(tmp_path):
    lines = curve("wait_spin", [100.0] * 5) + curve("wait_futex", [5e6] * 5)
    lines += curve("barrier_late", [100.0] * 5, backend="omp")
    lines += curve("barrier_late", [5e6] * 5, backend="omp", wait="passive")
    lines += curve("barrier_late", [100.0] * 5, backend="omp-llvm")
    lines += curve("barrier_late", [5e6] * 5, backend="omp-llvm", wait="passive")
    # How long libgomp spins by default is unknown here, libomp spins long enough.
    c = of_runtime(tmp_path, lines)
    assert (c.kind, c.subjects[0].variant) == (Kind.use, "active")
    c = of_runtime(tmp_path, lines, "omp-llvm")
    assert (c.kind, c.subjects[0].op) == (Kind.keep, "default_wait")
    assert "even a wait of 10 ms would get over 10 % longer" in printed_text(tmp_path, lines)


def test_what_a_wait_burns_has_a_table_of_its_own(tmp_path):
    text = printed_text(tmp_path, usual())
    assert "CPU time of a waiting thread in ns" in text
    part = part_of(tmp_path, usual())
    pausing = next(way for way in part.ways if way.name == "pause")
    assert pausing.cpu_ns[1000] == pytest.approx(1e6)


def test_a_file_without_ways_of_waiting_has_no_section(tmp_path):
    lines = curve("barrier_late", [200.0] * 5, backend="omp")
    assert not waiting.rows(read(write(tmp_path / "f", lines, first=first())))


def test_the_figure_has_a_panel_of_times_and_a_panel_of_cpu_time(tmp_path):
    (figure,) = waiting.figures(waiting.rows(read(write(tmp_path / "f", usual(), first=first()))))
    assert figure.title == "Time and CPU time of a wait by lateness"
    assert [panel.title for panel in figure.panels] == [
        "ns",
        "ns of CPU time",
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
    found = conclude(read(tmp_path / "f"))
    decided = [(c.kind, c.situation.work, c.subjects[0].op) for c in found]
    assert decided[:2] == [
        (Kind.avoid, "same_core", "spin"),
        (Kind.avoid, "same_core", "pause"),
    ]
    assert [(kind, work) for kind, work, _ in decided[2:]] == [(Kind.any, "another_core")]
    assert [c.effect.value for c in found[:2]] == pytest.approx([1.6, 1.3], rel=0.01)
    assert "avoid spinning without pause: 1.6x slower than alone" in shown
    assert "how long to spin" not in shown, "no way to wait was measured"


def test_what_is_open_of_a_neighbour_says_what_is_asked_what_it_may_be_and_what_to_run(tmp_path):
    def open_of(way):
        axes = {"backend": "posix", "lanes": 2, "order": "unordered", "affinity": "close"}
        costs = [1e5 * f for f in (0.7, 0.85, 1.0, 1.15, 1.3)]
        return visits(costs, point(f"work_beside_{way}", **axes), family="handoff")

    alone = [line for way in ("spin", "pause", "futex") for line in beside(way, 1, 1e5)]
    shown = printed_text(tmp_path, [*alone, *open_of("spin"), *open_of("futex")])
    (c,) = conclude(read(tmp_path / "f"))
    assert (c.kind, c.effect.quantity) == (Kind.undecided, "slowdown")
    assert 1.2 < c.effect.high < 1.5
    assert "Undecided whether a waiting thread slows work on another core: by at most 1." in shown
    printed_text(tmp_path, [*alone, *open_of("spin"), *beside("futex", 2, 1e5)])
    assert [c.kind for c in conclude(read(tmp_path / "f"))] == [Kind.undecided]


def test_without_smt_no_core_is_said_to_be_the_same(tmp_path):
    lines = beside("spin", 1, 1e5) + beside("spin", 2, 1.5e5) + beside("spin", 2, 1.5e5, "smt")
    head = first()
    head["machine"]["smt"] = False
    (section,) = sections(read(write(tmp_path / "f", lines, first=head)), ["waiting"])
    shown = " ".join(as_plain(section.title, section.blocks).split())
    assert [c.situation.work for c in section.conclusions] == ["another_core"]
    assert "same core" not in shown


def test_the_loss_at_the_shortest_lateness_counts():
    spinning, sleeping = {1: 0.0, 10: 0.0, 100: 0.0}, {1: 80.0, 10: 0.0, 100: 0.0}
    found = advice(lambda end: spinning, lambda end: sleeping)
    assert (found.spin_ns, found.worst) == (0, pytest.approx(0.08))


def test_sentences_of_several_files_begin_with_the_file(tmp_path):
    paths = [write(tmp_path / name, usual(), first=first()) for name in "ab"]
    (section,) = sections(read_campaign([str(path) for path in paths]), ["waiting"])
    delays = [text for text in section.screen.sentences if "a thread that slept resumes" in text]
    assert [text.partition(":")[0] for text in delays] == [str(path) for path in paths]
