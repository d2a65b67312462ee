// What Kokkos tells a library of tools, which it loads by KOKKOS_TOOLS_LIBS: the begin and the end
// of each kernel and fence, with its label. Regions, barriers and chunks of OpenMP meanwhile carry
// the label, too: they are called by Kokkos' headers.
#include <string.h>

#include "probe/count.hpp"
#include "probe/thread_memory.hpp"
#include "probe/times.hpp"
#include "probe/waits.hpp"

namespace syncmeter::probe {
namespace {

/// A label at one place of the program; its number is its own place in the table, from 1 on.
struct known_label {
  std::uint64_t address;     ///< no address, but the hash of both
  std::int64_t written_for;  ///< the process in whose file it is: a child of fork has another
};
constinit known_label labels[4096] = {};

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 29U;
}

std::uint64_t hash_of(std::uint64_t site, const char* label) {
  std::uint64_t hash = mix(0, site);
  std::uint64_t left = ::strlen(label);
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    ::memcpy(&word, label, sizeof word);
    hash = mix(hash, word);
    label += sizeof word;
  }
  std::uint64_t rest = left;
  for (; left > 0; --left) rest = rest << 8U | static_cast<unsigned char>(*label++);
  return mix(hash, rest) | 1U;
}

struct labelled_site {
  std::uint64_t site;
  std::uint32_t label;
};

/// Whether the label is in the file of this process.
bool is_written(const known_label* label) {
  const file_header* const header = header_of_process();
  return label != nullptr && header != nullptr &&
         __atomic_load_n(&label->written_for, __ATOMIC_RELAXED) == header->pid;
}

known_label* find_label(std::uint64_t site, const char* label, bool adds) {
  return place_of(labels, reinterpret_cast<const void*>(hash_of(site, label)), adds);
}

labelled_site site_of(const char* label, call_frame callback) {
  std::uint64_t site = caller_of_kokkos(callback);
  known_label* place = find_label(site, label, false);
  if (!is_written(place)) [[unlikely]] {
    site = noted_caller_of_kokkos(callback);
    place = find_label(site, label, true);
    if (place == nullptr) return {site, 0};
    const auto number = static_cast<std::uint64_t>(place - labels) + 1;
    if (!is_written(place)) {
      if (!write_label(site, number, label)) return {site, 0};
      __atomic_store_n(&place->written_for, header_of_process()->pid, __ATOMIC_RELAXED);
    }
  }
  return {site, static_cast<std::uint32_t>(place - labels) + 1};
}

/// Kokkos keeps what `call` is set to for the end; 0: there is nothing to end.
void begin_call(kind what, const char* label, std::uint64_t* call, call_frame callback) {
  *call = 0;
  const labelled_site at = site_of(label, callback);
  count(what, at.site, 0, 1, at.label);
  thread_memory* const memory = memory_of_thread();
  if (memory == nullptr || memory->kokkos.open == kokkos_calls::most) return;
  *call = memory->kokkos.open + 1;
  const bool is_timed = timed_every().locks != 0;
  memory->kokkos.at[memory->kokkos.open++] = {.what = what,
                                              .label = at.label,
                                              .outer = region_of_thread.label,
                                              .site = at.site,
                                              .begun = is_timed ? begin_wait(what, 0) : 0};
  if (what != kind::kokkos_fence) region_of_thread.label = at.label;
}

/// What was begun behind it has ended, too: by an exception, nobody tells.
void end_call(std::uint64_t call) {
  thread_memory* const memory = memory_of_thread();
  if (memory == nullptr || call == 0 || call > memory->kokkos.open) return;
  const kokkos_call& of = memory->kokkos.at[call - 1];
  memory->kokkos.open = static_cast<unsigned>(call) - 1;
  region_of_thread.label = of.outer;
  if (of.begun != 0)
    end_wait({.what = of.what, .site = of.site, .object = of.label, .begun = of.begun});
}

}  // namespace
}  // namespace syncmeter::probe

using namespace syncmeter::probe;

#define SM_KOKKOS(begin, end, what)                                                                \
  SM_EXPORT void begin(const char* label, std::uint32_t, std::uint64_t* call) {                    \
    begin_call(kind::what, label, call, SM_FRAME);                                                 \
    asm volatile("");                                                                              \
  }                                                                                                \
  SM_EXPORT void end(std::uint64_t call) { end_call(call); }
SM_KOKKOS(kokkosp_begin_parallel_for, kokkosp_end_parallel_for, kokkos_for)
SM_KOKKOS(kokkosp_begin_parallel_reduce, kokkosp_end_parallel_reduce, kokkos_reduce)
SM_KOKKOS(kokkosp_begin_parallel_scan, kokkosp_end_parallel_scan, kokkos_scan)
SM_KOKKOS(kokkosp_begin_fence, kokkosp_end_fence, kokkos_fence)

/// The first of the settings is whether Kokkos waits for the device around each kernel, which it
/// does where a library does not answer: that would be another program.
SM_EXPORT void kokkosp_request_tool_settings(std::uint32_t, bool* settings) { settings[0] = false; }
