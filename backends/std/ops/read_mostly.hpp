// C++'s ways to let many read what few write (core/ops/read_mostly.hpp).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "core/ops/read_mostly_schemes.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::read_mostly_info;
using syncmeter::ops::read_mostly_op;

struct mutex_read_mostly
    : read_mostly_op<mutex_read_mostly, syncmeter::ops::under_mutex<std::mutex>> {
  static constexpr op_info info =
      read_mostly_info("mutex_read_mostly", "a datum under std::mutex",
                       "call:syncmeter::standard::ops::mutex_read_mostly::step 1");
  static void step(object& datum, unsigned lane);
};

struct shared_mutex_read_mostly
    : read_mostly_op<shared_mutex_read_mostly,
                     syncmeter::ops::under_shared_mutex<std::shared_mutex>> {
  static constexpr op_info info =
      read_mostly_info("shared_mutex_read_mostly", "a datum under std::shared_mutex",
                       "call:syncmeter::standard::ops::shared_mutex_read_mostly::step 1");
  static void step(object& datum, unsigned lane);
};

struct seqlock_read_mostly : read_mostly_op<seqlock_read_mostly, syncmeter::ops::seqlock> {
  static constexpr op_info info =
      read_mostly_info("seqlock_read_mostly", "a datum of atomic words under a sequence number",
                       "call:syncmeter::standard::ops::seqlock_read_mostly::step 1");
  static void step(object& datum, unsigned lane);
};

struct snapshot_read_mostly
    : read_mostly_op<snapshot_read_mostly, syncmeter::ops::snapshot_pointer> {
  static constexpr op_info info =
      read_mostly_info("snapshot_read_mostly",
                       "an atomic pointer to the newest copy, old ones kept by hazard pointers",
                       "call:syncmeter::standard::ops::snapshot_read_mostly::step 1");
  static void step(object& datum, unsigned lane);
};

}  // namespace syncmeter::standard::ops
