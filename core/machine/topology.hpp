// The machine as hwloc sees it, what of it this process may use, which PU each lane gets, what two
// PUs share, and which of them are near to a device.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/axes.hpp"

namespace syncmeter {

/// Of a machine that is described by a file or a text: no real one has more.
inline constexpr unsigned most_pus = 4096;

/// One hardware thread (hwloc PU) that this process may use. All numbers are the operating system's
/// for `os`, and hwloc's logical indices for the rest; -1 where hwloc knows no such object.
struct processing_unit {
  int os = -1;  ///< the number that sched_setaffinity and sched_getcpu use
  int core = -1;
  int package = -1;
  int numa = -1;  ///< the nearest NUMA node
  int l2 = -1;    ///< which L2, L3 cache it sits under
  int l3 = -1;
  int thread_in_core = 0;  ///< 0 for the first hardware thread of its core, allowed or not
  int kind = 0;  ///< rank of its hwloc cpukind, 0 the least performant; 0 when homogeneous
};

/// The placement policies as a pure function of the PUs, which are in hwloc's logical order; see
/// topology::place for what each does. Throws std::invalid_argument as it does.
[[nodiscard]] std::vector<int> place_on(std::span<const processing_unit> units, affinity policy,
                                        unsigned lanes);

/// The share of its speed, 0 to 1, that each PU lost to others lately, by OS number; a PU that is
/// not there was left alone.
using busy_shares = std::map<int, double>;

/// As affinity::close, but on the quietest PUs: see topology::place. Throws as place_on does.
[[nodiscard]] std::vector<int> place_quietly(std::span<const processing_unit> units,
                                             const busy_shares& busy, unsigned lanes);

/// The PU whose first touch gives a point's mailboxes their home, for lanes on `pus`. `other` is a
/// PU of no lane: on a NUMA node of none of them where there is one, else in another package, else
/// any. Nothing where there is no such PU, or that lane has none.
[[nodiscard]] std::optional<int> home_pu(std::span<const processing_unit> units, home where,
                                         std::span<const int> pus);

/// Why there is no such PU, for the user.
[[nodiscard]] std::string why_no_home(home where);

/// Move-only owner of an hwloc topology. Throws std::runtime_error with hwloc's message.
class topology {
 public:
  /// This machine, as allowed: the cgroup's cpuset and the calling thread's affinity mask applied,
  /// a mask can be set without a cgroup. No OpenMP variable is looked at; but a runtime that was
  /// asked to bind (OMP_PROC_BIND) may have narrowed the main thread's mask before main() began.
  /// Where hwloc can discover nothing (HWLOC_COMPONENTS), the PUs of the mask stand alone. Also
  /// throws when hwloc's own variables (HWLOC_XMLFILE, HWLOC_SYNTHETIC) make it describe another
  /// machine.
  [[nodiscard]] static topology of_this_machine();
  /// From hwloc's synthetic description ("package:2 core:4 pu:2"), for tests.
  [[nodiscard]] static topology synthetic(const std::string& description);
  /// From an XML file that lstopo wrote.
  [[nodiscard]] static topology from_xml(const std::string& path);

  topology(topology&&) noexcept;
  topology& operator=(topology&&) noexcept;
  ~topology();

  /// The PUs that lanes may use, in hwloc's logical order (depth first: siblings are neighbours).
  /// Not of a temporary: a range-for over one would outlive it.
  [[nodiscard]] std::span<const processing_unit> units() const&;
  std::span<const processing_unit> units() const&& = delete;
  /// The OS numbers of these.
  [[nodiscard]] std::vector<int> allowed_pus() const;
  /// OS numbers of all PUs that hwloc sees, allowed or not, in its logical order.
  [[nodiscard]] std::vector<int> pus() const;
  /// Whether the machine has a PU of that OS number: allowed or not, online or not.
  [[nodiscard]] bool has_pu(int os) const;
  /// It describes the machine that this process runs on.
  [[nodiscard]] bool is_this_machine() const;
  /// Data-cache line in bytes (hwloc's L1d, else sysconf, else 64).
  [[nodiscard]] unsigned line_bytes() const;
  /// Number of cpukinds that hwloc tells apart and ranks; 1 on a homogeneous machine.
  [[nodiscard]] int kinds() const;
  /// What hwloc calls the kind of that rank ("IntelCore"), else "kind 1"; empty where cores are all
  /// alike.
  [[nodiscard]] std::string kind_name(int kind) const;
  /// hwloc tells which core a PU belongs to. Without that, no policy can tell siblings from cores.
  [[nodiscard]] bool knows_cores() const;
  /// Some core of the machine, allowed or not, has more than one hardware thread.
  [[nodiscard]] bool has_smt() const;

