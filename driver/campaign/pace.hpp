// Predicts a campaign's remaining time, first by its plan, then by measured visits and worker
// starts.
#pragma once

#include <cstddef>
#include <optional>

namespace syncmeter {

/// The plan of a whole campaign.
struct planned_pace {
  double seconds = 0;
  std::size_t points = 0;
  std::size_t visits = 0;
  std::size_t starts = 0;   ///< worker starts; every worker starts again with each pass
  std::size_t at_once = 1;  ///< GPUs that are measured at the same time
};

class pace {
 public:
  explicit pace(const planned_pace& plan) : plan_(plan) {}

  void add_start() { ++starts_; }
  /// Adds one exchange of `took_s` with a worker. The visit took `visit_s`: the rest started the
  /// worker.
  void add_visit(double took_s, double visit_s);

  /// Returns how long the remaining visits take.
  [[nodiscard]] double left_s(std::size_t visits) const;
  /// Returns the expected campaign time `whole_s` once: after two measured seconds, and if the plan
  /// is more than a third off.
  [[nodiscard]] std::optional<double> corrected_s(double whole_s);

 private:
  [[nodiscard]] bool is_measured() const;

  planned_pace plan_;
  std::size_t visits_ = 0, starts_ = 0;
  double in_visits_s_ = 0, in_starts_s_ = 0;
  bool corrected_ = false;
};

}  // namespace syncmeter
