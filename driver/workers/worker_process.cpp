#include "driver/workers/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/machine/read_file.hpp"
#include "core/worker/protocol.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

using std::chrono::milliseconds;

// A memory shortage may last only a moment.
constexpr unsigned most_failed_polls = 50;

// Returns the wait until the next look. Rounds up, because a wait of 0 ms would become a busy loop.
int next_wait_ms(stoppable_deadline& deadline) {
  return static_cast<int>(std::chrono::ceil<milliseconds>(deadline.look()).count());
}

template <class... Values>
answer without_line(enum answer::kind what, fmt::format_string<Values...> text,
                    Values&&... values) {
  return {what, {}, fmt::format(text, std::forward<Values>(values)...)};
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

std::chrono::nanoseconds stoppable_deadline::look(clock::time_point now) {
  const std::chrono::nanoseconds passed = now - looked_;
  looked_ = now;
  left_ -= passed > step + usual_delay ? std::chrono::nanoseconds{step} : passed;
  left_ = std::max(left_, std::chrono::nanoseconds{0});
  return std::min<std::chrono::nanoseconds>(left_, step);
}

worker_process::worker_process(std::string name, const program_to_start& what,
                               worker_deadlines deadlines)
    : name_(std::move(name)), deadlines_(deadlines) {
  // If the worker dies during a write, write() must fail instead of ending this process.
  ::signal(SIGPIPE, SIG_IGN);
  started_program started = start_program(what);
  pid_ = started.pid;
  to_ = std::move(started.to);
  from_ = std::move(started.from);
  errors_ = std::move(started.errors);
}

worker_process::~worker_process() { kill(); }

bool worker_process::was_killed() const { return wait_status_ && WIFSIGNALED(*wait_status_); }

std::string worker_process::label() const {
  return fmt::format("worker '{}' (pid {})", name_, pid_);
}

void worker_process::send(const nlohmann::json& request) {
  const std::string line = request.dump() + '\n';
  stoppable_deadline deadline(deadlines_.accepted);
  std::string_view rest = line;
  for (int in_vain = 0; !rest.empty() && to_;) {
    const ssize_t written = ::write(to_.get(), rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      in_vain = 0;
    } else if ((written == 0 || errno == EINTR) && ++in_vain == most_interruptions) {
      unwritable_ = written == 0 ? "writes take no bytes" : std::strerror(EINTR);
      return;
    } else if (written < 0 && errno == EAGAIN) {
      pollfd room{.fd = to_.get(), .events = POLLOUT, .revents = 0};
      const int left = next_wait_ms(deadline);
      if (left == 0) return;
      ::poll(&room, 1, left);
    } else if (written < 0 && errno != EINTR) {
      unwritable_ = std::strerror(errno);
      return;
    }
  }
}

answer worker_process::interpret(const std::string& line) const {
  if (line.size() > lines_.longest()) {
    return without_line(answer::kind::garbage, "{} wrote a line of {} bytes: {}", label(),
                        line.size(), quote(line));
  }
  nlohmann::json object = read_json(line);
  if (object.is_object()) return {answer::kind::line, std::move(object), {}};
  return without_line(answer::kind::garbage,
                      "{} wrote {}, which is not a JSON object of at most {} levels", label(),
                      quote(line), deepest_json);
}

answer worker_process::describe_end() {
  if (!gone_within(deadlines_.leaving)) kill();
  std::string text = label();
  if (lines_.error() != 0)
    text += fmt::format(" cannot be heard: read: {}; it", std::strerror(lines_.error()));
  if (wait_status_) text += ' ' + describe_status(*wait_status_);
  else text += " closed its output and cannot be killed";
  if (!lines_.waiting().empty())
    text += fmt::format(" in the middle of the line {}", quote(lines_.waiting()));
  return {answer::kind::closed, {}, text + stderr_tail()};
}

answer worker_process::receive(milliseconds within, int cancel_fd) {
  // A worker that gets no requests can only end.
  if (!unwritable_.empty()) within = std::min(within, deadlines_.leaving);
  stoppable_deadline deadline(within);
  bool first_look = true;
  unsigned failed_polls = 0;
  int interruptions = 0;
  for (;;) {
    if (auto line = lines_.next()) return interpret(*line);
    if (lines_.overlong()) {
      return without_line(answer::kind::garbage, "{} wrote a line without end: {}", label(),
                          quote(lines_.waiting()));
    }
    if (!from_) return describe_end();
    // poll() skips descriptors with -1.
    std::array<pollfd, 3> watched{
        {{from_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
    const int left = next_wait_ms(deadline);
    if (left == 0 && !first_look && !unwritable_.empty()) {
      return without_line(answer::kind::closed, "{} takes no requests: {}{}", label(), unwritable_,
                          stderr_tail());
    }
    if (left == 0 && !first_look) {
      return without_line(answer::kind::late, "{} did not answer within {:.3g} s{}", label(),
                          std::chrono::duration<double>(within).count(), stderr_tail());
    }
    first_look = false;
    if (::poll(watched.data(), watched.size(), left) < 0) {
      if (errno == EINTR && ++interruptions < most_interruptions) continue;
      const std::string why = std::strerror(errno);
      if (++failed_polls == most_failed_polls)
        return without_line(answer::kind::closed, "{} cannot be heard: poll: {}", label(), why);
      std::this_thread::sleep_for(milliseconds{10});
      continue;
    }
    if (watched[2].revents != 0)
      return without_line(answer::kind::cancelled, "{} was interrupted", label());
    if (watched[1].revents != 0 && tail_.read_from(errors_.get()) == read_outcome::end)
      errors_.reset();
    if (watched[0].revents != 0 && lines_.read_from(from_.get()) == read_outcome::end)
      from_.reset();
  }
}

std::string worker_process::stderr_tail() {
  // The pipe may still have output from just before the worker's end.
  while (errors_) {
    const read_outcome outcome = tail_.read_from(errors_.get());
    if (outcome == read_outcome::end) errors_.reset();
    if (outcome == read_outcome::nothing_yet) break;
  }
  if (tail_.text().empty()) return {};
  constexpr std::size_t shown = 400;
  const std::string_view all = tail_.text();
  return fmt::format("; end of its standard error: {}",
                     quote(all.substr(all.size() - std::min(all.size(), shown)), shown));
}

void worker_process::signal_group(int number) const {
  if (pid_ <= 0 || wait_status_) return;
  ::kill(-pid_, number);
}

// Checks once for a state change. Returns true if the worker has ended, or has stopped and
// `options` has WSTOPPED.
bool worker_process::poll_state(int options) {
  if (pid_ <= 0 || wait_status_) return true;
  siginfo_t about{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &about, options | WEXITED | WNOHANG | WNOWAIT) !=
          0 ||
      about.si_pid != pid_)
    return false;
  if (about.si_code == CLD_STOPPED) return true;
  // Before reaping, the process group cannot be reused: SIGKILL reaches only the worker's children.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  wait_status_ = status;
  return true;
}

bool worker_process::gone_within(milliseconds limit) {
  stoppable_deadline deadline(limit);
  milliseconds pause{1};
  while (!poll_state(0)) {
    if (deadline.over()) return poll_state(0);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds{20});
  }
  return true;
}

void worker_process::stop() {
  if (stopped_) return;
  signal_group(SIGSTOP);
  stopped_ = true;
  // Threads stop one by one. Until then an active pool still burns its cores.
  stoppable_deadline deadline(deadlines_.stopping);
  while (!poll_state(WSTOPPED) && !deadline.over())
    std::this_thread::sleep_for(std::chrono::microseconds{200});
}

void worker_process::resume() {
  if (!stopped_) return;
  signal_group(SIGCONT);
  stopped_ = false;
}

std::string worker_process::leave() {
  if (pid_ <= 0 || lost_) return {};
  to_.reset();
  resume();
  // Drains the last output, because a full pipe would block the worker's exit.
  stoppable_deadline deadline(deadlines_.leaving);
  while (!poll_state(0) && !deadline.over()) {
    if (from_ && lines_.read_from(from_.get()) == read_outcome::end) from_.reset();
    if (errors_ && tail_.read_from(errors_.get()) == read_outcome::end) errors_.reset();
    while (lines_.next()) {
    }
    std::this_thread::sleep_for(milliseconds{1});
  }
  const bool left = poll_state(0);
  kill();
  if (!left)
    return fmt::format("{} did not end within {:.3g} s of the end of its input", label(),
                       std::chrono::duration<double>(deadlines_.leaving).count());
  if (wait_status_ == 0) return {};
  return fmt::format("{} {} at the end of its input{}", label(), describe_status(*wait_status_),
                     stderr_tail());
}

void worker_process::kill() {
  if (pid_ <= 0 || lost_ || wait_status_) return;
  signal_group(SIGKILL);
  lost_ = !gone_within(deadlines_.reaping);
}

}  // namespace syncmeter
