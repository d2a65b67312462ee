"""Guards and effects of the causes that the package finds in small made files."""

import pytest

from syncmeter_analysis.conclude.advise import judge
from syncmeter_analysis.conclude.advise.limits import _table
from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.record.advice_file import read_advice
from tests.advice_cases import (
    STORED,
    advice,
    call_site,
    concluded,
    header,
    judged,
    lock,
    made,
    model,
    run,
    use,
)


def only(found):
    (conclusion,) = found
    return conclusion


def test_each_limit_has_a_number_and_a_reason():
    for room, row in _table().items():
        limits = row if room in ("common", "gates") else row["limits"]
        for name, (value, reason) in limits.items():
            assert value > 0 and len(reason) > 10, name


# Contended locks


def test_the_run_alone_bounds_the_time_without_the_lock(tmp_path):
    c = only(concluded(tmp_path, lock(call_ns=1e8)))
    assert (c.kind, c.cause, c.remedy, c.grade) == (
        Kind.change,
        "contended_lock",
        "private",
        Grade.bound,
    )
    # Half of the CPU time alone, less half of the calls: 0.106 - 0.026 s. All that the threads spend
    # in calls, holds and releases bounds less: 0.33 - 0.1 - 0.056 - 0.052 s.
    assert c.effect.after_s == pytest.approx((0.122, 0.33))
    assert c.reference.wall_s == 0.33
    found = only(concluded(tmp_path, lock(), perturbed=True))
    assert found.effect.after_s == pytest.approx((0.08, 0.33))
    assert (c.situation.threads, c.situation.cpus) == (2, 2)
    assert set(c.evidence) == {"call_site 1", "lock 1"}


def test_the_facts_are_those_of_an_acquisition(tmp_path):
    (cost,) = only(concluded(tmp_path, lock())).costs
    assert (cost.acquisitions, cost.threads) == (4_000_000, 2)
    assert cost.contended_share == pytest.approx(0.14)
    assert cost.held_ns == pytest.approx(14)
    # 0.15 s in calls, less 0.052 s in uncontended calls, in two threads.
    assert cost.lost_share == pytest.approx((0.15 - 0.052) / 2 / 0.34)


@pytest.mark.parametrize(
    "of_lock",
    [
        {"threads": 1},
        {"acquisitions": 99, "uses": []},
        {"call_ns": 5.2e7},  # as long as uncontended calls
        {"call_ns": 6.5e7},  # 0.013 s more in 0.68 s
        {"call_ns": None},
        {"contended": 4, "uses": [use(contended=4, contended_call_ns=1.4e8)]},
    ],
    ids=str,
)
def test_a_lock_without_considerable_loss_is_no_cause(tmp_path, of_lock):
    assert concluded(tmp_path, lock(**of_lock)) == []


def test_few_contended_calls_count_if_each_call_was_timed(tmp_path):
    each = use(contended=4, contended_call_ns=1.4e8, every=1)
    assert concluded(tmp_path, lock(contended=4, uses=[each]))


@pytest.mark.parametrize("rule", ["oversubscription", "readers", "padding", "interpreter"])
def test_a_lock_with_advice_of_the_driver_is_left_out(tmp_path, rule):
    assert concluded(tmp_path, lock(), advice(rule, sites=[1])) == []
    assert concluded(tmp_path, lock(), advice(rule, sites=[2]))
    assert concluded(tmp_path, lock(), advice("barriers", sites=[1]))


def test_short_reads_of_a_lock_without_contention_are_the_drivers_cause(tmp_path):
    reads = call_site(kind="rwlock_read")
    assert concluded(tmp_path, reads, lock(kind="rwlock", contended=400)) == []
    assert concluded(tmp_path, reads, lock(kind="rwlock", contended=4000))
    assert concluded(tmp_path, call_site(kind="rwlock_write"), lock(kind="rwlock", contended=400))


# Groups


def test_locks_of_the_same_call_site_are_one_subject(tmp_path):
    half = {"acquisitions": 2_000_000, "call_ns": 7.5e7, "held_ns": 2.8e7}
    c = only(concluded(tmp_path, lock(1, **half), lock(2, **half)))
    assert [s.lock for s in c.subjects] == [1, 2]
    assert c.condition("several_locks").value == 2
    assert c.costs[0].acquisitions == 4_000_000


