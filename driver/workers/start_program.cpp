#include "driver/workers/start_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "core/machine/topology.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/ending_signals.hpp"
#include "driver/workers/process_tree.hpp"

namespace syncmeter {
namespace {

// These variables would bind the worker's threads, size the pool, change how threads wait or add
// hooks to each launch. libgomp with OMP_PROC_BIND even narrows the process's CPU mask before
// main().
constexpr std::array<std::string_view, 15> removed_variables{
    "OMP_PROC_BIND",      "OMP_PLACES",        "GOMP_CPU_AFFINITY",     "KMP_AFFINITY",
    "KMP_LIBRARY",        "KMP_BLOCKTIME",     "OMP_NUM_THREADS",       "OMP_SCHEDULE",
    "OMP_THREAD_LIMIT",   "GOMP_SPINCOUNT",    "OMP_DYNAMIC",           "OMP_WAIT_POLICY",
    "KOKKOS_NUM_THREADS", "KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"};

[[noreturn]] void fail(const std::string& path, std::string_view doing, int error) {
  throw std::runtime_error(
      fmt::format("cannot start '{}': {}: {}", path, doing, std::strerror(error)));
}

struct pipe_ends {
  unique_fd read, write;
};

// Returns ends above 2. If dup2 source and target were equal, the descriptor would keep
// close-on-exec, and the child would lose a standard stream.
pipe_ends make_pipe(const std::string& path) {
  std::array<int, 2> raw{};
  if (::pipe2(raw.data(), O_CLOEXEC) != 0) fail(path, "pipe", errno);
  pipe_ends ends{unique_fd(raw[0]), unique_fd(raw[1])};
  for (unique_fd* end : {&ends.read, &ends.write}) {
    if (end->get() > 2) continue;
    const int higher = ::fcntl(end->get(), F_DUPFD_CLOEXEC, 3);
    if (higher < 0) fail(path, "pipe", errno);
    end->reset(higher);
  }
  return ends;
}

struct cpu_mask {
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set{nullptr, +[](cpu_set_t* s) { CPU_FREE(s); }};
  std::size_t bytes = 0;
};

// Returns an empty mask if the child inherits the wanted mask, because a sandbox may forbid the
// system call.
cpu_mask make_mask(const std::vector<int>& cpus) {
  cpu_mask mask;
  if (cpus.empty() || cpus == read_cpu_grant().allowed) return mask;
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1;
  mask.set.reset(CPU_ALLOC(count));
  if (!mask.set) throw std::bad_alloc();
  mask.bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(mask.bytes, mask.set.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), mask.bytes, mask.set.get());
  return mask;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Makes reads and writes of the driver's end return at once.
void make_non_blocking(int end, const std::string& path) {
  const int flags = ::fcntl(end, F_GETFL);
  if (flags < 0 || ::fcntl(end, F_SETFL, flags | O_NONBLOCK) != 0) fail(path, "fcntl", errno);
}

struct child_setup {
  const char* path = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  std::array<int, 3> standard{};  // descriptors for 0, 1 and 2
  const cpu_mask* mask = nullptr;
  int report = -1;  // receives the failure if the program cannot be started
  pid_t driver = -1;
  bool in_our_place = false;  // a user's program, else a worker
};

struct failure {
  bool of_mask = false;  // else exec, or a step before exec
  int error = 0;
};

void become_worker() {
  ::setpgid(0, 0);
  // A signal that asks the driver to end may reach all processes (Ctrl-C, a scheduler's time
  // limit). Only the driver decides about the visit in flight.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
}

// Runs between fork and exec. Calls async-signal-safe functions only.
[[noreturn]] void become(const child_setup& setup) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the driver died before prctl, no signal would ever come.
  if (::getppid() != setup.driver) ::_exit(127);
  if (!setup.in_our_place) become_worker();
  for (const int number : {SIGPIPE, SIGXFSZ, SIGCHLD}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  failure met;
  bool ready = true;
  for (int fd = 0; fd < 3; ++fd)
    ready = ready && ::dup2(setup.standard[static_cast<std::size_t>(fd)], fd) == fd;
  if (setup.mask->bytes > 0) {
    met.of_mask = ready && ::sched_setaffinity(0, setup.mask->bytes, setup.mask->set.get()) != 0;
    ready = ready && !met.of_mask;
  }
  if (ready) ::execve(setup.path, setup.arguments, setup.environment);
  met.error = errno;
  [[maybe_unused]] const ssize_t written = ::write(setup.report, &met, sizeof met);
  ::_exit(127);
}

// Returns when the program runs. Throws if the program cannot be started.
pid_t start_child(const child_setup& setup, pipe_ends& report) {
  const std::string path = setup.path;
  const pid_t pid = ::fork();
  if (pid < 0) fail(path, "fork", errno);
  if (pid == 0) become(setup);
  // Parent and child both set the group, so the group exists before any signal to it.
  if (!setup.in_our_place) ::setpgid(pid, pid);
  report.write.reset();
  failure met;
  ssize_t got = -1;
  errno = EINTR;
  for (int i = 0; i < most_interruptions && got < 0 && errno == EINTR; ++i)
    got = ::read(report.read.get(), &met, sizeof met);
  if (got != 0) {
    const int unread = got < 0 ? errno : 0;
    // If the report cannot be read, the program may run, and parent and child would wait for each
    // other.
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (unread != 0) fail(path, "read", unread);
    fail(path, met.of_mask ? "sched_setaffinity to the CPUs of this campaign" : "exec", met.error);
  }
  return pid;
}

/// Replaces the variables that `settings` names. A NAME without a value removes the variable.
void put_settings(std::vector<std::string>& kept, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const std::string name = setting.substr(0, equals) + '=';
    std::erase_if(kept, [&](const std::string& entry) { return entry.starts_with(name); });
    if (equals != setting.npos) kept.push_back(setting);
  }
}

}  // namespace

