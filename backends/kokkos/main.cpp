// syncmeter-kokkos: the worker that measures Kokkos, with a backend per execution space.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/kokkos/kokkos_census.hpp"
#include "backends/kokkos/kokkos_lane.hpp"
#include "backends/kokkos/kokkos_pool.hpp"
#include "core/host/host_worker.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/runtime/cuda_device.hpp"
#include "backends/kokkos/kokkos_cuda.cuh"
#endif

namespace syncmeter::kokkos {

/// Returns the table of a space by type (void for ops without a type). Each type is a separate
/// translation unit (kokkos_table.cpp).
template <class Space, class T> [[nodiscard]] std::vector<measurable> rows();

namespace {

template <class Space> std::vector<measurable> all_rows() {
  auto all = rows<Space, void>();
  for (const auto& more : {rows<Space, std::int32_t>(), rows<Space, std::uint64_t>(),
                           rows<Space, float>(), rows<Space, double>()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Returns false for ops that can run as a range if lanes exceed the largest team.
constexpr bool needs_a_team(const op_info& info) {
  return info.family == family::barrier || info.family == family::group || info.starts_team;
}

template <class Space> class host_space final : public host_worker_backend {
  using traits = space_traits<Space>;

 public:
  /// Both arguments must outlive this object.
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
        "and store_fence within: Kokkos has no other (a UniqueToken aborts when none is left)";
    if (threads_.threads() != 0) all["pool_threads"] = threads_.threads();
    return all;
  }

  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override {
    const auto count = static_cast<unsigned>(lanes.pus.size());
    make_ready(count);
    if (needs_a_team(row.info) && count > largest_team<Space>()) {
      throw point_refused(fmt::format(
          "a team of Kokkos' {} space has at most {} members, but the configuration has {} threads",
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
        throw point_refused(
            fmt::format("Kokkos' {} space has one thread, but the configuration has {} threads",
                        traits::space, lanes));
      }
      threads_.need_none();
    }
    if (checked_) return;
    if (!lanes_are_threads<Space>(lanes))
      throw point_refused(
          fmt::format("Kokkos does not run each of {} threads on its own thread", lanes));
    checked_ = true;
  }

  thread_pool& threads_;
  bool checked_ = false;
};

struct worker_state {
  thread_pool threads;
  shared_objects objects;
  std::vector<std::unique_ptr<worker_backend>> spaces;
};

worker_backends make_backends() {
  auto state = std::make_shared<worker_state>();
  auto& spaces = state->spaces;
#if defined(KOKKOS_ENABLE_OPENMP)
  spaces.push_back(std::make_unique<host_space<Kokkos::OpenMP>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  spaces.push_back(std::make_unique<host_space<Kokkos::Threads>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  spaces.push_back(std::make_unique<host_space<Kokkos::Serial>>(state->threads, state->objects));
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  spaces.push_back(std::make_unique<cuda_space>(state->threads));
#endif
  worker_backends backends{state, {}};
  for (const auto& space : spaces) backends.all.push_back(space.get());
  return backends;
}

}  // namespace
}  // namespace syncmeter::kokkos

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &kokkos::make_backends, argc, argv);
}
