// syncmeter-std: the worker that measures C++20's own threads and atomics.
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/std/std_backend.hpp"
#include "backends/std/std_census.hpp"
#include "core/host/host_worker.hpp"

namespace syncmeter::standard {
namespace {

// What the rig calls are plain functions, without an object of ours.
shared_objects* objects = nullptr;

bool run_team(unsigned lanes, lane_body body, bench& rig) {
  objects->fit(lanes);
  return objects->team.run(lanes, [&](unsigned lane) { body(rig, lane); });
}

void release_team() { objects->team.release(); }

std::string library() {
#if defined(_GLIBCXX_RELEASE)
  return fmt::format("libstdc++ {} ({})", _GLIBCXX_RELEASE, __GLIBCXX__);
#elif defined(_LIBCPP_VERSION)
  return fmt::format("libc++ {}", _LIBCPP_VERSION);
#else
  return "unknown";
#endif
}

class threads final : public host_worker_backend {
 public:
  /// `shared` must outlive this.
  threads(wait_policy waiting, shared_objects& shared)
      : host_worker_backend{all_rows(), &run_team, &release_team, &shared}, waiting_{waiting} {
    objects = &shared;
  }

  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override {
    return declared_instructions(row);
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

// The driver says it to every worker in the variable that OpenMP has for it.
wait_policy wait_policy_here() {
  const char* said = std::getenv("OMP_WAIT_POLICY");
  return from_text<wait_policy>(said != nullptr ? said : "").value_or(wait_policy::passive);
}

// glibc's mutex does without an atomic until a process has its second thread: 2.9 ns instead of
// 10.9 were seen at one lane, in the passes that began with it. A program that locks has had one.
void have_had_a_second_thread() {
  std::thread([] {}).join();
}

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
