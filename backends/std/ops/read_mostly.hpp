// C++'s ways to let many read what few write (core/ops/read_mostly.hpp).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "core/ops/read_mostly_schemes.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::access_op;
using syncmeter::ops::read_mostly_info;

// With names that a disassembly can be held to.
struct under_mutex : syncmeter::ops::under_mutex<std::mutex> {
  using syncmeter::ops::under_mutex<std::mutex>::under_mutex;
};
struct under_shared_mutex : syncmeter::ops::under_shared_mutex<std::shared_mutex> {
  using syncmeter::ops::under_shared_mutex<std::shared_mutex>::under_shared_mutex;
};

struct mutex_read_mostly : access_op<under_mutex> {
  static constexpr op_info info = read_mostly_info(
      "mutex_read_mostly", "a datum under std::mutex",
      "call:syncmeter::ops::access_op<syncmeter::standard::ops::under_mutex>::step 1");
};

struct shared_mutex_read_mostly : access_op<under_shared_mutex> {
  static constexpr op_info info = read_mostly_info(
      "shared_mutex_read_mostly", "a datum under std::shared_mutex",
      "call:syncmeter::ops::access_op<syncmeter::standard::ops::under_shared_mutex>::step 1");
};

struct seqlock_read_mostly : access_op<syncmeter::ops::seqlock> {
  static constexpr op_info info =
      read_mostly_info("seqlock_read_mostly", "a datum of atomic words under a sequence number",
                       "call:syncmeter::ops::access_op<syncmeter::ops::seqlock>::step 1");
};

struct snapshot_read_mostly : access_op<syncmeter::ops::snapshot_pointer> {
  static constexpr op_info info =
      read_mostly_info("snapshot_read_mostly",
                       "an atomic pointer to the newest copy, old ones kept by hazard pointers",
                       "call:syncmeter::ops::access_op<syncmeter::ops::snapshot_pointer>::step 1");
};

}  // namespace syncmeter::standard::ops
