# shellcheck shell=bash disable=SC2154  # the scripts set root and script_name
# Configures and builds with a CMake preset, quietly: the log is shown when something fails. Sourced.

# As many jobs as processors, and no more than one for each GiB that is free: the larger sources
# take that much to compile.
build_jobs() {
  local cpus free_gib
  cpus=$(nproc)
  free_gib=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || true)
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
  key="$(cksum <"$root/CMakePresets.json") $root ${CXX:-} ${CMAKE_PREFIX_PATH:-} $({ kokkos_installations; other_tools; [[ $preset == asan ]] || analysis_environment; } | tr '\n' ' ') $*"
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

# What scripts/test configured: warnings are errors, and tests are built. Not where types or rooms were drawn:
# such a worker lacks ops.
configured_with_tests() {
  local key=$root/build/$1/.configured
  [[ -f $key ]] && ! grep -qE 'SM_TESTS=OFF|SM_(CUDA_)?(TYPES|ROOMS)=[a-z]' "$key"
}

# draw NUMBER WORD...: as many of the words, by SM_DRAWN_BY, a line each.
draw() {
  local number=$1 word
  shift
  for word in "$@"; do
    echo "$(md5sum <<<"$word $SM_DRAWN_BY" | cut -c1-8) $word"
  done | sort | head -n "$number" | cut -d" " -f2
}

# How many times as many sources are compiled at a time as where builds are made again and again: a commit's are made
# once. It takes half of the time where few processors compile, and 3 GiB for each.
unity_times() {
  local times=1
  [[ -z ${SM_DRAWN_BY:-} ]] || (($(nproc) > 3)) ||
    (($(awk '/^MemTotal:/ { print int($2 / 1048576) }' /proc/meminfo) < 15)) || times=3
  echo "-DSM_UNITY_TIMES=$times"
}

# What a build compiles of tables and rooms that are many and alike, by SM_DRAWN_BY; all without. int32 is what an option
# takes that names no type, and what ops of one type have.
drawn_parts() {
  unity_times
  [[ -n ${SM_DRAWN_BY:-} ]] || { printf -- '-D%s=\n' SM_TYPES SM_CUDA_TYPES SM_CUDA_ROOMS; return; }
  local -a others
  local type number=2
  type=$(draw 1 int32 uint32 uint64 float double)
  # Its table is as long as those of a room and the other types.
  [[ $type != int32 ]] || number=1
  mapfile -t others < <(rooms_of_cuda | grep -vxF launch)
  echo "-DSM_TYPES=int32;$(draw 1 uint64 float double)"
  echo "-DSM_CUDA_TYPES=$type"
  echo "-DSM_CUDA_ROOMS=$(with_changed_rooms "launch;$(draw "$number" "${others[@]}" | paste -sd ';')" "${SM_SINCE:-HEAD^}")"
}

rooms_of_cuda() { sed -n 's/^set(all_rooms \(.*\))$/\1/p' "$root/backends/cuda/CMakeLists.txt" | tr ' ' '\n'; }

# with_changed_rooms ROOMS COMMIT: the rooms of CUDA's ops that are named, and those that were changed since the commit.
with_changed_rooms() {
  local rooms=$1 changed room
  local -a git=(git -c safe.directory='*' -C "$root")
  changed=$({ "${git[@]}" diff --name-only "$2" -- || "${git[@]}" ls-files
    "${git[@]}" ls-files --others --exclude-standard; } 2>/dev/null | sed -n 's,^backends/cuda/\([a-z]*\)/.*$,\1,p' | sort -u)
  for room in $(rooms_of_cuda); do
    [[ ";$rooms;" == *";$room;"* ]] || ! grep -qxF "$room" <<<"$changed" || rooms+=";$room"
  done
  echo "$rooms"
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
  local preset=$1 log=$root/build/$1.log begun=$SECONDS watcher status=0
  shift
  say "building ($preset; log: ${log#"$root"/})"
  : >"$log"
  show_progress "$log" &
  watcher=$!
  # In the environment, where the build by clang inside this one finds it too. ccache: another clone hits.
  (cd "$root" && CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 NINJA_STATUS='[%f/%t] ' CMAKE_BUILD_PARALLEL_LEVEL=$(build_jobs) cmake --build --preset "$preset" "$@") >"$log" 2>&1 || status=$?
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
