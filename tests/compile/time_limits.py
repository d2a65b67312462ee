"""Every registered test has a time limit of at most 15 minutes: time_limits.py CTEST BUILD."""

import json
import subprocess
import sys

ctest, build = sys.argv[1:]
shown = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
tests = json.loads(shown.stdout)["tests"]
limits = {t["name"]: {p["name"]: p["value"] for p in t.get("properties", [])}.get("TIMEOUT") for t in tests}
without = sorted(name for name, limit in limits.items() if not limit or not 0 < float(limit) <= 900)
if not limits:
    sys.exit("no test is registered")
sys.exit("without a time limit of at most 900 s: " + ", ".join(without) if without else None)
