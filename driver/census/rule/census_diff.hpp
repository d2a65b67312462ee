// Two builds of one worker, loop by loop: which instructions came, went or moved; as text for
// people and for tools.
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

/// How two loops differ; addresses, labels, slots of the stack and which register is which do not
/// count.
enum class change : std::uint8_t {
  none,
  registers,    ///< the same instructions in the same order, but values go other ways between them
  order,        ///< the same instructions in another order
  instructions  ///< other instructions
};
[[nodiscard]] std::string_view to_text(change what);

struct loop_change {
  change what = change::none;
  class_counts went, came;  ///< shapes of instructions; only of other instructions
  friend bool operator==(const loop_change&, const loop_change&) = default;
};
[[nodiscard]] loop_change compare_loops(std::span<const loop_line> a, std::span<const loop_line> b);

/// What changed alike in some entries of an op.
struct op_change {
  std::string op;
  std::string only;             ///< the values of axes that set them apart; empty: all entries
  std::vector<unsigned> loops;  ///< those that changed: with 0 (baseline), 1, 2, 4 measured ops
  loop_change how;  ///< of the loop with one op where that changed, else of the first that did
};

struct worker_diff {
  std::string worker;
  std::map<change, std::size_t> loops;        ///< how many of them changed how
  std::vector<op_change> changes;             ///< by op
  std::vector<std::string> only_a, only_b;    ///< entries that one build alone has
  std::map<std::string, std::size_t> unread;  ///< why loops could not be compared, and of how many
                                              ///< entries
  [[nodiscard]] bool changed() const;
};

/// Entries are taken with their lines. Those of one name in both are compared; the backend is a
/// part of it only where `across_backends` is false.
[[nodiscard]] worker_diff compare_workers(std::string worker, const std::vector<census_entry>& a,
                                          const std::vector<census_entry>& b,
                                          bool across_backends = false);

[[nodiscard]] std::string diff_text(const worker_diff& diff);
[[nodiscard]] std::string diff_markdown(const worker_diff& diff);
[[nodiscard]] nlohmann::json diff_json(const worker_diff& diff);

}  // namespace syncmeter