void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The kernel returns the lowest free descriptor, which is `fd`.
    (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

void restore_sigchld() { ::signal(SIGCHLD, SIG_DFL); }

descendants::descendants()
    : adopted_(descendants_of(::getpid()).empty() && ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) {}

descendants::~descendants() {
  try {
    if (adopted_) end_new_descendants({});
  } catch (const std::exception&) {
    // Memory is exhausted. Workers die with this process, but their children are not searched for.
  }
}

std::vector<std::string> worker_environment(wait_policy wait, unsigned threads,
                                            const std::vector<std::string>& settings) {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!contains(removed_variables, name)) kept.emplace_back(text);
  }
  kept.push_back(fmt::format("OMP_WAIT_POLICY={}", to_text(wait)));
  if (threads > 0) kept.push_back(fmt::format("KOKKOS_NUM_THREADS={}", threads));
  put_settings(kept, settings);
  return kept;
}

started_program start_program(const program_to_start& what) {
  std::vector<std::string> argument_texts{what.path};
  argument_texts.insert(argument_texts.end(), what.arguments.begin(), what.arguments.end());
  const std::vector<std::string> environment_texts =
      worker_environment(what.wait, what.threads, what.settings);
  const std::vector<char*> arguments = pointers_to(argument_texts);
  const std::vector<char*> environment = pointers_to(environment_texts);
  const cpu_mask mask = make_mask(what.cpus);
  pipe_ends in = make_pipe(what.path);
  pipe_ends out = make_pipe(what.path);
  pipe_ends errors = make_pipe(what.path);
  pipe_ends report = make_pipe(what.path);
  for (const int end : {in.write.get(), out.read.get(), errors.read.get()})
    make_non_blocking(end, what.path);
  const child_setup setup{.path = what.path.c_str(),
                          .arguments = arguments.data(),
                          .environment = environment.data(),
                          .standard = {in.read.get(), out.write.get(), errors.write.get()},
                          .mask = &mask,
                          .report = report.write.get(),
                          .driver = ::getpid()};
  const pid_t pid = start_child(setup, report);
  return {pid, std::move(in.write), std::move(out.read), std::move(errors.read)};
}

started_program start_writing_to(int out, const std::vector<std::string>& words) {
  const std::string& path = words.front();
  const unique_fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.get() < 0) fail(path, "/dev/null", errno);
  const std::vector<char*> arguments = pointers_to(words);
  const cpu_mask ours;
  pipe_ends errors = make_pipe(path);
  pipe_ends report = make_pipe(path);
  make_non_blocking(errors.read.get(), path);
  const child_setup setup{.path = path.c_str(),
                          .arguments = arguments.data(),
                          .environment = environ,
                          .standard = {nothing.get(), out, errors.write.get()},
                          .mask = &ours,
                          .report = report.write.get(),
                          .driver = ::getpid(),
                          .in_our_place = true};
  const pid_t pid = start_child(setup, report);
  return {pid, unique_fd(), unique_fd(), std::move(errors.read)};
}

