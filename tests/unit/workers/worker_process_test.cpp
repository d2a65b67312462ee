// A worker as a process: what it says, how it ends, and what it cannot do to the driver. Shell
// scripts stand for workers.
#include "driver/workers/worker_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include <gmock/gmock.h>

namespace syncmeter::worker_process_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using kind = answer::kind;

constexpr auto generous = 20s;

worker_process shell(const std::string& script, worker_deadlines deadlines = {}) {
  return {"test",
          {.path = "/bin/sh", .arguments = {"-c", script}, .wait = wait_policy::active, .cpus = {}},
          deadlines};
}

// The letter that the kernel gives a process: R, S, T (stopped), Z; 0 when there is none.
char state_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(in, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? '\0' : text.at(name_end + 2);
}

std::string program_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

bool soon(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

TEST(worker_process, exchanges_lines) {
  worker_process worker = shell(R"(read line; echo "{\"got\": $line}"; echo '{"second":true}')");
  worker.send({{"id", 1}});
  const answer first = worker.receive(generous);
  ASSERT_EQ(first.what, kind::line) << first.text;
  EXPECT_EQ(first.object.at("got").at("id"), 1);
  EXPECT_TRUE(worker.receive(generous).object.at("second"));
}

TEST(worker_process, quotes_what_is_no_json_object) {
  worker_process worker = shell(R"(printf 'a\033\tb\377\n'; echo '[1]')");
  const answer garbage = worker.receive(generous);
  EXPECT_EQ(garbage.what, kind::garbage);
  EXPECT_THAT(garbage.text, HasSubstr(R"('a\x1b\tb\xff')"));
  EXPECT_EQ(worker.receive(generous).what, kind::garbage);
}

// All ops of all types of CUDA take more than 1 MiB to list.
TEST(worker_process, a_line_of_two_mebibytes_is_read) {
  worker_process worker = shell("printf '{\"much\": \"%02097152d\"}\\n' 7");
  const answer found = worker.receive(generous);
  ASSERT_EQ(found.what, kind::line) << found.text;
  EXPECT_EQ(found.object.at("much").get<std::string>().size(), 2097152U);
}

TEST(worker_process, says_what_was_wrong_with_its_answer_or_its_end) {
  struct script {
    const char* text;
    kind what;
    std::string reason;
  };
  for (const auto& [text, what, reason] :
       {script{"printf '%0200d\\n' 7", kind::garbage, "'" + std::string(80, '0') + "'..."},
        script{"exec cat /dev/zero", kind::garbage, "line without end"},
        // The end may come with the last piece, or after the reader gave the line up.
        script{R"(printf '{"a":"%017000000d"}\n' 1; exec sleep 100)", kind::garbage, ""},
        script{"head -c 100000 /dev/zero | tr '\\0' '['; echo", kind::garbage, "at most 64 levels"},
        script{R"(printf '{"kind":"vis'; exit 3)", kind::closed,
               R"(ended with status 3 in the middle of the line '{"kind":"vis')"},
        script{"exec >&-; exec sleep 100", kind::closed, "killed by signal 9"}}) {
    worker_process worker = shell(text, {.leaving = 50ms});
    const answer given = worker.receive(generous);
    EXPECT_EQ(given.what, what) << text;
    EXPECT_THAT(given.text, HasSubstr(reason)) << text;
    if (what == kind::closed) {
      EXPECT_EQ(state_of(worker.pid()), '\0') << "it was not reaped";
    }
  }
}

TEST(worker_process, names_the_signal_and_the_last_words) {
  worker_process worker = shell("echo 'out of luck' >&2; kill -ABRT $$");
  const answer gone = worker.receive(generous);
  EXPECT_EQ(gone.what, kind::closed);
  EXPECT_THAT(gone.text, HasSubstr("killed by signal 6 (Aborted)"));
  EXPECT_THAT(gone.text, HasSubstr("end of its standard error: 'out of luck'"));
  EXPECT_EQ(state_of(worker.pid()), '\0') << "it was not reaped";
}

TEST(worker_process, whole_lines_before_the_end_are_given_first) {
  worker_process worker = shell(R"(echo '{"a":1}'; printf x)");
  EXPECT_EQ(worker.receive(generous).what, kind::line);
  EXPECT_EQ(worker.receive(generous).what, kind::closed);
}

TEST(worker_process, is_late_at_the_deadline) {
  worker_process worker = shell("exec sleep 100");
  const answer late = worker.receive(30ms);
  EXPECT_EQ(late.what, kind::late);
  EXPECT_THAT(late.text, HasSubstr("within 0.03 s"));
}

TEST(worker_process, what_has_arrived_is_read_though_the_time_is_over) {
  worker_process worker = shell("echo '{}'; exec sleep 100");
  EXPECT_TRUE(soon([&] { return program_of(worker.pid()) == "sleep"; }));
  EXPECT_EQ(worker.receive(0ms).what, kind::line);
}

TEST(worker_process, can_be_cancelled) {
  worker_process worker = shell("exec sleep 100");
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "!", 1), 1);
  EXPECT_EQ(worker.receive(generous, ends[0]).what, kind::cancelled);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(worker_process, a_chatty_worker_does_not_block) {
  worker_process worker =
      shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo '{}'; echo end >&2");
  EXPECT_EQ(worker.receive(generous).what, kind::line);
  const answer gone = worker.receive(generous);
  EXPECT_THAT(gone.text, HasSubstr("end'"));
  EXPECT_LT(gone.text.size(), 1000U);
}

TEST(worker_process, stops_and_goes_on) {
  worker_process worker = shell("while read line; do echo '{}'; done");
  worker.stop();
  EXPECT_EQ(state_of(worker.pid()), 'T') << "stop() returned before it stood still";
  worker.send({{"id", 1}});
  EXPECT_EQ(worker.receive(50ms).what, kind::late);
  worker.resume();
  EXPECT_EQ(worker.receive(generous).what, kind::line);
}

TEST(worker_process, stopping_reaches_the_whole_group) {
  worker_process worker = shell("sleep 100 & echo \"{\\\"child\\\": $!}\"; wait");
  const pid_t child = worker.receive(generous).object.at("child");
  worker.stop();
  EXPECT_TRUE(soon([&] { return state_of(child) == 'T'; }));
  worker.kill();
  EXPECT_TRUE(soon([&] { return state_of(child) == '\0' || state_of(child) == 'Z'; }));
}

TEST(worker_process, one_that_died_while_it_was_stopped_is_reported) {
  worker_process worker = shell("exec sleep 100");
  worker.stop();
  ::kill(worker.pid(), SIGKILL);
  EXPECT_TRUE(soon([&] { return state_of(worker.pid()) == 'Z'; }));
  worker.resume();
  EXPECT_THAT(worker.receive(generous).text, HasSubstr("killed by signal 9"));
}

TEST(worker_process, leaves_by_itself_at_the_end_of_its_input) {
  const auto file = std::filesystem::temp_directory_path() / ("left-" + std::to_string(::getpid()));
  worker_process worker =
      shell("trap '' TERM; while read line; do :; done; echo left > " + file.string());
  worker.stop();
  worker.close();
  EXPECT_TRUE(std::filesystem::remove(file)) << "it was killed before it could leave";
}

TEST(worker_process, is_killed_when_it_does_not_leave) {
  worker_process worker = shell("exec sleep 100", {.leaving = 20ms});
  worker.close();
  EXPECT_EQ(state_of(worker.pid()), '\0');
}

TEST(worker_process, a_dead_reader_does_not_kill_the_driver) {
  worker_process worker = shell("exit 0");
  EXPECT_TRUE(soon([&] { return state_of(worker.pid()) == 'Z'; }));
  worker.send({{"id", 1}});
  EXPECT_EQ(worker.receive(generous).what, kind::closed);
}

TEST(worker_process, one_that_takes_no_requests_is_not_waited_for) {
  worker_process worker = shell("exec <&-; echo '{}'; exec sleep 100", {.leaving = 50ms});
  ASSERT_EQ(worker.receive(generous).what, kind::line);
  worker.send({{"id", 1}});
  const answer deaf = worker.receive(generous);
  EXPECT_EQ(deaf.what, kind::closed);
  EXPECT_THAT(deaf.text, HasSubstr("takes no requests: Broken pipe"));
}

TEST(worker_process, what_it_started_ends_with_it) {
  worker_process worker = shell("sleep 100 & echo \"{\\\"child\\\": $!}\"; read line");
  const pid_t child = worker.receive(generous).object.at("child");
  worker.close();
  EXPECT_TRUE(soon([&] { return state_of(child) == '\0' || state_of(child) == 'Z'; }));
}

TEST(worker_process, a_reader_that_does_not_read_costs_no_more_than_the_deadline) {
  worker_process worker = shell("exec sleep 100", {.accepted = 50ms});
  worker.send({{"much", std::string(1 << 20, 'x')}});
  SUCCEED() << "send() came back";
}

TEST(worker_process, dies_with_its_owner) {
  pid_t pid = -1;
  {
    const worker_process worker = shell("exec sleep 100");
    pid = worker.pid();
    EXPECT_NE(state_of(pid), '\0');
  }
  EXPECT_EQ(state_of(pid), '\0');
}

TEST(worker_process, a_program_that_cannot_start_is_named_with_the_reason) {
  try {
    const worker_process worker(
        "test", {.path = "/no/such/program", .arguments = {}, .wait = {}, .cpus = {}});
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/program"));
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
  }
}

// The links of a process's descriptors that lead to pipes.
std::set<std::string> pipes_of(pid_t pid) {
  std::set<std::string> pipes;
  for (const auto& fd :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    const std::string target = std::filesystem::read_symlink(fd.path());
    if (target.starts_with("pipe:")) pipes.insert(target);
  }
  return pipes;
}

// Else the end of one worker's output would wait for the end of the other.
TEST(worker_process, holds_no_pipe_of_another_worker) {
  const std::set<std::string> inherited = pipes_of(::getpid());
  // No exec: while it happens a process shows no descriptors.
  worker_process first = shell("echo '{}'; read -r line");
  worker_process second = shell("echo '{}'; read -r line");
  ASSERT_EQ(first.receive(generous).what, kind::line);
  ASSERT_EQ(second.receive(generous).what, kind::line);
  const std::set<std::string> held = pipes_of(second.pid());
  std::size_t own = 0;
  for (const std::string& pipe : pipes_of(first.pid())) {
    if (inherited.contains(pipe)) continue;
    ++own;
    EXPECT_FALSE(held.contains(pipe)) << pipe;
  }
  EXPECT_EQ(own, 3U);
}

const stoppable_deadline::clock::time_point start{};

TEST(stoppable_deadline, ends_when_its_time_is_over) {
  stoppable_deadline deadline(2500ms, start);
  EXPECT_EQ(deadline.look(start + 1s), 1s) << "no step is longer";
  EXPECT_EQ(deadline.look(start + 2s), 500ms);
  EXPECT_FALSE(deadline.over(start + 2499ms));
  EXPECT_TRUE(deadline.over(start + 2500ms));
  EXPECT_TRUE(deadline.over(start + 2600ms));
}

TEST(stoppable_deadline, of_no_time_is_over_at_once) {
  EXPECT_TRUE(stoppable_deadline(0ms, start).over(start));
}

TEST(stoppable_deadline, a_stop_of_the_process_costs_one_step) {
  stoppable_deadline deadline(5s, start);
  EXPECT_EQ(deadline.look(start + 1s), 1s);
  EXPECT_FALSE(deadline.over(start + 1h)) << "4 s were left, of which one step is gone";
  EXPECT_FALSE(deadline.over(start + 1h + 2s));
  EXPECT_TRUE(deadline.over(start + 1h + 3s));
}

}  // namespace
}  // namespace syncmeter::worker_process_test
