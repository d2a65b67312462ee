// syncmeter-mpi: the worker whose lanes are MPI ranks, processes on one node. The driver starts one
// process, which starts a process per lane by mpiexec (supervisor.hpp).
#include <unistd.h>

#include <iostream>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "backends/mpi/mpi_backend.hpp"
#include "backends/mpi/rank_link.hpp"
#include "backends/mpi/supervisor.hpp"
#include "core/host/host_worker.hpp"
#include "core/host/lane_memory.hpp"
#include "core/host/teams.hpp"

namespace syncmeter::mpi {
namespace {

// Static memory gives the same address in every rank.
rank_state state;
std::optional<rank_team> team;

bool run_team(unsigned lanes, lane_body body, bench& rig) { return team->run(lanes, body, rig); }
void keep_team() {}

class ranks final : public host_worker_backend {
 public:
  ranks() : host_worker_backend{all_rows(), &run_team, &keep_team, &*team} {}

  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] bool pool() const override { return true; }
  [[nodiscard]] std::string problem() const override { return launcher_problem(); }
  // Words outside MPI come from std::atomic_ref.
  [[nodiscard]] std::string x86_64(const measurable& row) const override {
    if (row.info.name == "barrier") return "call:MPI_Barrier 1";
    return standard::declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    nlohmann::json of{{"api", fmt::format("MPI {}.{}", MPI_VERSION, MPI_SUBVERSION)},
                      {"library", library_name()},
                      {"launcher", fmt::format("{}", fmt::join(launcher_words(), " "))},
                      {"wait_policy", to_text(wait_policy_here())}};
    if (state.ranks > 0) of["ranks"] = state.ranks;
    return of;
  }

  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override {
    if (lanes.pus.size() != static_cast<std::size_t>(state.ranks)) {
      throw point_refused(
          fmt::format("the pool has {} rank(s) in this process, but the configuration has "
                      "{} lanes: each number needs its own worker process",
                      state.ranks, lanes.pus.size()));
    }
    if (row.info.places != places::none) {
      const std::size_t needed = lanes.pus.size() * stride_bytes(where) + where.base_offset + 8192;
      if (needed > window_half) {
        throw point_refused(
            fmt::format("variables over {} bytes: a window has {} for them", needed, window_half));
      }
    }
    return host_worker_backend::prepare(row, where, lanes);
  }
};

worker_backends make_backends() {
  auto backend = std::make_shared<ranks>();
  return {backend, {backend.get()}};
}

int speak(int argc, char** argv) {
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS}, &make_backends, argc, argv);
}

// Answers questions about capabilities without MPI, because no rank needs to start.
int speak_without_ranks(int argc, char** argv) {
  static team_board nobody;
  team.emplace(nobody, state, wait_policy::passive);
  return speak(argc, argv);
}

rank_hello who_is_here() {
  state.all = MPI_COMM_WORLD;
  MPI_Comm_rank(state.all, &state.rank);
  MPI_Comm_size(state.all, &state.ranks);
  MPI_Comm node = MPI_COMM_NULL;
  int on_node = 0;
  MPI_Comm_split_type(state.all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  return {.rank = state.rank, .ranks = state.ranks, .on_node = on_node, .pid = ::getpid()};
}

int live_as_rank(const std::string& address, char* program) {
  MPI_Init(nullptr, nullptr);
  const rank_hello here = who_is_here();
  const rank_link link = rank_link::to(address);
  link.say(here);
  const std::vector<int> descriptors = link.take_over();
  link.live_no_longer_than_it();
  static shared_pages common{descriptors.at(0), common_bytes,
                             reinterpret_cast<std::byte*>(common_address)};
  use_lane_memory(common);
  const bool leads = here.rank == 0;
  std::byte* board = common.data();
  if (leads) board = common.take(sizeof(team_board), alignof(team_board), "the ranks' board");
  if (leads) ::new (board) team_board;
  open_windows(state);  // includes a barrier: afterwards the board exists
  team.emplace(*reinterpret_cast<team_board*>(board), state, wait_policy_here());
  int status = 0;
  if (leads) {
    ::dup2(descriptors.at(1), STDIN_FILENO);
    ::dup2(descriptors.at(2), STDOUT_FILENO);
    for (std::size_t i = 0; i < descriptors.size(); ++i) ::close(descriptors[i]);
    status = speak(1, &program);
    team->release();
  } else {
    ::close(descriptors.at(0));
    (void)machine_of_this_process();
    team->serve();
  }
  close_windows(state);
  link.say_farewell();
  MPI_Finalize();
  return status;
}

int rank_main(const std::string& address, char* program) {
  try {
    return live_as_rank(address, program);
  } catch (const std::exception& e) {
    std::cerr << fmt::format("syncmeter-mpi: {}\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace
}  // namespace syncmeter::mpi

int main(int argc, char** argv) {
  using namespace syncmeter;
  if (argc == 1) return mpi::supervise_ranks();
  if (argc == 3 && std::string_view{argv[1]} == "--rank") return mpi::rank_main(argv[2], argv[0]);
  return mpi::speak_without_ranks(argc, argv);
}
