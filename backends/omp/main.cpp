// syncmeter-omp: the worker that measures OpenMP on the CPU.
#include <dlfcn.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/omp/first_region.hpp"
#include "backends/omp/omp_backend.hpp"
#include "core/host/host_worker.hpp"

namespace syncmeter::omp {
namespace {

// Returns the path of the OpenMP library with all links resolved: libgomp.so.1.0.0 or LLVM's
// libomp.so.5. Neither library has a function for its version.
std::string runtime_library() {
  Dl_info info{};
  const void* const function = ::dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  if (function == nullptr || ::dladdr(function, &info) == 0 || info.dli_fname == nullptr)
    return "unknown";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : path.string();
}

class openmp final : public team_backend<shared_objects> {
 public:
  /// `shared` must outlive this object.
  explicit openmp(shared_objects& shared) : team_backend{all_rows(), shared} {}

  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] std::string x86_64(const measurable& row) const override {
    // User ops have no declarations here, even if a name matches.
    if constexpr (SM_USER_OPS) return {};
    else return declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    return {{"api", fmt::format("OpenMP {}", _OPENMP)},
            {"library", runtime_library()},
            {"max_threads", omp_get_max_threads()},
            {"thread_limit", omp_get_thread_limit()},
            {"proc_bind", static_cast<int>(omp_get_proc_bind())},
            {"dynamic", omp_get_dynamic() != 0}};
  }
};

struct worker_state {
  shared_objects shared;
  openmp backend{shared};
};

worker_backends make_backends() {
  omp_set_dynamic(0);
  auto state = std::make_shared<worker_state>();
  return {state, {&state->backend}};
}

}  // namespace
}  // namespace syncmeter::omp

int main(int argc, char** argv) {
  using namespace syncmeter;
  if (const auto status = syncmeter::omp::as_new_process(argc, argv)) return *status;
  // g++ 16's omp.h also has a namespace omp.
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &syncmeter::omp::make_backends, argc,
                     argv);
}
