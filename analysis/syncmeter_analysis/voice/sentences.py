"""Words a conclusion as sentences, and its conditions and reasons. voice/study.py has the rules for
templates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Grade, Kind
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.gains import (
    adds_of,
    bound_of,
    figure_of,
    has_bound,
    narrow,
    printed_ratio,
    ratio_of,
    width_of,
)
from syncmeter_analysis.voice.words import (
    counted,
    has,
    library_of,
    listed,
    name_of,
    say,
    templates,
    with_article,
)


def label(study: str, c: Conclusion, room: str = "situations") -> str:
    """Returns the situation as a row label. An operation without a label keeps its name."""
    work = c.situation.work
    names = [f"{c.question}_{work}", *[f"{work}_pause"] * bool(c.situation.pause_ns), work]
    name = next((x for x in names if has(f"{study}.{room}.{x}")), "")
    if not name:
        return work.replace("_", " ") if room == "situations" else label(study, c)
    return say(f"{study}.{room}.{name}", **_situation_values(c))


def _opening(study: str, c: Conclusion) -> str:
    """Returns the beginning of a sentence."""
    if has(f"{study}.opening"):
        return say(f"{study}.opening", label=label(study, c), **_situation_values(c))
    return label(study, c, "in_sentences")


def values_of(study: str, c: Conclusion) -> dict[str, Any]:
    """Returns what a template may name: the situation, subjects, costs and the effect."""
    e = c.effect
    ratio, bound = printed_ratio(c, study), bound_of(c)
    first = next(iter(c.subjects), None)
    bounded = e is not None and e.low is not None and e.high is not None
    is_threshold = e is not None and e.quantity == "threshold"
    is_shown = c.grade is not Grade.rough and not (is_threshold and width_of(c) <= narrow)
    limits = (e.low, e.high) if e and bounded and is_shown else (None, None)
    library = library_of(c.reference) if c.reference else ""
    value = e.value if e else None
    time = numbers.duration(value) if value is not None else ""
    found = {
        **_situation_values(c),
        "situation": _opening(study, c),
        "label": label(study, c),
        "subject": with_article(first) if first else "",
        "name": name_of(first) if first else "",
        "library": library_of(first) if first else "",
        "of_library": say("common.of_library", library=library) if library else "",
        "api": (library_of(first) or first.backend) if first else "",
        "subjects": _listed(c),
        "reference": name_of(c.reference) if c.reference else "",
        "reference_variant": c.reference.variant if c.reference else "",
        "subject_ns": figure_of(study, c, c.cost_of(first)),
        "reference_ns": figure_of(study, c, c.cost_of(c.reference)),
        "ratio": ratio_of(c, ratio) if ratio else "",
        "ci": _costs_and_interval(study, c, limits) or _interval(*limits, is_threshold),
        "bound": numbers.factor_up(bound) if bound and not is_threshold else "",
        "time": say("common.about", value=time) if c.grade is Grade.rough else time,
        "count": f"{value:,.0f}" if value is not None else "",
        "share": numbers.percent(value) if value is not None and value <= 1 else "",
        "variant": first.variant if first else "",
    }
    return found | (_of_claim(c, found) if c.question == "claim" else {})


def _of_claim(c: Conclusion, values: dict[str, Any]) -> dict[str, str]:
    """Returns the claim's names for both sides, and the effect with the reference's name."""
    table = templates()["claims"][c.cause]
    slower = table.get("slower", table["over"]).format(**values)
    faster = table.get("faster", table["under"]).format(**values)
    name, other = (slower, faster) if c.kind is Kind.avoid else (faster, slower)
    effect = say("claims.loss" if c.kind is Kind.avoid else "claims.gain", **values, other=other)
    return {"name": name, "reference": other, "effect": effect}


def _situation_values(c: Conclusion) -> dict[str, Any]:
    s = c.situation
    span = c.condition("work_range")
    return {
        "span": numbers.span(span.value, span.compared) if span else "",
        "from_work": numbers.duration(span.value) if span and span.value else "",
        "to_work": numbers.duration(span.compared) if span and span.compared else "",
        "threads": f"{s.threads:,}",
        "primitive": name_of(replace(c.subjects[0], variant="")) if c.subjects else "",
        "of_threads": counted("common.threads", s.threads),
        "crowded": say("common.crowded") if s.crowded else "",
        "cpus": f"{s.cpus:g}" if s.cpus else "?",
        "blocks": f"{s.blocks:,}",
        "devices": s.devices,
        "size": f"{s.size:,.0f}" if s.size is not None else "",
        "power": numbers.power_of_two(s.size) if s.size is not None else "",
        "stride": f"{s.stride_bytes:g}" if s.stride_bytes is not None else "",
        "apart": say("common.apart", stride=f"{s.stride_bytes:g}") if s.stride_bytes else "",
        "reads": f"{s.reads_per_write:,}" if s.reads_per_write is not None else "",
        "type": s.type,
        "wait": s.wait,
        "affinity": s.affinity,
        "pinned": _pinned(s.affinity),
        "hop": numbers.plain(s.hop_ns, 2) if s.hop_ns else "",
        "held": numbers.duration(s.held_ns) if s.held_ns else "",
        "work": numbers.duration(s.work_ns) if s.work_ns else "",
        "pause": numbers.duration(s.pause_ns) if s.pause_ns else "",
    }


def _pinned(affinity: str) -> str:
    """Returns the affinities, unless all of them give the threads the same CPUs."""
    name = "pinned_none" if affinity == "none" else "pinned_to"
    name = "pinned" if affinity.count(",") >= _all_affinities - 1 else name
    return say(f"common.{name}", affinity=affinity) if affinity else ""


#: `close`, `spread` and `smt`.
_all_affinities = 3


def _interval(low: float | None, high: float | None, is_time: bool) -> str:
    if low is None or high is None:
        return ""
    span = (
        numbers.span(low, high)
        if is_time
        else say("common.range", low=numbers.factor(low), high=numbers.factor(high))
    )
    return say("common.ci", span=span)


def _costs_and_interval(study: str, c: Conclusion, limits: tuple[float | None, ...]) -> str:
    """Returns both costs behind a gain or a loss with its interval, or '' without two costs."""
    first = next(iter(c.subjects), None)
    mine, chosen = c.cost_of(c.reference), c.cost_of(first)
    is_ratio = c.effect is not None and c.effect.quantity in ("speedup", "slowdown")
    if not (is_ratio and c.kind in (Kind.use, Kind.avoid) and mine and chosen):
        return ""
    low, high = (numbers.factor(end) if end is not None else "" for end in limits)
    name = "costs_adds" if adds_of(study, c) else "costs"
    return say(
        f"common.{name}_ci" if low and high else f"common.{name}",
        subject=figure_of(study, c, chosen),
        reference=figure_of(study, c, mine),
        low=low,
        high=high,
    )


def _listed(c: Conclusion) -> str:
    """Returns `A and B`, or `A and others` if the conclusion is undecided with only one subject."""
    names = list(dict.fromkeys(map(name_of, c.subjects)))
    if len(names) == 1 and c.kind is Kind.undecided:
        return say("common.list_one", first=names[0])
    return listed(names)


def sentence(study: str, c: Conclusion) -> str:
    """Returns the conclusion as sentences that stand alone."""
    kind = str(c.kind)
    if c.kind is Kind.use and c.reference is None:
        kind = "use_best"
    elif c.kind in (Kind.keep, Kind.any) and not has_bound(c):
        kind = f"{c.kind}_bare"
    names = [f"{study}.{c.cause}.{c.remedy}"] if c.cause else []
    # Alternatives without a difference are no reason to change, as in `keep`.
    kinds = [k for x in dict.fromkeys((kind, str(c.kind))) for k in (x, x.replace("any", "keep"))]
    rooms = study, "common"
    keys = [
        (f"{q}{k}_{x.name}", x) for x in c.conditions for k in kinds for q in (f"{c.question}_", "")
    ]
    found = ((f"{room}.sentences.{key}", x) for key, x in keys for room in rooms)
    special = [(name, x) for name, x in found if has(name)]
    names += [name for name, _ in special]
    names += [f"{study}.sentences.{c.question}_{c.situation.work}_{kind}"]
    names += [f"{study}.sentences.{c.question}_{kind}"]
    names += [f"{study}.sentences.{c.question}_bare"] * (c.grade is Grade.rough)
    names += [f"{study}.sentences.{c.question}"]
    names += [*(f"{study}.sentences.{k}" for k in kinds[:2]), f"common.sentences.{kind}"]
    values = values_of(study, c)
    for _, x in special[:1]:
        values |= _condition_values(x)
    text = say(next(filter(has, names)), **values)
    text = after_file(c.situation.file, text)
    return " ".join([text, *_texts_of(study, "only_if", c, values)])


def after_file(file: str, text: str) -> str:
    """Returns the sentence after the file's name, if there is one."""
    return say("common.sentence_of_file", file=file, sentence=text) if file else text


