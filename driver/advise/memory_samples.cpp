#include "driver/advise/memory_samples.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"

namespace syncmeter {

double most_of_path(const site_samples& of) {
  // Two standard deviations more than were drawn.
  const double noise = 1 + 2 / std::sqrt(static_cast<double>(of.taken));
  return std::min(1.0, of.function_path_share * noise);
}

std::vector<std::string> sentences_on_memory(const std::vector<site>& sites,
                                             const std::optional<interval>& plain_wall_s) {
  std::vector<std::string> all;
  for (const site& of : sites)
    if (of.kind == "memory" && of.samples)
      all.push_back(fmt::format(
          "{:.0f} % of the CPU time is at {}, a load or store of memory, in {} threads at the same "
          "time. No call explains it. It may be work, misses of the caches, or a cache line that "
          "several threads write to, and samples cannot tell which. Where threads write side by "
          "side there, give the data of each thread cache lines of its own, and compare{}.",
          of.samples->share * 100, where_text(of), of.threads,
          plain_wall_s ? fmt::format(": that saves between nothing and {} of {}",
                                     seconds_text(most_of_path(*of.samples) * plain_wall_s->high),
                                     seconds_text(plain_wall_s->high))
                       : ""));
  return all;
}

}  // namespace syncmeter
