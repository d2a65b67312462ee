// A backend of the worker: one execution space on the host.
#pragma once

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/kokkos/kokkos_backend.hpp"
#include "backends/kokkos/kokkos_build.hpp"
#include "backends/kokkos/kokkos_census.hpp"
#include "backends/kokkos/kokkos_pool.hpp"
#include "backends/kokkos/ops/launch.hpp"
#include "core/host/host_worker.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/runtime/cuda_device.hpp"
#endif

namespace syncmeter::kokkos {

template <class Space> std::vector<measurable> all_rows() {
  auto all = rows<Space, void>();
  for (const auto& more : {rows<Space, std::int32_t>(), rows<Space, std::uint64_t>(),
                           rows<Space, float>(), rows<Space, double>()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Other ops run as a range where there are more lanes than a team can have.
[[nodiscard]] constexpr bool needs_a_team(const op_info& info) {
  return info.family == family::barrier || info.family == family::group || info.starts_team;
}

template <class Space> class host_space final : public host_worker_backend {
  using traits = space_traits<Space>;

 public:
  /// Both must outlive this.
  host_space(thread_pool& threads, shared_objects& objects)
      : host_worker_backend{all_rows<Space>(), &run_team<Space>, [] {}, &objects},
        threads_{threads} {}

  [[nodiscard]] std::string name() const override { return std::string{traits::backend}; }
#if defined(KOKKOS_ENABLE_CUDA)
  [[nodiscard]] std::string problem() const override {
    const std::string& missing = cuda::find_devices().problem;
    if (missing.empty()) return {};
    return "this Kokkos was built with CUDA and cannot be initialized without a device: " + missing;
  }
#endif
  [[nodiscard]] bool pool() const override { return traits::has_pool; }
  [[nodiscard]] std::string native_of() const override { return "omp"; }
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override {
    return declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    auto all = kokkos_build();
    all["space"] = traits::space;
    all["critical_section"] =
        "a lock taken by atomic_compare_exchange and given back by atomic_store, with load_fence "
        "and "
        "store_fence within: Kokkos has no other (a UniqueToken aborts when none is left)";
    if (threads_.threads() != 0) all["pool_threads"] = threads_.threads();
    return all;
  }

  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override {
    const auto count = static_cast<unsigned>(lanes.pus.size());
    make_ready(count);
    if (needs_a_team(row.info) && count > largest_team<Space>()) {
      throw point_refused(fmt::format(
          "a team of Kokkos' {} space has at most {} members, but the point has {} lanes",
          traits::space, largest_team<Space>(), count));
    }
    return host_worker_backend::prepare(row, where, lanes);
  }
  [[nodiscard]] std::vector<double> probe(const std::vector<int>& pus, double seconds) override {
    if (!traits::has_pool) return {};
    make_ready(static_cast<unsigned>(pus.size()));
    return host_worker_backend::probe(pus, seconds);
  }

 private:
  void make_ready(unsigned lanes) {
    if constexpr (traits::has_pool) {
      threads_.need(lanes, traits::most_threads);
    } else {
      if (lanes != 1) {
        throw point_refused(fmt::format(
            "Kokkos' {} space has one thread, but the point has {} lanes", traits::space, lanes));
      }
      threads_.need_none();
    }
    if (checked_) return;
    if (!lanes_are_threads<Space>(lanes))
      throw point_refused(
          fmt::format("Kokkos does not run each of {} lanes on its own thread", lanes));
    checked_ = true;
  }

  thread_pool& threads_;
  bool checked_ = false;
};

}  // namespace syncmeter::kokkos
