// Libraries' ways to let many read what few write (core/ops/read_mostly.hpp).
#pragma once

#include "backends/libraries/ops/found_op.hpp"

namespace syncmeter::libraries {

struct under_absl_mutex : syncmeter::ops::under_shared_mutex<absl_mutex> {
  using under_shared_mutex::under_shared_mutex;
};
struct under_tbb_rw_mutex : syncmeter::ops::under_shared_mutex<tbb_rw_mutex> {
  using under_shared_mutex::under_shared_mutex;
};

namespace ops {

struct absl_mutex_read_mostly : where_found<SM_HAS_ABSL, access_op<under_absl_mutex>> {
  static constexpr op_info info = datum_under<"under_absl_mutex">(
      "absl_mutex_read_mostly", "a datum under absl::Mutex, for readers or writers", no_absl);
};
struct tbb_rw_mutex_read_mostly : where_found<SM_HAS_TBB, access_op<under_tbb_rw_mutex>> {
  static constexpr op_info info = datum_under<"under_tbb_rw_mutex">(
      "tbb_rw_mutex_read_mostly", "a datum under tbb::spin_rw_mutex", no_tbb);
};
struct rcu_read_mostly : where_found<SM_HAS_URCU, access_op<rcu_snapshot>> {
  static constexpr op_info info = datum_under<"rcu_snapshot">(
      "rcu_read_mostly", "a pointer to the newest copy, old ones kept by RCU (liburcu, membarrier)",
      no_urcu);
};

}  // namespace ops
}  // namespace syncmeter::libraries
