// Measures what a program's sites need: prices, and what equal work takes, in turn with its runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/advise/prices.hpp"
#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

/// The worker that serves this backend, with a problem where there is none.
[[nodiscard]] worker_info worker_of_backend(const std::string& backend);

/// Adds a note on what could not be measured, but for one that begins so: how many rounds failed
/// differs from run to run, and one sentence says what is wrong.
void note_first(std::vector<std::string>& notes, const std::string& what,
                const std::string& problem);

/// Measures prices by the workers of campaigns.
class price_meter {
 public:
  /// Points that no worker is there for are taken out, and become notes; `wanted` must outlive
  /// this. How late equal work comes is measured by the driver itself.
  explicit price_meter(wanted_prices& wanted);

  /// What one measure() takes, about.
  [[nodiscard]] double seconds() const;
  /// Measures each point once, in new processes, and equal work.
  void measure(std::size_t after_run, std::vector<price>& prices);
  /// What equal work takes, alone, and how long that takes, about.
  void measure_equal_work(std::size_t after_run, std::vector<price>& prices);
  [[nodiscard]] double equal_work_seconds() const;

 private:
  /// Adds the cost of one point to the prices.
  void measure_point(const planned_point& what, std::size_t after_run, std::vector<price>& prices);

  wanted_prices& wanted_;
  std::vector<worker_info> workers_;
  std::optional<worker_pool> pool_;
  unsigned visits_ = 0;
};

}  // namespace syncmeter
