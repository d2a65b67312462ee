"""Which members of a results file may be shared, each with the rule for its value.

A member that does not stand here is left out: a later version's may say who measured.
"""

from __future__ import annotations

import re
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
from syncmeter_analysis.record.tables import (
    Member,
    Table,
    axes,
    point_members,
    statuses,
    visit_members,
)

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


_status = matching("|".join(statuses))

_of_axis: dict[type, Any] = {str: word, tuple: [NUMBER]}
point: dict[str, Any] = {axis.name: _of_axis.get(axis.kind, NUMBER) for axis in axes}

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


def _option(axis: str) -> str:
    """The option of `run` with values of an axis: `affinities`, `lates_us`, `reads_per_write`."""
    plural = re.sub(r"(?<!per_write)(?<![s0])(_[nu]s)?$", r"s\1", axis, count=1)
    return plural.replace("ys", "ies")


# Numbers, or text of them as they were asked for: `1,2,4-8,max`, `2sm`.
_values = (NUMBER, matching(r"(([0-9]+|[0-9]*sm|max|[*])([*:+,/-]|\.\.|$))*"))
_options = {
    **_numbers(
        "additivity budget_s dry_run gpu_max_time_s interleave_backends keep_rounds max_time_s "
        "min_sample_us oversubscribe precision retry seed visits waves wide"
    ),
    "study": matching(r"[a-z0-9,_-]*"),
    "device": (NUMBER, [NUMBER], matching("all")),
    **{
        _option(axis.name): [word] if axis.kind is str else [_values]
        for axis in axes
        if axis.kind in (str, int, tuple)
    },
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
        "point": {**_words("kind"), **_of_table(point_members, sentence)},
        "end": {
            **_words("kind"),
            "reason": matching("complete|interrupted|budget"),
            "time": time,
            **_numbers("visits wall_ns timed_ns failed"),
        },
    }


_of_kind: dict[str, Any] = {
    **_all("number whole index flag verdict", NUMBER),
    **_all("wholes numbers", [NUMBER]),
    "counts": Named(word, NUMBER),
    "interval": _numbers("value low high"),
    "status": _status,
}


def _of_table(table: Table, sentence: TextRule) -> dict[str, Any]:
    """The rules for the members that the record says may be shared: by kind, and for texts, and objects
    that no table describes, by name."""
    of_code = _all("baseline test per_op", Named(code, NUMBER))
    by_name = {
        **_all("reason doubt", sentence),
        **_words("family pairing stopped_by backend native_of launching"),
        "point": point,
        "build": hexadecimal,
        "time": time,
        "quiet_probe": _all("floor_ns median_ns", [NUMBER]),
        "additivity": {"additive": NUMBER, "cost_ns": [NUMBER]},
        "rounds": [[NUMBER]],
        "by_visit": [[NUMBER]],
        "census": {"verdict": word, "reason": sentence, "architecture": word, **of_code},
    }

    def rule(name: str, member: Member) -> Any:
        if member.of:
            inner = _of_table(member.of, sentence)
            return [inner] if member.kind == "objects" else inner
        return _of_kind.get(member.kind, by_name.get(name))

    found = {name: rule(name, member) for name, member in table.items() if member.shared}
    return {name: each for name, each in found.items() if each is not None}


def _visit(sentence: TextRule) -> dict[str, Any]:
    return {
        **_words("kind cells_on"),
        **_of_table(visit_members, sentence),
        # What the driver and the backends add beside the record.
        **_numbers(
            "stolen_ns litmus_seen litmus_rounds gpcs gpcs_at_most waiting_warps footprint_bytes "
            "working_set_bytes registers unequal_devices host_native_atomics"
        ),
        **_all("pus_seen device_shares multiprocessors", [NUMBER]),
        **_all("sm_clock_ghz nccl", (NUMBER, [NUMBER], version)),
        "links": [_numbers("from to peer_access native_atomics performance_rank nvlinks")],
        "home": _numbers("pu numa_node"),
        "launching_thread": {"pus": [NUMBER], "device_numa_node": NUMBER},
        "nvml": {**_numbers("other_processes temperature_c power_w"), "clock_reasons": [word]},
    }
