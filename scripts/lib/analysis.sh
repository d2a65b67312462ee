# shellcheck shell=bash disable=SC2154  # the scripts set root and script_name
# The Python package of analysis/ in a virtual environment, .venv, from PyPI. Sourced.
#
# Measuring does not need it: where it cannot be had, that is said, and the report is left out.

readonly needs_to_analyse=(
  'python|Python 3.11 or newer|python3|python3'
  'venv|Python 3 with venv and pip|python3-venv|python3-pip'
)

# A python3 of at least 3.11; the first on PATH need not be one.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}
has_python() { find_python >/dev/null; }

# need_python WITHOUT: installs Python with venv where that is allowed. Status 1, and what is missing after
# WITHOUT, where it cannot be had.
need_python() {
  local missing
  probe "${needs_to_analyse[@]}"
  if ((${#missing[@]})); then
    install_missing || true
    probe "${needs_to_analyse[@]}"
  fi
  ((${#missing[@]} == 0)) && return
  report_missing "$1; it needs:"
  return 1
}

# set_up_analysis [EXTRA]: the package with the extra's dependencies (test, check). Status 1, and a
# sentence, where that is not possible. A stamp makes the second call free.
set_up_analysis() {
  local extra=${1:-} stamp log=$root/build/analysis.log key
  stamp=$root/.venv/.set-up${extra:+-$extra}
  key="$(cksum <"$root/analysis/pyproject.toml") $root"
  [[ -x $root/.venv/bin/syncmeter-report && -f $stamp && $(<"$stamp") == "$key" ]] && return
  if [[ ${SM_SETUP:-on} == off ]]; then
    [[ -x $root/.venv/bin/syncmeter-report ]] && return
    say "SM_SETUP=off, and there is no syncmeter-report in .venv: the report is left out"
    return 1
  fi
  mkdir -p "$root/build"
  need_python "the report is left out" || return 1
  say "installing the report's Python packages into .venv (log: ${log#"$root"/})"
  if command -v uv >/dev/null; then
    if { [[ -x $root/.venv/bin/python ]] || uv venv --quiet --seed --python "$(find_python)" "$root/.venv"; } >"$log" 2>&1 &&
      uv pip install --quiet --python "$root/.venv/bin/python" -e "$root/analysis[${extra:-figures}]" >>"$log" 2>&1; then
      echo "$key" >"$stamp"
      return
    fi
  elif { [[ -x $root/.venv/bin/python ]] || "$(find_python)" -m venv "$root/.venv"; } >"$log" 2>&1 &&
    "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
      -e "$root/analysis[${extra:-figures}]" >>"$log" 2>&1; then
    echo "$key" >"$stamp"
    return
  fi
  tail -n 5 "$log" >&2
  say "the packages could not be installed (whole log: $log): the report is left out"
  return 1
}
