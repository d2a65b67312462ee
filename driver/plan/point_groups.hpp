// Groups points. Points with the same measurement become one point. Counterparts run consecutively
// on the same device. Equal GPUs share points by turns.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "driver/plan/offered_ops.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// A point about to be planned, with its worker's entry for its op.
struct candidate {
  planned_point planned;
  const capability* row = nullptr;
};

/// Keeps the first point among points with the same measurement and names the others in its
/// `same_as`. The same measurement requires equal backends and wait policies, and either of two
/// properties. Either both loops have equal machine code on equal cells, lanes and PUs (in order).
/// Or the op has no type or no code hash, and only the affinity differs, but chose the same PUs.
/// Unbound lanes may run anywhere, so points with affinity none are never the same.
[[nodiscard]] std::vector<planned_point> merge_equal(std::vector<candidate> candidates);

/// Returns equal keys for points that differ only in backend and in properties of a single API: an
/// op's spelling, scope and memory space.
[[nodiscard]] std::string counterpart_key(point p, bool on_gpu);

/// Keeps only points that both a native and a portable backend measure. Keeps refusals, because a
/// refusal says what a backend lacks. Throws usage_error when no point is left.
void keep_counterparts(campaign_plan& plan, const std::vector<worker_info>& workers);

/// Returns the indices of plan.points in groups that are visited together. If the plan has arms, a
/// group is a point of both arms. Else a group has counterparts when `interleaved`. If the plan
/// says so, grouped points differ only in cell layout, only in waiting and lateness, or only in
/// backend, op and order. Every other point is alone.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_of(const campaign_plan& plan,
                                                              bool interleaved);

/// Returns the GPU for one visit (from 1) to a GPU's point.
[[nodiscard]] unsigned device_of(const planned_point& point, unsigned visit);

/// Lets points use the GPUs that the options name by turns, each point from another GPU on. Leaves
/// out plans that compare backends, points for several GPUs together, and points whose host thread
/// (a kernel launcher) is measured. Throws usage_error when a GPU is missing or differs in kind
/// from the first.
void share_among_gpus(campaign_plan& plan, const run_options& options,
                      const std::vector<offered_op>& ops, const std::vector<worker_info>& workers);

/// Returns the GPU that a plan's points are measured on, by backend: "NVIDIA H200 (GPU-0123...)".
[[nodiscard]] std::map<std::string, std::string>
gpus_in_use(const campaign_plan& plan, const std::vector<worker_info>& workers);

/// Returns a sentence for each GPU in the plan that was busy with other work before.
[[nodiscard]] std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                                 const std::vector<worker_info>& workers);

}  // namespace syncmeter
