"""Which members of a results file may be shared, each with the rule for its value.

A member that does not stand here is left out: a later version's may say who measured.
"""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.formats.shared_text import (
    TextRule,
    code,
    environment_value,
    flags,
    hexadecimal,
    kernel,
    library,
    matching,
    product,
    time,
    unnamed,
    version,
    word,
)
from syncmeter_analysis.record.tables import statuses

#: What a value has to be: a number, true or false.
NUMBER = object()


class Named:
    """An object whose members' names are texts themselves."""

    def __init__(self, name: TextRule, value: Any) -> None:
        self.name, self.value = name, value


_nothing = object()


def shared(rule: Any, value: Any) -> Any:
    """The value as the rule lets it be shared; the members of an object that have no rule, or that
    their rule refuses, are left out, and a list is refused for one of its elements."""
    found = _shared(rule, value)
    return None if found is _nothing else found


def _shared(rule: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(rule, tuple):
        each = (_shared(one, value) for one in rule)
        return next((found for found in each if found is not _nothing), _nothing)
    if rule is NUMBER:
        return value if isinstance(value, (int, float)) else _nothing
    if isinstance(rule, (dict, Named)):
        return _of_object(rule, value) if isinstance(value, dict) else _nothing
    if isinstance(rule, list):
        found = [_shared(rule[0], v) for v in value] if isinstance(value, list) else [_nothing]
        return _nothing if any(v is _nothing for v in found) else found
    text = rule(value) if isinstance(value, str) else None
    return _nothing if text is None else text


def _of_object(rule: dict[str, Any] | Named, value: dict[str, Any]) -> dict[str, Any]:
    if isinstance(rule, Named):
        named = {name: rule.value for name in value if rule.name(name) == name}
    else:
        named = {name: rule[name] for name in value if name in rule}
    found = {name: _shared(each, value[name]) for name, each in named.items()}
    return {name: v for name, v in found.items() if v is not _nothing}


def _all(names: str, rule: Any) -> dict[str, Any]:
    return {name: rule for name in names.split()}


def _numbers(names: str) -> dict[str, Any]:
    return _all(names, NUMBER)


def _words(names: str) -> dict[str, Any]:
    return _all(names, word)


_interval = _numbers("value low high")
_counts = Named(word, NUMBER)
_instructions = Named(code, NUMBER)
_status = matching("|".join(statuses))

point: dict[str, Any] = {
    **_words("backend op type placement scope flavour space order affinity wait home"),
    **_numbers(
        "stride stride_bytes base_offset cells lanes blocks active waves size late_us section_ns "
        "think_ns reads_per_write repeat"
    ),
    "pus": [NUMBER],
}

_machine = {
    **_numbers(
        "packages numa_nodes cores pus cpu_kinds smt line_bytes line_bytes_sysconf quota_cpus "
        "destructive_interference_size hypervisor memory_bytes clock_tick_ns"
    ),
    **_words("architecture virtualization governor turbo"),
    "cpu_model": product,
    "host": lambda host: unnamed if host else "",
    "kernel": kernel,
    "os": product,
    "hwloc": version,
    "caches": [_numbers("level bytes line_bytes shared_by count")],
    "allowed_pus": [NUMBER],
    "offline_pus": [NUMBER],
}

_options = {
    **_numbers(
        "additivity budget_s device dry_run gpu_max_time_s interleave_backends keep_rounds max_time_s "
        "min_sample_us oversubscribe precision retry seed visits waves wide"
    ),
    "study": matching(r"[a-z0-9,_-]*"),
    **_all("affinities backends ops types waits", [word]),
    **_all("blocks lanes pus", [matching(r"([0-9]+((\.\.|[:*+,-])[0-9*+]+)*)?")]),
}

_runtime = {
    **_numbers("dynamic max_threads proc_bind thread_limit hardware_concurrency openmp"),
    **_words("wait_policy"),
    **_all("api driver devices architectures options built_by", product),
    "library": library,
}

_variables = (
    "OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS OMP_DYNAMIC OMP_THREAD_LIMIT "
    "OMP_STACKSIZE OMP_MAX_ACTIVE_LEVELS OMP_NESTED OMP_SCHEDULE GOMP_CPU_AFFINITY GOMP_SPINCOUNT "
    "KMP_BLOCKTIME KMP_AFFINITY KMP_LIBRARY KMP_HW_SUBSET KOKKOS_NUM_THREADS KOKKOS_NUM_DEVICES"
)


def campaign(sentence: TextRule) -> dict[str, Any]:
    """The members of a campaign line; `sentence` is the rule for texts that people read."""
    return {
        **_words("kind"),
        **_numbers("seed quota_cpus shared"),
        "schema": _numbers("major minor"),
        "version": version,
        "git": {"sha": hexadecimal, "dirty": NUMBER},
        "time": time,
        "options": _options,
        "machine": {**_machine, "unbound_because": sentence},
        "allowed_pus": [NUMBER],
        "gpus": Named(word, (product, {"name": product})),
        "units": [_numbers("pu package numa l3 l2 core thread kind")],
        "states": [{name: [NUMBER] for name in ("pus", "bounds_ns", "hop_ns")}],
        "states_note": sentence,
        "plan": _numbers("points visits same refused predicted_s"),
        "lane_notes": [sentence],
        "gpu_notes": [sentence],
        "left_out": sentence,
        "imported": {"from": product},
    }


def others(sentence: TextRule) -> dict[str, dict[str, Any]]:
    """The members of the other kinds of lines."""
    return {
        "same": {**_words("kind"), "point": point, "measured_as": point, "why": sentence},
        "refused": {**_words("kind"), "point": point, "status": _status, "reason": sentence},
        "worker": {
            **_words("kind worker wait"),
            **_numbers("protocol threads"),
            "time": time,
            "build": {"id": hexadecimal, "compiler": product, "flags": flags},
            "runtime": Named(word, _runtime),
            "environment": _all(_variables, environment_value),
        },
        "visit": _visit(sentence),
        "end": {
            **_words("kind"),
            "reason": matching("complete|interrupted|budget"),
            "time": time,
            **_numbers("visits wall_ns timed_ns failed"),
        },
    }


def _visit(sentence: TextRule) -> dict[str, Any]:
    census = {"verdict": word, "reason": sentence, "architecture": word}
    return {
        **_words("kind family pairing stopped_by backend native_of launching cells_on"),
        **_numbers(
            "visit again portable cost_per_lane host_lane imported oversubscribed participants device "
            "trips unroll ops_per_step seed rounds_taken rounds_kept fairness slowest_over_fastest "
            "hop_ns timed_ns elapsed_ns stolen_ns host_deviation_ns polls_per_handoff violations_seen "
            "waiting_cpu_ns "
            "litmus_handoffs litmus_seen litmus_rounds same_gpc gpcs waiting_warps worker_ends "
            "footprint_bytes working_set_bytes registers unequal_devices host_native_atomics "
            "gpcs_at_most"
        ),
        **_all("pus pus_seen devices device_shares round_costs_ns multiprocessors", [NUMBER]),
        **_all("sm_clock_ghz nccl", (NUMBER, [NUMBER], version)),
        "point": point,
        "status": _status,
        "reason": sentence,
        "doubt": sentence,
        "build": hexadecimal,
        "time": time,
        "drops": _counts,
        "estimates": [
            {
                **_numbers("state busy rounds share baseline_ns test_ns hop_ns"),
                **_all("cost_ns host_cost_ns cost_cycles", _interval),
            }
        ],
        "quiet_probe": {"floor_ns": [NUMBER], "median_ns": [NUMBER]},
        "additivity": {"additive": NUMBER, "cost_ns": [NUMBER]},
        "rounds": [[NUMBER]],
        "links": [_numbers("from to peer_access native_atomics performance_rank nvlinks")],
        "home": _numbers("pu numa_node"),
        "lane_waits": _numbers("count p50_ns p999_ns longest_ns"),
        "launching_thread": {"pus": [NUMBER], "device_numa_node": NUMBER},
        "census": {**census, **_all("baseline test per_op", _instructions)},
        "nvml": {**_numbers("other_processes temperature_c power_w"), "clock_reasons": [word]},
    }
