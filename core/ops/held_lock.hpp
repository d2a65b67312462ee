// A lock held for a while, with time to think between two sections, as programs have it: the
// throughput of all lanes, and how long each lane waited by its own clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/cell_object.hpp"
#include "core/op.hpp"
#include "core/ops/literal.hpp"
#include "core/ops/spun_work.hpp"
#include "core/owner_note.hpp"

namespace syncmeter::ops {

template <class Lock> void enter(Lock& lock, unsigned lane) {
  if constexpr (requires { lock.lock(lane); }) lock.lock(lane);
  else lock.lock();
}
template <class Lock> void leave(Lock& lock, unsigned lane) {
  if constexpr (requires { lock.unlock(lane); }) lock.unlock(lane);
  else lock.unlock();
}

/// A lock, what it guards, and what its lanes note. `Lock` has lock() and unlock(), with the lane's
/// number where it wants it, and is made from sharers or from nothing.
template <class Lock> class held_lock {
 public:
  explicit held_lock(sharers who)
      : guarded_{who}, waits_{new wait_times[who.lanes]}, lanes_{who.lanes},
        inside_{steps_of(who.section_ns)}, outside_{steps_of(who.think_ns)} {}

  /// One section of one lane, with the time before it. The wait is from the call of lock until it
  /// is back, one reading of the clock included. Calls `also`, if given, under the lock.
  template <class... Also> void section(unsigned lane, Also... also) {
    spend(outside_);
    const auto asked = std::chrono::steady_clock::now();
    enter(guarded_.lock, lane);
    const auto entered = std::chrono::steady_clock::now();
    guarded_.sections = guarded_.sections + 1;
    (also(), ...);
    spend(inside_);
    leave(guarded_.lock, lane);
    waits_[lane % lanes_].add(std::chrono::nanoseconds{entered - asked}.count());
  }

  /// What is wrong after a sample: of sections that overlapped, one is not counted.
  [[nodiscard]] std::string wrong(const object_use& use) const {
    if (guarded_.sections == use.all_ops()) return {};
    return "counted " + std::to_string(guarded_.sections) + " sections of " +
           std::to_string(use.all_ops()) + ": the lock let two threads in";
  }
  void add_waits(wait_times& all) const {
    for (unsigned lane = 0; lane < lanes_; ++lane) all.add(waits_[lane]);
  }

 private:
  struct alignas(128) with_counter {
    explicit with_counter(sharers who)
      requires std::is_constructible_v<Lock, sharers>
        : lock(who) {}
    explicit with_counter(sharers)
      requires(!std::is_constructible_v<Lock, sharers>)
    {}
    Lock lock;
    alignas(128) std::uint64_t sections = 0;
  };
  with_counter guarded_;
  std::unique_ptr<wait_times[]> waits_;
  unsigned lanes_;
  std::uint64_t inside_, outside_;
};

/// An op under `Lock`. A section is a call that is not inlined: both sides of a loop hold the same
/// of it.
template <class Lock> struct held_op : self_paired<held_op<Lock>> {
  using object = held_lock<Lock>;
  template <class Lane> SM_FN static void common(Lane& lane) {
    if constexpr (notes_owners<Lane>)
      lane.object().section(lane.number(), [&lane] { lane.plain_add(lane.cell()); });
    else step(lane.object(), lane.number());
  }
  SM_LOOP static void step(object& held, unsigned lane) { held.section(lane); }
  static std::string check(const object& held, const object_use& use) { return held.wrong(use); }
  static void waits(const object& held, wait_times& all) { held.add_waits(all); }
};

/// test - baseline == one more section: the work in it and before it, the lock, two readings of the
/// clock.
consteval op_info hold_info(std::string_view name, std::string_view note,
                            std::string_view compiles_to = {}) {
  return {.name = name,
          .in_quick = false,
          .family = family::critical,
          .unroll = 1,
          .communicates = true,
          .holds_lock = true,
          .note = note,
          .compiles_to = compiles_to};
}

/// NAME_held: a section under `What`. A disassembly calls the lock SPACE NAME.
template <class Lock, literal Space, literal Name, literal What> struct held : held_op<Lock> {
  static constexpr op_info info =
      hold_info(text<Name, "_held">, text<"a section under ", What>,
                text<"call:syncmeter::ops::held_op<", Space, Name, ">::step 1">);
};

}  // namespace syncmeter::ops
