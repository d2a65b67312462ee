// Reads /proc, /sys, /etc and the variables of schedulers for what environment.cpp reports.
#include "core/machine/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/machine/read_file.hpp"

namespace syncmeter {
namespace {

std::string trimmed(std::string_view text) {
  // The device tree ends its strings with a NUL.
  constexpr std::string_view blank(" \t\r\n\0", 5);
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

/// The file's first line without the blanks around it; empty where there is no such file.
std::string first_line(const std::string& path) {
  std::istringstream file(read_file(path).bytes);
  std::string line;
  std::getline(file, line);
  return trimmed(line);
}

/// The value of the first line "key : value" of /proc/cpuinfo; empty without one.
std::string cpuinfo(const std::string& root, std::string_view key) {
  std::istringstream file(read_file(root + "/proc/cpuinfo").bytes);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key) {
      return trimmed(std::string_view(line).substr(colon + 1));
    }
  }
  return "";
}

struct arm_part {
  std::string_view implementer, part, name;
};
/// From the main ID register of each core's manual: the server cores, and those of common boards.
constexpr std::array arm_parts{
    arm_part{"0x41", "0xd03", "Arm Cortex-A53"},   arm_part{"0x41", "0xd05", "Arm Cortex-A55"},
    arm_part{"0x41", "0xd08", "Arm Cortex-A72"},   arm_part{"0x41", "0xd0b", "Arm Cortex-A76"},
    arm_part{"0x41", "0xd0c", "Arm Neoverse-N1"},  arm_part{"0x41", "0xd40", "Arm Neoverse-V1"},
    arm_part{"0x41", "0xd49", "Arm Neoverse-N2"},  arm_part{"0x41", "0xd4f", "Arm Neoverse-V2"},
    arm_part{"0x46", "0x001", "Fujitsu A64FX"},    arm_part{"0x43", "0x0af", "Cavium ThunderX2"},
    arm_part{"0x48", "0xd01", "HiSilicon TSV110"}, arm_part{"0xc0", "0xac3", "Ampere-1"},
    arm_part{"0xc0", "0xac4", "Ampere-1A"}};

using name_of = std::pair<std::string_view, std::string_view>;

/// What the CPU says under a hypervisor, and the name it goes by.
constexpr std::array vendors{
    name_of{"KVMKVMKVM", "kvm"},        name_of{"Linux KVM Hv", "kvm"},
    name_of{"TCGTCGTCGTCG", "qemu"},    name_of{"VMwareVMware", "vmware"},
    name_of{"Microsoft Hv", "hyper-v"}, name_of{"XenVMMXenVMM", "xen"},
    name_of{"bhyve bhyve", "bhyve"},    name_of{"VBoxVBoxVBox", "virtualbox"},
    name_of{"prl hyperv", "parallels"}, name_of{"ACRNACRNACRN", "acrn"},
    name_of{"QNXQVMBSQG", "qnx"}};

/// How DMI strings of virtual machines begin.
constexpr std::array dmi_names{name_of{"KVM", "kvm"},
                               name_of{"OpenStack", "kvm"},
                               name_of{"KubeVirt", "kvm"},
                               name_of{"Amazon EC2", "amazon"},
                               name_of{"Google Compute Engine", "google"},
                               name_of{"Alibaba Cloud ECS", "alibaba"},
                               name_of{"QEMU", "qemu"},
                               name_of{"VMware", "vmware"},
                               name_of{"VirtualBox", "virtualbox"},
                               name_of{"innotek GmbH", "virtualbox"},
                               name_of{"Xen", "xen"},
                               name_of{"HVM domU", "xen"},
                               name_of{"Bochs", "bochs"},
                               name_of{"Parallels", "parallels"},
                               name_of{"BHYVE", "bhyve"},
                               name_of{"Hyper-V", "hyper-v"},
                               name_of{"Apple Virtualization", "apple"}};

std::string from_dmi(const std::string& root) {
  const std::string dmi = root + "/sys/class/dmi/id/";
  for (const char* const file :
       {"product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"}) {
    const std::string text = first_line(dmi + file);
    for (const auto& [beginning, name] : dmi_names) {
      if (text.starts_with(beginning)) return std::string(name);
    }
  }
  // Microsoft's tablets are no virtual machines: both strings must say so.
  if (first_line(dmi + "sys_vendor") == "Microsoft Corporation" &&
      first_line(dmi + "product_name") == "Virtual Machine") {
    return "hyper-v";
  }
  return "";
}

struct job_variable {
  const char* member;
  const char* variable;
};

struct scheduler_words {
  const char* name;
  const char* job;  ///< the variable that only jobs of this scheduler have
  std::vector<job_variable> more;
};

const std::vector<scheduler_words>& schedulers() {
  static const std::vector<scheduler_words> known{
      // The innermost first: Flux is often started by one of the others.
      {"flux", "FLUX_JOB_ID", {}},
      {"slurm",
       "SLURM_JOB_ID",
       {{"array_job", "SLURM_ARRAY_JOB_ID"},
        {"array_task", "SLURM_ARRAY_TASK_ID"},
        {"step", "SLURM_STEP_ID"},
        {"node", "SLURMD_NODENAME"},
        {"cluster", "SLURM_CLUSTER_NAME"},
        {"partition", "SLURM_JOB_PARTITION"}}},
      {"pbs", "PBS_JOBID", {{"array_task", "PBS_ARRAY_INDEX"}, {"partition", "PBS_QUEUE"}}},
      {"lsf", "LSB_JOBID", {{"array_task", "LSB_JOBINDEX"}, {"partition", "LSB_QUEUE"}}},
  };
  return known;
}

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

}  // namespace