def test_locks_are_connected_by_way_of_another_lock(tmp_path):
    sites = [call_site(2), call_site(3)]
    third = {"call_ns": 1.2e8}
    locks = [lock(1, (1,), **third), lock(2, (1, 2), **third), lock(3, (2,), **third)]
    apart = lock(4, (3,), **third)
    found = concluded(tmp_path, *sites, *locks, apart)
    assert sorted(len(c.subjects) for c in found) == [1, 3]


def test_a_lock_with_nearly_all_of_the_time_stands_alone(tmp_path):
    small = {"call_ns": 1e7, "held_ns": 1e6}
    c = only(concluded(tmp_path, lock(1), lock(2, **small)))
    assert [s.lock for s in c.subjects] == [1] and c.condition("several_locks") is None


def test_several_locks_are_not_split_further(tmp_path):
    half = {"acquisitions": 2_000_000, "call_ns": 7.5e7, "held_ns": 2.8e7}
    both = [lock(1, **half), lock(2, **half), model(shards=0.3)]
    assert only(concluded(tmp_path, *both)).remedy == "private"


# Work under a lock


def held(**more):
    """A lock that is held for 31 us each and 98 % of the run."""
    found = {"acquisitions": 20_000, "call_ns": 3e8, "held_ns": 3.2e8, "exclusive_ns": 3.2e8}
    found |= {"short_held_ns": 15_000.0, "utilization": 0.95}
    uses = [use(calls=20_000, held_ns=3.2e8, short_held_ns=15_000.0)]
    return lock(**(found | {"uses": uses} | more))


def test_long_holds_that_fill_the_run_are_work_under_a_lock(tmp_path):
    c = only(concluded(tmp_path, held()))
    assert (c.cause, c.remedy, c.grade) == ("work_under_lock", "shorten", Grade.bound)
    assert c.condition("saturated").value == 0.95
    # A thread keeps its own work under the lock: 0.16 s.
    assert c.effect.after_s[0] == pytest.approx(0.16)


def test_threads_that_wait_as_long_as_others_hold_a_lock_wait_for_holders(tmp_path):
    half = {"held_ns": 1.6e8, "exclusive_ns": 1.6e8, "utilization": 0.5, "call_ns": 1.5e8}
    c = only(concluded(tmp_path, held(**half)))
    assert c.cause == "work_under_lock" and c.condition("saturated") is None
    for call_ns in (1e8, 2.5e8):
        c = only(concluded(tmp_path, held(**half | {"call_ns": call_ns})))
        assert c.cause == "contended_lock"


def test_waits_of_hidden_acquisitions_are_unknown(tmp_path):
    for hidden, after_s in ((0, 0.23), (5000, 0.16)):
        c = only(concluded(tmp_path, held(call_ns=1e8, hidden=hidden)))
        assert c.effect.after_s[0] == pytest.approx(after_s)


def test_threads_of_call_sites_stand_for_unknown_threads_of_a_lock(tmp_path):
    sites = [call_site(1, threads=1), call_site(2, threads=1)]
    (cost,) = only(concluded(tmp_path, *sites, lock(1, (1, 2), threads=0))).costs
    assert cost.threads == 2


@pytest.mark.parametrize(
    "of_lock, of_header",
    [
        ({}, {"perturbed": True}),
        ({"hidden": 10_001}, {}),
        ({"uses": [use(calls=20_000, held_ns=3.2e8, short_held_ns=200.0)]}, {}),
        ({"uses": [use(held_ns=3e8, short_held_ns=9.0), use(held_ns=1e8, short_held_ns=1e4)]}, {}),
    ],
    ids=str,
)
def test_other_long_holds_are_no_work_under_a_lock(tmp_path, of_lock, of_header):
    found = concluded(tmp_path, held(**of_lock), **of_header)
    assert "work_under_lock" not in {c.cause for c in found}


def test_few_long_holds_are_work_under_a_lock(tmp_path):
    assert only(concluded(tmp_path, held(acquisitions=50))).cause == "work_under_lock"


# Predictions


def predicted(tmp_path, *models, **of_header):
    return only(concluded(tmp_path, lock(), *models, perturbed=True, **of_header))


