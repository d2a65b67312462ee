// Compares two builds of a worker loop by loop. Prints instructions that came, went or moved, as
// text for people and for tools.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/census/rule/census.hpp"

namespace syncmeter {

/// Difference between two loops. Ignores addresses, labels, stack slots and register choice.
enum class change : std::uint8_t {
  none,
  registers,    ///< same instructions and order, but another data flow between registers
  order,        ///< same instructions in another order
  instructions  ///< other instructions
};
[[nodiscard]] std::string_view to_text(change what);

struct loop_change {
  change what = change::none;
  class_counts went, came;  ///< instruction shapes, only for `instructions`
  friend bool operator==(const loop_change&, const loop_change&) = default;
};
[[nodiscard]] loop_change compare_loops(std::span<const loop_line> a, std::span<const loop_line> b);

/// An equal change in several entries of an op.
struct op_change {
  std::string op;
  std::string only;             ///< axis values that distinguish these entries, empty = all entries
  std::vector<unsigned> loops;  ///< changed loops: with 0 (baseline), 1, 2, 4 measured ops
  loop_change how;  ///< change in the loop with one op, or else in the first changed loop
};

struct worker_diff {
  std::string worker;
  std::map<change, std::size_t> loops;        ///< number of loops per kind of change
  std::vector<op_change> changes;             ///< by op
  std::vector<std::string> only_a, only_b;    ///< entries in only one build
  std::map<std::string, std::size_t> unread;  ///< why loops could not be compared -> number of
                                              ///< entries
  [[nodiscard]] bool changed() const;
};

/// Compares entries with the same name. `a` and `b` must have lines. With `across_backends` the
/// name excludes the backend.
[[nodiscard]] worker_diff compare_workers(std::string worker, const std::vector<census_entry>& a,
                                          const std::vector<census_entry>& b,
                                          bool across_backends = false);

[[nodiscard]] std::string diff_text(const worker_diff& diff);
[[nodiscard]] std::string diff_markdown(const worker_diff& diff);
[[nodiscard]] nlohmann::json diff_json(const worker_diff& diff);

}  // namespace syncmeter