std::string read_cpu_model(const std::string& root) {
  for (const char* const key : {"model name", "Model Name", "cpu model", "cpu", "uarch"}) {
    std::string name = cpuinfo(root, key);
    if (!name.empty()) return name;
  }
  const std::string implementer = cpuinfo(root, "CPU implementer");
  const std::string part = cpuinfo(root, "CPU part");
  if (implementer.empty() || part.empty()) return unknown_fact;
  for (const arm_part& known : arm_parts) {
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  }
  return fmt::format("implementer {} part {}", implementer, part);
}

std::string read_governor(const std::string& root) {
  std::set<std::string> governors;
  std::error_code ignored;  // no cpufreq: unknown
  const std::filesystem::directory_iterator policies(root + "/sys/devices/system/cpu/cpufreq",
                                                     ignored);
  for (const auto& policy : policies) {
    const std::string governor = first_line(policy.path().string() + "/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  if (governors.empty()) {
    const std::string first =
        first_line(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    return first.empty() ? unknown_fact : first;
  }
  return fmt::format("{}", fmt::join(governors, ", "));
}

std::string read_turbo(const std::string& root) {
  const std::string cpu = root + "/sys/devices/system/cpu/";
  const std::string no_turbo = first_line(cpu + "intel_pstate/no_turbo");
  if (no_turbo == "0" || no_turbo == "1") return no_turbo == "0" ? "on" : "off";
  const std::string boost = first_line(cpu + "cpufreq/boost");
  if (boost == "0" || boost == "1") return boost == "1" ? "on" : "off";
  return unknown_fact;
}

std::string read_os(const std::string& root) {
  for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"}) {
    std::istringstream file(read_file(root + path).bytes);
    for (std::string line; std::getline(file, line);) {
      constexpr std::string_view key = "PRETTY_NAME=";
      if (!line.starts_with(key)) continue;
      std::string value = trimmed(std::string_view(line).substr(key.size()));
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
          value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
      }
      if (!value.empty()) return value;
    }
  }
  return unknown_fact;
}

std::string hypervisor_vendor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned hypervisor_bit = 1U << 31;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & hypervisor_bit) == 0) return "";
  // Not __get_cpuid: the leaf is above the largest one that the CPU admits to.
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  const std::array<unsigned, 3> words{ebx, ecx, edx};
  std::array<char, sizeof words> text{};
  std::memcpy(text.data(), words.data(), sizeof words);
  return trimmed(std::string_view(text.data(), text.size()));
#else
  return "";
#endif
}

bool read_hypervisor_flag(const std::string& root) {
  std::istringstream flags(cpuinfo(root, "flags"));
  for (std::string flag; flags >> flag;) {
    if (flag == "hypervisor") return true;
  }
  return false;
}

std::string read_virtualization(std::string_view vendor, const std::string& root) {
  // Clouds show KVM or Xen to the CPU and their own name to DMI; the hypervisor is what matters
  // here.
  for (const auto& [text, name] : vendors) {
    if (vendor == text) return std::string(name);
  }
  std::string type = first_line(root + "/sys/hypervisor/type");
  if (!type.empty()) return type;
  std::string compatible = first_line(root + "/proc/device-tree/hypervisor/compatible");
  if (compatible.starts_with("linux,kvm")) return "kvm";
  if (compatible.find("xen") != std::string::npos) return "xen";
  if (!compatible.empty()) return compatible;
  return from_dmi(root);
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice"; guests are in user.
pu_ticks read_pu_ticks(const std::vector<int>& pus, const std::string& root) {
  pu_ticks all;
  std::istringstream file(read_file(root + "/proc/stat").bytes);
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream fields(line.substr(3));
    int pu = -1;
    if (line[3] == ' ' || !(fields >> pu) || std::ranges::find(pus, pu) == pus.end()) continue;
    std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
    std::int64_t steal = 0;
    fields >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    all.used += user + nice + system + irq + softirq;
    all.stolen += steal;
  }
  return all;
}

nlohmann::json describe_scheduler(const read_variable& variable) {
  for (const scheduler_words& words : schedulers()) {
    const char* const job = variable(words.job);
    if (!is_set(job)) continue;
    nlohmann::json found{{"name", words.name}, {"job", job}};
    for (const job_variable& each : words.more) {
      if (const char* const value = variable(each.variable); is_set(value))
        found[each.member] = value;
    }
    return found;
  }
  return nullptr;
}

nlohmann::json describe_scheduler() {
  return describe_scheduler([](const char* name) { return std::getenv(name); });
}

}  // namespace syncmeter
