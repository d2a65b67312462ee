"""`syncmeter show --svg`: every measured pair is a field of its matrix, in the order of the topology, with its cost."""

import re
import xml.etree.ElementTree as ElementTree

import made_by_hand

SVG = "{http://www.w3.org/2000/svg}"


def cost_of(first, second):
    return 20.0 if first % 4 == second % 4 else 100.0 + first


def draw(driver, *arguments, pus=8, ops=("handoff",)):
    file = made_by_hand.write(driver.home / "pairs.jsonl", made_by_hand.pairs(pus, ops, cost_of))
    driver("show", file, "--svg", "drawn.svg", "--force", *arguments)
    return ElementTree.parse(driver.home / "drawn.svg").getroot()


def maps(drawing):
    """For each matrix {(first, second): (x, y, class, words)}."""
    found = []
    for group in drawing.iter(f"{SVG}g"):
        fields = {}
        for rect in group.findall(f"{SVG}rect"):
            words = rect.find(f"{SVG}title").text
            pair = tuple(map(int, re.match(r"PU (\d+) to PU (\d+): ", words).groups()))
            assert pair not in fields, f"{pair} is drawn twice"
            fields[pair] = (float(rect.get("x")), float(rect.get("y")), rect.get("class"), words)
        found.append(fields)
    return found


def test_every_pair_is_drawn_once_with_its_cost(driver):
    (fields,) = maps(draw(driver))
    assert set(fields) == {(a, b) for a in range(8) for b in range(8) if a != b}
    for (first, second), (_, _, _, words) in fields.items():
        assert f": {cost_of(first, second):.4g}" in words.replace("0 ns", " ns"), words
    looks = {pair: field[2] for pair, field in fields.items()}
    assert looks[0, 4] == "h0" and looks[7, 0] == "h7"


def test_rows_and_columns_are_in_the_order_of_the_topology(driver):
    (fields,) = maps(draw(driver))
    # PUs n and n + 4 are one core.
    assert sorted({(field[0], pair[1]) for pair, field in fields.items()}) == sorted(
        (field[1], pair[0]) for pair, field in fields.items() if pair[1] == (1 if pair[0] == 0 else 0)
    )
    columns = {pair[1]: field[0] for pair, field in fields.items()}
    assert sorted(columns, key=columns.get) == [0, 4, 1, 5, 2, 6, 3, 7]


def test_each_op_has_a_map_and_op_chooses(driver):
    ops = ("handoff", "handoff_cas")
    assert len(maps(draw(driver, ops=ops))) == 2
    drawing = draw(driver, "--op", "handoff_cas", ops=ops)
    assert len(maps(drawing)) == 1
    names = [text.text for text in drawing.iter(f"{SVG}text") if text.get("class") == "name"]
    assert names == ["omp handoff_cas, 2 lanes, home first"]


def test_64_pus_are_64_rows_without_figures_in_them(driver):
    drawing = draw(driver, pus=64)
    (fields,) = maps(drawing)
    assert len(fields) == 64 * 63
    assert not [text for text in drawing.iter(f"{SVG}text") if (text.get("class") or "").startswith("on-")]
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    assert max(x for x, _, _, _ in fields.values()) < width < 1100
    assert max(y for _, y, _, _ in fields.values()) < height


def test_classes_of_pairs_stand_above_the_map(driver):
    texts = [text.text for text in draw(driver).iter(f"{SVG}text")]
    assert "same core 20.00 ns, same NUMA node 103.5 ns" in texts


def test_a_file_without_pairs_is_refused(driver):
    one = made_by_hand.write(driver.home / "one.jsonl", made_by_hand.pairs(2, ("handoff",), cost_of)[:2])
    assert "no costs between pairs of PUs to draw" in driver.mistake("show", one, "--svg", "drawn.svg")
    assert not (driver.home / "drawn.svg").exists()


def test_a_file_that_does_not_say_where_pus_are_has_them_by_number(driver):
    lines = made_by_hand.pairs(8, ("handoff",), cost_of)
    del lines[0]["units"]
    driver("show", made_by_hand.write(driver.home / "old.jsonl", lines), "--svg", "drawn.svg")
    (fields,) = maps(ElementTree.parse(driver.home / "drawn.svg").getroot())
    columns = {pair[1]: field[0] for pair, field in fields.items()}
    assert sorted(columns, key=columns.get) == list(range(8))
