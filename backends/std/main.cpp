// syncmeter-std: the worker that measures C++20's own threads and atomics.
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/std/std_backend.hpp"
#include "core/host/host_worker.hpp"

namespace syncmeter::standard {
namespace {

std::string library() {
#if defined(_GLIBCXX_RELEASE)
  return fmt::format("libstdc++ {} ({})", _GLIBCXX_RELEASE, __GLIBCXX__);
#elif defined(_LIBCPP_VERSION)
  return fmt::format("libc++ {}", _LIBCPP_VERSION);
#else
  return "unknown";
#endif
}

class threads final : public team_backend<shared_objects> {
 public:
  /// `shared` must outlive this object.
  threads(wait_policy waiting, shared_objects& shared)
      : team_backend{all_rows(), shared}, waiting_{waiting} {}

  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] std::string x86_64(const measurable& row) const override {
    // User ops have no declarations here, even if a name matches.
    if constexpr (SM_USER_OPS) return {};
    else return declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    return {{"api", fmt::format("C++ {}", __cplusplus)},
            {"library", library()},
            {"hardware_concurrency", std::thread::hardware_concurrency()},
            {"wait_policy", to_text(waiting_)}};
  }

 private:
  wait_policy waiting_;
};

struct worker_state {
  wait_policy waiting = wait_policy_here();
  shared_objects shared{waiting};
  threads backend{waiting, shared};
};

worker_backends make_backends() {
  have_had_a_second_thread();
  auto state = std::make_shared<worker_state>();
  return {state, {&state->backend}};
}

}  // namespace
}  // namespace syncmeter::standard

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &standard::make_backends, argc,
                     argv);
}
