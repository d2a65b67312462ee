"""One anonymised results file that people can attach to an issue or a paper: no host, user or paths.

What stays is allowed by its member, of which `rules` are a table, and by what its value looks like
(shared_text.py); a member without a rule is left out: a later version's may say who measured. The
machine stays, without which figures mean nothing. Names of the host and of users are replaced in what
is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from syncmeter_analysis.formats import shared_text as texts
from syncmeter_analysis.record import tables
from syncmeter_analysis.record.errors import BadLine
from syncmeter_analysis.record.json_line import parsed
from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.record.point import point_from
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.record.text_file import compressed, text_of

_points = ("point", "measured_as")


def share(source: Path, output: Path) -> tuple[int, int]:
    """Writes `output`, a results file like `source` without names; the number of its lines, and of
    those that were left out.

    Raises Unusable as the reader does, NotWritten where `output` cannot be written.
    """
    first = read_results(source).campaign
    written = text_of(source)
    host = machine_of(first).host
    names = texts.names_in(written.decode(errors="replace"), host)
    lines = list(_parsed(written))
    sentence = texts.Sentences(_names_of_points(lines))
    by_kind = rules(sentence)
    kept = [
        json.dumps(texts.without_names(line, names), separators=(",", ":"), sort_keys=True)
        for line in (_shared_line(line, by_kind) for line in lines)
        if line is not None
    ]
    write_whole(output, compressed(output, "\n".join(kept) + "\n"))
    return len(kept), sum(1 for text in written.splitlines() if text.strip()) - len(kept)


def _parsed(written: bytes) -> Iterator[dict[str, Any]]:
    for text in written.splitlines():
        with suppress(BadLine):
            yield parsed(text)


def _names_of_points(lines: list[dict[str, Any]]) -> set[str]:
    """Ops, types and the like, as the lines of this file name them."""
    points = [shared(point, line.get("point")) for line in lines]
    return {v for p in points if isinstance(p, dict) for v in p.values() if isinstance(v, str)}


def _shared_line(line: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any] | None:
    """The line as it may be shared; None for one of another kind, and for one whose point has a member
    that may not be: without it, it would be another point."""
    kind = line.get("kind")
    rule = rules.get(kind) if isinstance(kind, str) else None
    if rule is None:
        return None
    found: dict[str, Any] = shared(rule, line)
    if any(found.get(name) != line.get(name) for name in _points):
        return None
    if kind == "campaign":
        found["shared"] = True
    if kind == "visit" and "key" in line:
        try:
            key = point_from(found.get("point")).key
        except BadLine:
            return None
        found["key"] = f"{key}|{found.get('build', '')}|{found.get('visit', '')}"
    return found


#: What a value has to be: a number, true or false.
NUMBER = object()


class Named:
    """An object whose members' names are texts themselves."""

    def __init__(self, name: texts.TextRule, value: Any) -> None:
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
    return _all(names, texts.word)


_status = texts.matching("|".join(tables.statuses))

_rule_by_axis_type: dict[type, Any] = {str: texts.word, tuple: [NUMBER]}
point: dict[str, Any] = {
    axis.name: _rule_by_axis_type.get(axis.kind, NUMBER) for axis in tables.axes
}

_machine = {
    **_numbers(
        "packages numa_nodes cores pus cpu_kinds smt line_bytes line_bytes_sysconf quota_cpus "
        "destructive_interference_size hypervisor memory_bytes clock_tick_ns"
    ),
    **_words("architecture virtualization governor turbo"),
    "cpu_model": texts.product,
    "host": lambda host: texts.unnamed if host else "",
    "kernel": texts.kernel,
    "os": texts.product,
    "hwloc": texts.version,
    "caches": [_numbers("level bytes line_bytes shared_by count")],
    "allowed_pus": [NUMBER],
    "offline_pus": [NUMBER],
}


def _option(axis: str) -> str:
    """The option of `run` with values of an axis: `affinities`, `lates_us`, `reads_per_write`."""
    plural = re.sub(r"(?<!per_write)(?<![s0])(_[nu]s)?$", r"s\1", axis, count=1)
    return plural.replace("ys", "ies")


# Numbers, or text of them as they were asked for: `1,2,4-8,max`, `2sm`.
_values = (NUMBER, texts.matching(r"(([0-9]+|[0-9]*sm|max|[*])([*:+,/-]|\.\.|$))*"))
_options = {
    **_numbers(
        "additivity budget_s dry_run gpu_max_time_s interleave_backends keep_rounds max_time_s "
        "min_sample_us oversubscribe precision retry seed visits waves wide"
    ),
    "study": texts.matching(r"[a-z0-9,_-]*"),
    "device": (NUMBER, [NUMBER], texts.matching("all")),
    **{
        _option(axis.name): [texts.word] if axis.kind is str else [_values]
        for axis in tables.axes
        if axis.kind in (str, int, tuple)
    },
}

