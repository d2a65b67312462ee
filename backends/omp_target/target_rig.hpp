// Takes and checks samples of one point. The threads' own clocks time target regions. The host's
// clock times a host thread that starts regions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/omp_target/ops/regions.hpp"
#include "backends/omp_target/target_kernel.hpp"
#include "backends/omp_target/target_memory.hpp"
#include "core/harness/harness.hpp"
#include "core/host/lone_thread.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::omp_target {

class target_rig : public bench {
 public:
  /// `device` is OpenMP's number. The host's number selects the fallback.
  explicit target_rig(int device);

  /// Throws point_refused (core/worker/worker.hpp) if the point cannot be measured.
  void prepare(const measurable& what, const point& where, unsigned visit);
  sample take(std::size_t index, std::uint32_t trips) override;
  void begin_round() override;
  std::int64_t now_ns() override;
  void describe(nlohmann::json& visit) const;
  void finish();
  std::uint64_t run_litmus(void (*launch)(const kernel_setup&, unsigned*, unsigned*));

  /// Accessors for the bodies of rows.
  [[nodiscard]] const kernel_setup& setup() const { return setup_; }
  [[nodiscard]] host_thread host() const { return {device_, setup_.teams, setup_.threads}; }
  [[nodiscard]] std::uint32_t trips() const { return setup_.trips; }
  void note_outcome(std::uint64_t wrong) { wrong_ = wrong; }

 private:
  [[nodiscard]] bool is_host() const { return device_ == omp_get_initial_device(); }
  [[nodiscard]] std::size_t threads() const { return std::size_t{setup_.teams} * setup_.threads; }
  sample take_on_device(std::size_t index, std::uint32_t trips);
  sample take_on_host(std::size_t index, std::uint32_t trips);
  void prepare_locks_and_ring();
  [[nodiscard]] std::string ring_verdict(std::uint64_t ops) const;
  void launch(std::size_t index, std::uint32_t trips, std::size_t offset);
  /// Throws point_refused if `given` is smaller than the point's sizes.
  void check_teams(const team_sizes& given) const;
  [[nodiscard]] team_sizes sizes_of_launch() const;
  [[nodiscard]] std::string verdict(std::uint64_t ops, std::size_t offset) const;

  int device_;
  const measurable* what_ = nullptr;
  point where_;
  kernel_setup setup_;
  std::size_t lanes_ = 0;  ///< participating lanes in all teams
  std::size_t cells_count_ = 0, cell_bytes_ = 0, span_bytes_ = 0;
  std::vector<std::byte> initial_;  ///< contents of the cells before a sample
  std::vector<thread_record> read_records_;
  target_memory cells_, outcomes_, records_, ones_, gate_, given_, board_, locks_, mailboxes_;
  std::uint64_t draw_ = 1;  ///< random state for cell places, advanced in each round
  std::uint64_t wrong_ = 0;
  double ghz_ = 0;
  lone_thread thread_;
};

}  // namespace syncmeter::omp_target
