#include "driver/advise/memory_samples.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"

namespace syncmeter {
namespace {

/// A processor works on beside an atomic operation that no other thread disturbs: such ones had
/// 22 % of the samples and cost nothing. So there is no advice below a quarter.
constexpr double least_share_of_atomic = 0.25;
constexpr std::uint64_t fewest_samples = 50;

bool may_be_dear(const site& of) {
  return of.kind == "atomic" && of.samples && of.samples->taken >= fewest_samples &&
         of.threads > 1 && of.samples->function_share >= least_share_of_atomic;
}

bool is_same_function(const site& a, const site& b) {
  return a.module == b.module && !a.frames.empty() && !b.frames.empty() &&
         !a.frames.back().function.empty() && a.frames.back().function == b.frames.back().function;
}

/// Of a contended one 77 % of the samples are on the instruction behind it, whose they are, and 9 %
/// on the next one, which may as well be work.
advice about_atomic(const site& of, std::size_t id, double wall_s) {
  constexpr double with_next = 1.12;
  const double seen_share = most_of_path(*of.samples);
  const double at_most_s = std::min(with_next * seen_share, 1.0) * wall_s;
  constexpr double much_more = 1.05;
  const bool around = of.samples->function_path_share > much_more * of.samples->path_share;
  const std::string where = where_text(of);
  const std::string there =
      fmt::format("at a locked instruction ({}){}, in {} threads at the same time.", of.operation,
                  around ? " and the loads and stores of the same function" : "", of.threads);
  return {.rule = "atomics",
          .site_id = id,
          .at_most_s = at_most_s,
          .text = fmt::format("{}: up to {} of {} are {} One that no other thread disturbs costs "
                              "less than it seems: a variable for each thread, or fewer updates of "
                              "this one, save at most that.",
                              where, seconds_text(at_most_s), seconds_text(wall_s), there),
          .cause = fmt::format("{}: CPU time is spent {} Give each thread its own "
                               "variable and combine them at the end.",
                               where, there),
          .seen_share = seen_share,
          .run_s = wall_s,
          .removes =
              removed_work{.cpu_share = std::min(1.0, with_next * of.samples->function_share)}};
}

}  // namespace

double most_of_path(const site_samples& of) {
  // Two standard deviations more than were drawn.
  const double noise = 1 + 2 / std::sqrt(static_cast<double>(of.taken));
  return std::min(1.0, of.function_path_share * noise);
}

std::vector<advice> advise_on_atomics(const std::vector<site>& sites, double longest_s) {
  std::vector<advice> all;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    // Of several in one function the first has most of the samples.
    if (may_be_dear(of) && std::ranges::none_of(all, [&](const advice& a) {
          return is_same_function(sites[a.site_id - 1], of);
        }))
      all.push_back(about_atomic(of, id, longest_s));
  }
  return all;
}

std::vector<std::string> sentences_on_memory(const std::vector<site>& sites,
                                             const std::optional<interval>& plain_wall_s) {
  std::vector<std::string> all;
  for (const site& of : sites) {
    if (of.kind != "memory" || !of.samples) continue;
    const std::string what = fmt::format(
        "{:.0f} % of the CPU time is at {}, a load or store of memory, in {} threads at "
        "the same time",
        of.samples->share * 100, where_text(of), of.threads);
    const std::string saves =
        plain_wall_s ? fmt::format("{} between nothing and {} of {}",
                                   all.empty() ? ": that saves" : ", where cache lines may save",
                                   seconds_text(most_of_path(*of.samples) * plain_wall_s->high),
                                   seconds_text(plain_wall_s->high))
                     : "";
    all.push_back(
        all.empty()
            ? fmt::format(
                  "{}. No call explains it. It may be work, misses of the caches, or a "
                  "cache line that several threads write to, and samples cannot tell which. "
                  "Where threads write side by side there, give the data of each thread "
                  "cache lines of its own, and compare{}.",
                  what, saves)
            : fmt::format("Likewise {}{}.", what, saves));
  }
  return all;
}

}  // namespace syncmeter