def test_a_kept_model_predicts_the_time_after_the_first_remedy(tmp_path):
    c = predicted(tmp_path, model(private=0.5, atomic=0.4))
    assert (c.grade, c.remedy) == (Grade.predicted, "private")
    assert c.effect.after_s == pytest.approx((0.45 * 0.33, 0.55 * 0.33))
    assert "model 1" in c.evidence
    other = c.condition("change")
    assert other.subject.op == "atomic"
    assert (other.value, other.compared) == pytest.approx((0.35 * 0.33, 0.45 * 0.33))


def test_all_kept_forms_are_inside_and_the_run_alone_is_the_least(tmp_path):
    c = predicted(tmp_path, model(private=0.5), model(private=0.7), model(as_is=1.4, private=0.1))
    assert c.effect.after_s == pytest.approx((0.45 * 0.33, 0.75 * 0.33))
    c = predicted(tmp_path, model(private=0.001))
    assert c.effect.after_s == pytest.approx((0.08, 0.08 + 0.05 * 0.33))


def test_a_model_farther_from_the_program_widens_the_interval(tmp_path):
    c = predicted(tmp_path, model(as_is=0.88, private=0.6, spread=0.1))
    assert c.effect.after_s == pytest.approx((0.43 * 0.33, 0.77 * 0.33))


@pytest.mark.parametrize(
    "one",
    [
        model(as_is=0.75, private=0.5, spread=0.3),
        model(as_is=1.3, private=0.5, spread=0.3),
        model(as_is=1.2, private=0.5, spread=0.01),  # every round is longer than the program's
        {**model(private=0.5), "as_is_s": [0.0, 0.0, 0.0]},
    ],
    ids=str,
)
def test_a_model_unlike_the_program_predicts_nothing(tmp_path, one):
    assert predicted(tmp_path, one).grade is Grade.bound


def test_a_remedy_of_either_sign_has_no_digits(tmp_path):
    c = predicted(tmp_path, model(private=0.98))
    assert (c.grade, c.effect, c.reason.name, c.next) == (
        Grade.unknown,
        None,
        "both_signs",
        ("try",),
    )


def test_a_slower_remedy_is_a_fact_and_another_one_is_recommended(tmp_path):
    c = predicted(tmp_path, model(private=1.2, atomic=1.3, shards=0.6))
    assert (c.remedy, c.grade) == ("shards", Grade.predicted)
    assert [x.subject.op for x in c.conditions if x.name == "avoid"] == ["private", "atomic"]
    assert concluded(tmp_path, lock(), model(private=1.2, atomic=1.2, shards=1.2)) == []


def test_a_wide_prediction_gives_way_to_the_bound(tmp_path):
    c = predicted(tmp_path, model(private=0.3), model(private=0.8))
    assert (c.grade, c.effect.after_s[0]) == (Grade.bound, pytest.approx(0.08))


# Gates


def runs(*shares, name="other_cpu_share", plain=(0.32, 0.33, 0.34)):
    found = [run("plain", s, **{name: x}) for s, x in zip(plain, shares, strict=True)]
    return [*found, run("time", 0.34), run("alone", 0.22, user_s=0.21, system_s=0.002)]


@pytest.mark.parametrize(
    "of_runs, reason",
    [
        (runs(0.2, 0.2, 0.0), "other_programs"),
        (runs(0.2, 0.2, 0.0, name="stolen_cpu_share"), "stolen"),
    ],
)
def test_a_disturbed_machine_has_an_order_and_no_digits(tmp_path, of_runs, reason):
    c = only(concluded(tmp_path, lock(), model(private=0.5), runs=of_runs))
    assert (c.grade, c.effect, c.reason.name) == (Grade.rough, None, reason)


def test_models_stand_if_plain_runs_differ_and_their_own_rounds_agree(tmp_path):
    differ = runs(0.0, 0.0, 0.0, plain=(0.2, 0.33, 0.34))
    found = [
        only(concluded(tmp_path, lock(), *models, runs=differ))
        for models in ((), (model(private=0.5),), (model(private=0.5, spread=0.3),), (model(3.0),))
    ]
    assert [c.grade for c in found] == [Grade.rough, Grade.predicted, Grade.rough, Grade.rough]


def test_a_queue_hands_over_more_items_at_a_time(tmp_path):
    assert only(concluded(tmp_path, lock(waits=1000))).remedy == "batch"