def only_if(study: str, c: Conclusion) -> list[str]:
    """Returns the conditions as sentences."""
    return _texts_of(study, "only_if", c, values_of(study, c))


def conditions(study: str, c: Conclusion) -> list[str]:
    """Returns half sentences for the notes below a table."""
    found = _texts_of(study, "conditions", c, values_of(study, c) if c.conditions else {})
    if c.kind is Kind.undecided and not found:
        found = [say("common.conditions.undecided")]
    return found


def _texts_of(study: str, table: str, c: Conclusion, values: dict[str, Any]) -> list[str]:
    """Returns the texts for conditions with a template. In a poor run no scatter is worth a word."""
    is_rough = c.grade is Grade.rough
    shown = [x for x in c.conditions if not (is_rough and x.name == "no_scatter")]
    other = ({"other_ns": figure_of(study, c, c.cost_of(x.subject))} for x in shown)
    both = zip(shown, other, strict=True)
    return list(filter(None, (_text_of(study, table, x, values | more) for x, more in both)))


def _text_of(study: str, table: str, x: Condition, values: dict[str, Any]) -> str:
    """Returns the condition's text, or '' if no template has it."""
    for name in (f"{study}.{table}.{x.name}", f"common.{table}.{x.name}"):
        more = f"{name}_compared" if x.compared is not None else name
        if has(more) or has(name):
            return say(more if has(more) else name, **(values | _condition_values(x)))
    return ""


def _condition_values(x: Condition) -> dict[str, Any]:
    value, compared = x.value or 0.0, x.compared or 0.0
    return {
        "other": with_article(x.subject) if x.subject else "",
        "value": numbers.plain(value, 2),
        "value_ns": numbers.cost(value),
        "compared": numbers.plain(compared, 2),
        "value_time": numbers.duration(value) if value else "",
        "compared_time": numbers.duration(compared) if compared else "",
        "value_count": f"{value:,.0f}",
        "compared_count": f"{compared:,.0f}",
        "value_share": numbers.percent(value) if value > 0 else "",
        "compared_share": numbers.percent(compared) if compared > 0 else "",
    }


def reason_of(study: str, c: Conclusion) -> str:
    x = c.reason
    return _text_of(study, "reasons", x, values_of(study, c)) if x else ""
