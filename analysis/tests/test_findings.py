"""What a campaign begins with on a terminal: the verdict, the first advice, and what to run next."""

from syncmeter_analysis.command import main
from tests.made import campaign, write
from tests.test_first_screen import controls, updates


def test_the_command_for_a_page_prints_its_first_card(tmp_path, capsys):
    path = write(tmp_path / "f.jsonl", updates(), controls(), first=campaign())
    assert main(["html", str(path), "-o", str(tmp_path / "report.html")]) == 0
    assert capsys.readouterr().out.startswith("Use ")
