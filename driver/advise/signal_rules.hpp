// Signals that are sent under the lock which the waiting thread needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// At the site where a thread waits for them, by its number in the file. Whoever wakes under a lock
/// that the sender of the signal has goes to sleep again for it.
[[nodiscard]] std::optional<advice> about_signals(std::size_t id, const std::vector<site>& sites,
                                                  const advice_setting& setting);

/// A sentence, with a leading space, on those that are sent under a lock; empty without any.
[[nodiscard]] std::string signals_under_text(std::uint64_t lock, const std::vector<site>& sites);

}  // namespace syncmeter
