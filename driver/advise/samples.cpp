#include "driver/advise/samples.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "core/machine/topology.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/line_reader.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

perf_event_attr task_clock_of_programs(std::uint64_t period_ns) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period_ns;
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.mmap = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.sample_id_all = 1;
  return attributes;
}

template <class T> T value_at(const std::vector<char>& record, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= record.size())
    std::memcpy(&value, record.data() + offset, sizeof value);
  return value;
}

/// A record as perf_event_open(2) has it. `record` begins with its header.
void keep_record(const std::vector<char>& record, cpu_samples& to) {
  const auto header = value_at<perf_event_header>(record, 0);
  constexpr std::size_t body = sizeof header;
  const auto word = [&](std::size_t n) { return value_at<std::uint32_t>(record, body + n * 4); };
  const auto wide = [&](std::size_t n) { return value_at<std::uint64_t>(record, body + n * 8); };
  // Of all but samples, the time stands at the end.
  const auto time = value_at<std::uint64_t>(record, record.size() - sizeof(std::uint64_t));
  using enum memory_event::type;
  switch (header.type) {
  case PERF_RECORD_SAMPLE:
    to.samples.push_back(
        {.time_ns = wide(2), .address = wide(0), .process = word(2), .thread = word(3)});
    break;
  case PERF_RECORD_MMAP: {
    constexpr std::size_t name = body + 32;
    memory_event event{.what = map,
                       .time_ns = time,
                       .process = word(0),
                       .first = wide(1),
                       .end = wide(1) + wide(2),
                       .offset = wide(3)};
    if (record.size() > name)
      event.path =
          std::string(record.data() + name, ::strnlen(record.data() + name, record.size() - name));
    to.events.push_back(std::move(event));
    break;
  }
  case PERF_RECORD_FORK:
    if (word(0) != word(1))
      to.events.push_back({.what = fork, .time_ns = time, .process = word(0), .parent = word(1)});
    break;
  case PERF_RECORD_COMM:
    if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
      to.events.push_back({.what = exec, .time_ns = time, .process = word(0)});
    break;
  case PERF_RECORD_LOST:
    to.lost += wide(1);
    break;
  default:
    break;
  }
}

/// The reason is almost always this setting, or a container.
std::string refusal_text(int error) {
  std::string level = read_file("/proc/sys/kernel/perf_event_paranoid").bytes;
  while (!level.empty() && level.back() == '\n') level.pop_back();
  return fmt::format(
      "CPU time was not sampled, and atomic operations are no calls: they are not among the sites. "
      "The system refuses perf_event_open ({}; kernel.perf_event_paranoid is {}).",
      std::strerror(error), level.empty() ? "not known" : level);
}

/// Code that is in a process's memory.
struct mapped_code {
  std::uint64_t end = 0, offset = 0;
  std::string path;
};
using address_space = std::map<std::uint64_t, mapped_code>;

/// A sample, and where in a file its instruction is.
struct placed_sample {
  std::string_view path{};  ///< empty: not in a file
  std::uint64_t offset = 0;
  std::uint64_t slot = 0;  ///< of the time
  std::uint64_t thread = 0;
};

/// Time is cut into slots of so many periods: threads that ran side by side have samples in one.
constexpr std::uint64_t periods_in_slot = 10;

/// "[vdso]" and "//anon" are none.
bool is_of_file(std::string_view path) { return path.starts_with('/') && !path.starts_with("//"); }

/// Each sample in the memory that its process had when it was taken. Text is `paths'`.
std::vector<placed_sample> place_samples(cpu_samples& taken, std::set<std::string>& paths) {
  std::ranges::stable_sort(taken.samples, {}, &cpu_sample::time_ns);
  std::ranges::stable_sort(taken.events, {}, &memory_event::time_ns);
  std::unordered_map<std::uint32_t, address_space> processes;
  auto event = taken.events.begin();
  std::vector<placed_sample> placed;
  placed.reserve(taken.samples.size());
  for (const cpu_sample& sample : taken.samples) {
    for (; event != taken.events.end() && event->time_ns <= sample.time_ns; ++event) {
      using enum memory_event::type;
      if (event->what == exec) processes[event->process].clear();
      if (event->what == fork) processes[event->process] = processes[event->parent];
      if (event->what == map)
        processes[event->process].insert_or_assign(
            event->first, mapped_code{event->end, event->offset, event->path});
    }
    const address_space& space = processes[sample.process];
    placed_sample here{.slot = (sample.time_ns - taken.samples.front().time_ns) /
                               (taken.period_ns * periods_in_slot),
                       .thread = std::uint64_t{sample.process} << 32U | sample.thread};
    if (auto code = space.upper_bound(sample.address); code != space.begin()) {
      --code;
      if (sample.address < code->second.end && is_of_file(code->second.path)) {
        here.path = *paths.insert(code->second.path).first;
        here.offset = sample.address - code->first + code->second.offset;
      }
    }
    placed.push_back(here);
  }
  return placed;
}