def test_one_openmp_thread_that_repeats_the_work_has_a_part_of_it(tmp_path):
    half = [run("plain", 0.33), run("time", 0.34)]
    half.append(run("alone", 0.22, user_s=0.106, lock_call_share=0.5))
    found = only(concluded(tmp_path, lock(held_ns=None), runs=half))
    assert found.effect.after_s[0] == pytest.approx((0.212 - 0.052) / 2)


def test_one_disturbed_run_of_three_is_none(tmp_path):
    assert only(concluded(tmp_path, lock(), runs=runs(0.4, 0.0, 0.0))).grade is Grade.bound


def alone(cpu_s):
    return [run("plain", 0.33), run("time", 0.34), run("alone", 0.5, user_s=cpu_s)]


def test_a_bound_without_gain_is_no_cause_and_an_empty_bound_is_unknown(tmp_path):
    no_times = {"held_ns": None}
    # 0.705 / 2 - 0.026 s = 0.3265 s: 1 % less.
    assert concluded(tmp_path, lock(**no_times), runs=alone(0.705)) == []
    assert concluded(tmp_path, lock(**no_times), model(private=0.2), runs=alone(0.705)) == []
    c = only(concluded(tmp_path, lock(**no_times), runs=alone(0.06)))
    assert (c.grade, c.reason.name) == (Grade.unknown, "no_bound")


@pytest.mark.parametrize("missing", ["uncontended_lock_ns", "alone", "cpus"])
def test_nothing_is_computed_from_unknown_facts(tmp_path, missing):
    more = {"perturbed": True}
    if missing == "alone":
        more["runs"] = [run("plain", 0.33), run("time", 0.34)]
    elif missing == "cpus":
        more |= {"cpus": 0, "threads": 0}
    else:
        more[missing] = None
    c = only(concluded(tmp_path, lock(), **more))
    assert (c.grade, c.effect, c.reason.name) == (Grade.unknown, None, "no_bound")


def test_fewer_threads_than_cpus_bound_less(tmp_path):
    c = only(concluded(tmp_path, lock(), perturbed=True, cpus=8, threads=2))
    assert c.effect.after_s[0] == pytest.approx(0.08)


def test_nothing_to_gain_needs_the_drivers_word(tmp_path):
    says = {"conclusion": "Nothing to gain."}
    c = only(concluded(tmp_path, **says))
    assert (c.kind, c.subjects) == (Kind.nothing_to_gain, ())
    assert concluded(tmp_path) == []
    assert concluded(tmp_path, **says, withheld="it was disturbed") == []
    assert concluded(tmp_path, **says, not_counted=["a signal ended it"]) == []
    assert only(concluded(tmp_path, lock(), **says)).kind is Kind.change


def test_call_sites_without_a_cause_are_named(tmp_path):
    takes = {"takes_s": {"call": 0.1, "held": 0.0}}
    barrier = call_site(7, "barrier", takes_s={"lateness": 0.1, "mechanism": 0.0})
    found = judged(tmp_path, call_site(**takes), barrier, lock())
    assert list(found.others) == [7]
    assert judged(tmp_path, barrier, lock(), advice()).others == []
    assert judged(tmp_path, barrier, lock(), perturbed=True).others is None


def test_shares_split_the_thread_time(tmp_path):
    barrier = call_site(7, "barrier", takes_s={"lateness": 0.1, "mechanism": 0.017})
    shares = judged(tmp_path, call_site(takes_s={"call": 0.2, "held": 0.1}), barrier, lock()).shares
    assert shares.locks == pytest.approx(0.098 / 2 / 0.34)
    assert shares.threads == pytest.approx(0.1 / 0.34)
    assert shares.calls == pytest.approx(0.05)
    # Different threads may wait at two barriers for more than the run together.
    late = [call_site(n, "barrier", takes_s={"lateness": 0.2, "mechanism": 0.0}) for n in (7, 8)]
    assert judged(tmp_path, *late).shares.threads == 1


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_the_evidence_of_stored_files_is_in_the_file(path):
    file = read_advice(path)
    known = {f"{line['record']} {line['id']}" for line in (*file.call_sites, *file.locks)}
    for c in judge(file).conclusions:
        assert set(c.evidence) <= known
        assert c.effect is None or c.grade in (Grade.bound, Grade.predicted)


def test_a_file_without_runs_concludes_nothing(tmp_path):
    path = made(tmp_path, lock(call_ns=None), **{**header(), "runs": []})
    assert list(judge(read_advice(path)).conclusions) == []
