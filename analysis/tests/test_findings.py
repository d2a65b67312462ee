"""What a campaign begins with on a terminal: the verdict, the first advice, and what to run next."""

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.render.recommendations import findings
from syncmeter_analysis.render.trust import verdict_of_machine
from tests.made import campaign, read, write
from tests.test_first_screen import busy, controls, report, updates


def test_they_say_what_the_pages_first_screen_says(tmp_path):
    shown = findings(read(write(tmp_path / "f.jsonl", updates(), controls(), first=campaign())))
    assert 3 <= len(shown) <= 8
    c = read(write(tmp_path / "g.jsonl", updates(), controls(), first=campaign()))
    assert shown[0] == verdict_of_machine(c)[0] + "."
    cards = report(tmp_path, updates(), controls()).head.cards
    of_cards = [s for s in shown if not s.startswith(("Measured again", "Quiet"))]
    for card, sentence in zip(cards[:3], of_cards, strict=False):
        assert sentence.startswith(card.text)
        assert card.effect in sentence
    assert shown[-1].startswith("Not measured here: syncmeter run --study ")
    assert shown[-1].endswith('" holds.')


def test_advice_of_a_busy_machine_says_so(tmp_path):
    shown = findings(read(write(tmp_path / "f.jsonl", busy(updates()), first=campaign())))
    advice = [s for s in shown if "times slower" in s]
    assert advice
    assert all(
        s.endswith("the ratio is usable, and may be another on a quiet machine.") for s in advice
    )


@pytest.mark.parametrize("study", [[], ["--study", "locks"]])
def test_answers_come_first_then_findings_then_tables(tmp_path, capsys, study):
    path = write(tmp_path / "f.jsonl", updates(), controls(), first=campaign())
    assert main(["text", str(path), *study]) == 0
    lines = capsys.readouterr().out.splitlines()
    if study:
        assert (lines[0], "Findings" in lines) == ("Locks", False)
        return
    answer = next(i for i, line in enumerate(lines) if line.startswith("- 2 threads, one add"))
    # Costs are of one machine: which one stands before them.
    machine = "Test CPU: 8 cores, 16 hardware threads (SMT), Debian GNU/Linux 12"
    assert lines[:3] == ["Answers", "", machine]
    assert answer < lines.index("Findings") < lines.index("Locks")
    assert any(line.startswith("- How sure: quiet; ") for line in lines[: lines.index("Findings")])
    # What stands above is not said again.
    assert not any(line.startswith("- ") for line in lines[lines.index("Locks") :])
    assert all(len(line) <= 80 for line in lines)


def test_the_command_for_a_page_prints_its_first_answer(tmp_path, capsys):
    path = write(tmp_path / "f.jsonl", updates(), controls(), first=campaign())
    assert main(["html", str(path), "-o", str(tmp_path / "report.html")]) == 0
    assert capsys.readouterr().out.startswith("2 threads, one add")
