#include "cli/handoff_study.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/stats.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using word = block_range::word;
constexpr block_range one{.first = 1, .last = 1};
constexpr block_range two{.first = 2, .last = 2};
constexpr block_range sm{.named = word::sm};
// Where a block runs decides what its handoffs take: a trip goes to all of the multiprocessors.
constexpr block_range trip_of_chain = sm;

gpu_axes every_form(block_range blocks, unsigned threads) {
  return {.launches = {{{blocks}, {threads}}}, .forms = form_set::all};
}

}  // namespace

// Partners near, and then spread over the whole device; a smaller one lacks the last of them.
study handoff_study() {
  const gpu_axes in_block = every_form(one, 64);
  gpu_axes across = every_form(sm, 32);
  across.scopes = {scope::device, scope::system};
  gpu_axes in_cluster = every_form(two, 32);
  in_cluster.sizes = {2};
  gpu_axes pairs = every_form(two, 32);
  pairs.forms = form_set::standard;
  pairs.sizes = {1,  2,  3,  4,  5,  9,  10, 17, 18,  25,  33,  41,
                 49, 57, 65, 66, 73, 81, 89, 97, 105, 113, 121, 132};
  return {.name = "handoff",
          .purpose = "GPU: a flag from warp to warp, by how it is written and how far it goes",
          .rules = {},
          .others = {},
          .gpu = {.rules = {{.ops = {"warp_handoff"}, .except = {}, .axes = in_block},
                            {.ops = {"warp_handoff"}, .except = {}, .axes = across},
                            {.ops = {"cluster_handoff"}, .except = {}, .axes = in_cluster},
                            {.ops = {"sm_handoff"}, .except = {}, .axes = pairs},
                            {.ops = {"handoff_chain"},
                             .except = {},
                             .axes = every_form(trip_of_chain, 1024)}},
                  .others = in_block,
                  .max_time_s = 0.3}};
}

handoff_seen seen_by_visits(const results_file& file, const point_summary& s) {
  handoff_seen seen;
  std::vector<double> polls;
  for (const json& visit : file.visits) {
    if (visit.at("point").get<point>() != s.what) continue;
    if (visit.contains("polls_per_handoff"))
      polls.push_back(visit.at("polls_per_handoff").get<double>());
    if (visit.contains("violations_seen")) {
      seen.old_messages = visit.at("violations_seen").get<unsigned long long>();
      seen.messages = visit.value("litmus_handoffs", 0ULL);
    }
    if (visit.contains("same_gpc")) seen.same_gpc = visit.at("same_gpc").get<bool>();
    if (visit.contains("multiprocessors"))
      seen.multiprocessors = visit.at("multiprocessors").get<std::vector<unsigned>>();
  }
  if (!polls.empty()) seen.polls = median(polls);
  return seen;
}

}  // namespace syncmeter
