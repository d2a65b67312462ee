// What the probe counted in all processes of a run, by site.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/kernel_counts.hpp"

namespace syncmeter {

/// A function of the program's source that a call is in, or was inlined into.
struct source_frame {
  std::string function;  ///< empty: not known
  std::string file;      ///< likewise
  unsigned line = 0;     ///< 0: not known
  friend auto operator<=>(const source_frame&, const source_frame&) = default;
};

/// What Kokkos calls a kernel or a fence of the program, and where the program calls Kokkos for it.
struct kokkos_label {
  std::string text;  ///< empty: they differ from call to call
  std::string module{};
  std::uint64_t offset = 0;  ///< as of a site
  friend auto operator<=>(const kokkos_label&, const kokkos_label&) = default;
};

/// Of many intervals, over all threads.
struct interval_times {
  double sum_ns = 0;
  double long_ns = 0;    ///< of it, that of intervals beyond 1 ms
  double median_ns = 0;  ///< of the lateness at meetings: without the threads that came last
};

/// What was timed of a site: of one event in `every`.
struct site_times {
  std::uint64_t timed = 0;  ///< regions; of all else calls, each thread's
  std::uint64_t every = 1;
  unsigned threads = 0;  ///< that meet; of a lock 0
  /// Of threads that meet: from a thread's arrival to the last one's; of a wait for a signal: from
  /// the call to the last signal.
  interval_times lateness{};
  interval_times mechanism{};  ///< from the last arrival, or signal, to the return
  interval_times call{};       ///< any other kind: from the call to its return
  interval_times held{};       ///< lock: from the return of the call to the release
  interval_times work{};       ///< chunk: from the return of the call to the next call
  double fork_ns = 0;          ///< of regions: from the call to the begin, over all threads
  double inside_ns = 0;        ///< of regions: from the begin to the end, over all threads
  /// Of threads that meet, over all: those that met another one on their processor.
  std::uint64_t same_processor = 0;
  /// Of signals to a thread that waits: those sent by one that had the lock that it takes again.
  std::uint64_t under_lock = 0;
  std::uint64_t to_all = 0;   ///< of them, those that wake all who wait
  std::uint64_t in_vain = 0;  ///< of waits for a signal that came: the thread waits for the next
                              ///< one at once
};

/// Time of the program that a site takes, as far as it was timed: of one thread's path, not the sum
/// of all threads.
struct site_cost {
  double lateness_s = 0;      ///< waiting for the last thread to arrive, or for a signal
  double mechanism_s = 0;     ///< from its arrival on; of a region with the begin
  double call_s = 0;          ///< any other kind: the calls
  double held_s = 0;          ///< holding the lock
  double work_s = 0;          ///< working on chunks
  std::size_t run = 0;        ///< the number of the run, from 1 on; 0: not known
  double wall_s = 0;          ///< of that run; 0: not known
  bool is_disturbed = false;  ///< others had the processors in that run

  [[nodiscard]] double in_all_s() const { return lateness_s + mechanism_s; }
  /// The calls, or from the last arrival or signal on.
  [[nodiscard]] double in_calls_s() const { return mechanism_s + call_s; }
};

/// Samples of CPU time at a site.
struct site_samples {
  std::uint64_t taken = 0;
  double share = 0;       ///< of all samples
  double path_share = 0;  ///< of the wall time, what one thread spends there, or threads in turn
  /// The sums over the locked instructions of the function that the site is in, and over those and
  /// its loads and stores: they may wait for the same lines.
  double function_share = 0, function_path_share = 0;
};

/// Of a site's calls those that took one lock, over all threads.
struct lock_use {
  std::uint64_t count = 0;
  std::uint64_t timed = 0, every = 1;  ///< one call in `every` was to be timed
  std::uint64_t contended = 0;         ///< timed calls that found the lock taken
  double call_ns = 0;                  ///< timed calls, from the call to its return
  double contended_call_ns = 0;        ///< part of call_ns for contended calls, to an eighth
  double held_ns = 0;                  ///< timed calls, from the return of the call to the release
  double short_held_ns = 0;            ///< 10th percentile, in the thread that has the shortest

  /// Returns a sum over the timed calls as an estimate for all calls.
  [[nodiscard]] double for_all_calls(double sum_ns) const {
    return timed == 0 ? 0 : sum_ns * static_cast<double>(count) / static_cast<double>(timed);
  }
};

/// What the GPU did for a site's calls, as CUPTI tells it.
struct device_times {
  std::uint64_t works = 0;                  ///< kernels, graphs or copies
  interval_times busy{};                    ///< how long each took
  interval_times idle{};                    ///< how long the GPU had nothing to do before each
  std::uint64_t first_ns = 0, last_ns = 0;  ///< the first one's begin and the last one's end, by a
                                            ///< clock that all sites have
};

/// A kernel of a timed run, by the grid that it was launched with.
struct kernel_times {
  std::string symbol;  ///< as the linker has it
  std::uint64_t blocks = 0, block_threads = 0;
  std::uint64_t launches = 0;
  double busy_s = 0;  ///< over all of them
};

/// Where an instruction of a GPU's code is.
struct kernel_code {
  std::string symbol;         ///< the kernel's, as the linker has it
  unsigned instructions = 0;  ///< of the kernel
  unsigned loop = 0;          ///< instructions of the shortest loop around it; 0: in none
  bool loop_waits = false;    ///< the threads of a block meet at a barrier instruction in that loop
  bool is_before_spin = false;  ///< behind it a load is repeated until it has another value
  /// What one takes, in ns, and on which grid; each thread on a cell of its own.
  std::optional<double> price_ns{};
  std::string priced_on{};
  std::optional<kernel_times> ran{};  ///< in the timed run, over all its grids; the blocks are
                                      ///< those of the grid that took longest
};

/// What is known of a condition at a site that waits for it or signals it.
struct condition_use {
  std::uint64_t lock = 0;             ///< that waits for it give back
  std::uint64_t outer = 0;            ///< and another one before, under that; 0: none
  std::uint64_t calls = 0;            ///< of all that were counted
  std::set<std::uint64_t> waiters{};  ///< their numbers
  /// Of signals to a thread that waits, as timed, and those sent by one that had the lock.
  std::uint64_t signals = 0, under_lock = 0;
  std::uint64_t to_all = 0;  ///< and those that wake all who wait
  /// Of waits, as timed, and those whose thread waits for the next signal at once.
  std::uint64_t waits = 0, in_vain = 0;
  /// And those before whose next one the thread gives back the outer lock.
  std::uint64_t with_own_lock = 0;

