// What is read of a made-up machine's files, what is said of this one, and the sentences made of
// it.
#include "core/machine/environment.hpp"

#include <cmath>
#include <fstream>
#include <tuple>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::environment_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using environment_files = test::in_temporary_folder;

TEST_F(environment_files, what_is_not_there_is_unknown) {
  EXPECT_EQ(read_cpu_model(folder()), "unknown");
  EXPECT_EQ(read_governor(folder()), "unknown");
  EXPECT_EQ(read_turbo(folder()), "unknown");
  EXPECT_EQ(read_os(folder()), "unknown");
  EXPECT_FALSE(read_hypervisor_flag(folder()));
  EXPECT_EQ(read_virtualization("", folder()), "");
  EXPECT_EQ(read_pu_ticks({0, 1}, folder()).stolen, 0);
}

TEST_F(environment_files, cpu_model_is_a_name_or_a_part_of_arm) {
  for (const auto& [text, model] :
       {std::pair{"processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7543 32-Core\n",
                  "AMD EPYC 7543 32-Core"},
        {"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n", "Arm Neoverse-V1"},
        {"processor\t: 0\nCPU implementer\t: 0x99\nCPU part\t: 0xd40\n",
         "implementer 0x99 part 0xd40"}}) {
    write("proc/cpuinfo", text);
    EXPECT_EQ(read_cpu_model(folder()), model);
  }
}

