// CPU quotas from made-up cgroup trees of both versions, and the lanes they leave.
#include <filesystem>
#include <fstream>
#include <utility>

#include <gmock/gmock.h>
#include <stdlib.h>

#include "core/topology.hpp"

namespace syncmeter {
namespace {

/// A folder that plays the root of a file system.
class cgroup_tree : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "grant-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void v2_at(const std::string& own, const std::string& top = "/",
             const std::string& point = "/sys/fs/cgroup") const {
    write("/proc/self/cgroup", "0::" + own);
    write("/proc/self/mountinfo", "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
                                  "29 22 0:26 " +
                                      top + " " + point +
                                      " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
  }
  void v1_at(const std::string& own, const std::string& top = "/") const {
    write("/proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:" + own + "\n0::/");
    write("/proc/self/mountinfo",
          "33 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
          "32 31 0:29 " +
              top + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct");
  }
  void v1_limit(const std::string& below, const std::string& quota,
                const std::string& period) const {
    write("/sys/fs/cgroup/cpu,cpuacct" + below + "/cpu.cfs_quota_us", quota);
    write("/sys/fs/cgroup/cpu,cpuacct" + below + "/cpu.cfs_period_us", period);
  }
  /// CPUs and the file below the root that said so; 0 and "" when there is no quota.
  [[nodiscard]] std::pair<double, std::string> quota() const {
    const auto read = read_cpu_quota(root);
    if (!read) return {0, ""};
    EXPECT_TRUE(read->source.starts_with(root)) << read->source;
    return {read->cpus, read->source.substr(root.size())};
  }

  std::string root;
};
using quota_and_file = std::pair<double, std::string>;
const quota_and_file unlimited{0, ""};

TEST_F(cgroup_tree, nothing_there_is_unlimited) { EXPECT_EQ(quota(), unlimited); }

TEST_F(cgroup_tree, v2_own_limit) {
  v2_at("/user.slice/job.scope");
  write("/sys/fs/cgroup/user.slice/job.scope/cpu.max", "150000 100000");
  EXPECT_EQ(quota(), quota_and_file(1.5, "/sys/fs/cgroup/user.slice/job.scope/cpu.max"));
}

TEST_F(cgroup_tree, v2_max_is_unlimited) {
  v2_at("/user.slice");
  write("/sys/fs/cgroup/user.slice/cpu.max", "max 100000");
  EXPECT_EQ(quota(), unlimited);
}

TEST_F(cgroup_tree, v2_smallest_limit_of_all_ancestors_counts) {
  v2_at("/a/b/c");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  write("/sys/fs/cgroup/a/cpu.max", "100000 50000");
  write("/sys/fs/cgroup/cpu.max", "300000 100000");
  EXPECT_EQ(quota(), quota_and_file(2, "/sys/fs/cgroup/a/cpu.max"));
}

TEST_F(cgroup_tree, v2_other_cgroups_do_not_count) {
  v2_at("/a/b");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "10000 100000");
  write("/sys/fs/cgroup/a/bb/cpu.max", "10000 100000");
  EXPECT_EQ(quota(), unlimited);
}

TEST_F(cgroup_tree, v2_container_with_its_own_namespace_has_its_limit_at_the_top) {
  v2_at("/");
  write("/sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), quota_and_file(2, "/sys/fs/cgroup/cpu.max"));
}

TEST_F(cgroup_tree, v2_container_that_sees_its_host_path_and_mounts_its_own_cgroup) {
  v2_at("/docker/4f2a/inner", "/docker/4f2a");
  write("/sys/fs/cgroup/inner/cpu.max", "300000 100000");
  EXPECT_EQ(quota(), quota_and_file(3, "/sys/fs/cgroup/inner/cpu.max"));
}

TEST_F(cgroup_tree, v2_process_outside_of_its_namespace_reads_the_top) {
  v2_at("/../outside");
  write("/sys/fs/cgroup/cpu.max", "200000 100000");
  write("/sys/fs/outside/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), quota_and_file(2, "/sys/fs/cgroup/cpu.max"));
}

TEST_F(cgroup_tree, v2_mount_point_with_a_blank) {
  v2_at("/a", "/", "/my\\040cgroups");
  write("/my cgroups/a/cpu.max", "50000 100000");
  EXPECT_EQ(quota(), quota_and_file(0.5, "/my cgroups/a/cpu.max"));
}

TEST_F(cgroup_tree, malformed_limits_are_none) {
  for (const char* const text :
       {"", "100000", "100000 0", "-5 100000", "lots 100000", "0 100000"}) {
    v2_at("/a");
    write("/sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(quota(), unlimited) << text;
  }
}

TEST_F(cgroup_tree, v1_quota_over_period) {
  v1_at("/job");
  v1_limit("/job", "250000", "100000");
  v1_limit("", "-1", "100000");
  EXPECT_EQ(quota(), quota_and_file(2.5, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us"));
}

TEST_F(cgroup_tree, v1_minus_one_is_unlimited_and_an_ancestor_may_limit) {
  v1_at("/slurm/job");
  v1_limit("/slurm/job", "-1", "100000");
  EXPECT_EQ(quota(), unlimited);
  v1_limit("/slurm", "100000", "100000");
  EXPECT_EQ(quota(), quota_and_file(1, "/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us"));
}

TEST_F(cgroup_tree, v1_container_mounts_its_own_cgroup) {
  v1_at("/docker/4f2a", "/docker/4f2a");
  v1_limit("", "400000", "100000");
  EXPECT_EQ(quota(), quota_and_file(4, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"));
}

TEST(max_lanes, is_the_pus_capped_at_the_quota_rounded_down_and_at_least_one) {
  const auto machine = topology::synthetic("package:1 core:4 pu:2");
  const auto lanes = [&](std::optional<double> quota) {
    return max_lanes(machine, {.allowed = {}, .quota_cpus = quota, .quota_source = "file"});
  };
  EXPECT_EQ(lanes(std::nullopt), 8U);
  EXPECT_EQ(lanes(3), 3U);
  EXPECT_EQ(lanes(3.9), 3U);
  EXPECT_EQ(lanes(0.5), 1U);
  EXPECT_EQ(lanes(8), 8U);
  EXPECT_EQ(lanes(64), 8U);
}

}  // namespace
}  // namespace syncmeter