/// Whether calls that the probe counts lead into it.
bool is_behind_calls(std::string_view path) {
  const std::string name(path.substr(path.rfind('/') + 1));
  return probe::is_runtime(name.c_str()) ||
         starts_with_any(name, {"libc.so", "libc-", "libpthread", "ld-linux", "ld-2."});
}

/// Those of one program or library, by page of its file.
struct module_samples {
  static constexpr std::uint64_t page_bytes = 4096;
  double taken = 0;
  std::map<std::uint64_t, std::vector<std::uint64_t>> offsets{};

  void add(std::uint64_t offset) {
    ++taken;
    offsets[offset / page_bytes].push_back(offset);
  }
  /// Those of pages with so many samples: a large library has some everywhere, which are no site.
  [[nodiscard]] std::set<std::uint64_t> frequent(double least) const {
    std::set<std::uint64_t> found;
    for (const auto& [page, of_page] : offsets)
      if (static_cast<double>(of_page.size()) >= least)
        found.insert(of_page.begin(), of_page.end());
    return found;
  }
};

/// Sums over the sites of each function; one whose function is not known is alone.
void add_up_functions(std::vector<site>& sites) {
  std::map<std::pair<std::string, std::string>, site_samples> functions;
  const auto function_of = [](const site& of) {
    const std::string name = of.frames.empty() ? "" : of.frames.back().function;
    return std::pair(of.module, name.empty() ? fmt::to_string(of.offset) : name);
  };
  for (const site& each : sites) {
    if (!each.samples) continue;
    site_samples& sum = functions[function_of(each)];
    sum.function_share += each.kind == "atomic" ? each.samples->share : 0;
    sum.function_path_share += each.samples->path_share;
  }
  for (site& each : sites) {
    if (!each.samples) continue;
    const site_samples& sum = functions[function_of(each)];
    each.samples->function_share = sum.function_share;
    each.samples->function_path_share = sum.function_path_share;
  }
}

/// An atomic operation with less is no site, and a module with less is not looked into.
constexpr double least_share_shown = 0.01;

/// The samples of one site while they are added up.
struct sample_sums {
  std::uint64_t taken = 0;
  double of_moments = 0;  ///< samples, each divided by the threads that were at work beside it
  std::map<std::uint64_t, std::uint64_t> by_thread{};
  std::map<std::uint64_t, std::set<std::uint64_t>> threads_by_slot{};

  [[nodiscard]] unsigned threads() const {
    std::size_t most = 0;
    for (const auto& [slot, threads] : threads_by_slot) most = std::max(most, threads.size());
    return static_cast<unsigned>(most);
  }
  /// What a change can save at most, in samples: what one thread has, or threads in turn.
  [[nodiscard]] double of_path() const {
    double most = of_moments;
    for (const auto& [thread, samples] : by_thread)
      most = std::max(most, static_cast<double>(samples));
    return most;
  }
};

}  // namespace

/// One processor's event, and the memory into which the kernel writes.
class cpu_sampler::ring {
 public:
  /// It is open where errno's value is 0.
  ring(int cpu, std::uint64_t period_ns) {
    perf_event_attr attributes = task_clock_of_programs(period_ns);
    event_.reset(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
    if (event_)
      pages_ = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event_.get(), 0);
    if (pages_ == MAP_FAILED) error_ = errno;
  }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring() {
    if (pages_ != MAP_FAILED) ::munmap(pages_, bytes());
  }
  [[nodiscard]] int error() const { return error_; }

  /// Takes what the kernel has written since the last time.
  void drain(cpu_samples& to) {
    auto& page = *static_cast<perf_event_mmap_page*>(pages_);
    const char* const data = static_cast<const char*>(pages_) + page_bytes();
    const std::uint64_t head = __atomic_load_n(&page.data_head, __ATOMIC_ACQUIRE);
    std::uint64_t tail = page.data_tail;
    std::vector<char> record;
    const auto copy = [&](std::size_t size) {
      record.resize(size);
      for (std::size_t i = 0; i < size; ++i) record[i] = data[(tail + i) % data_bytes];
    };
    while (tail + sizeof(perf_event_header) <= head) {
      copy(sizeof(perf_event_header));
      const std::size_t size = value_at<perf_event_header>(record, 0).size;
      if (size < sizeof(perf_event_header) || tail + size > head) break;
      copy(size);
      keep_record(record, to);
      tail += size;
    }
    __atomic_store_n(&page.data_tail, tail, __ATOMIC_RELEASE);
  }

