// Points that are measured together: as one where they would measure the same thing, one after the
// other where backends are compared on one device, and by turns where equal GPUs share them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "driver/plan/offered_ops.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// A point about to be planned, with its worker's entry of its op.
struct candidate {
  planned_point planned;
  const capability* row = nullptr;
};

/// Keeps the first of every set of points with the same measurement and names the others in its
/// `same_as`. The same means: one backend, one wait policy, and either equal machine code of both
/// loops on equal cells, lanes and PUs (in order), or, for an op without a type or without a code
/// hash, all axes equal but an affinity that chose the same PUs. Lanes that are not bound may run
/// anywhere, so points with affinity none are never the same.
[[nodiscard]] std::vector<planned_point> merge_equal(std::vector<candidate> candidates);

/// Equal for two points that differ in nothing but their backend and in what only one API can say:
/// the spelling, the scope and the memory space of an op.
[[nodiscard]] std::string counterpart_key(point p, bool on_gpu);

/// Leaves those points that some other backend measures too, native and portable ones together;
/// refusals stay, as they say what one of them lacks. Throws usage_error when nothing is left.
void keep_counterparts(campaign_plan& plan, const std::vector<worker_info>& workers);

/// The indices of plan.points in groups that are visited together: a point of both arms where the
/// plan has arms, else counterparts when `interleaved`,
/// points that differ in the layout of their cells alone, in waiting and lateness alone, or in
/// backend, op and order alone, when the plan says so, else each alone.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_of(const campaign_plan& plan,
                                                              bool interleaved);

/// The GPU that a visit of a GPU's point (from 1) is taken on.
[[nodiscard]] unsigned device_of(const planned_point& point, unsigned visit);

/// Where the options name several GPUs, every point takes them by turns, each point from another
/// one on. Not those whose host thread is measured (it launches kernels), those that several GPUs
/// measure together, and plans that compare backends. Throws usage_error when a GPU is not there,
/// or is of another kind than the first.
void share_among_gpus(campaign_plan& plan, const run_options& options,
                      const std::vector<offered_op>& ops, const std::vector<worker_info>& workers);

/// By backend, the GPU that a plan's points are measured on: "NVIDIA H200 (GPU-0123...)".
[[nodiscard]] std::map<std::string, std::string>
gpus_in_use(const campaign_plan& plan, const std::vector<worker_info>& workers);

/// One sentence for each GPU that a plan's points are measured on and that was busy with something
/// else before.
[[nodiscard]] std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                                 const std::vector<worker_info>& workers);

}  // namespace syncmeter
