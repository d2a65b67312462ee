"""`syncmeter topology --svg`: well-formed, every PU drawn once, lanes where the table has them, nothing outside its box."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree

import pytest

TOPOLOGIES = pathlib.Path(__file__).parent.parent / "data" / "topologies"
SVG = "{http://www.w3.org/2000/svg}"
ALL = ["two-packages", "chiplets", "hybrid", "cpuset-hole"]
BARRED = {"cpuset-hole": {0, 4, 5, 6, 7}}


def draw(driver, *arguments):
    text = driver("topology", *arguments, "--svg", "drawn.svg", "--force")
    return text, ElementTree.parse(driver.home / "drawn.svg").getroot()


def placements(name):
    """{(policy, lanes): PUs}, as kept beside the machine."""
    found = {}
    for line in (TOPOLOGIES / f"{name}.placements").read_text(encoding="utf-8").splitlines():
        key, pus = line.split(":")
        policy, lanes = key.split()
        found[policy, int(lanes)] = [int(pu) for pu in pus.split()]
    return found


def pus_in(drawing):
    """{PU: (class of its rectangle, words below its name)}; each PU may stand there once."""
    found = {}
    for group in drawing.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        match = re.match(r"PU P#(\d+)", title.text) if title is not None else None
        if not match:
            continue
        pu = int(match[1])
        assert pu not in found, f"PU {pu} is drawn twice"
        words = [text.text for text in group.findall(f"{SVG}text")]
        assert words[0] == f"PU P#{pu}"
        found[pu] = (group.find(f"{SVG}rect").get("class"), " ".join(words[1:]))
    return found


def rectangle(group):
    rect = group.find(f"{SVG}rect")
    x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def boxes(group):
    return [child for child in group.findall(f"{SVG}g") if child.find(f"{SVG}title") is not None]


def assert_nested(group, around=None):
    inside = [rectangle(child) for child in boxes(group)]
    for number, (left, top, right, bottom) in enumerate(inside):
        if around:
            assert around[0] <= left and around[1] <= top and right <= around[2] and bottom <= around[3]
        for other in inside[number + 1:]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top, "siblings overlap"
    for child in boxes(group):
        assert_nested(child, rectangle(child))


@pytest.mark.parametrize("policy", ["close", "spread", "smt"])
@pytest.mark.parametrize("name", ALL)
def test_lanes_stand_where_the_policy_puts_them(driver, name, policy):
    kept = placements(name)
    most = max(lanes for _, lanes in kept)
    barred = BARRED.get(name, set())
    for lanes in (1, 3, most):
        _, drawing = draw(driver, "--topology", str(TOPOLOGIES / f"{name}.xml"), "--affinity", policy, "--lanes", str(lanes))
        pus = kept[policy, lanes]
        drawn = pus_in(drawing)
        assert set(drawn) == set(kept[policy, most]) | barred
        for pu, (looks, words) in drawn.items():
            if pu in pus:
                assert (looks, words) == ("lane", f"lane {pus.index(pu)}")
            else:
                assert (looks, words) == (("barred", "not allowed") if pu in barred else ("free", ""))


@pytest.mark.parametrize("name", ALL)
def test_every_box_is_inside_of_its_own(driver, name):
    _, drawing = draw(driver, "--topology", str(TOPOLOGIES / f"{name}.xml"))
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    machine = next(group for group in drawing.findall(f"{SVG}g") if group.get("transform"))
    offset = [float(number) for number in re.findall(r"[\d.]+", machine.get("transform"))]
    assert_nested(machine, (0, 0, width - offset[0], height - offset[1]))


def test_siblings_stand_side_by_side(driver):
    _, drawing = draw(driver, "--topology", str(TOPOLOGIES / "two-packages.xml"))
    cores = [group for group in drawing.iter(f"{SVG}g")
             if group.find(f"{SVG}title") is not None and group.find(f"{SVG}title").text.startswith("Core ")]
    assert len(cores) == 4
    for core in cores:
        first, second = (rectangle(pu) for pu in boxes(core))
        assert first[1] == second[1] and first[2] < second[0]


def test_kinds_of_core_are_named(driver):
    _, drawing = draw(driver, "--topology", str(TOPOLOGIES / "hybrid.xml"))
    labels = [text.text for text in drawing.iter(f"{SVG}text")]
    assert labels.count("Core P#4, IntelCore") == 1 and labels.count("Core P#0, IntelAtom") == 1


def test_a_name_with_markup_is_a_name(driver):
    name = """a <b> & "c" 'd' \x1b.xml"""
    (driver.home / name).write_bytes((TOPOLOGIES / "hybrid.xml").read_bytes())
    _, drawing = draw(driver, "--topology", name)
    assert drawing.find(f"{SVG}title").text == name.replace("\x1b", "?")


def test_unbound_lanes_are_on_no_pu(driver):
    text, drawing = draw(driver, "--topology", str(TOPOLOGIES / "chiplets.xml"), "--affinity", "none", "--lanes", "2")
    assert {looks for looks, _ in pus_in(drawing).values()} == {"free"}
    assert "not bound" in drawing.find(f"{SVG}desc").text and "not bound" in text


def test_this_machine_is_drawn_too(driver):
    _, drawing = draw(driver)
    assert any(looks == "lane" for looks, _ in pus_in(drawing).values())


def test_it_reads_in_the_dark_and_on_paper(driver):
    _, drawing = draw(driver, "--topology", str(TOPOLOGIES / "chiplets.xml"))
    style = drawing.find(f"{SVG}style").text
    assert "@media screen and (prefers-color-scheme:dark)" in style, "and never on paper"
    used = {name for element in drawing.iter() for name in (element.get("class") or "").split()} - {"pu"}
    for name in used:
        assert f".{name}{{" in style, f"no rule for .{name}"
