"""Campaigns with a worker that lies, breaks off, floods and hangs at random: `trials.py hostile_workers` makes any number.

It is the fake worker, whose every answer may come changed or not at all. Each campaign must end in time, with a
documented status; keep what its file had; print no control characters; leave no process; and need no memory without
bound. The campaign is then resumed with a worker that behaves.
"""

import json
import os
import pathlib
import shutil
import sys

from random_commands import UNPRINTABLE
from short_campaign import DOCUMENTED, Flaw, Trial, in_pool, whole_lines

HERE = pathlib.Path(__file__).parent
#: Three starts of a worker that says nothing take 60 s each.
DEADLINE_S = 240
MOST_FILE_BYTES = 64 << 20

#: Stands before the last line of fake_worker.py, which calls main().
HOSTILE = '''
import random


def do_json(chance, answer):
    """A member somewhere in it is not what it should be."""
    values = [None, -1, 0, 1e308, -1e308, 10**30, True, [], {}, "", "\\x1b[31m\\u202e", "x" * 100_000, [0] * 100_000, [[[]]], "gone", 1.5,
              "NaN", "../../etc/passwd", "ok", "failed", 2**63, 2**64 - 1, "=1+1", "<script>"]
    inner, path = answer, []
    while isinstance(inner, (dict, list)) and inner and (not path or chance.random() < 0.6):
        path.append(chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner))))
        outer, inner = inner, inner[path[-1]]
    value = chance.choice(values)
    if value == "gone":
        del outer[path[-1]]
    else:
        outer[path[-1]] = value
    plain_say(**answer)


def send(data):
    while data:
        data = data[os.write(RESULTS, data):]


def do_bytes(chance, answer):
    send(chance.randbytes(chance.choice([1, 100, 5000])) + chance.choice([b"", b"\\n"]))


def do_newlines(chance, answer):
    send(b"\\n" * 1000)
    plain_say(**answer)


def do_numbers_that_json_has_not(chance, answer):
    text = json.dumps(answer)
    send(text.replace(chance.choice(["1", "0", "true", '"']), chance.choice(["NaN", "-Infinity", "1e99999", "\\\\"]), 1).encode() + b"\\n")


def do_nesting(chance, answer):
    send(b'{"kind":' + b"[" * 200_000 + b"\\n")


def do_long_line(chance, answer):
    for _ in range(chance.choice([20, 200])):
        send(b"x" * (1 << 20))


def do_flood(chance, answer):
    while True:
        plain_say(**answer)


def do_twice(chance, answer):
    plain_say(**answer)
    plain_say(**answer)


def do_in_pieces(chance, answer):
    for byte in json.dumps(answer).encode()[:200]:
        send(bytes([byte]))
    send(json.dumps(answer).encode()[200:] + b"\\n")


def do_half(chance, answer):
    send(json.dumps(answer).encode()[:chance.randrange(1, 40)])
    os._exit(chance.choice([0, 1, 77, 255]))


def do_signal(chance, answer):
    os.kill(os.getpid(), chance.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGILL, signal.SIGABRT, signal.SIGPIPE]))


def do_stop(chance, answer):
    os.kill(os.getpid(), signal.SIGSTOP)


def do_close_output(chance, answer):
    for fd in (RESULTS, 1, 2):
        os.close(fd)
    time.sleep(1000)


def do_close_input(chance, answer):
    os.close(0)
    plain_say(**answer)


def do_leave_children(chance, answer):
    for session in (False, True):
        subprocess.Popen(["sleep", "1000"], start_new_session=session)
    plain_say(**answer)


def do_own_session(chance, answer):
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    plain_say(**answer)


def do_chatter(chance, answer):
    os.write(2, b"\\x1b]0;owned\\x07\\xff" * 100_000)
    plain_say(**answer)


def do_ignore_signals(chance, answer):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(0.3)
    plain_say(**answer)


plain_say = say


def say(**answer):
    with open(os.path.join(HOME, "said"), "ab") as file:
        file.write(b"x")
        number = file.tell()
    chance = random.Random(os.environ["HOSTILE_SEED"] + "/" + str(number))
    begins = answer["kind"] in ("capabilities", "worker")
    if chance.random() > (0.12 if begins else 0.5):
        return plain_say(**answer)
    how = chance.choice([do for name, do in sorted(globals().items()) if name.startswith("do_")] + [do_json] * 8)
    # What is waited for longest comes less often.
    if begins and how in (do_stop, do_close_output, do_flood):
        how = do_json
    with open(os.path.join(HOME, "did"), "a", encoding="utf-8") as file:
        file.write(how.__name__.removeprefix("do_") + "\\n")
    how(chance, answer)


'''


class Hostile(Trial):
    """A trial whose driver finds the fake worker alone."""

    def __init__(self, driver, home, seed):
        super().__init__(home / "bin", home)
        (home / "bin").mkdir()
        os.link(driver, home / "bin/syncmeter")
        self.environment |= {"FAKE_DIR": str(home), "HOSTILE_SEED": str(seed)}
        (home / "behaviour.json").write_text("{}", encoding="utf-8")

    def install(self, hostile):
        script = (HERE / "fake_worker.py").read_text(encoding="utf-8").removesuffix("main()\n")
        path = self.home / "bin/syncmeter-fake"
        path.write_text(f"#!{sys.executable}\n{script}{HOSTILE if hostile else ''}main()\n", encoding="utf-8")
        path.chmod(0o755)

    def begin(self):
        return ["run", "--backend", "fake", "--op", "atomic_add,atomic_read,plain_read", "--type", "int32", "--layout", "shared",
                "--threads", "1", "--repetitions", "3", "--output", self.file]

    def step(self, *arguments):
        before = self.text()
        process = self.start(*arguments)
        status = self.wait(process, DEADLINE_S)
        out, err = self.printed("out"), self.printed("err")
        if status not in DOCUMENTED:
            raise Flaw("other", f"status {status}: {err[-600:]}")
        if found := UNPRINTABLE.search(out + err):
            raise Flaw("other", f"prints {found[0]!r}")
        if self.file.exists() and self.file.stat().st_size > MOST_FILE_BYTES:
            raise Flaw("other", f"the file has {self.file.stat().st_size} bytes")
        self.check_alone()
        self.check(before, err)
        return status


def attempt(driver, home, seed):
    """What the worker did and the statuses; and a flaw or None."""
    trial = Hostile(driver, home, seed)
    status = later = None
    flaw = None
    try:
        trial.install(hostile=True)
        status = trial.step(*trial.begin())
        trial.install(hostile=False)
        # A plan that its first worker lied about may not be one that another worker can fulfil.
        later = trial.step(*(trial.go_on() if trial.text() else trial.begin()))
        lines = [json.loads(line) for line in whole_lines(trial.text())]
        if later == 0 and lines[-1].get("reason") != "complete":
            raise Flaw("other", "status 0 of a campaign that is not complete")
    except Flaw as met:
        flaw = met
    did = home / "did"
    return [*(did.read_text(encoding="utf-8").split() if did.exists() else []), f"status {status}, resumed {later}"], flaw


def trials(programs, home, seeds, jobs):
    home.mkdir(exist_ok=True)
    # Copied once, before anything is started: a file that a child still has open for writing cannot be run.
    driver = shutil.copy(programs / "syncmeter", home / "syncmeter")
    return in_pool(jobs, seeds, lambda seed: attempt(driver, home / str(seed), seed))
