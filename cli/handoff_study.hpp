// Handing a flag from warp to warp on a GPU: every way to write it, every distance, and the chain
// of warps that an article measured.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study handoff_study();

/// What the visits of one point say of it beside its times. Nothing where they do not.
struct handoff_seen {
  std::optional<double> polls;  ///< in vain, of all who wait, for each handoff: median over visits
  std::optional<unsigned long long> old_messages, messages;  ///< of its litmus
  std::optional<bool> same_gpc;
  std::vector<unsigned> multiprocessors;  ///< of its first blocks in the last visit
};
[[nodiscard]] handoff_seen seen_by_visits(const results_file& file, const point_summary& s);

/// The tables, and what follows in a line each; empty when the file is of another study.
[[nodiscard]] std::string handoff_text(const results_file& file,
                                       const std::vector<point_summary>& points);

}  // namespace syncmeter
