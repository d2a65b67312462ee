#include "backends/kokkos/kokkos_pool.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/worker/worker.hpp"

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace syncmeter::kokkos {
namespace {

constexpr const char* variable = "KOKKOS_NUM_THREADS";

// Reads KOKKOS_NUM_THREADS, because Kokkos aborts if the value is not a number.
std::optional<unsigned> threads_wanted(unsigned most) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text{value};
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc{} || end != text.data() + text.size() || threads == 0 || threads > most)
    throw point_refused(fmt::format("{}: '{}' is not a number from 1 to {}", variable, text, most));
  return threads;
}

std::string count(unsigned n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

#if defined(KOKKOS_ENABLE_OPENMP)
// Checks that OpenMP provides the threads, because Kokkos waits forever for missing threads. Sets
// the default team size, because Kokkos starts such a team, and surplus threads would keep
// spinning.
void make_openmp_ready(unsigned threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(threads));
  unsigned given = 0;
#pragma omp parallel num_threads(static_cast<int>(threads)) default(none) reduction(+ : given)
  given += 1;
  if (given != threads) {
    throw point_refused(
        fmt::format("OpenMP starts only {} in this process, but the configuration has {}",
                    count(given, "thread"), count(threads, "lane")));
  }
}
#else
void make_openmp_ready(unsigned) {}
#endif

}  // namespace

// Describes Kokkos by its headers and CMake configuration.
nlohmann::json kokkos_build() {
  nlohmann::json j{{"api", fmt::format("Kokkos {}.{}.{}", KOKKOS_VERSION / 10000,
                                       KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100)},
                   {"devices", SM_KOKKOS_DEVICES},
                   {"architectures", SM_KOKKOS_ARCHITECTURES},
                   {"options", SM_KOKKOS_OPTIONS},
                   {"libraries", SM_KOKKOS_LIBRARIES},
                   {"built_by", SM_KOKKOS_BUILT_BY}};
#if defined(KOKKOS_ENABLE_OPENMP)
  j["openmp"] = _OPENMP;
#endif
  return j;
}

thread_pool::~thread_pool() {
  if (threads_ != 0) Kokkos::finalize();
}

void thread_pool::need(unsigned lanes, unsigned most) {
  if (lanes > most) {
    throw point_refused(
        fmt::format("Kokkos supports at most {}, but the configuration has {} threads",
                    count(most, "thread"), lanes));
  }
  const auto wanted = threads_ != 0 ? threads_ : threads_wanted(most).value_or(lanes);
  if (wanted != lanes) {
    throw point_refused(fmt::format(
        "Kokkos' pool has {} in this process, but the configuration has {}: each number of "
        "threads needs its own worker process, started with {} set to that number",
        count(wanted, "thread"), count(lanes, "lane"), variable));
  }
  if (threads_ == 0) start(lanes, device_);
}

void thread_pool::need_none(int device) {
  if (threads_ == 0) start(1, device);
  if (device_ == device) return;
  throw point_refused(
      fmt::format("Kokkos uses device {} in this process, but the configuration is for device {}",
                  device_, device));
}

void thread_pool::start(unsigned threads, int device) {
  if (!failure_.empty()) throw std::runtime_error(failure_);
  make_openmp_ready(threads);
  try {
    Kokkos::initialize(Kokkos::InitializationSettings()
                           .set_num_threads(static_cast<int>(threads))
                           .set_device_id(device)
                           .set_disable_warnings(true)
                           .set_print_configuration(false));
  } catch (const std::exception& e) {
    failure_ = fmt::format("Kokkos cannot be initialized: {}", e.what());
    throw std::runtime_error(failure_);
  }
  threads_ = threads;
  device_ = device;
}

}  // namespace syncmeter::kokkos
