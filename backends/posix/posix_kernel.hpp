// Linux features beyond POSIX, with their ops: the heavy side of an asymmetric fence
// (membarrier(2)), and per-CPU counters by restartable sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cell_object.hpp"
#include "core/op.hpp"

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define SM_HAS_RSEQ 1
#else
#define SM_HAS_RSEQ 0
#endif

namespace syncmeter::posix {

/// Makes every running thread of this process pass a full memory barrier (membarrier(2),
/// MEMBARRIER_CMD_PRIVATE_EXPEDITED). Returns false if the system refuses. Requires
/// register_for_barriers().
bool expedited_barrier();

/// Registers this process. Returns the system's objection, or an empty text.
[[nodiscard]] std::string register_for_barriers();

/// Returns why per-CPU counters are unavailable, or an empty text.
[[nodiscard]] std::string why_no_rseq();

/// A counter for each CPU, on separate lines.
class per_cpu_counters {
 public:
  per_cpu_counters();

#if SM_HAS_RSEQ
  /// Adds 1 to the counter of the current CPU without an atomic. If the thread is interrupted
  /// between the CPU number and the add, the kernel restarts the sequence.
  SM_FN void add_one() {
    // The restartable sequence (rseq(2)) goes from label 1 to label 2. Label 4 is the abort
    // handler, after the signature that glibc registered.
    asm volatile(".pushsection __rseq_cs, \"aw\"\n\t"
                 ".balign 32\n"
                 "3:\n\t"
                 ".long 0, 0\n\t"
                 ".quad 1f, 2f - 1f, 4f\n\t"
                 ".popsection\n"
                 "5:\n\t"
                 "leaq 3b(%%rip), %%rax\n\t"
                 "movq %%rax, %%fs:8(%[area])\n"
                 "1:\n\t"
                 "movl %%fs:4(%[area]), %%eax\n\t"
                 "shlq $7, %%rax\n\t"
                 "addq $1, (%[counters], %%rax)\n"
                 "2:\n\t"
                 ".pushsection __rseq_failure, \"ax\"\n\t"
                 ".byte 0x0f, 0xb9, 0x3d\n\t"
                 ".long 0x53053053\n"
                 "4:\n\t"
                 "jmp 5b\n\t"
                 ".popsection"
                 :  // no memory clobber: counters are read only after the loop, and a clobber costs
                    // two loads
                 : [area] "r"(area_), [counters] "r"(counters_)
                 : "rax", "cc");
  }
#endif

  /// Returns an error text unless the counters add up to `ops`.
  [[nodiscard]] std::string check(std::uint64_t ops) const;

 private:
  struct alignas(128) counter {
    std::uint64_t value = 0;
  };

  std::vector<counter> all_;
  counter* counters_;
  std::ptrdiff_t area_;  // offset of the thread's rseq area from its thread pointer
};

namespace ops {

template <class L> concept has_expedited_barrier = requires(L& l) { l.expedited_barrier(); };

// test - baseline == one more membarrier(2). Every lane issues the call and is interrupted by the
// calls of all other lanes. The light side, a compiler barrier, costs nothing.
struct membarrier : self_paired<membarrier> {
  static constexpr op_info info{.name = "membarrier",
                                .family = family::fence,
                                .oracle = oracle::agreed,
                                .litmus = litmus::fence,
                                .unroll = 4,
                                .communicates = true,
                                .note = "membarrier(2), private expedited, by every thread; the "
                                        "other side of it needs a compiler barrier alone"};
  SM_FN static void common(has_expedited_barrier auto& lane) { lane.expedited_barrier(); }
};

template <class Object> concept adds_one = requires(Object& o) { o.add_one(); };

// test - baseline == one more add to the counter of the lane's CPU.
struct per_cpu_add {
  using object = per_cpu_counters;
  static constexpr op_info info{
      .name = "per_cpu_add",
      .family = family::structure,
      .note = "x += 1 on a counter for each CPU, in a restartable sequence (rseq): no atomic"};
  static constexpr bool is_built = adds_one<object>;
  SM_FN static void common(auto& lane)
    requires is_built
  {
    lane.object().add_one();
  }
  SM_FN static void measured(auto& lane)
    requires is_built
  {
    common(lane);
  }
  static std::string check(const object& counters, const object_use& use) {
    return counters.check(use.all_ops());
  }
};

}  // namespace ops
}  // namespace syncmeter::posix