 private:
  /// 8 s of samples, and no more than the kernel lets any user have for each processor.
  static constexpr std::size_t data_bytes = std::size_t{1} << 18U;
  static std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  static std::size_t bytes() { return page_bytes() + data_bytes; }

  unique_fd event_;
  void* pages_ = MAP_FAILED;
  int error_ = 0;
};

void cpu_sampler::read_rings(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  for (std::unique_lock lock(mutex); !stop.stop_requested();) {
    stopped.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
    for (const auto& each : rings_) each->drain(taken_);
  }
}

cpu_sampler::cpu_sampler(std::uint64_t period_ns) {
  taken_.period_ns = period_ns;
  for (const int cpu : read_cpu_grant().allowed) {
    rings_.push_back(std::make_unique<ring>(cpu, period_ns));
    if (rings_.back()->error() == 0) continue;
    problem_ = refusal_text(rings_.back()->error());
    return;
  }
  reader_ = std::jthread([this](const std::stop_token& stop) { read_rings(stop); });
}

cpu_sampler::~cpu_sampler() = default;

cpu_samples cpu_sampler::finish() {
  reader_.request_stop();
  reader_.join();
  for (const auto& each : rings_) each->drain(taken_);
  return std::move(taken_);
}

sampled_sites sites_of_samples(cpu_samples taken, double wall_s, const code_lookup& look_up) {
  sampled_sites found;
  std::set<std::string> paths;
  const std::vector<placed_sample> placed = place_samples(taken, paths);
  std::unordered_map<std::uint64_t, double> at_work;  // by slot; a wait in a runtime is no work
  const auto all = static_cast<double>(placed.size());
  std::map<std::string_view, module_samples> modules;
  for (const placed_sample& sample : placed) {
    if (!probe::is_runtime(std::string(sample.path).c_str())) ++at_work[sample.slot];
    if (sample.path.empty() || is_behind_calls(sample.path)) continue;
    modules[sample.path].add(sample.offset);
  }
  std::map<std::string_view, std::map<std::uint64_t, sampled_code>> code;
  for (const auto& [path, of_module] : modules) {
    if (of_module.taken < least_share_shown * all) continue;
    try {
      code[path] = look_up(std::string(path), of_module.frequent(least_share_shown / 2 * all));
    } catch (const disassembly_error& error) {
      found.problem =
          fmt::format("Samples of CPU time in {} are of no site: {}.", path, error.what());
    }
  }
  std::map<std::pair<std::string_view, std::uint64_t>, std::pair<sampled_code, sample_sums>> sums;
  const double period_s = static_cast<double>(taken.period_ns) * 1e-9;
  for (const placed_sample& sample : placed) {
    const auto& of_module = code[sample.path];
    const auto here = of_module.find(sample.offset);
    if (here == of_module.end() || here->second.kind.empty()) continue;
    auto& [what, sum] = sums[{sample.path, here->second.address}];
    what = here->second;
    ++sum.taken;
    sum.of_moments += std::min(1.0, static_cast<double>(periods_in_slot) / at_work[sample.slot]);
    ++sum.by_thread[sample.thread];
    sum.threads_by_slot[sample.slot].insert(sample.thread);
  }
  for (const auto& [where, of_site] : sums) {
    const auto& [what, sum] = of_site;
    found.sites.push_back(
        {.kind = what.kind,
         .module = std::string(where.first),
         .offset = what.address,
         .threads = sum.threads(),
         .samples = site_samples{.taken = sum.taken,
                                 .share = static_cast<double>(sum.taken) / all,
                                 .path_share = std::min(1.0, sum.of_path() * period_s / wall_s)},
         .operation = what.kind == "memory" ? "" : what.operation});
  }
  return found;
}

unsigned threads_at_work(const cpu_samples& taken) {
  constexpr std::uint64_t of_most = 10;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> by_thread;
  for (const cpu_sample& each : taken.samples) ++by_thread[{each.process, each.thread}];
  std::uint64_t most = 0;
  for (const auto& [thread, samples] : by_thread) most = std::max(most, samples);
  return static_cast<unsigned>(std::ranges::count_if(
      by_thread, [most](const auto& each) { return each.second * of_most >= most; }));
}

void choose_sampled_sites(std::vector<site>& sites) {
  add_up_functions(sites);
  std::erase_if(sites, [](const site& each) {
    const bool memory = each.kind == "memory";
    return each.samples &&
           (each.samples->share < (memory ? least_share_of_memory : least_share_shown) ||
            (memory && each.threads < 2));
  });
  std::ranges::stable_sort(sites, std::ranges::greater{}, [](const site& each) {
    return each.samples ? each.samples->share : -1.0;
  });
}

}  // namespace syncmeter
