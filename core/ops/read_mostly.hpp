// One datum that many read and few write. Each lane reads `reads_per_write` times for each of its
// writes; a read looks at every word of the datum, a write replaces all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/cell_object.hpp"
#include "core/op.hpp"

namespace syncmeter::ops {

/// What a read saw: all words of a version are its number.
struct datum_state {
  std::uint64_t version = 0;
  std::uint64_t difference = 0;  ///< the or of every word xor the first: not 0 in a torn read
};

/// A read of `words` words, each by `load(index)`.
[[gnu::always_inline]] inline datum_state look_at(std::size_t words, auto load) {
  datum_state state{.version = load(0)};
  for (std::size_t i = 1; i < words; ++i) state.difference |= load(i) ^ state.version;
  return state;
}

/// The words of a datum of so many bytes.
[[nodiscard]] constexpr std::size_t words_in(unsigned bytes) {
  return bytes > 8 ? (bytes + 7) / 8 : 1;
}

/// When each lane writes: every `reads + 1` ops, the lanes' turns spread evenly over these.
struct writing_turns {
  std::uint64_t period = 1;
  unsigned lanes = 1;

  /// Which op of a lane is its first write, from 1.
  [[nodiscard]] constexpr std::uint64_t first(unsigned lane) const {
    return period - period * (lane % lanes) / lanes;
  }
  /// Writes among the first `ops` ops of each lane, of all lanes.
  [[nodiscard]] constexpr std::uint64_t writes_in(std::uint64_t ops) const {
    std::uint64_t all = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (ops >= first(lane)) all += 1 + (ops - first(lane)) / period;
    }
    return all;
  }
  /// The least ops of each lane in which there is a write, and a multiple of which has as many
  /// times more: a whole period, where that is long the part of it in which one lane writes.
  [[nodiscard]] constexpr std::uint32_t least_ops() const {
    constexpr std::uint64_t is_short = 1000;
    return static_cast<std::uint32_t>(period <= is_short ? period : (period + lanes - 1) / lanes);
  }
};

/// A datum under `Scheme`, which is made from sharers and has read(lane), which returns what it
/// saw, write(lane), which returns the version that it wrote, one more than that before it, and
/// version(), called when all is over.
template <class Scheme> class shared_datum {
 public:
  explicit shared_datum(sharers who)
      : turns_{.period = std::uint64_t{who.reads_per_write} + 1, .lanes = who.lanes}, scheme_{who},
        places_{new place[who.lanes]} {
    for (unsigned lane = 0; lane < who.lanes; ++lane)
      places_[lane].until_write = turns_.first(lane);
  }

  /// One read or write of a lane, as its turn is.
  void access(unsigned lane) {
    place& here = places_[lane % turns_.lanes];
    if (--here.until_write == 0) {
      here.until_write = turns_.period;
      const std::uint64_t written = scheme_.write(lane);
      here.went_back |= written <= here.newest;
      here.newest = written;
      return;
    }
    const datum_state read = scheme_.read(lane);
    here.torn |= read.difference;
    here.went_back |= read.version < here.newest;
    here.newest = read.version;
  }

  /// What is wrong after a sample.
  [[nodiscard]] std::string wrong(const object_use& use) const {
    for (unsigned lane = 0; lane < turns_.lanes; ++lane) {
      if (places_[lane].torn != 0)
        return "lane " + std::to_string(lane) + " read words of different writes";
      if (places_[lane].went_back)
        return "lane " + std::to_string(lane) + " saw a version older than one that it had seen";
    }
    const std::uint64_t writes = turns_.writes_in(use.ops);
    if (scheme_.version() == writes) return {};
    return std::to_string(writes) + " writes left version " + std::to_string(scheme_.version()) +
           ": a write was lost";
  }

 private:
  struct alignas(128) place {
    std::uint64_t until_write = 1, newest = 0, torn = 0;
    bool went_back = false;
  };
  writing_turns turns_;
  alignas(128) Scheme scheme_;
  std::unique_ptr<place[]> places_;
};

/// An op under `Scheme`. An access is a call that is not inlined.
template <class Scheme> struct access_op {
  using object = shared_datum<Scheme>;
  SM_FN static void common(auto& lane) { step(lane.object(), lane.number()); }
  SM_FN static void measured(auto& lane) { common(lane); }
  SM_LOOP static void step(object& datum, unsigned lane) { datum.access(lane); }
  static std::string check(const object& datum, const object_use& use) { return datum.wrong(use); }
};

/// test - baseline == one more access: a read, or in its turn a write.
consteval op_info read_mostly_info(std::string_view name, std::string_view note,
                                   std::string_view compiles_to = {}) {
  return {.name = name,
          .in_quick = false,
          .family = family::structure,
          .unroll = 1,
          .communicates = true,
          .reads_and_writes = true,
          .note = note,
          .size_of = "bytes of the datum",
          .compiles_to = compiles_to};
}

}  // namespace syncmeter::ops