namespace {

/// Returns whether the child still runs after `seconds`. Returns false if the kernel lacks
/// pidfd_open (before Linux 5.3).
bool outlasts(pid_t child, double seconds) {
  const unique_fd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (process.get() < 0) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return true;
    constexpr long long longest_ms = 1'000'000;
    pollfd watched{.fd = process.get(), .events = POLLIN, .revents = 0};
    const int ready =
        ::poll(&watched, 1, static_cast<int>(std::min<long long>(left.count(), longest_ms)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return false;
  }
}

/// Handler that leaves terminal signals to the program, and passes SIGTERM and SIGHUP on to the
/// program.
class signals_passed_on {
 public:
  explicit signals_passed_on(pid_t program) {
    to_ = program;
    last_ = 0;
    of_terminal_ = 0;
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
      struct sigaction ours = {};
      ::sigemptyset(&ours.sa_mask);
      ours.sa_handler = i < from_terminal ? &note : &pass_on;
      ::sigaction(ending_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(ending_signals[i], &ours, nullptr);
    }
  }
  ~signals_passed_on() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i)
      ::sigaction(ending_signals[i], &before_[i], nullptr);
  }
  signals_passed_on(const signals_passed_on&) = delete;
  signals_passed_on& operator=(const signals_passed_on&) = delete;

  /// Returns the last signal that asked this process to end, or 0.
  [[nodiscard]] int last() const { return last_; }
  /// Returns the last signal from the terminal, which the program received as well, or 0.
  [[nodiscard]] int of_terminal() const { return of_terminal_; }

 private:
  static constexpr std::size_t from_terminal = 2;
  static void note(int number) { of_terminal_ = number; }
  static void pass_on(int number) {
    ::kill(to_, last_ == 0 ? number : SIGKILL);
    ::kill(to_, SIGCONT);  // a stopped program would keep the signal pending and this process
                           // waiting
    last_ = number;
  }
  static inline volatile sig_atomic_t to_ = 0, last_ = 0, of_terminal_ = 0;
  std::array<struct sigaction, ending_signals.size()> before_{};
};

}  // namespace

std::optional<double> counted_switches(long voluntary, long involuntary) {
  if (voluntary == 0 && involuntary == 0) return std::nullopt;
  return static_cast<double>(voluntary);
}

finished_program run_in_our_place(const std::string& path,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& settings,
                                  const std::array<int, 3>& standard,
                                  std::optional<double> longest_s) {
  std::vector<std::string> environment_texts;
  for (char** entry = environ; *entry != nullptr; ++entry) environment_texts.emplace_back(*entry);
  put_settings(environment_texts, settings);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment = pointers_to(environment_texts);
  const cpu_mask ours;
  pipe_ends report = make_pipe(path);
  const child_setup setup{.path = path.c_str(),
                          .arguments = argument_pointers.data(),
                          .environment = environment.data(),
                          .standard = standard,
                          .mask = &ours,
                          .report = report.write.get(),
                          .driver = ::getpid(),
                          .in_our_place = true};
  const auto begun = std::chrono::steady_clock::now();
  std::optional<signals_held> held(std::in_place);
  const pid_t pid = start_child(setup, report);
  // A Ctrl-C from before the program existed has not reached the program.
  sigset_t waiting;
  if (::sigpending(&waiting) == 0 && ::sigismember(&waiting, SIGINT) == 1) ::kill(pid, SIGINT);
  finished_program finished;
  std::optional<signals_passed_on> passed_on(pid);
  held.reset();
  finished.timed_out = longest_s && outlasts(pid, *longest_s);
  if (finished.timed_out) ::kill(pid, SIGKILL);
  // Waits without reaping: the process number stays reserved, and no signal can reach another
  // process.
  siginfo_t end = {};
  while (::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  finished.interrupted_by = passed_on->last();
  const int of_terminal = passed_on->of_terminal();
  passed_on.reset();
  rusage used = {};
  pid_t ended = -1;
  do ended = ::wait4(pid, &finished.wait_status, 0, &used);
  while (ended < 0 && errno == EINTR);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
  if (ended < 0) fail(path, "wait4", errno);
  if (const int by = WIFSIGNALED(finished.wait_status) ? WTERMSIG(finished.wait_status) : 0;
      by == SIGINT || by == SIGQUIT)
    finished.interrupted_by = by;
  else if (of_terminal != 0 && WIFEXITED(finished.wait_status) &&
           WEXITSTATUS(finished.wait_status) == 128 + of_terminal)
    finished.interrupted_by = of_terminal;  // the program caught the signal and exited as shells do
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  finished.wall_s = wall.count();
  finished.user_s = seconds(used.ru_utime);
  finished.system_s = seconds(used.ru_stime);
  finished.voluntary_switches = counted_switches(used.ru_nvcsw, used.ru_nivcsw);
  finished.involuntary_switches = static_cast<double>(used.ru_nivcsw);
  return finished;
}

}  // namespace syncmeter