  /// The OS numbers of the PUs for `lanes` lanes under a policy; size() == lanes. For
  /// affinity::none every entry is -1 (not bound).
  ///  close:  fill the cores of one L3 (or package), one hardware thread per core, before the next
  ///          one; second hardware threads only when every core has one. Where the machine has
  ///          several kinds of core, those of the most performant kind come first.
  ///  spread: each further lane as far as possible from those already placed (other package, other
  ///          NUMA node, other L3, other L2, other core), hardware threads last. Among equally far
  ///          PUs, the emptiest package, NUMA node and caches, then the more performant kind.
  ///  smt:    all hardware threads of a core before the next core, neighbours first; the most
  ///          performant kind of core first, and of a kind the cores with most threads to use.
  ///  quiet:  as close, but each package, NUMA node, L3 and core after those that others used less,
  ///          so that few lanes stay together and off the busy PUs. Where nothing was busy, where
  ///          nobody looked, and with a lane for each PU: the same as close.
  /// The same machine gives the same placement, and but for quiet that of k lanes begins that of k
  /// + 1 lanes. Throws std::invalid_argument naming both numbers when lanes > units().size().
  [[nodiscard]] std::vector<int> place(affinity policy, unsigned lanes) const;

  /// What affinity::quiet goes by from now on.
  void avoid(busy_shares busy);
  /// The same; nothing where nobody looked.
  [[nodiscard]] const std::optional<busy_shares>& avoided() const;

  /// Packages, NUMA nodes, caches, cores and PUs as an indented text, one object a line; PUs that
  /// this process may not use are there too, and marked.
  [[nodiscard]] std::string describe() const;

  /// The hwloc_topology_t, for binding; valid while *this lives.
  [[nodiscard]] void* native() const;

