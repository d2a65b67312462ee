"""Stored and made files of `syncmeter advise`, and what the package makes of them."""

import json
from pathlib import Path

import pytest

from syncmeter_analysis import __version__
from syncmeter_analysis.conclude.advise import judge
from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render.advice import advised, as_text
from tests.test_results_schema import lines_of

DATA = Path(__file__).parent / "data" / "advise"
STORED = sorted(DATA.glob("*.jsonl.xz"))
stored = pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)


def named(name):
    return lines_of(DATA / f"{name}.jsonl.xz")


def written(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def report_of(path):
    return advised(read_advice(path)).report


def screen_of(path):
    return as_text(advised(read_advice(path)))


def text_of(path):
    """The screen and all tables on one line."""
    return " ".join(as_text(advised(read_advice(path)), sites=True, verbose=True).split())


# A made program: 0.33 s on 2 CPUs, 4,000,000 acquisitions, 0.212 s CPU time alone.


def run(arm, wall_s, **more):
    return {"arm": arm, "wall_s": wall_s, "exit": 0, "other_cpu_share": 0.0, **more}


def header(**more):
    runs = [run("plain", s) for s in (0.32, 0.33, 0.34)]
    runs += [run("time", 0.34), run("alone", 0.22, user_s=0.21, system_s=0.002)]
    found = {"record": "advise", "schema": 2, "version": __version__, "command": ["./app"]}
    found |= {"runs": runs, "cpus": 2, "threads": 2, "uncontended_lock_ns": 13.0}
    found |= {"counting_cost": {"ratio": 1.002, "low": 1.0, "high": 1.01}, "not_counted": []}
    return found | more


def use(site=1, **more):
    found = {"call_site": site, "calls": 4_000_000, "timed": 40_000, "every": 100}
    found |= {"contended": 5600, "call_ns": 1.5e8, "contended_call_ns": 1e8}
    return found | {"held_ns": 5.6e7, "short_held_ns": 12.0} | more


def lock(id=1, sites=(1,), **more):
    found = {"record": "lock", "id": id, "kind": "mutex", "call_sites": list(sites)}
    found |= {"acquisitions": 4_000_000, "threads": 2, "owner_changes": 120_000}
    found |= {"timed": 40_000, "contended": 5600, "hidden": 0, "call_ns": 1.5e8}
    found |= {"held_ns": 5.6e7, "exclusive_ns": 5.6e7, "short_held_ns": 12.0}
    found |= {"utilization": 0.16, "uses": [use(site) for site in sites]}
    return found | more


def call_site(id=1, kind="mutex_lock", **more):
    found = {"record": "call_site", "id": id, "kind": kind, "count": 4_000_000, "threads": 2}
    return found | {"where": f"count_events() counter.cpp:{22 + id}"} | more


def model(number=1, as_is=1.0, program=0.33, spread=0.05, **factors):
    """A model with `as_is` times the program's time. `factors` multiply its time by remedy."""
    rounds = [1 - spread, 1.0, 1 + spread]
    found = {"record": "model", "lock": number, "form": "lines=1 work=dependent"}
    found |= {"program_s": [program * r for r in rounds]}
    found |= {"as_is_s": [as_is * program * r for r in rounds]}
    for remedy, factor in factors.items():
        found[f"{remedy}_s"] = [factor * as_is * program * r for r in rounds]
    return found


def advice(rule="imbalance", rank=1, **more):
    found = {"record": "advice", "rank": rank, "rule": rule, "sites": [7], "kind": "bound"}
    found |= {"saves_s": {"low": 0.0, "high": 0.1}, "run_s": 0.34, "seen_share": 0.2}
    return found | {"grade": "bound", "title": "A cause", "text": "Change it."} | more


def made(tmp_path, *lines, **of_header):
    """A file with at least a call site."""
    ids = {line["id"] for line in lines if line["record"] == "call_site"}
    sites = [] if 1 in ids else [call_site()]
    return written(tmp_path / "made.jsonl", [header(**of_header), *sites, *lines])


def judged(tmp_path, *lines, **of_header):
    file = read_advice(made(tmp_path, *lines, **of_header))
    assert file.left_out == []
    return judge(file)


def concluded(tmp_path, *lines, **of_header):
    return list(judged(tmp_path, *lines, **of_header).conclusions)
