#include "backends/mpi/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "backends/mpi/mpi_team.hpp"
#include "backends/mpi/rank_link.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter::mpi {
namespace {

// Configures each MPI for ranks that bind themselves, may use all PUs, and may run as root (in a
// container). User settings take precedence.
void prepare_environment() {
  for (const auto& [name, value] : std::array<std::pair<const char*, const char*>, 9>{
           {{"OMPI_MCA_hwloc_base_binding_policy", "none"},
            {"OMPI_MCA_hwloc_base_use_hwthreads_as_cpus", "1"},
            {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
            {"PRTE_MCA_hwloc_default_binding_policy", "none"},
            {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
            {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
            {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
            {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
            {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}}) {
    ::setenv(name, value, 0);
  }
  // Keeps waiting ranks from burning a core. Only Open MPI has this option, not MPICH.
  const char* const waiting = std::getenv("OMP_WAIT_POLICY");
  if (waiting != nullptr && waiting == std::string_view{"passive"})
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
}

int wanted_ranks() {
  const char* const text = std::getenv("KOKKOS_NUM_THREADS");
  if (text == nullptr) return static_cast<int>(read_cpu_grant().allowed.size());
  int ranks = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), ranks);
  if (error != std::errc{} || *end != '\0' || ranks < 1)
    throw std::runtime_error(
        fmt::format("KOKKOS_NUM_THREADS: '{}' is not a number of ranks, 1 or more", text));
  return ranks;
}

std::string found_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0 ? program : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders{path != nullptr ? path : ""};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + '/' + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string own_program() {
  std::array<char, 4096> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0)
    throw std::runtime_error(fmt::format("/proc/self/exe: {}", std::strerror(errno)));
  return path.data();
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Lets SIGCHLD interrupt waiting calls.
void notice(int) {}

class supervisor {
 public:
  supervisor() : ranks_{wanted_ranks()}, words_{launcher_words()}, listener_{listen_for_ranks()} {}
  ~supervisor() { end_all(); }
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;

  void run() {
    struct sigaction action{};
    action.sa_handler = &notice;
    ::sigaction(SIGCHLD, &action, nullptr);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, &unblocked_);
    start_launcher();
    gather();
    hand_over();
    watch();
  }

 private:
  void start_launcher() {
    std::vector<std::string> words = words_;
    for (const auto& word : {std::string("-n"), fmt::to_string(ranks_), own_program(),
                             std::string("--rank"), listener_.address})
      words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    prepare_environment();
    const pid_t parent = ::getpid();
    launcher_ = ::fork();
    if (launcher_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
    if (launcher_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &unblocked_, nullptr);
    // Standard output belongs to the driver, so launcher messages go to standard error.
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }

  // Returns whether the launcher has ended. `status_` has the exit status.
  bool launcher_gone() {
    int status = 0;
    if (!status_ && ::waitpid(launcher_, &status, WNOHANG) == launcher_) status_ = status;
    return status_.has_value();
  }

  [[nodiscard]] std::string launcher_ended() const {
    return fmt::format("{} {}", words_.front(), how_it_ended(*status_));
  }

  void gather() {
    std::vector<rank_hello> found;
    while (links_.size() < static_cast<std::size_t>(ranks_)) {
      pollfd ready{listener_.link.fd(), POLLIN, 0};
      if (::ppoll(&ready, 1, nullptr, &unblocked_) <= 0) {
        if (launcher_gone())
          throw std::runtime_error(
              fmt::format("{} before its {} rank(s) had started", launcher_ended(), ranks_));
        continue;
      }
      rank_link link{::accept4(listener_.link.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
      ucred who{};
      socklen_t size = sizeof who;
      if (link.fd() < 0 || ::getsockopt(link.fd(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
          who.uid != ::getuid())
        continue;  // not a process of this user
      rank_hello hello;
      if (!link.hear(hello)) continue;
      hello.pid = who.pid;
      found.push_back(hello);
      links_.push_back(std::move(link));
      const std::string wrong = why_not_one_world(found, ranks_, words_.front(), library_name());
      if (!wrong.empty()) throw std::runtime_error(wrong);
    }
    hellos_ = std::move(found);
  }

  // Passes the common memory to all ranks, and the driver's pipes to rank 0. This process closes
  // the pipes, because the driver must notice rank 0's end.
  void hand_over() {
    const int common = ::memfd_create("syncmeter-mpi", MFD_CLOEXEC);
    if (common < 0 || ::ftruncate(common, common_bytes) != 0)
      throw std::runtime_error(fmt::format("common memory of the ranks: {}", std::strerror(errno)));
    for (std::size_t i = 0; i < links_.size(); ++i) {
      std::vector<int> descriptors{common};
      if (hellos_[i].rank == 0)
        descriptors.insert(descriptors.end(), {STDIN_FILENO, STDOUT_FILENO});
      links_[i].hand_over(descriptors);
    }
    ::close(common);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::close(nothing);
  }

  // Waits until every rank has sent its farewell and the launcher has ended.
  void watch() {
    std::vector<bool> left(links_.size(), false);
    std::size_t there = links_.size();
    while (there > 0) {
      std::vector<pollfd> ready;
      for (std::size_t i = 0; i < links_.size(); ++i)
        ready.push_back({left[i] ? -1 : links_[i].fd(), POLLIN, 0});
      if (::ppoll(ready.data(), ready.size(), nullptr, &unblocked_) <= 0) {
        if (launcher_gone()) break;
        continue;
      }
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if (ready[i].revents == 0) continue;
        char word = 0;
        if (::recv(links_[i].fd(), &word, 1, 0) != 1 || word != farewell) {
          end_all();
          throw std::runtime_error(
              fmt::format("rank {} (pid {}) died: it was killed, or MPI ended it", hellos_[i].rank,
                          hellos_[i].pid));
        }
        left[i] = true;
        --there;
      }
    }
    while (!launcher_gone()) ::ppoll(nullptr, 0, nullptr, &unblocked_);
    if (there > 0 || *status_ != 0) {
      const std::string how = launcher_ended();
      end_all();
      throw std::runtime_error(how + (there > 0 ? " before its ranks" : ""));
    }
    hellos_.clear();
  }

  // Kills the ranks first, because the launcher waits for ranks. SIGTERM lets the launcher clean
  // up.
  void end_all() {
    for (const rank_hello& rank : hellos_) ::kill(rank.pid, SIGKILL);
    hellos_.clear();
    links_.clear();
    if (launcher_ <= 0 || launcher_gone()) return;
    ::kill(launcher_, SIGTERM);
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    ::ppoll(nullptr, 0, &second, &unblocked_);
    if (launcher_gone()) return;
    ::kill(launcher_, SIGKILL);
    int status = 0;
    ::waitpid(launcher_, &status, 0);
    status_ = status;
  }

  int ranks_;
  std::vector<std::string> words_;
  rank_listener listener_;
  pid_t launcher_ = -1;
  std::optional<int> status_;
  std::vector<rank_link> links_;
  std::vector<rank_hello> hellos_;  // ranks that must not outlive this process
  sigset_t unblocked_{};
};

}  // namespace

std::vector<std::string> launcher_words() {
  std::vector<std::string> words;
  if (const char* const named = std::getenv("SYNCMETER_MPIEXEC"); named != nullptr) {
    std::istringstream text{named};
    for (std::string word; text >> word;) words.push_back(word);
  }
  if (words.empty()) words.emplace_back(::access(SM_MPIEXEC, X_OK) == 0 ? SM_MPIEXEC : "mpiexec");
  return words;
}

std::string launcher_problem() {
  const std::string program = launcher_words().front();
  if (!found_on_path(program).empty()) return {};
  return fmt::format("'{}', which starts the ranks, is not there; install it (Debian: "
                     "openmpi-bin or mpich), or name it in SYNCMETER_MPIEXEC",
                     program);
}

int supervise_ranks() {
  try {
    if (const std::string problem = launcher_problem(); !problem.empty())
      throw std::runtime_error(problem);
    supervisor ranks;
    ranks.run();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << fmt::format("syncmeter-mpi: {}\n", e.what());
    return 1;
  }
}

}  // namespace syncmeter::mpi