_runtime = {
    **_numbers("dynamic max_threads proc_bind thread_limit hardware_concurrency openmp"),
    **_words("wait_policy"),
    **_all("api driver devices architectures options built_by", texts.product),
    "library": texts.library,
}

_variables = (
    "OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS OMP_DYNAMIC OMP_THREAD_LIMIT "
    "OMP_STACKSIZE OMP_MAX_ACTIVE_LEVELS OMP_NESTED OMP_SCHEDULE GOMP_CPU_AFFINITY GOMP_SPINCOUNT "
    "KMP_BLOCKTIME KMP_AFFINITY KMP_LIBRARY KMP_HW_SUBSET KOKKOS_NUM_THREADS KOKKOS_NUM_DEVICES"
)


def rules(sentence: texts.TextRule) -> dict[str, dict[str, Any]]:
    """The members of each kind of line; `sentence` is the rule for texts that people read."""
    return {
        "campaign": {
            **_words("kind"),
            **_numbers("seed quota_cpus shared"),
            "schema": _numbers("major minor"),
            "version": texts.version,
            "git": {"sha": texts.hexadecimal, "dirty": NUMBER},
            "time": texts.time,
            "options": _options,
            "machine": {**_machine, "unbound_because": sentence},
            "allowed_pus": [NUMBER],
            "gpus": Named(texts.word, (texts.product, {"name": texts.product})),
            "units": [_numbers("pu package numa l3 l2 core thread kind")],
            "states": [_all("pus bounds_ns hop_ns", [NUMBER])],
            "states_note": sentence,
            "plan": _numbers("points visits same refused predicted_s"),
            **_all("lane_notes gpu_notes", [sentence]),
            "left_out": sentence,
            "imported": {"from": texts.product},
        },
        "same": {**_words("kind"), **_all("point measured_as", point), "why": sentence},
        "refused": {**_words("kind"), "point": point, "status": _status, "reason": sentence},
        "worker": {
            **_words("kind worker wait"),
            **_numbers("protocol threads"),
            "time": texts.time,
            "build": {"id": texts.hexadecimal, "compiler": texts.product, "flags": texts.flags},
            "runtime": Named(texts.word, _runtime),
            "environment": _all(_variables, texts.environment_value),
        },
        "visit": {
            **_words("kind cells_on"),
            **_of_table(tables.visit_members, sentence),
            # What the driver and the backends add beside the record.
            **_numbers(
                "stolen_ns litmus_seen litmus_rounds gpcs gpcs_at_most waiting_warps "
                "footprint_bytes working_set_bytes registers unequal_devices host_native_atomics"
            ),
            **_all("pus_seen device_shares multiprocessors", [NUMBER]),
            **_all("sm_clock_ghz nccl", (NUMBER, [NUMBER], texts.version)),
            "links": [_numbers("from to peer_access native_atomics performance_rank nvlinks")],
            "home": _numbers("pu numa_node"),
            "launching_thread": {"pus": [NUMBER], "device_numa_node": NUMBER},
            "nvml": {
                **_numbers("other_processes temperature_c power_w"),
                "clock_reasons": [texts.word],
            },
        },
        "point": {**_words("kind"), **_of_table(tables.point_members, sentence)},
        "end": {
            **_words("kind"),
            "reason": texts.matching("complete|interrupted|budget"),
            "time": texts.time,
            **_numbers("visits wall_ns timed_ns failed"),
            **_of_table(tables.end_members, sentence),
        },
    }


_rule_by_kind: dict[str, Any] = {
    **_all("number whole index flag verdict", NUMBER),
    **_all("wholes numbers", [NUMBER]),
    "counts": Named(texts.word, NUMBER),
    "interval": _numbers("value low high"),
    "status": _status,
}


def _of_table(table: tables.Table, sentence: texts.TextRule) -> dict[str, Any]:
    """The rules for the members that the record says may be shared: by kind, and for texts, and objects
    that no table describes, by name."""
    of_code = _all("baseline test per_op", Named(texts.code, NUMBER))
    by_name = {
        **_all("reason doubt", sentence),
        **_words("family pairing stopped_by backend native_of launching"),
        "point": point,
        "build": texts.hexadecimal,
        "time": texts.time,
        "quiet_probe": _all("floor_ns median_ns", [NUMBER]),
        "additivity": {"additive": NUMBER, "cost_ns": [NUMBER]},
        "rounds": [[NUMBER]],
        "by_visit": [[NUMBER]],
        "census": {
            "verdict": texts.word,
            "reason": sentence,
            "architecture": texts.word,
            **of_code,
        },
    }

    def rule(name: str, member: tables.Member) -> Any:
        if member.of:
            inner = _of_table(member.of, sentence)
            return [inner] if member.kind == "objects" else inner
        return _rule_by_kind.get(member.kind, by_name.get(name))

    found = {name: rule(name, member) for name, member in table.items() if member.shared}
    return {name: each for name, each in found.items() if each is not None}
