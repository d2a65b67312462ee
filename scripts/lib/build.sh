# shellcheck shell=bash disable=SC2154  # the scripts set root and script_name
# Configures and builds with a CMake preset, quietly: the log is shown when something fails. Sourced.

# build_jobs [GIB]: prints one job for each processor, at most one for each GIB of free memory: the largest sources
# need 1 GiB, and 3 GiB in the presets of CI, which compile more sources at a time.
build_jobs() {
  local cpus free_gib
  cpus=$(nproc)
  free_gib=$(awk -v each="${1:-1}" '/^MemAvailable:/ { print int($2 / 1048576 / each) }' /proc/meminfo 2>/dev/null || true)
  if [[ -n $free_gib ]] && ((free_gib < cpus)); then
    cpus=$((free_gib > 0 ? free_gib : 1))
  fi
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$cpus}"
}

fail_with_log() {
  # The first failure is what matters; what follows is often the other jobs' output.
  local first
  first=$(grep -n -m1 -E '^FAILED:|CMake Error|error:' "$2" | cut -d: -f1 || true)
  sed -n "${first:-1},\$p" "$2" | head -n 60 >&2
  forget_set_up
  die "$1 failed (whole log: $2)"
}

# The second compilers and the disassembler that CMake will find: they may come, or change, after a first build.
other_tools() {
  command -v nvcc cuobjdump clang++ mpicxx || true
  # shellcheck disable=SC2046  # split on purpose: CXX may be "ccache g++"
  $(find_compiler) -print-prog-name=accel/nvptx-none/mkoffload 2>/dev/null || true
  echo "${CUDACXX:-} ${CUDAARCHS:-}"
}

# What decides whether there are tests of the analysis: packages may come after a first configuration.
analysis_environment() {
  [[ -x $root/.venv/bin/syncmeter-report ]] && cat "$root"/.venv/.set-up* 2>/dev/null || true
}

# configure PRESET [cmake options]: only when the build folder is not there or not as asked; ninja
# itself notices changed CMake files.
configure() {
  local preset=$1 dir=$root/build/$1 log=$root/build/$1.log key
  shift
  key="$(cksum <"$root/CMakePresets.json") $root ${CXX:-} ${CMAKE_PREFIX_PATH:-} $({ kokkos_installations; other_tools; [[ $preset == *asan ]] || analysis_environment; } | tr '\n' ' ') $*"
  [[ -f $dir/build.ninja && -f $dir/.configured && $(<"$dir/.configured") == "$key" ]] && return
  say "configuring ($preset)"
  (cd "$root" && cmake --fresh --preset "$preset" "$@") >"$log" 2>&1 || fail_with_log "configuring" "$log"
  echo "$key" >"$dir/.configured"
}

# took WHAT BEGUN: says how long WHAT took since $SECONDS was BEGUN, and adds it to the file SM_TIMINGS.
took() {
  local seconds=$((SECONDS - $2))
  say "$1 took $seconds s"
  [[ -z ${SM_TIMINGS:-} ]] || printf '%s\t%s\n' "$1" "$seconds" >>"$SM_TIMINGS"
}

# What scripts/test configured: warnings are errors, and tests are built.
configured_with_tests() {
  local key=$root/build/$1/.configured
  [[ -f $key ]] && ! grep -q SM_TESTS=OFF "$key"
}

# Ninja's count and the time so far, on one line of a terminal, and every 20 s where there is none.
show_progress() {
  local log=$1 begun=$SECONDS count every=20 last=0
  # What sleeps here when the build ends keeps no lock of it from who comes next.
  [[ -z ${build_lock:-} ]] || exec {build_lock}>&-
  [[ -t 2 ]] && every=1
  while sleep 1 >/dev/null 2>&1; do  # who reads what this prints does not wait for it
    count=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" 2>/dev/null | tail -n 1 | tr -d '[]' || true)
    ((SECONDS - begun - last >= every)) || continue
    last=$((SECONDS - begun))
    if [[ -t 2 ]]; then
      printf '\r%s: %s steps, %d s \033[K' "scripts/$script_name" "${count:-0}" "$last" >&2
    else
      say "${count:-0} steps, $last s"
    fi
  done
}

# build PRESET [cmake --build options]
build() {
  local preset=$1 log=$root/build/$1.log begun=$SECONDS watcher status=0 gib=1
  [[ $preset != ci* ]] || gib=3
  shift
  say "building ($preset; log: ${log#"$root"/})"
  : >"$log"
  show_progress "$log" &
  watcher=$!
  # In the environment, where the build by clang inside this one finds it too. ccache: another clone hits.
  (cd "$root" && CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 NINJA_STATUS='[%f/%t] ' CMAKE_BUILD_PARALLEL_LEVEL=$(build_jobs "$gib") cmake --build --preset "$preset" "$@") >"$log" 2>&1 || status=$?
  kill "$watcher" 2>/dev/null && wait "$watcher" 2>/dev/null || true
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  ((status == 0)) || fail_with_log "building" "$log"
  took "build ($preset)" "$begun"
}

# Two scripts at once in one build folder would spoil it: the second waits.
lock_build() {
  mkdir -p "$root/build"
  command -v flock >/dev/null || return 0
  exec {build_lock}>"$root/build/.lock"
  flock -n "$build_lock" && return
  say "waiting for another build in this folder"
  flock "$build_lock"
}
unlock_build() {
  [[ -n ${build_lock:-} ]] && exec {build_lock}>&-
  build_lock=
}
