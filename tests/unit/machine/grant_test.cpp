// CPU quotas from made-up cgroup trees of both versions, and the lanes they leave.
#include <utility>

#include <gmock/gmock.h>

#include "core/machine/topology.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::grant_test {
namespace {

class cgroup_tree : public test::in_temporary_folder {
 protected:
  void v2_at(const std::string& own, const std::string& top = "/",
             const std::string& point = "/sys/fs/cgroup") const {
    write("proc/self/cgroup", "0::" + own);
    write("proc/self/mountinfo", "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
                                 "29 22 0:26 " +
                                     top + " " + point +
                                     " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
  }
  void v1_at(const std::string& own, const std::string& top = "/") const {
    write("proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:" + own + "\n0::/");
    write("proc/self/mountinfo",
          "33 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
          "32 31 0:29 " +
              top + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct");
  }
  void v1_limit(const std::string& below, const std::string& quota,
                const std::string& period) const {
    write("sys/fs/cgroup/cpu,cpuacct" + below + "/cpu.cfs_quota_us", quota);
    write("sys/fs/cgroup/cpu,cpuacct" + below + "/cpu.cfs_period_us", period);
  }
  /// CPUs and the file below the root that said so; 0 and "" when there is no quota.
  [[nodiscard]] std::pair<double, std::string> quota() const {
    const auto read = read_cpu_quota(folder());
    if (!read) return {0, ""};
    EXPECT_TRUE(read->source.starts_with(folder())) << read->source;
    return {read->cpus, read->source.substr(folder().size())};
  }
};
using quota_and_file = std::pair<double, std::string>;
const quota_and_file unlimited{0, ""};

TEST_F(cgroup_tree, nothing_there_is_unlimited) { EXPECT_EQ(quota(), unlimited); }

struct v2_case {
  const char *name, *own, *top;
  std::vector<std::pair<const char*, const char*>> limits;  // below the mount point
  quota_and_file found;
};
class cgroup_v2 : public cgroup_tree, public testing::WithParamInterface<v2_case> {};

TEST_P(cgroup_v2, quota_is_the_smallest_of_its_own_and_its_ancestors) {
  v2_at(GetParam().own, GetParam().top);
  for (const auto& [group, limit] : GetParam().limits)
    write(std::string("sys/fs/cgroup") + group + "/cpu.max", limit);
  EXPECT_EQ(quota(), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    cases, cgroup_v2,
    testing::Values(
        v2_case{"own_limit",
                "/user.slice/job.scope",
                "/",
                {{"/user.slice/job.scope", "150000 100000"}},
                {1.5, "/sys/fs/cgroup/user.slice/job.scope/cpu.max"}},
        v2_case{"max_is_unlimited", "/user.slice", "/", {{"/user.slice", "max 100000"}}, unlimited},
        v2_case{"the_smallest_counts",
                "/a/b/c",
                "/",
                {{"/a/b/c", "400000 100000"},
                 {"/a/b", "max 100000"},
                 {"/a", "100000 50000"},
                 {"", "300000 100000"}},
                {2, "/sys/fs/cgroup/a/cpu.max"}},
        v2_case{"other_groups_do_not_count",
                "/a/b",
                "/",
                {{"/a/b/c", "10000 100000"}, {"/a/bb", "10000 100000"}},
                unlimited},
        v2_case{"a_container_with_its_own_namespace",
                "/",
                "/",
                {{"", "200000 100000"}},
                {2, "/sys/fs/cgroup/cpu.max"}},
        v2_case{"a_container_that_mounts_its_own_group",
                "/docker/4f2a/inner",
                "/docker/4f2a",
                {{"/inner", "300000 100000"}},
                {3, "/sys/fs/cgroup/inner/cpu.max"}},
        v2_case{"outside_of_its_namespace_the_top_is_read",
                "/../outside",
                "/",
                {{"", "200000 100000"}, {"/../outside", "100000 100000"}},
                {2, "/sys/fs/cgroup/cpu.max"}}),
    [](const auto& one) { return std::string{one.param.name}; });

TEST_F(cgroup_tree, v2_mount_point_with_a_blank) {
  v2_at("/a", "/", "/my\\040cgroups");
  write("my cgroups/a/cpu.max", "50000 100000");
  EXPECT_EQ(quota(), quota_and_file(0.5, "/my cgroups/a/cpu.max"));
}

TEST_F(cgroup_tree, malformed_limits_are_none) {
  for (const char* const text :
       {"", "100000", "100000 0", "-5 100000", "lots 100000", "0 100000"}) {
    v2_at("/a");
    write("sys/fs/cgroup/a/cpu.max", text);
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

class cpuset_tree : public cgroup_tree {
 protected:
  void v1_cpuset_at(const std::string& own) const {
    write("proc/self/cgroup", "4:cpu,cpuacct:/elsewhere\n3:cpuset:" + own + "\n0::/");
    write("proc/self/mountinfo", "31 30 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                                 "32 30 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu");
  }
  /// PUs and the file below the root that said so.
  [[nodiscard]] std::pair<std::vector<int>, std::string> cpuset() const {
    const auto read = read_cpuset(folder());
    if (!read) return {{}, ""};
    return {read->pus, read->source.substr(folder().size())};
  }
};
using pus_and_file = std::pair<std::vector<int>, std::string>;

TEST_F(cpuset_tree, v2_own_or_the_nearest_ancestor_that_tells) {
  v2_at("/a/b");
  EXPECT_EQ(cpuset(), pus_and_file({}, ""));
  write("sys/fs/cgroup/cpuset.cpus.effective", "0-7");
  EXPECT_EQ(cpuset(),
            pus_and_file({0, 1, 2, 3, 4, 5, 6, 7}, "/sys/fs/cgroup/cpuset.cpus.effective"));
  write("sys/fs/cgroup/a/cpuset.cpus.effective", "2-3,6");
  EXPECT_EQ(cpuset(), pus_and_file({2, 3, 6}, "/sys/fs/cgroup/a/cpuset.cpus.effective"));
}

TEST_F(cpuset_tree, v1_effective_before_configured) {
  v1_cpuset_at("/slurm/job");
  write("sys/fs/cgroup/cpuset/slurm/job/cpuset.cpus", "0-3");
  EXPECT_EQ(cpuset(), pus_and_file({0, 1, 2, 3}, "/sys/fs/cgroup/cpuset/slurm/job/cpuset.cpus"));
  write("sys/fs/cgroup/cpuset/slurm/job/cpuset.effective_cpus", "0-1");
  EXPECT_EQ(cpuset(),
            pus_and_file({0, 1}, "/sys/fs/cgroup/cpuset/slurm/job/cpuset.effective_cpus"));
}

TEST_F(cpuset_tree, an_empty_or_malformed_list_does_not_count) {
  v1_cpuset_at("/job");
  write("sys/fs/cgroup/cpuset/cpuset.cpus", "0-1");
  for (const char* const text : {"", "x", "3-1", "0-", "0,,1", "-1", "99999999"}) {
    write("sys/fs/cgroup/cpuset/job/cpuset.cpus", text);
    EXPECT_EQ(cpuset(), pus_and_file({0, 1}, "/sys/fs/cgroup/cpuset/cpuset.cpus")) << text;
  }
}

// Virtual machines list as offline what could be plugged in.
TEST_F(cpuset_tree, offline_is_what_is_present_and_switched_off) {
  EXPECT_EQ(read_offline_pus(folder()), std::vector<int>{});
  write("sys/devices/system/cpu/present", "0-5");
  write("sys/devices/system/cpu/offline", "3,5-127");
  EXPECT_EQ(read_offline_pus(folder()), (std::vector<int>{3, 5}));
}

TEST(parse_cpu_list, reads_the_kernels_lists) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("0-3 "), std::nullopt);
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
}  // namespace syncmeter::grant_test
