// What a barrier or region of a program's runtime takes around equal work at a time, timed by the
// probe as the program's own are: what others take of the processors stands in both. That work is
// of the op, one chain of operations, and beside others on its core it is slowed less than a
// program's may be: no matter here, as what is compared begins when the last thread has done it.
#pragma once

#include <optional>
#include <string>

#include "core/harness/stats.hpp"
#include "driver/advise/prices.hpp"
#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

/// What a worker's visit of a point in one state found.
struct visit_cost {
  std::optional<interval> cost_ns{};  ///< nothing of a visit that failed or was too slow
  std::string problem{};              ///< why there is none
};
[[nodiscard]] visit_cost cost_of_visit(const exchange_outcome& outcome);

/// One measurement.
struct timed_meeting {
  double mechanism_ns = 0;  ///< of one meeting, as of a site: of a region with the begin
  std::string problem{};    ///< why there is none; empty where there is one
};

/// By the worker, in a process of its own under the probe, for about so many seconds.
[[nodiscard]] timed_meeting mechanism_of_equal_work(const worker_info& worker,
                                                    const equal_meeting& what, double seconds);

}  // namespace syncmeter
