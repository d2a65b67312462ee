// syncmeter-posix: the worker that measures POSIX threads and Linux features.
// syncmeter-posix-shared: the same with processes as lanes (SM_LANES_ARE_PROCESSES).
#include <unistd.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <deque>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/posix/posix_backend.hpp"
#include "core/host/host_worker.hpp"
#include "core/host/lane_memory.hpp"

namespace syncmeter::posix {
namespace {

std::string library() {
#if defined(__GLIBC__)
  return fmt::format("glibc {}", gnu_get_libc_version());
#else
  return "unknown";
#endif
}

// Returns why this system cannot run an op in this build, or an empty text.
std::string why_missing_here(const measurable& row) {
  if (row.info.name == ops::membarrier::info.name) return register_for_barriers();
  if (row.info.name == ops::per_cpu_add::info.name) return why_no_rseq();
  if (row.object.bytes == 0) return {};
  // A kernel or sandbox may refuse some kinds of locks and channels.
  try {
    cell_objects one;
    one.make(row.object, 1, {.lanes = 1}, {});
    return {};
  } catch (const std::runtime_error& refused) {
    return fmt::format("this system refuses it: {}", refused.what());
  }
}

/// Returns the table, with the ops that this system refuses marked unsupported. `reasons` keeps the
/// texts.
std::vector<measurable> rows_here(std::deque<std::string>& reasons) {
  std::vector<measurable> rows = all_rows();
  for (measurable& row : rows) {
    std::string why = row.unsupported.empty() ? why_missing_here(row) : "";
    if (why.empty()) continue;
    row = {.info = row.info, .type = row.type, .form = row.form};
    row.unsupported = reasons.emplace_back(std::move(why));
  }
  return rows;
}

class posix_worker final : public team_backend<shared_objects> {
 public:
  /// `shared` and `reasons` must outlive this object.
  posix_worker(wait_policy waiting, shared_objects& shared, std::deque<std::string>& reasons)
      : team_backend{rows_here(reasons), shared}, waiting_{waiting} {}

  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] std::string x86_64(const measurable& row) const override {
    return declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    return {{"api", fmt::format("POSIX {}", _POSIX_VERSION)},
            {"library", library()},
            {"hardware_concurrency", std::thread::hardware_concurrency()},
            {"wait_policy", to_text(waiting_)}};
  }

 private:
  wait_policy waiting_;
};

struct worker_state {
  wait_policy waiting = wait_policy_here();
  std::deque<std::string> reasons;
  lane_owner<shared_objects> shared = make_for_lanes<shared_objects>(waiting);
  posix_worker backend{waiting, *shared, reasons};
};

// Same size as for MPI ranks. Untouched pages cost no memory.
constexpr std::size_t most_shared_bytes = std::size_t{1} << 30U;

worker_backends make_backends() {
  have_had_a_second_thread();
  if constexpr (lanes_are_processes) {
    static shared_pages common{most_shared_bytes};
    use_lane_memory(common);
  }
  auto state = std::make_shared<worker_state>();
  return {state, {&state->backend}};
}

}  // namespace
}  // namespace syncmeter::posix

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &posix::make_backends, argc, argv);
}
