"""The report's text, with which a campaign's output begins, and what is said before its first visit."""

import re

from conftest import install


def test_what_a_campaign_prints_begins_with_the_text_of_its_report(campaign):
    install("import sys\nprint('told:', *sys.argv[1:])\n", campaign.bin / "syncmeter-report")
    campaign.environment["SYNCMETER_REPORT"] = str(campaign.bin / "syncmeter-report")
    status, out, _ = campaign.run()
    assert status == 0
    page = str(campaign.file).removesuffix(".jsonl") + ".html"
    assert out.startswith(f"told: text {campaign.file}\n\n")
    assert out.endswith(
        f"\nResults: {campaign.file}\nAs a page: syncmeter html {campaign.file} -o {page}\n"
    )


def test_a_report_that_fails_fails_no_campaign(campaign):
    install("import sys\nsys.exit('no licence')\n", campaign.bin / "syncmeter-report")
    campaign.environment["SYNCMETER_REPORT"] = str(campaign.bin / "syncmeter-report")
    status, out, err = campaign.run()
    assert status == 0
    assert out.endswith(f"\nResults: {campaign.file}\n")
    assert "syncmeter-report ended with status 1: 'no licence'" in err


def test_before_the_first_visit_it_says_what_comes(campaign):
    _, _, err = campaign.run()
    assert re.match(r"syncmeter: 3 configurations, about [1-9]\d* s\n", err), err
    _, _, err = campaign.call("run", "--dry-run", *campaign.arguments()[1:])
    assert err == ""


def test_visits_say_what_their_backend_is(campaign):
    """A backend that no list knows is told by what it says of itself."""
    campaign.behave(native_of="omp", faults=[{"do": "exit", "op": "plain_read", "times": 1}])
    campaign.run()
    assert {(v["portable"], v["native_of"]) for v in campaign.visits()} == {(True, "omp")}
    campaign.file.unlink()
    campaign.behave()
    campaign.run()
    assert all(v["portable"] is False and "native_of" not in v for v in campaign.visits())
