// A barrier of a block by atomics on global memory, to be laid beside __syncthreads.
#pragma once

#include <syncmeter/primitive.hpp>

class atomic_block_barrier {
 public:
  // On the host; it gets to the device as bytes.
  explicit atomic_block_barrier(syncmeter::sharers who) : lanes_{who.lanes} {}

  SM_FN void arrive_and_wait() {
    volatile unsigned& phase = phase_;
    const unsigned now = phase;
    __threadfence_block();
    if (atomicAdd(&arrived_, 1U) + 1 == lanes_) {
      arrived_ = 0;
      __threadfence_block();
      phase = now + 1;
    } else {
      while (phase == now) {
      }
    }
    __threadfence_block();
  }

 private:
  unsigned lanes_;
  unsigned arrived_ = 0;
  unsigned phase_ = 0;
};

struct atomic_block_barrier_wait {  // test - baseline == one more barrier of the block
  using object = atomic_block_barrier;
  static constexpr auto info = syncmeter::barrier_info("atomic_block_barrier");
  SM_FN static void common(auto& lane) { lane.object().arrive_and_wait(); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

using syncmeter_ops = syncmeter::user_ops<atomic_block_barrier_wait>;