 private:
  struct state;
  explicit topology(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// A limit on CPU time, and who set it.
struct cpu_quota {
  double cpus = 0;     ///< CPU time per time, in CPUs
  std::string source;  ///< the file that it is from
};
/// "1.5 CPUs", "1 CPU"
[[nodiscard]] std::string cpus_text(double cpus);
/// The smallest quota between this process's cgroup and the root of what is mounted, in both cgroup
/// versions (cpu.max; cpu.cfs_quota_us over cpu.cfs_period_us); nothing = unlimited. An ancestor's
/// limit binds its descendants too, so all of them are read. `root` goes before every path that is
/// read.
[[nodiscard]] std::optional<cpu_quota> read_cpu_quota(const std::string& root = "");

/// What a cpuset cgroup allows, and the file that it is from.
struct cpuset_grant {
  std::vector<int> pus;  ///< OS numbers, ascending
  std::string source;
};
/// From the nearest cgroup that tells, in both versions (cpuset.cpus.effective;
/// cpuset.effective_cpus, cpuset.cpus); nothing where none does. `root` as for read_cpu_quota.
[[nodiscard]] std::optional<cpuset_grant> read_cpuset(const std::string& root = "");
/// CPUs that are there and switched off (/sys/devices/system/cpu/offline).
[[nodiscard]] std::vector<int> read_offline_pus(const std::string& root = "");
/// The kernel's lists: "0-3,8" is 0, 1, 2, 3, 8. Nothing where the text is no such list.
[[nodiscard]] std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// What the container or scheduler grants.
struct cpu_grant {
  std::vector<int> allowed;  ///< OS numbers from the process's affinity mask and cpuset cgroup
  std::optional<double> quota_cpus{};  ///< what read_cpu_quota says, in CPUs; nothing = unlimited
  std::string quota_source{};          ///< the file that it is from
  std::vector<int> cpuset{};           ///< what read_cpuset says; empty = no cgroup tells
  std::string cpuset_source{};
  std::vector<int> offline{};     ///< what read_offline_pus says
  std::string unbound_because{};  ///< why no lane can be bound here; empty: lanes can be bound
};
/// `allowed` is the calling thread's mask: the kernel has already taken from it what the cpuset
/// cgroup does not allow, and what is offline. Throws std::runtime_error with the system's message
/// when it cannot be read.
[[nodiscard]] cpu_grant read_cpu_grant();
/// The directory of cgroup v2 that this process is in, as far as it is mounted; empty: none is.
/// `root` goes before every path that is read.
[[nodiscard]] std::string own_cgroup_directory(const std::string& root = "");

/// Lanes this process may use at once without oversubscribing: the PUs, capped at the quota rounded
/// down (at least 1).
[[nodiscard]] unsigned max_lanes(const topology& machine, const cpu_grant& grant);

/// Binds the calling thread to one PU (hwloc, thread, strict). Returns nothing on success, else a
/// sentence with the PU's number and the system's message.
[[nodiscard]] std::optional<std::string> bind_this_thread(const topology& machine, int os_pu);
/// Why lanes cannot be bound on this machine at all (a sandbox may forbid it), in one sentence;
/// nothing where they can. Tried on a thread of its own.
[[nodiscard]] std::optional<std::string> why_not_bound(const topology& machine);
/// Gives the calling thread every allowed PU again. A thread that has them all is left alone: that
/// succeeds also where binding is forbidden.
[[nodiscard]] std::optional<std::string> unbind_this_thread(const topology& machine);
/// The PU this thread runs on now, by the operating system's word (sched_getcpu); -1 if it will not
/// say.
[[nodiscard]] int current_pu();

/// The narrowest thing that two PUs share, from the closest to the farthest.
enum class sharing : std::uint8_t {
  core,
  l2,
  l3,
  numa_node,
  package,
  nothing,  ///< they are in different packages
  unknown   ///< hwloc tells neither's core nor package
};
constexpr auto names_of(sharing) {
  return spelled("same core", "same L2", "same L3", "same NUMA node", "same package",
                 "other package", "not known");
}
inline constexpr std::size_t sharing_classes = names_of(sharing{}).size();

/// What two PUs of one core have in common, and no others: the number of their core; a PU without a
/// core object is a core of its own.
[[nodiscard]] inline std::pair<int, int> core_of(const processing_unit& unit) {
  return {unit.core, unit.core < 0 ? unit.os : -1};
}

/// A cache that hwloc does not know is shared by nobody. Different packages share nothing, whatever
/// the indices of their caches say.
[[nodiscard]] sharing shared_by(const processing_unit& a, const processing_unit& b);

/// What tells pairs apart where cores are of several kinds: two fast cores under one L3 are not as
/// a fast and a slow one.
struct pair_class {
  sharing shared = sharing::nothing;
  int lower_kind = 0, higher_kind = 0;  ///< processing_unit::kind of the two
  friend auto operator<=>(const pair_class&, const pair_class&) = default;
};
[[nodiscard]] pair_class class_of(const processing_unit& a, const processing_unit& b);
/// "same L3"; where cores are of several kinds "same L3, kind 1", "same L3, kinds 0 and 1".
[[nodiscard]] std::string to_text(const pair_class& c, bool several_kinds);

struct pu_pair {
  int first = -1, second = -1;  ///< OS numbers
  sharing shared = sharing::nothing;
};

/// Above so many PUs a sample of pairs is measured.
inline constexpr std::size_t most_pus_for_all_pairs = 128;
/// Pairs of each class in such a sample: 120 in all, as many as 16 PUs have.
inline constexpr std::size_t pairs_per_class = 20;

/// Every pair once, in the order of `units`; of more than most_pus_for_all_pairs units, of each
/// class pairs_per_class of them, spread evenly over that order (all, where it has no more).
[[nodiscard]] std::vector<pu_pair> pairs_of(std::span<const processing_unit> units);
/// The sample, of however few units.
[[nodiscard]] std::vector<pu_pair> sampled_pairs(std::span<const processing_unit> units);

/// The PUs of this process as a device sees them. Ascending OS numbers.
struct device_neighbours {
  std::vector<int> near, far;
  int numa_node = -1;   ///< the device's, by the operating system's number; -1: not known
  std::string problem;  ///< why there is no near and far; empty when both are there
};

/// What Linux says of the PCI device `bus_id` ("0000:3B:00.0", in either case): `near` are those of
/// `allowed` in its local_cpulist, `far` the others. `root` goes before every path that is read.
[[nodiscard]] device_neighbours neighbours_of(const std::string& bus_id,
                                              std::span<const int> allowed,
                                              const std::string& root = "");

/// The PUs for a host thread that works with a device: near (home::first) or far (home::other);
/// none for home::none, where the thread may be anywhere. Throws std::invalid_argument with a
/// sentence for the user when there are none such.
[[nodiscard]] std::vector<int> pus_for(home where, const device_neighbours& device);

}  // namespace syncmeter
