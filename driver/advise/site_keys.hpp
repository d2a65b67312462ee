// Which call of the program's code a row of the probe's file belongs to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/advise/counts.hpp"
#include "probe/tables.hpp"

namespace syncmeter {

inline constexpr std::array kinds_of_calls{
#define SM_KIND(name, waits, lock) kind_of_call{#name, #waits, lock},
#include "record/site_kinds.def"
};

/// Code that the program has loaded.
struct module_range {
  probe::module_block block;
  std::string path;
};

/// Kind, file, place in it, team size, and label of Kokkos.
using site_key = std::tuple<std::uint32_t, std::string, std::uint64_t, std::uint32_t,
                            std::optional<kokkos_label>>;
inline constexpr std::size_t place_in_key = 2;

/// By their numbers, in one process: what waits for a condition give back, as a use of it has it.
struct locks_of_condition {
  std::uint64_t lock = 0, outer = 0;
};
using condition_locks = std::map<std::uint64_t, locks_of_condition>;

/// What a process has called of the program's code, and what rows name by numbers.
struct process_names {
  std::vector<module_range> modules{};
  condition_locks locks{};  // of conditions
  std::map<std::uint64_t, kokkos_label> labels{};
};

/// Whether what a call takes is a lock or a condition; of all else the object is a label.
[[nodiscard]] bool has_lock(std::uint32_t kind);
/// The site of an address that a call returns to; nothing where a runtime called for itself.
[[nodiscard]] std::optional<site_key> key_of(const process_names& names, std::uint64_t address,
                                             std::uint32_t kind, std::uint32_t team,
                                             std::uint64_t object = 0);
/// The place of a label is known when all modules are. Labels that differ from call to call, as
/// they do where a place has more than so many, would make many sites of one.
void place_labels(process_names& names);

/// Places from which threads of a team call the same barrier, each with another one of them; the
/// first of all in the program's code stands for them.
class places_of_barriers {
 public:
  void join(const site_key& one, const site_key& other) {
    const site_key first = of(one), second = of(other);
    if (first != second) joined_.emplace(std::max(first, second), std::min(first, second));
  }
  [[nodiscard]] site_key of(site_key key) const {
    for (auto next = joined_.find(key); next != joined_.end(); next = joined_.find(key))
      key = next->second;
    return key;
  }

 private:
  std::map<site_key, site_key> joined_;
};

[[nodiscard]] places_of_barriers places_in(const std::vector<probe::times_block>& times,
                                           const process_names& names);

}  // namespace syncmeter
