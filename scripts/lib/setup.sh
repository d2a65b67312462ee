# shellcheck shell=bash disable=SC2154  # the scripts set root and script_name
# What the project needs from the system, how to tell that it is there, and how to get it. Sourced.
#
# Needs are probed for (a program, a header, a library), not looked up as packages: a compiler or a
# Boost that somebody built counts as much as a package, and the same probes serve every
# distribution. Packages are only the remedy.

say() { printf '%s: %s\n' "scripts/$script_name" "$*" >&2; }
die() { say "$1"; exit "${2:-1}"; }

# probe | what it is, for the reader | Debian and Ubuntu | Fedora
readonly needs_to_build=(
  'compiler|a C++20 compiler with OpenMP (g++ 11 or clang++ 14, or newer)|g++|gcc-c++'
  'cmake|CMake 3.25 or newer|cmake|cmake'
  'ninja|Ninja|ninja-build|ninja-build'
  'pkg_config|pkg-config|pkg-config|pkgconf-pkg-config'
  'hwloc|hwloc 2.9 or newer|libhwloc-dev|hwloc-devel'
  'fmt|{fmt}|libfmt-dev|fmt-devel'
  'json|nlohmann-json|nlohmann-json3-dev|json-devel'
  'boost_options|Boost.Program_options|libboost-program-options-dev|boost-devel'
  'zstd|zstd 1.4 or newer|libzstd-dev|libzstd-devel'
  'boost_math|Boost.Math (headers)|libboost-dev|boost-devel'
)
readonly needs_to_test=(
  'gtest|GoogleTest|libgtest-dev|gtest-devel'
  'gmock|GoogleMock|libgmock-dev|gmock-devel'
  'pytest|Python 3.11 or newer with pytest|python3 python3-pytest|python3 python3-pytest'
  'objdump|objdump|binutils|binutils'
  'git|git|git|git-core'
)
readonly needs_to_format=(
  'venv|Python 3 with venv and pip|python3 python3-venv|python3 python3-pip'
)
readonly needs_of_ci=(
  'clang|clang++ with sanitizers, libFuzzer, OpenMP and lld|clang libclang-rt-dev libomp-dev lld|clang compiler-rt libomp-devel lld'
  'browser|Chromium, for tests of pages|chromium fonts-liberation|chromium liberation-fonts'
)

# Parts that are built where they are found, and installed only on request (SM_WITH=kokkos): of the manifests,
# with the probe's words in a fifth column.
mapfile -t needs_on_request < <(sed -n 's/^ *ON_REQUEST "\([^"]*\)".*$/\1/p' "$root"/backends/*/backend.cmake | sort)
readonly needs_on_request

# The backends of this project by their manifests, in their order, a line for each.
backend_names() {
  sed -n 's/^sm_backend(\([a-z0-9-]*\) \([0-9]*\).*$/\2 \1/p' "$root"/backends/*/backend.cmake | sort -n | cut -d' ' -f2
}

# or_list LINES: "a, b or c".
or_list() { echo "$1" | sed ':more; N; $!b more; s/\n/, /g; s/, \([^,]*\)$/ or \1/'; }

