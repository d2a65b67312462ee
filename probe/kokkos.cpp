// Calls of Kokkos' callbacks for tools (kokkos_tool.cpp): the begin and the end of each kernel and
// fence, with its label. Regions, barriers and chunks of OpenMP meanwhile carry the label, too:
// they are called by Kokkos' headers.
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

/// A place of the program that calls Kokkos. Labels may differ from call to call ("step 17"):
/// behind the first ones all its calls have the empty one.
struct labelled_place {
  std::uint64_t address;
  std::uint32_t labels;
};
constexpr std::uint32_t most_labels_of_place = 16, no_room_for_labels = ~std::uint32_t{0};
constinit labelled_place labelled_places[512] = {};

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

std::uint32_t number_of(const known_label* label) {
  return static_cast<std::uint32_t>(label - labels) + 1;
}

/// The number of a label that is in no file of this process; 0: there is no room for it.
std::uint32_t add_label(std::uint64_t site, const char* label) {
  labelled_place* const of = place_of(labelled_places, reinterpret_cast<const void*>(site), true);
  if (of == nullptr) return 0;
  if (find_label(site, label, false) == nullptr &&
      __atomic_fetch_add(&of->labels, 1, __ATOMIC_RELAXED) >= most_labels_of_place)
    label = "";
  known_label* const added = find_label(site, label, true);
  if (added == nullptr) {
    __atomic_store_n(&of->labels, no_room_for_labels, __ATOMIC_RELAXED);
    return 0;
  }
  if (!is_written(added)) {
    if (!write_label(site, number_of(added), label)) return 0;
    __atomic_store_n(&added->written_for, header_of_process()->pid, __ATOMIC_RELAXED);
  }
  return number_of(added);
}

labelled_site site_of(const char* label, call_frame callback) {
  const std::uint64_t site = caller_of_kokkos(callback);
  const known_label* const known = find_label(site, label, false);
  if (is_written(known)) return {site, number_of(known)};
  const labelled_place* const of =
      place_of(labelled_places, reinterpret_cast<const void*>(site), false);
  const std::uint32_t labels_of_place =
      of == nullptr ? 0 : __atomic_load_n(&of->labels, __ATOMIC_RELAXED);
  if (labels_of_place == no_room_for_labels) return {site, 0};
  if (known == nullptr && labels_of_place > most_labels_of_place)
    if (const known_label* const any = find_label(site, "", false); is_written(any))
      return {site, number_of(any)};
  const std::uint64_t noted = noted_caller_of_kokkos(callback);
  return {noted, add_label(noted, label)};
}

/// An exception ends a call without a callback: those have ended that were begun no further down
/// the stack than this one. A kernel that is inlined into one around it ends that one, too.
void drop_calls_above(std::uint64_t frame, kokkos_calls& of) {
  for (; of.open > 0 && of.at[of.open - 1].frame <= frame; --of.open)
    region_of_thread.label = of.at[of.open - 1].outer;
}

void begin_call(kind what, const char* label, std::uint64_t* call, call_frame callback) {
  const labelled_site at = site_of(label, callback);
  count(what, at.site, 0, 1, at.label);
  thread_memory* const memory = memory_of_thread();
  if (memory == nullptr) return;
  const auto frame = reinterpret_cast<std::uint64_t>(callback.record);
  // Kokkos' own fence in a kernel may be called from the frame that began the kernel.
  if (what != kind::kokkos_fence) drop_calls_above(frame, memory->kokkos);
  if (memory->kokkos.open == kokkos_calls::most) return;
  *call = memory->kokkos.open + 1;
  const bool is_timed = timed_every().locks != 0;
  memory->kokkos.at[memory->kokkos.open++] = {.what = what,
                                              .label = at.label,
                                              .outer = region_of_thread.label,
                                              .site = at.site,
                                              .frame = frame,
                                              .begun = is_timed ? begin_wait(what, 0) : 0};
  if (what != kind::kokkos_fence) region_of_thread.label = at.label;
}

/// What was begun behind it has ended, too.
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

void syncmeter_begin_kokkos_call(kind what, const char* label, std::uint64_t* call,
                                 call_frame callback) {
  begin_call(what, label, call, callback);
}
void syncmeter_end_kokkos_call(std::uint64_t call) { end_call(call); }
