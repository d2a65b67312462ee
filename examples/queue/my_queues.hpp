// A bounded queue of many producers and consumers (D. Vyukov's): a push and a pop, with a check of
// its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include <syncmeter/primitive.hpp>

class bounded_queue {
 public:
  bounded_queue() {
    for (std::uint32_t i = 0; i < places; ++i) slots_[i].turn.store(i);
  }

  void push(std::int32_t value) {
    const std::uint32_t at = pushed_.fetch_add(1, std::memory_order_relaxed);
    slot& mine = slots_[at % places];
    while (mine.turn.load(std::memory_order_acquire) != at) {
    }
    mine.value = value;
    mine.turn.store(at + 1, std::memory_order_release);
  }
  std::int32_t pop() {
    const std::uint32_t at = popped_.fetch_add(1, std::memory_order_relaxed);
    slot& mine = slots_[at % places];
    while (mine.turn.load(std::memory_order_acquire) != at + 1) {
    }
    const std::int32_t value = mine.value;
    mine.turn.store(at + places, std::memory_order_release);
    return value;
  }

  [[nodiscard]] std::uint32_t pushed() const { return pushed_; }
  [[nodiscard]] std::uint32_t popped() const { return popped_; }

 private:
  static constexpr std::uint32_t places = 64;
  struct alignas(64) slot {
    std::atomic<std::uint32_t> turn;
    std::int32_t value = 0;
  };
  std::array<slot, places> slots_;
  alignas(128) std::atomic<std::uint32_t> pushed_{0};
  alignas(128) std::atomic<std::uint32_t> popped_{0};
};

struct queue_push_pop {  // test - baseline == one more push and pop; the cost is their mean
  using object = bounded_queue;
  static constexpr auto info = syncmeter::pair_info("queue_push_pop");
  SM_FN static void common(auto& lane) {
    const std::int32_t pushed = lane.operand_up();
    lane.object().push(pushed);
    lane.tally_exchange(lane.object().pop(), pushed);
  }
  SM_FN static void measured(auto& lane) { common(lane); }

  // After each sample. What was popped is what was pushed, whichever lane had it.
  static std::string check(const bounded_queue& queue, const syncmeter::object_use& use) {
    if (queue.pushed() != static_cast<std::uint32_t>(use.all_ops() / 2) ||
        queue.popped() != queue.pushed())
      return "the numbers of pushes and pops differ";
    return use.tally == 0 ? "" : "a value was lost, or popped twice";
  }
};

using syncmeter_ops = syncmeter::user_ops<queue_push_pop>;
