"""Whatever the members of a file hold: a report and claims, or one sentence; never a traceback."""

import json

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from syncmeter_analysis.claims import judged
from syncmeter_analysis.formats.export import google_benchmark, rows
from syncmeter_analysis.formats.share import share
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from tests.made import MACHINE, campaign, point, read, visits

text = st.text(max_size=6) | st.sampled_from(["</script>", "<b>", "a|b", "`", "\ud800", "NaN"])
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-5, 1 << 40) | text,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(text, x, max_size=3),
    max_leaves=5,
)
units = st.lists(st.dictionaries(st.sampled_from(["pu", "core", "l3", "package"]), anything))
estimate = visits([1.0], point())[0]["estimates"][0]
worker = {
    "kind": "worker",
    "worker": "omp",
    "environment": {},
    "runtime": {},
    "build": {"id": "b", "compiler": "g", "flags": "f"},
}


def changed(base, members):
    return st.builds(
        lambda more: {**base, **more},
        st.dictionaries(st.sampled_from(sorted(members)), anything, max_size=2),
    )


census = changed(
    {"per_op": {"lock_add": 1.0}, "verdict": "proven", "reason": ""},
    ["per_op", "verdict", "reason"],
)


# Pages are slow to make: no search for the smallest example.
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(
    changed(campaign(), [*campaign(), "units", "imported"]),
    changed(MACHINE, [*MACHINE, "caches"]),
    changed(worker, worker),
    changed(estimate, estimate),
    census,
    units,
    changed(point(type="int32", lanes=2), point(type="int32", stride=1, home="", pus=[])),
)
def test_nothing_breaks(
    tmp_path_factory, first, machine, of_worker, of_estimate, code, places, what
):
    if "machine" in first and isinstance(first["machine"], dict):
        first["machine"] = machine
    first.setdefault("units", places)
    bad = {**visits([5.0], point())[0], "point": what, "estimates": [of_estimate], "census": code}
    good = [
        line
        for lanes in (2, 4)
        for line in visits(
            [5.0, 5.1, 5.2],
            point(type="int32", placement="shared", lanes=lanes),
            census={"per_op": {"x": 1}},
        )
    ]
    pair = visits([50.0], point("handoff", lanes=2, pus=[0, 1]), family="handoff")
    path = tmp_path_factory.mktemp("any") / "f.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(x)
            for x in [first, of_worker, bad, *good, *pair, {"kind": "end", "wall_ns": machine}]
        )
        + "\n"
    )
    try:
        c = read(path)
    except Unusable as error:
        assert "\n" not in str(error)
        return
    report = build(c)
    assert as_page(report).encode("utf-8", "replace")
    assert as_markdown(report)
    assert judged(Evidence(c))
    assert len(rows(c)) >= len(c.points)
    assert json.dumps(google_benchmark(c))
    share(path, path.with_name("shared.jsonl"))