# The compiler that CMake will choose.
find_compiler() {
  local candidate
  for candidate in "${CXX:-}" c++ g++ clang++; do
    # CXX may hold a launcher or flags too ("ccache g++"); the program is its first word.
    if [[ -n $candidate ]] && command -v "${candidate%% *}" >/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Preprocesses, compiles or links standard input as C++. $compiler is split on purpose.
try_cxx() {
  # shellcheck disable=SC2086
  $compiler -std=c++20 -x c++ - "$@" >"$probe_dir/log" 2>&1
}
has_header() { echo "#include <$1>" | try_cxx -E -M; }
has_headers() {
  local header
  for header in "$@"; do has_header "$header" || return; done
}
has_programs() { command -v "$@" >/dev/null && (($(command -v "$@" | wc -l) == $#)); }
has_library() { echo 'int main() {}' | try_cxx -o "$probe_dir/program" "-l$1"; }

# The major version of the compiler where it is a g++; '' of others.
gcc_version() {
  # shellcheck disable=SC2086
  { $compiler -v 2>&1 || true; } | sed -n 's/^gcc version \([0-9]*\)\..*/\1/p'
}

has_compiler() {
  printf '#if __cpp_concepts < 201907\n#error\n#endif\n#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n' |
    try_cxx -fopenmp -o "$probe_dir/program"
}
has_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [[ -n $version ]] || return 1
  # shellcheck disable=SC2086
  set -- $version
  (($1 > 3 || ($1 == 3 && $2 >= 25)))
}
has_ninja() { command -v ninja >/dev/null || command -v ninja-build >/dev/null; }
has_pkg_config() { command -v pkg-config >/dev/null; }
has_hwloc() { pkg-config --atleast-version=2.9 hwloc 2>/dev/null; }
has_fmt() { has_header fmt/format.h; }
has_json() { has_header nlohmann/json.hpp; }
has_boost_options() { has_header boost/program_options.hpp && has_library boost_program_options; }
has_boost_math() { has_header boost/math/distributions/students_t.hpp; }
has_zstd() { pkg-config --atleast-version=1.4 libzstd 2>/dev/null; }
has_gtest() { has_header gtest/gtest.h; }
has_gmock() { has_header gmock/gmock.h; }
has_objdump() { command -v objdump >/dev/null; }
has_git() { command -v git >/dev/null; }
# The python3 on PATH may be one without pytest (pyenv); the system's then serves, see cmake/pytest.cmake.
has_pytest() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import sys, pytest; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
  done
  return 1
}
has_venv() { python3 -c 'import venv, ensurepip' 2>/dev/null; }

# Where Kokkos is installed, as far as CMake looks there by itself or is told to.
kokkos_installations() {
  local place
  for place in ${Kokkos_DIR:+"$Kokkos_DIR"} ${Kokkos_ROOT:+"$Kokkos_ROOT"/lib*/cmake/Kokkos "$Kokkos_ROOT"/lib/*/cmake/Kokkos} \
    /usr/lib*/cmake/Kokkos /usr/lib/*/cmake/Kokkos /usr/local/lib*/cmake/Kokkos; do
    [[ -f $place/KokkosConfig.cmake ]] && echo "$place"
  done
  return 0
}
has_clang_openmp() {
  echo '#include <omp.h>' | clang++ -fopenmp=libomp -x c++ -fsyntax-only - 2>/dev/null
}
has_clang() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=address,undefined,fuzzer -fuse-ld=lld -x c++ - -o /dev/null 2>/dev/null && has_clang_openmp
}
has_browser() { command -v chromium >/dev/null || command -v chromium-browser >/dev/null; }
# shellcheck disable=SC2086
has_omp_target() {
  [[ $compiler == false || -n $(gcc_version) ]] ||
    die "SM_WITH=omp_target needs g++, and $compiler is another compiler: set CXX=g++-12, or the g++ that is here" 2
  $compiler -print-prog-name=accel/nvptx-none/mkoffload 2>/dev/null | grep -q ^/
}
has_kokkos() { [[ -n $(kokkos_installations) ]]; }

# Sets `missing` to those lines of the arguments whose probe fails, with the version of g++ for GCC_VERSION: each
# has packages of its own. Where there is none yet, Debian 12's is installed.
probe() {
  local need name words of_gcc
  missing=()
  compiler=$(find_compiler) || compiler=false
  of_gcc=$(gcc_version)
  for need in "$@"; do
    IFS='|' read -r name _ _ _ words <<<"$need"
    # shellcheck disable=SC2086  # a program and its arguments
    ${words:-has_$name} || missing+=("${need//GCC_VERSION/${of_gcc:-12}}")
  done
}

# Column $1 of the missing needs, on one line, each word once.
of_missing() {
  printf '%s\n' "${missing[@]}" | cut -d'|' -f"$1" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# Prints what is missing and how to get it.
report_missing() {
  say "$1"
  printf '%s\n' "${missing[@]}" | cut -d'|' -f2 | sed 's/^/  - /' >&2
  {
    echo "Debian, Ubuntu:  apt-get install $(of_missing 3)"
    echo "Fedora:          dnf install $(of_missing 4)"
    echo "Self-built dependencies that only CMake can find (CMAKE_PREFIX_PATH): set SM_SETUP=off."
  } >&2
}

# Installs the Debian packages of the missing needs when that is allowed; status 1 when it is not.
install_missing() {
  local -a as_root=()
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  if ((EUID != 0)); then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  local log=$root/build/setup.log
  say "installing $(of_missing 3) (log: ${log#"$root"/})"
  local -a packages
  read -ra packages <<<"$(of_missing 3)"
  if ! {
    "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${packages[@]}"
  } </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "apt-get failed (whole log: $log)"
    return 1
  fi
}

# set_up PURPOSE: makes sure that what PURPOSE (build, test, format or ci) needs is there. A stamp, which
# goes stale when this file, a manifest or the compiler changes, makes the second call free; forget_set_up drops
# it when a build fails, because then something may have been uninstalled.
set_up() {
  [[ ${SM_SETUP:-on} == off ]] && return
  local purpose=$1 stamp key
  local -a needs=()
  case $purpose in
    build) needs=("${needs_to_build[@]}") ;;
    test) needs=("${needs_to_build[@]}" "${needs_to_test[@]}") ;;
    format) needs=("${needs_to_format[@]}") ;;
    ci) needs=("${needs_of_ci[@]}") ;;
  esac
  local wanted need
  for wanted in ${SM_WITH:-}; do
    [[ $wanted == cuda ]] && continue  # no package: built where nvcc is
    for need in "${needs_on_request[@]}"; do
      [[ ${need%%|*} == "$wanted" ]] && needs+=("$need") && continue 2
    done
    die "SM_WITH: '$wanted' is not a part that can be installed on request; there is: cuda, $(printf '%s\n' "${needs_on_request[@]%%|*}" | sort | paste -sd, | sed 's/,/, /g')" 2
  done
  mkdir -p "$root/build"
  stamp=$root/build/.setup-$purpose
  key="$(cat "${BASH_SOURCE[0]}" "$root"/backends/*/backend.cmake | cksum) ${CXX:-} ${SM_WITH:-}"
  [[ -f $stamp && $(<"$stamp") == "$key" ]] && return

  probe_dir=$(mktemp -d)
  trap 'rm -rf "$probe_dir"' EXIT
  probe "${needs[@]}"
  if ((${#missing[@]})); then
    if ! install_missing; then
      report_missing "these are needed and not here:"
      exit 2
    fi
    probe "${needs[@]}"
    if ((${#missing[@]})); then
      report_missing "installed, but these are still missing or too old:"
      exit 2
    fi
  fi
  rm -rf "$probe_dir"
  trap - EXIT
  echo "$key" >"$stamp"
}

# Where a CUDA Toolkit lacks them, the disassemblers that prove what GPU code compiled to come from
# PyPI, into the build folder, and onto PATH.
add_cuda_disassembler() {
  local folder=$root/build/cuda-tools toolkit
  command -v nvcc >/dev/null || return 0
  toolkit=$(dirname "$(readlink -f "$(command -v nvcc)")")
  [[ -x $toolkit/cuobjdump && -x $toolkit/nvdisasm ]] && return
  command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null && return
  if [[ ! -d $folder && ${SM_SETUP:-on} != off ]]; then
    say "installing cuobjdump and nvdisasm into ${folder#"$root"/}"
    python3 -m pip install -q --disable-pip-version-check --no-deps --target "$folder.new" \
      'nvidia-cuda-cuobjdump==13.*' 'nvidia-cuda-nvdisasm==13.*' >"$root/build/setup.log" 2>&1 &&
      mv "$folder.new" "$folder" ||
      say "pip failed (log: build/setup.log): what GPU code compiled to cannot be proven here"
  fi
  [[ -d $folder/nvidia/cu13/bin ]] || return 0
  chmod +x "$folder"/nvidia/cu13/bin/*
  export PATH=$PATH:$folder/nvidia/cu13/bin
}

forget_set_up() { rm -f "$root"/build/.setup-*; }
