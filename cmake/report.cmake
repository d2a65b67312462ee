# Puts syncmeter-report beside the driver, from the sources of analysis/: the package of .venv where
# scripts/run has made it, else the sources by themselves, which is all that `text` needs.
# The driver beside it estimates the points of files that do not hold their estimates.
set(SM_DRIVER_BESIDE [[export SYNCMETER_BIN="${SYNCMETER_BIN:-$(dirname -- "$(readlink -f -- "$0")")}"]])
set(report ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-report)
# The end of both commands: the first usable Python runs the modules of PYTHONPATH. -P and the new PYTHONPATH keep
# the current folder off Python's path: a json.py beside results must not run.
set(SM_RUN_REPORT [[
for python in python3 /usr/bin/python3; do
  "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
  exec "$python" -P -m syncmeter_analysis.command "$@"
done
echo "syncmeter-report: needs Python 3.11 or newer" >&2
exit 127
]])
string(REPLACE "'" "'\\\\''" quoted_source ${CMAKE_SOURCE_DIR})
file(CONFIGURE OUTPUT ${report} CONTENT [[#!/bin/sh
# Made by cmake/report.cmake.
root='@quoted_source@'
export PYTHONPATH="$root/analysis"
@SM_DRIVER_BESIDE@
[ ! -x "$root/.venv/bin/syncmeter-report" ] || exec "$root/.venv/bin/syncmeter-report" "$@"
@SM_RUN_REPORT@]] @ONLY)
file(CHMOD ${report} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
