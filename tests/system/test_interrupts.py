"""A campaign that is interrupted, runs out of its budget, or tells how far it is."""

import os
import pty
import signal
import subprocess
import time

from conftest import eventually, keys


def test_ctrl_c_finishes_the_visit_and_says_how_to_resume(campaign):
    campaign.behave(sleep_s=0.2)
    process = campaign.start(*campaign.arguments(visits=20))
    eventually("a visit is in the file", lambda: campaign.visits())
    eventually("another one has begun", lambda: len(campaign.log("measure")) > len(campaign.log("measured")))
    # As a terminal does it: to everything in the foreground group.
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGINT, "as shells have it"
    end = campaign.lines()[-1]
    assert end["kind"] == "end" and end["reason"] == "interrupted" and end["visits"] == len(campaign.visits())
    assert {visit["status"] for visit in campaign.visits()} == {"ok"}
    assert len(campaign.visits()) == len(campaign.log("measure")), "the visit in flight was finished"
    assert f"syncmeter run --resume {campaign.file}" in err
    campaign.behave()
    assert campaign.resume()[0] == 0
    assert len(campaign.visits()) == 60 and set(keys(campaign.visits()).values()) == {1}


def test_a_signal_to_every_process_costs_no_visit(campaign):
    """As a scheduler does it at a job's time limit."""
    campaign.behave(sleep_s=0.2)
    process = campaign.start(*campaign.arguments(visits=20))
    eventually("a visit is in the file", lambda: campaign.visits())
    begun = eventually("another one has begun", lambda: campaign.log("measure")[len(campaign.log("measured")):])
    os.kill(begun[-1]["pid"], signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert {visit["status"] for visit in campaign.visits()} == {"ok"} and campaign.lines()[-1]["reason"] == "interrupted"


def test_a_second_ctrl_c_ends_at_once(campaign):
    campaign.behave(faults=[{"do": "hang", "op": "plain_read"}], predicted_ns=1e12)
    process = campaign.start(*campaign.arguments(ops="plain_read"))
    worker = eventually("a visit has begun", lambda: campaign.log("measure"))[0]["pid"]
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None, "the first one waits for the visit"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT and "--resume" in err
    assert not os.path.exists(f"/proc/{worker}")
    assert campaign.lines()[-1]["reason"] == "interrupted" and not campaign.visits()


def test_a_spent_budget_ends_the_campaign_properly(campaign):
    campaign.behave(sleep_s=0.1)
    # Enough for a worker to start and answer once, even where the machine has no time for it for a second.
    status, _, err = campaign.run("--budget", "2s", visits=20)
    assert status == 3
    assert campaign.lines()[-1]["reason"] == "budget" and 0 < len(campaign.visits()) < 60
    assert "budget" in err and f"--resume {campaign.file}" in err


def test_progress_is_plain_lines_off_a_terminal(campaign):
    _, out, err = campaign.run(visits=20)
    lines = [line for line in err.split("\n") if " repetitions (" in line]
    assert 5 <= len(lines) <= 10 and "\x1b" not in err and "\r" not in err
    assert "ETA" in lines[-1] and " repetitions (" not in out


def test_progress_is_one_line_on_a_terminal(campaign):
    campaign.behave(sleep_s=0.05)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([campaign.driver, *campaign.arguments(visits=4)], env=campaign.environment, cwd=campaign.home,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 4096)
        except OSError:  # the terminal's last writer is gone
            break
        if not chunk:
            break
        shown += chunk
    out, _ = process.communicate(timeout=20)
    os.close(ours)
    assert process.returncode == 0
    drawn = shown.split(b"\r")
    assert sum(b"/12 repetitions (" in part for part in drawn) >= 3
    assert b"ETA" in shown and b"atomic_add" in shown
    assert shown.split(b"repetitions (")[0].count(b"\n") == 1, "what comes, and below it one line that is drawn anew"
    assert shown.rstrip(b"\r\n").endswith(b"\x1b[K"), "cleared at the end"
    assert b"\x1b" not in out
