// Where the threads of a program spend their CPU time, sampled by the kernel: what has no call that
// could be counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/advise/machine_code.hpp"

namespace syncmeter {

/// A moment at which a thread ran code of its program.
struct cpu_sample {
  std::uint64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint32_t process = 0, thread = 0;
};

/// What changed the code that a process has in its memory.
struct memory_event {
  enum class type : std::uint8_t { map, fork, exec };
  type what = type::map;
  std::uint64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t parent = 0;          ///< of a fork
  std::uint64_t first = 0, end = 0;  ///< addresses of a file that was mapped
  std::uint64_t offset = 0;          ///< in the file, of the first
  std::string path{};
};

/// Of one run of a program and of all that it starts.
struct cpu_samples {
  std::uint64_t period_ns = 0;  ///< CPU time of a thread from one sample to the next
  std::vector<cpu_sample> samples;
  std::vector<memory_event> events;
  std::uint64_t lost = 0;
};

/// Samples the program that the calling thread starts next, from its exec on.
class cpu_sampler {
 public:
  explicit cpu_sampler(std::uint64_t period_ns);
  cpu_sampler(const cpu_sampler&) = delete;
  cpu_sampler& operator=(const cpu_sampler&) = delete;
  ~cpu_sampler();

  /// Why the system does not let us; empty where it does.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// When the program has ended.
  [[nodiscard]] cpu_samples finish();

 private:
  class ring;
  void read_rings(const std::stop_token& stop);

  std::vector<std::unique_ptr<ring>> rings_;  ///< of all processors
  cpu_samples taken_;
  std::string problem_;
  std::jthread reader_;
};

/// Sites of locked instructions ("atomic"), and of loads and stores ("memory"), with their samples.
/// Instructions of the C library and of OpenMP's runtimes are left out: calls lead there. `problem`
/// is a sentence on modules that could not be looked into.
struct sampled_sites {
  std::vector<site> sites;
  std::string problem;
};
/// What stands at these offsets of a file.
using code_lookup = std::function<std::map<std::uint64_t, sampled_code>(
    const std::string& path, const std::set<std::uint64_t>& offsets)>;
[[nodiscard]] sampled_sites sites_of_samples(cpu_samples taken, double wall_s,
                                             const code_lookup& look_up = &code_at);

/// Threads that have a tenth or more of the samples of the one with most: others start them, or
/// wait.
[[nodiscard]] unsigned threads_at_work(const cpu_samples& taken);

/// Loads and stores with less of the samples are no site.
inline constexpr double least_share_of_memory = 0.2;
/// Once their lines are known: leaves those that a reader may want to know of, the greatest share
/// first, before the sites that are counted.
void choose_sampled_sites(std::vector<site>& sites);

}  // namespace syncmeter
