// What a portable API costs over the native one: the ratio of counterparts (cli/counterparts.hpp)
// in one campaign, with its interval and what each compiled to.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"

namespace syncmeter {

/// A portable point beside its native counterpart.
struct portability_row {
  const point_summary* native = nullptr;
  const point_summary* portable = nullptr;
  interval ratio;  ///< portable cost over native cost: median over the visits that both have, each
                   ///< in a placement state that both saw, with its interval over their logarithms;
                   ///< infinite bounds where one visit is all
  std::size_t visits = 0;  ///< that the ratio is made of; 0 where one side has no cost to show
  std::string native_code, portable_code;  ///< what one op compiled to; empty where it is not known
};

/// Every portable point that has a native counterpart in the file, in the order of a table's rows.
[[nodiscard]] std::vector<portability_row> portability_of(const results_file& file,
                                                          const std::vector<point_summary>& points);

/// The table of them, and a sentence that counts them; empty when there is none.
[[nodiscard]] std::string portability_text(const results_file& file,
                                           const std::vector<point_summary>& points);

}  // namespace syncmeter
