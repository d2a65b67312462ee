// Who used the CPUs between two readings of a made-up machine's /proc.
#include "driver/campaign/cpu_use.hpp"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::cpu_use_test {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;

constexpr int own = 50;

class cpu_use : public test::in_temporary_folder {
 protected:
  // All times in ticks.
  void process(int number, const std::string& name, int parent, int started, int ticks) {
    write(fmt::format("proc/{}/stat", number),
          fmt::format("{} ({}) S {} 1 1 0 -1 0 0 0 0 0 {} 0 0 0 20 0 1 0 {} 0 0\n", number, name,
                      parent, ticks, started));
  }
  void ends(int number) { std::filesystem::remove_all(folder() + fmt::format("/proc/{}", number)); }
  cpu_times read() {
    cpu_times times = read_cpu_times({0, 2}, folder());
    times.now_ns = times.own_ns = 0;
    return times;
  }
  static objects::cpu_use between(const cpu_times& before, cpu_times after) {
    after.now_ns = 10e9;
    return cpu_use_between(before, after, own);
  }
  const double tick = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
};

TEST_F(cpu_use, used_and_stolen_time_of_the_allowed_processing_units) {
  write("proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 9\n"
                     "cpu1 1 2 3 4 5 6 7 8 9 9\ncpu2 1 2 3 4 5 6 7 8 9 9\nintr 1\n");
  write("proc/pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=1000\n"
                             "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  const cpu_times before = read();
  write("proc/stat", "cpu0 11 22 33 99 99 46 57 68 9 9\ncpu1 99 99 99 99 99 99 99 99 9 9\n"
                     "cpu2 1 2 3 4 5 6 7 8 9 9\n");
  write("proc/pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=3500\n");
  const objects::cpu_use use = between(before, read());
  EXPECT_THAT(use.used_ns, DoubleEq(150 * tick));
  EXPECT_THAT(use.stolen_ns, DoubleEq(60 * tick));
  EXPECT_THAT(use.waited_ns, DoubleEq(2.5e6));
  EXPECT_THAT(use.elapsed_ns, DoubleEq(10e9));
  EXPECT_EQ(use.allowed_pus, 2U);
}

TEST_F(cpu_use, programs_by_their_time_but_the_campaigns_own) {
  process(1, "init", 0, 1, 7);
  process(7, "a (b) c", 1, 5, 100);
  process(own, "syncmeter", 1, 6, 100);
  const cpu_times before = read();
  process(1, "init", 0, 1, 8);
  process(7, "a (b) c", 1, 5, 300);
  process(8, "odd\tname", 1, 90, 20);
  process(9, "odd\tname", 1, 91, 30);
  process(own, "syncmeter", 1, 6, 900);
  process(51, "worker", own, 90, 900);
  EXPECT_THAT(between(before, read()).programs,
              ElementsAre(FieldsAre("a (b) c", DoubleEq(200 * tick)),
                          FieldsAre("odd?name", DoubleEq(50 * tick))))
      << "what took less than 0.5 % of a CPU is left out";
}

TEST_F(cpu_use, a_process_that_ended_counts_at_its_parent_from_the_first_reading_on) {
  process(1, "make", 0, 1, 0);
  process(2, "sh", 1, 1, 10);
  process(3, "cc", 2, 1, 500);
  const cpu_times before = read();
  process(1, "make", 0, 1, 1000);  // it waited for sh (10), for cc (700), and for more
  ends(2);
  ends(3);
  process(3, "new", 1, 99, 40);  // another process of that number
  EXPECT_THAT(between(before, read()).programs, ElementsAre(FieldsAre("make", DoubleEq(490 * tick)),
                                                            FieldsAre("new", DoubleEq(40 * tick))));
}

TEST_F(cpu_use, the_ends_of_threads_are_no_work_of_others_where_all_processes_are_seen) {
  const auto share = [&](bool kernel_is_seen, double ends_ticks = 1000) {
    write("proc/stat", "cpu0 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\nprocesses 700\n");
    process(1, "init", 0, 1, 0);
    process(2, kernel_is_seen ? "kthreadd" : "sh", 0, 1, 0);
    process(3, "kworker/0:1", 2, 1, 0);
    process(own, "syncmeter", 1, 6, 0);
    cpu_times before = read();
    // 1,000 ticks in all, of which the program has 500, and 100 in interrupts are nobody's. The end
    // of a thread is 10 us.
    write("proc/stat", fmt::format("cpu0 500 0 0 0 0 0 0 0 0 0\ncpu2 0 0 400 0 0 0 100 0 0 0\n"
                                   "processes {:.0f}\n",
                                   700 + ends_ticks * tick / 1e4));
    process(1, "init", 0, 1, 300);
    process(3, "kworker/0:1", 2, 1, 100);
    process(own, "syncmeter", 1, 6, 500);
    cpu_times after = read();
    after.own_ns = 500 * tick;
    after.now_ns = 1000 * tick;
    const std::optional<double> found = share_of_others(before, after, own);
    ends(2);
    return found.value_or(-1);
  };
  EXPECT_THAT(share(true), DoubleEq(300.0 / 2000));
  EXPECT_NEAR(share(true, 80), 420.0 / 2000, 1e-6);
  EXPECT_THAT(share(true, 0), DoubleEq(500.0 / 2000)) << "the kernel may work for others";
  EXPECT_THAT(share(false), DoubleEq(500.0 / 2000)) << "in a container others may be hidden";
}

/// Of 1,000 ticks the program has 500, its threads' ends 100, init in its cgroup 50.
class cpu_use_in_a_container : public cpu_use {
 protected:
  void SetUp() override {
    cpu_use::SetUp();
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", "1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    write("sys/fs/cgroup/cgroup.procs", seen);
    write("sys/fs/cgroup/below/cgroup.procs", "");
  }
  void count(double program_ticks, double more_ticks, double ends) {
    write("proc/stat", fmt::format("cpu0 {:.0f} 0 0 0 0 0 0 0 0 0\ncpu2 0 0 {:.0f} 0 0 0 0 0 0 0\n"
                                   "processes {:.0f}\n",
                                   program_ticks, more_ticks, 700 + ends * tick / 1e4));
  }
  void cgroup_used(double ticks) {
    write("sys/fs/cgroup/cpu.stat",
          fmt::format("usage_usec {:.0f}\nuser_usec 1000\n", 5e9 + ticks * tick / 1e3));
  }
  cpu_times before() {
    count(0, 0, 0);
    cgroup_used(0);
    process(1, "init", 0, 1, 0);
    process(self, "syncmeter", 1, 6, 0);
    return read();
  }
  /// `ends`: as many threads were started as may have ended in that time.
  cpu_times after(double ends = 1000, double of_cgroup = 650) {
    count(500, 500, ends);
    cgroup_used(of_cgroup);
    process(1, "init", 0, 1, 50);
    process(self, "syncmeter", 1, 6, 500);
    cpu_times times = read();
    times.own_ns = 500 * tick;
    times.now_ns = 1000 * tick;
    return times;
  }
  static double share(const cpu_times& from, const cpu_times& to) {
    return share_of_others(from, to, self).value_or(-1);
  }
  double share() {
    const cpu_times from = before();
    return share(from, after());
  }
  static constexpr double with_ends = 500.0 / 2000, without_ends = 400.0 / 2000;
  static inline const int self = ::getpid();
  static inline const std::string seen = fmt::format("1\n{}\n", self);
};

TEST_F(cpu_use_in_a_container, the_ends_of_threads_are_the_cgroups) {
  EXPECT_NEAR(share(), without_ends, 1e-6);
}

TEST_F(cpu_use_in_a_container, a_process_of_the_cgroup_that_is_hidden_may_be_anothers) {
  write("sys/fs/cgroup/cgroup.procs", seen + "0\n");
  EXPECT_NEAR(share(), with_ends, 1e-6) << "of another PID namespace";
  write("sys/fs/cgroup/cgroup.procs", seen + "7\n");
  EXPECT_NEAR(share(), with_ends, 1e-6) << "/proc is mounted hidepid=2";
  process(7, "seen", 1, 5, 0);
  EXPECT_NEAR(share(), without_ends, 1e-6);
  write("sys/fs/cgroup/below/cgroup.procs", "0\n");
  EXPECT_NEAR(share(), with_ends, 1e-6);
}

TEST_F(cpu_use_in_a_container, who_is_in_the_cgroup_must_be_known) {
  std::filesystem::remove(folder() + "/sys/fs/cgroup/below/cgroup.procs");
  EXPECT_NEAR(share(), with_ends, 1e-6) << "not readable";
  write("sys/fs/cgroup/below/cgroup.procs", "");
  write("sys/fs/cgroup/cgroup.procs", "1\n");
  EXPECT_NEAR(share(), with_ends, 1e-6) << "what is mounted is not this process's cgroup";
}

TEST_F(cpu_use_in_a_container, what_came_and_went_unseen_is_no_end_of_a_thread) {
  const cpu_times from = before();
  EXPECT_NEAR(share(from, after(1000)), without_ends, 1e-6);
  EXPECT_NEAR(share(from, after(30)), 470.0 / 2000, 1e-6);
  EXPECT_NEAR(share(from, after(0)), with_ends, 1e-6);
}

TEST_F(cpu_use_in_a_container, times_of_two_cgroups_are_not_compared) {
  const cpu_times from = before();
  EXPECT_NEAR(share(from, after(1000, -1)), with_ends, 1e-6) << "it was made anew";
  cpu_times of_another = from;
  of_another.cgroup->directory += "/below";
  EXPECT_NEAR(share(of_another, after()), with_ends, 1e-6);
}

TEST_F(cpu_use, others_used_no_more_than_is_left_on_the_allowed_processing_units) {
  write("proc/stat", "cpu0 0 0 0 0 0 0 0 0 0 0\n");
  process(2, "kthreadd", 0, 1, 0);
  process(own, "syncmeter", 1, 6, 0);
  const cpu_times before = read();
  write("proc/stat", "cpu0 500 0 0 0 0 0 0 0 0 0\n");
  process(7, "elsewhere", 1, 5, 900);
  cpu_times after = read();
  after.own_ns = 400 * tick;
  after.now_ns = 1000 * tick;
  EXPECT_THAT(share_of_others(before, after, own).value_or(-1), DoubleEq(100.0 / 2000));
  EXPECT_FALSE(share_of_others(after, after, own));
}

TEST_F(cpu_use, a_machine_without_these_files_says_nothing) {
  const objects::cpu_use use = between(read(), read());
  EXPECT_EQ(use.used_ns, 0);
  EXPECT_EQ(use.stolen_ns, 0);
  EXPECT_EQ(use.waited_ns, 0);
  EXPECT_THAT(use.programs, IsEmpty());
}

}  // namespace
}  // namespace syncmeter::cpu_use_test