  void add(const condition_use& other);
};

/// How a lock went from thread to thread.
struct lock_owners {
  std::uint64_t followed = 0, changes = 0;  ///< acquisitions, and those by another thread
  std::uint64_t address = 0;
  std::set<std::uint32_t> threads{};  ///< that take it, by number; one after another is one
};

/// A call in the program's code, in teams of one size; or an instruction, which is not counted.
struct site {
  std::string kind;
  std::string module;                    ///< path of the program or library
  std::uint64_t offset = 0;              ///< of the call's last byte, as addr2line takes it
  std::vector<std::uint64_t> places{};   ///< likewise, of a barrier all from which it is called
  unsigned team = 0;                     ///< 0: of no team
  std::uint64_t count = 0;               ///< of calls; of barriers, once for all threads that met;
                                         ///< 0: not known
  unsigned threads = 0;                  ///< that called it, as many as lived at the same time
  std::vector<std::uint64_t> callers{};  ///< their numbers, ascending; of an instruction none
  std::vector<source_frame> frames{};    ///< innermost first
  std::optional<kokkos_label> label{};   ///< of Kokkos, and of OpenMP's in a kernel of it
  std::optional<site_times> times{};
  std::vector<site_cost> cost_of_runs{};  ///< in each timed run, where there are several
  std::optional<site_samples> samples{};
  std::string operation{};     ///< of an instruction its class, of a call in the code the function
  unsigned copies = 1;         ///< that the compiler made of it
  std::string architecture{};  ///< of a GPU's instruction; there operation is its opcode
  bool in_loop = false;        ///< a branch of a GPU's code goes back over it
  std::optional<kernel_code> code{};          ///< of a GPU's instruction
  std::map<std::uint64_t, lock_use> locks{};  ///< by the number of the lock; of the timed run alone
  std::map<std::uint64_t, condition_use> conditions{};  ///< likewise
  std::optional<device_times> device{};                 ///< likewise, of a call of CUDA
  std::vector<kernel_use> kernels{};  ///< of a call that launches some, of the run that patches
                                      ///< them
};

/// A row of record/site_kinds.def.
struct kind_of_call {
  std::string_view name, waits, lock;
};
/// All empty of what is no call.
[[nodiscard]] kind_of_call find_call(std::string_view kind_of_site);
/// A wait for a signal takes again what another call took.
[[nodiscard]] inline bool is_for_lock(const site& of) {
  return of.kind != "cond_wait" && !find_call(of.kind).lock.empty();
}

/// A smaller share of the time is worth no advice, and no price.
inline constexpr double least_worth_saying = 0.02;

/// Whether two runs of a program have it both.
[[nodiscard]] bool is_same_site(const site& of, const site& of_another_run);

/// Processes without counts, or with partial counts.
struct refused_processes {
  std::string program;  ///< path, or empty
  std::string reason;
  std::uint64_t number = 1;
};
/// Returns "2 processes of /bin/app (No space left on device)", for a sentence.
[[nodiscard]] std::string refused_text(const std::vector<refused_processes>& refused);

struct call_counts {
  std::vector<site> sites;  ///< the greatest count first
  std::uint64_t lost_calls = 0;
  unsigned processes = 0;
  std::vector<refused_processes> refused{};       ///< each program and reason once
  std::map<std::uint64_t, lock_owners> owners{};  ///< by the number of the lock
  std::vector<kernel_times> kernels{};            ///< the one that takes longest first
  /// From the first counted call of CUDA to the end of the program; nothing where it made none, or
  /// did not end by itself.
  std::optional<double> cuda_span_s{};
  /// How long threads were ready to run and had no processor, over all processes whose threads met
  /// where that is timed; nothing where that is not known of one of these.
  std::optional<double> run_delay_s{};
  std::vector<std::string> problems_of_cuda{};  ///< why its calls were not counted in a process
  unsigned gpu_processes = 0;                   ///< that had a GPU do something, in a timed run
};

/// Reads every counts file in the folders. A process with a damaged or deleted file is refused. A
/// call that acquires a lock has waited if the call took `waits_from_ns` or longer.
[[nodiscard]] call_counts read_counts(const std::vector<std::string>& folders,
                                      double waits_from_ns);

/// "1,234,567".
[[nodiscard]] std::string grouped_digits(std::uint64_t number);

}  // namespace syncmeter
