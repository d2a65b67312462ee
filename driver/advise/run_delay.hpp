// How long a thread was ready to run and had no processor, as the kernel counts it: whoever else
// had it, for however short a time.
#pragma once

#include <optional>
#include <string_view>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// In ns, of the text of a schedstat (Documentation/scheduler/sched-stats.rst).
[[nodiscard]] std::optional<double> run_delay_in(std::string_view schedstat);

/// Of the thread that makes it.
class run_delay_reader {
 public:
  run_delay_reader();
  /// In ns, so far; nothing where the system does not tell.
  [[nodiscard]] std::optional<double> read() const;

 private:
  unique_fd file_;
};

}  // namespace syncmeter
