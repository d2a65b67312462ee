// The study `processes`. Each backend measures all ops that it has. Ops of both threads and
// processes share a name. Other ops are compared with the usual equivalent.

#include "driver/plan/study.hpp"

namespace syncmeter {

study processes_study() {
  const study_axes together{.placements = {placement::shared}, .lanes = lane_set::one_and_max};
  const study_axes alone{
      .placements = {placement::strided}, .strides_bytes = {apart_bytes}, .lanes = lane_set::max};
  const std::vector<std::string_view> cells{"atomic_add",   "atomic_fetch_add", "atomic_cas_pass",
                                            "atomic_write", "lock_add",         "mutex_robust_add",
                                            "rma_*"};
  return {.place = 20,
          .name = "processes",
          .purpose = "threads compared with processes that share memory, and with MPI calls",
          .rules = {{.ops = {"barrier", "ibarrier", "allreduce_*", "handoff", "*_handoff", "fence",
                             "window_sync"},
                     .axes = together},
                    {.ops = cells, .axes = together},
                    {.ops = cells, .axes = alone}},
          .others = together,
          .native_only = true,
          .ops_together = true,
          .also = {"std", "posix", "posix-shared", "mpi"},
          .left_out =
              "types other than int32; numbers of threads between one and all; affinity spread; "
              "processes of different nodes; portable backends unless --backend names them"};
}

}  // namespace syncmeter
