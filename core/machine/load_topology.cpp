#include "core/machine/load_topology.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/read_file.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("hwloc: {}: {}", what, std::strerror(error)));
}

topology_owner new_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) fail("cannot start", errno);
  return topology_owner(raw);
}

/// Disallowed PUs stay in the tree, so that what the machine has and what may be used can both be
/// listed. Distances and memory attributes are neither used nor free to find.
void load(hwloc_topology_t t, const std::string& what, unsigned long more_flags = 0) {
  const unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                              HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                              more_flags;
  if (hwloc_topology_set_flags(t, flags) != 0) fail("cannot set flags for " + what, errno);
  if (hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) != 0) {
    fail("cannot leave out instruction caches of " + what, errno);
  }
  // hwloc fails without a reason on some malformed descriptions.
  errno = 0;
  if (hwloc_topology_load(t) != 0) fail("cannot load " + what, errno != 0 ? errno : EINVAL);
}

/// hwloc takes a file's word for the number of a PU, also where another PU has it.
void check_pus(hwloc_topology_t t, const std::string& what) {
  const int pus = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
  if (pus > static_cast<int>(most_pus)) refuse_pus(what, pus);
  std::set<unsigned> numbers;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!numbers.insert(pu->os_index).second)
      throw std::runtime_error(
          fmt::format("hwloc: cannot load {}: two CPUs have the os_index {}", what, pu->os_index));
    if (hwloc_bitmap_weight(pu->cpuset) != 1 || hwloc_bitmap_isset(pu->cpuset, pu->os_index) == 0)
      throw std::runtime_error(fmt::format(
          "hwloc: cannot load {}: the cpuset of CPU {} is not that CPU alone", what, pu->os_index));
  }
}

/// The PUs of the mask and nothing else, for an hwloc that sees no machine at all (HWLOC_COMPONENTS
/// may have taken away all that discovers one): lanes can be bound to PUs all the same.
topology_owner load_pus_alone(const std::vector<int>& mask) {
  topology_owner tree = new_topology();
  const std::string description =
      fmt::format("[numa(memory=0)] pu:{}(indexes={})", mask.size(), fmt::join(mask, ","));
  if (hwloc_topology_set_synthetic(tree.get(), description.c_str()) != 0)
    fail("cannot describe the CPUs of this process's affinity mask", errno);
  load(tree.get(), "the CPUs of this process's affinity mask", HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  return tree;
}

constexpr unsigned most_index = 1U << 20U;

// Of an attribute in the text of a tag.
std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (auto at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const auto value = at + name.size();  // behind which there is ="..."
    const bool begins = at != 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\n');
    if (!begins || value + 1 >= tag.size() || tag[value] != '=') continue;
    return tag.substr(value + 2, tag.find(tag[value + 1], value + 2) - (value + 2));
  }
  return std::nullopt;
}

bool is_index(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number <= most_index;
}

}  // namespace

void refuse_pus(const std::string& what, double pus) {
  throw std::runtime_error(
      fmt::format("{} has {:.0f} CPUs; at most {} can be used", what, pus, most_pus));
}

// What somebody wrote may crash hwloc: an XML object without complete_cpuset does.
topology_owner load_described(const std::string& what,
                              const std::function<int(hwloc_topology_t)>& describe) {
  const auto load_it = [&] {
    topology_owner tree = new_topology();
    if (describe(tree.get()) != 0) fail("cannot read " + what, errno);
    load(tree.get(), what);
    return tree;
  };
  if (const std::string why = failed_trial([&] { (void)load_it(); }); !why.empty())
    throw std::runtime_error(fmt::format("hwloc: cannot load {}: {}", what, why));
  topology_owner tree = load_it();
  check_pus(tree.get(), what);
  return tree;
}

topology_owner load_this_machine(const std::vector<int>& mask) {
  topology_owner tree = new_topology();
  try {
    load(tree.get(), "this machine");
    return tree;
  } catch (const std::runtime_error&) {
    // Who names a machine to hwloc must hear that it cannot be read.
    for (const char* const named : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"}) {
      if (std::getenv(named) != nullptr) throw;
    }
    return load_pus_alone(mask);
  }
}

std::string flaw_in_indices(std::string_view xml) {
  constexpr std::string_view object = "<object";
  for (auto at = xml.find(object); at != std::string_view::npos; at = xml.find(object, at + 1)) {
    const std::string_view tag = xml.substr(at, xml.find('>', at) - at);
    const auto type = attribute(tag, "type");
    if (type != "PU" && type != "NUMANode") continue;
    const auto index = attribute(tag, "os_index");
    if (!index) return fmt::format("a {} has no os_index", *type);
    if (!is_index(*index))
      return fmt::format("the os_index of a {} is not a number from 0 to {}", *type, most_index);
  }
  return {};
}

std::string flaw_in_xml_file(const std::string& path) {
  const file_bytes xml = read_file(path);
  if (xml.error != 0 && xml.error != ENOENT)
    return fmt::format("it cannot be read: {}", std::strerror(xml.error));
  return flaw_in_indices(xml.bytes);
}

double pus_described(std::string_view description) {
  double pus = 1;
  int brackets = 0;
  for (std::size_t at = 0; at < description.size(); ++at) {
    const char c = description[at];
    if (c == '(' || c == '[') ++brackets;
    if (c == ')' || c == ']') --brackets;
    const char before = at == 0 ? ' ' : description[at - 1];
    if (brackets != 0 || c < '0' || c > '9' || (before != ':' && before != ' ')) continue;
    unsigned long long count = std::numeric_limits<unsigned long long>::max();
    (void)std::from_chars(description.data() + at, description.data() + description.size(), count);
    pus *= static_cast<double>(count);
  }
  return pus;
}

std::string failed_trial(const std::function<void()>& work, std::chrono::seconds at_most) {
  const pid_t child = ::fork();
  if (child < 0) return {};  // then without a trial
  if (child == 0) {
    // The parent reports how it ended.
    if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0)
      ::dup2(nowhere, STDERR_FILENO);
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM}) ::signal(number, SIG_DFL);
    ::alarm(static_cast<unsigned>(at_most.count()));
    try {
      work();
    } catch (const std::exception&) {
      // An error with a message: the parent meets it again.
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {};
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("it took longer than {} s", at_most.count());
  return status == 0 ? std::string{} : std::string("it crashed");
}

}  // namespace syncmeter
