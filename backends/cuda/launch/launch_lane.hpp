// The host's lane for launches: each word is one call of launch_queue.hpp.
#pragma once

#include <cstdint>

#include "backends/cuda/launch/launch_rig.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// Type and form mean nothing to it.
template <class T, class Form> class launch_lane {
 public:
  explicit launch_lane(launch_rig& rig) : queue_{&rig.queue()} {}

  SM_FN void launch() const { launch_and_wait(*queue_); }
  SM_FN void launch_another() const { cuda::launch_another(*queue_); }
  SM_FN void launch_timed() const { cuda::launch_timed(*queue_); }
  SM_FN void launch_cooperative() const { launch_cooperative_and_wait(*queue_); }
  SM_FN void launch_another_cooperative() const { cuda::launch_another_cooperative(*queue_); }
  SM_FN void launch_chain() const { launch_chain_and_wait(*queue_); }
  SM_FN void launch_another_chain() const { cuda::launch_another_chain(*queue_); }
  SM_FN void launch_programmatic() const { cuda::launch_programmatic(*queue_); }
  SM_FN void add_work() const { cuda::add_work(*queue_); }
  SM_FN void cut_work() const { cuda::cut_work(*queue_); }
  SM_FN void end_work() const { cuda::end_work(*queue_); }
  SM_FN void cut_work_early() const { cuda::cut_work_early(*queue_); }
  SM_FN void end_work_early() const { cuda::end_work_early(*queue_); }
  SM_FN void copy_back() const { cuda::copy_back(*queue_); }
  SM_FN void launch_in_order() const { cuda::launch_in_order(*queue_); }
  SM_FN void launch_after_event() const { cuda::launch_after_event(*queue_); }
  SM_FN void record_and_wait() const { cuda::record_and_wait(*queue_); }

  /// What was done is checked by the rig.
  [[nodiscard]] SM_FN int outcome() const { return 0; }

 private:
  launch_queue* queue_;
};

}  // namespace syncmeter::cuda