TEST_F(environment_files, governor_of_all_policies) {
  write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave");
  write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave");
  EXPECT_EQ(read_governor(folder()), "powersave");
  write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance");
  write("sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_EQ(read_governor(folder()), "performance, powersave");
}

TEST_F(environment_files, turbo_by_either_driver) {
  for (const auto& [file, text, turbo] : {std::tuple{"cpufreq/boost", "0", "off"},
                                          {"cpufreq/boost", "1", "on"},
                                          {"intel_pstate/no_turbo", "1", "off"},
                                          {"intel_pstate/no_turbo", "0", "on"}}) {
    write(std::string("sys/devices/system/cpu/") + file, text);
    EXPECT_EQ(read_turbo(folder()), turbo) << file;
  }
}

TEST_F(environment_files, os_name_with_and_without_quotes) {
  write("usr/lib/os-release", "NAME=Other\nPRETTY_NAME=Other-9\n");
  EXPECT_EQ(read_os(folder()), "Other-9");
  write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  EXPECT_EQ(read_os(folder()), "Debian GNU/Linux 12 (bookworm)");
}

TEST_F(environment_files, hypervisor_flag_is_a_whole_word_of_the_flags) {
  write("proc/cpuinfo", "model name\t: hypervisor\nflags\t\t: fpu nohypervisor\n");
  EXPECT_FALSE(read_hypervisor_flag(folder()));
  write("proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
  EXPECT_TRUE(read_hypervisor_flag(folder()));
}

TEST_F(environment_files, virtualization_by_vendor_then_system_then_firmware) {
  write("sys/class/dmi/id/sys_vendor", "Amazon EC2");
  EXPECT_EQ(read_virtualization("", folder()), "amazon");
  const std::string_view compatible("linux,kvm\0", 10);
  write("proc/device-tree/hypervisor/compatible", compatible);
  EXPECT_EQ(read_virtualization("", folder()), "kvm");
  write("sys/hypervisor/type", "xen");
  EXPECT_EQ(read_virtualization("", folder()), "xen");
  EXPECT_EQ(read_virtualization("VMwareVMware", folder()), "vmware");
}

TEST_F(environment_files, microsoft_firmware_is_a_virtual_machine_only_by_its_product) {
  write("sys/class/dmi/id/sys_vendor", "Microsoft Corporation");
  write("sys/class/dmi/id/product_name", "Surface Pro");
  EXPECT_EQ(read_virtualization("", folder()), "");
  write("sys/class/dmi/id/product_name", "Virtual Machine");
  EXPECT_EQ(read_virtualization("", folder()), "hyper-v");
}

TEST_F(environment_files, stolen_time_of_the_pus_named) {
  write("proc/stat", "cpu  10 9 9 9 9 9 9 9 999 9\n"
                     "cpu0 1 2 3 4 5 6 7 80 9 10\n"
                     "cpu1 1 2 3 4 5 6 7 500 9 10\n"
                     "cpu10 1 2 3 4 5 6 7 3 9 10\n"
                     "intr 1 2 3\n");
  EXPECT_EQ(read_pu_ticks({0, 10}, folder()).stolen, 83);
  EXPECT_EQ(read_pu_ticks({1}, folder()).stolen, 500);
  EXPECT_EQ(read_pu_ticks({}, folder()).stolen, 0);
  write("proc/stat", "cpu  9 9 9 9\ncpu0 1 2 3 4\n");
  EXPECT_EQ(read_pu_ticks({0}, folder()).stolen, 0);
}

TEST(environment, clock_tick_is_a_time) {
  EXPECT_GT(clock_tick_ns(), 0);
  EXPECT_TRUE(std::isfinite(clock_tick_ns()));
}

TEST(environment, memory_is_what_the_kernel_has_in_all) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  ASSERT_TRUE(file >> name >> kib);
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_EQ(describe_machine().at("memory_bytes"), kib * 1024);
}

TEST(environment, describes_every_promised_member) {
  const nlohmann::json machine = describe_machine();
  const auto has = [&](std::initializer_list<const char*> names,
                       bool (nlohmann::json::*is)() const noexcept) {
    for (const char* const name : names) {
      ASSERT_TRUE(machine.contains(name)) << name;
      EXPECT_TRUE((machine[name].*is)()) << name << ' ' << machine[name];
    }
  };
  has({"cpu_model", "architecture", "virtualization", "quota_source", "governor", "turbo", "kernel",
       "os", "host", "hwloc"},
      &nlohmann::json::is_string);
  has({"packages", "numa_nodes", "cores", "pus", "cpu_kinds", "line_bytes", "memory_bytes",
       "clock_tick_ns"},
      &nlohmann::json::is_number);
  has({"hypervisor", "smt"}, &nlohmann::json::is_boolean);
  ASSERT_TRUE(machine.contains("quota_cpus"));
  EXPECT_TRUE(machine["quota_cpus"].is_null() || machine["quota_cpus"].is_number());
  EXPECT_EQ(machine["hypervisor"].get<bool>(),
            !machine["virtualization"].get<std::string>().empty());
  ASSERT_TRUE(machine.contains("allowed_pus"));
  EXPECT_FALSE(machine["allowed_pus"].empty());
  EXPECT_LE(machine["allowed_pus"].size(), machine["pus"].get<std::size_t>());
  for (const char* const name : {"line_bytes_sysconf", "destructive_interference_size"}) {
    ASSERT_TRUE(machine.contains(name)) << name;
    EXPECT_TRUE(machine[name].is_number() || machine[name] == "unknown") << machine[name];
  }
  ASSERT_TRUE(machine.contains("caches"));
  for (const auto& cache : machine["caches"]) {
    for (const char* const name : {"level", "bytes", "line_bytes", "shared_by", "count"}) {
      EXPECT_TRUE(cache.contains(name)) << name << ' ' << cache;
    }
  }
}

/// A quiet machine: nothing to say of it.
nlohmann::json plain_machine() {
  return {{"hypervisor", false},
          {"virtualization", ""},
          {"governor", "performance"},
          {"turbo", "off"},
          {"smt", false},
          {"cpu_kinds", 1},
          {"quota_cpus", nullptr},
          {"quota_source", ""},
          {"allowed_pus", {0, 1}},
          {"pus", 2}};
}

std::vector<std::string> caveats_with(const char* member, const nlohmann::json& value) {
  nlohmann::json machine = plain_machine();
  machine[member] = value;
  return caveats(machine);
}

TEST(caveats, none_for_a_quiet_machine_or_an_unknown_one) {
  EXPECT_THAT(caveats(plain_machine()), IsEmpty());
  EXPECT_THAT(caveats(nlohmann::json::object()), IsEmpty());
  EXPECT_THAT(caveats_with("governor", "unknown"), IsEmpty());
  EXPECT_THAT(caveats_with("turbo", "unknown"), IsEmpty());
  EXPECT_THAT(caveats_with("pus", "unknown"), IsEmpty());
}

TEST(caveats, one_sentence_for_each_circumstance) {
  EXPECT_THAT(caveats_with("hypervisor", true), ElementsAre(HasSubstr("Virtual machine")));
  EXPECT_THAT(caveats_with("governor", "powersave"), ElementsAre(HasSubstr("'powersave'")));
  EXPECT_THAT(caveats_with("turbo", "on"), ElementsAre(HasSubstr("Turbo is on")));
  EXPECT_THAT(caveats_with("smt", true), ElementsAre(HasSubstr("SMT is on")));
  EXPECT_THAT(caveats_with("cpu_kinds", 3), ElementsAre(HasSubstr("3 kinds")));
  EXPECT_THAT(caveats_with("allowed_pus", {1}),
              ElementsAre(HasSubstr("Only 1 of the machine's 2 CPUs")));
  nlohmann::json limited = plain_machine();
  limited["quota_cpus"] = 1.5;
  limited["quota_source"] = "/sys/fs/cgroup/cpu.max";
  EXPECT_THAT(caveats(limited),
              ElementsAre(AllOf(HasSubstr("1.5 CPUs"), HasSubstr("/sys/fs/cgroup/cpu.max"))));
}

TEST(caveats, name_what_a_container_or_a_blind_hwloc_takes_away) {
  const nlohmann::json machine{{"pus", 4},
                               {"cores", 0},
                               {"allowed_pus", {0, 1, 2, 3}},
                               {"offline_pus", {5, 7}},
                               {"unbound_because", "Operation not permitted"},
                               {"hwloc_components", "stop"},
                               {"quota_cpus", 1.0},
                               {"quota_source", "/sys/fs/cgroup/cpu.max"}};
  EXPECT_THAT(caveats(machine),
              testing::ElementsAre(
                  testing::StartsWith("A quota of 1 CPU applies (/sys/fs/cgroup/cpu.max)"),
                  "Offline: CPUs 5, 7.",
                  testing::StartsWith("Threads cannot be bound here (Operation not permitted):"),
                  testing::AllOf(testing::StartsWith("hwloc tells CPUs alone"),
                                 testing::EndsWith("HWLOC_COMPONENTS is 'stop'."))));
  EXPECT_THAT(caveats({{"pus", 4},
                       {"cores", 4},
                       {"offline_pus", nlohmann::json::array()},
                       {"unbound_because", ""},
                       {"hwloc_components", "stop"}}),
              testing::IsEmpty());
}

}  // namespace
}  // namespace syncmeter::environment_test
