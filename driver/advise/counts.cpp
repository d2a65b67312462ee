#include "driver/advise/counts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "driver/advise/site_keys.hpp"
#include "driver/text/parse_axes.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

/// Bytes of a file as objects, as far as they go.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T> [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::string text(std::uint64_t first, std::uint64_t end) const {
    const std::string_view whole = bytes_.substr(0, end);
    return first >= whole.size()
               ? ""
               : std::string(whole.substr(first, whole.find('\0', first) - first));
  }

 private:
  std::string_view bytes_;
};

struct row_of_thread {
  probe::row row;
  std::uint32_t thread;
};

/// One site's intervals while files are read.
struct times_sums {
  site_times times;
  std::array<std::uint64_t, std::size(probe::interval_sums{}.buckets)> lateness{}, mechanism{};
};

/// The same of what the GPU did.
struct device_sums {
  device_times times;
  std::array<std::uint64_t, std::size(probe::interval_sums{}.buckets)> busy{}, idle{};
};

struct site_sums {
  std::uint64_t count = 0;
  std::set<std::uint64_t> callers{};
  std::set<std::uint64_t> places{};
  std::optional<times_sums> times{};
  std::map<std::uint64_t, lock_use> locks{};
  std::map<std::uint64_t, condition_use> conditions{};
  std::optional<device_sums> device{};
  std::vector<kernel_use> kernels{};
};

/// The number of a thread, from 0 on, or of an object among those of all processes.
std::uint64_t number_in_all(std::uint64_t number, unsigned process) {
  return std::uint64_t{process} << 32U | number;
}

/// The number of a lock among those of all processes; 0 of none.
std::uint64_t lock_of(std::uint64_t object, unsigned process) {
  return object == 0 ? 0 : number_in_all(object, process);
}

/// A wait for a signal or a signal, whose object is a condition; not known of which one if there
/// was no room for it.
bool has_condition(const auto& part) {
  const auto what = static_cast<probe::kind>(part.kind);
  return part.object != 0 && (what == probe::kind::signal || what == probe::kind::cond_wait);
}

/// The lock that a row or its times are about. Of a wait for a signal that is the lock of its
/// condition, which the site has, too; of a signal none.
lock_use* use_in(site_sums& of, const auto& part, unsigned process, const condition_locks& locks) {
  if (part.object == 0 || !has_lock(part.kind)) return nullptr;
  if (!has_condition(part)) return &of.locks[lock_of(part.object, process)];
  const auto known = locks.find(part.object);
  const locks_of_condition of_condition =
      known == locks.end() ? locks_of_condition{} : known->second;
  const std::uint64_t lock = lock_of(of_condition.lock, process);
  condition_use& use = of.conditions[lock_of(part.object, process)];
  use.lock = lock;
  use.outer = lock_of(of_condition.outer, process);
  return static_cast<probe::kind>(part.kind) == probe::kind::signal || lock == 0 ? nullptr
                                                                                 : &of.locks[lock];
}

void add_rows(const std::vector<row_of_thread>& rows, const process_names& names,
              const places_of_barriers& places, call_counts& all,
              std::map<site_key, site_sums>& sums) {
  for (const auto& [row, thread] : rows) {
    const auto key = key_of(names, row.address, row.kind, row.team, row.object);
    if (!key) continue;
    site_sums& of = sums[places.of(*key)];
    of.count += row.count;
    of.places.insert(std::get<place_in_key>(*key));
    if (lock_use* const use = use_in(of, row, all.processes, names.locks)) use->count += row.count;
    if (has_condition(row)) {
      condition_use& use = of.conditions[lock_of(row.object, all.processes)];
      use.calls += row.count;
      if (static_cast<probe::kind>(row.kind) == probe::kind::cond_wait)
        use.waiters.insert(number_in_all(thread, all.processes));
    }
    if (const auto owners = all.owners.find(lock_of(row.object, all.processes));
        has_lock(row.kind) && owners != all.owners.end())
      owners->second.threads.insert(thread);
    of.callers.insert(number_in_all(thread, all.processes));
  }
}

void add_intervals(const probe::interval_sums& from, interval_times& to, auto& buckets) {
  to.sum_ns += static_cast<double>(from.sum_ns);
  to.long_ns += static_cast<double>(from.long_ns);
  for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += from.buckets[i];
}

void add_times(const probe::times_block& block, site_sums& to) {
  if (!to.times) to.times.emplace();
  auto& [times, lateness, mechanism] = *to.times;
  times.timed += block.timed;
  times.every = block.every;
  times.threads = static_cast<unsigned>(block.threads);
  times.fork_ns += static_cast<double>(block.fork_ns);
  times.inside_ns += static_cast<double>(block.inside_ns);
  times.same_processor += block.same_processor;
  times.under_lock += block.under_lock;
  times.to_all += block.to_all;
  times.in_vain += block.in_vain;
  add_intervals(block.lateness, times.lateness, lateness);
  add_intervals(block.mechanism, times.mechanism, mechanism);
}

double middle_of(std::uint32_t bucket) {
  return static_cast<double>(probe::bucket_start(bucket) + probe::bucket_start(bucket + 1)) / 2;
}

/// The middle of the bucket in which this share of the intervals ends.
double quantile_of(const auto& buckets, double share) {
  double all = 0, below = 0;
  for (const std::uint64_t in_bucket : buckets) all += static_cast<double>(in_bucket);
  for (std::uint32_t i = 0; i < std::size(buckets); ++i) {
    below += static_cast<double>(buckets[i]);
    if (below >= share * all && all > 0) return middle_of(i);
  }
  return 0;
}

void add_lock_times(const probe::times_block& block, double waits_from_ns, lock_use& to) {
  const double held_ns = quantile_of(block.hold.buckets, 0.1);
  to.short_hold_ns = to.timed == 0 ? held_ns : std::min(to.short_hold_ns, held_ns);
  to.timed += block.timed;
  to.hold_ns += static_cast<double>(block.hold.sum_ns);
  // What a wait for a signal waits for is not the lock alone; behind it the lock is held.
  if (block.kind == static_cast<std::uint32_t>(probe::kind::cond_wait)) return;
  to.wait_ns += static_cast<double>(block.mechanism.sum_ns);
  to.section_ns += static_cast<double>(block.lateness.sum_ns);
  for (auto i = probe::bucket_of(static_cast<std::uint64_t>(waits_from_ns));
       i < std::size(block.mechanism.buckets); ++i) {
    to.waited += block.mechanism.buckets[i];
    to.waited_ns += block.mechanism.buckets[i] * middle_of(i);
  }
}

void add_device(const probe::device_block& block, site_sums& of) {
  if (!of.device) of.device.emplace();
  auto& [to, busy, idle] = *of.device;
  if (to.works == 0 || block.first_start < to.first_ns) to.first_ns = block.first_start;
  to.last_ns = std::max(to.last_ns, block.last_end);
  to.works += block.works;
  add_intervals(block.busy, to.busy, busy);
  add_intervals(block.idle, to.idle, idle);
}

void add_kernel_to(site_sums& of, kernel_use kernel) {
  const auto known = std::ranges::find(of.kernels, kernel.name, &kernel_use::name);
  if (known == of.kernels.end()) of.kernels.push_back(std::move(kernel));
  else add_kernel(kernel, *known);
}

void add_objects(const byte_reader& file, std::uint64_t at, call_counts& all,
                 condition_locks& locks) {
  const auto block = file.at<probe::objects_block>(at);
  if (!block) return;
  for (std::uint32_t i = 0; i < probe::most_objects; ++i)
    if (block->of[i].guard != 0)
      locks[i + 1] = {.lock = block->of[i].guard, .outer = block->of[i].outer};
    else if (block->addresses[i].address != 0)
      all.owners[lock_of(i + 1, all.processes)] = {.followed = block->of[i].followed,
                                                   .changes = block->of[i].owner_changes,
                                                   .address = block->addresses[i].address};
}

void add_kernel_times(const byte_reader& file, std::uint64_t at, std::uint64_t end,
                      call_counts& all) {
  const auto block = file.at<probe::kernel_times_block>(at);
  if (!block || block->launches == 0) return;
  const auto product = [](const std::uint32_t(&sides)[3]) {
    return std::uint64_t{sides[0]} * sides[1] * sides[2];
  };
  const kernel_times one{.symbol = file.text(at + sizeof *block, end),
                         .blocks = product(block->grid),
                         .block_threads = product(block->block),
                         .launches = block->launches,
                         .busy_s = static_cast<double>(block->busy_ns) * 1e-9};
  const auto known = std::ranges::find_if(all.kernels, [&](const kernel_times& each) {
    return each.symbol == one.symbol && each.blocks == one.blocks &&
           each.block_threads == one.block_threads;
  });
  if (known == all.kernels.end()) {
    all.kernels.push_back(one);
    return;
  }
  known->launches += one.launches;
  known->busy_s += one.busy_s;
}

/// Of a process whose threads met where that is timed. False where it is not known.
bool add_run_delay(const probe::file_header& header, call_counts& all) {
  if (header.has_ended == 0 || header.without_run_delay > 0) return false;
  all.run_delay_s = all.run_delay_s.value_or(0) + static_cast<double>(header.run_delay_ns) * 1e-9;
  return true;
}

/// Of several processes the longest.
void add_cuda_span(const byte_reader& file, std::uint64_t at, call_counts& all) {
  const auto block = file.at<probe::cuda_span_block>(at);
  if (!block || block->end < block->first_call) return;
  const double span_s = static_cast<double>(block->end - block->first_call) * 1e-9;
  all.cuda_span_s = std::max(span_s, all.cuda_span_s.value_or(0));
}

std::optional<site_times> times_of(const std::optional<times_sums>& sums) {
  if (!sums) return std::nullopt;
  site_times times = sums->times;
  // One thread of each meeting is the last, and waits for nobody. Locks and conditions have no
  // meetings (0 threads): each timed call counts.
  const double last = times.threads > 1 ? 1.0 / times.threads : 0;
  times.lateness.median_ns = quantile_of(sums->lateness, last + (1 - last) / 2);
  times.mechanism.median_ns = quantile_of(sums->mechanism, 0.5);
  return times;
}

std::optional<device_times> device_of(const std::optional<device_sums>& sums) {
  if (!sums) return std::nullopt;
  device_times times = sums->times;
  times.busy.median_ns = quantile_of(sums->busy, 0.5);
  times.idle.median_ns = quantile_of(sums->idle, 0.5);
  return times;
}

/// False where threads met that were timed, and how long these had no processor is not known.
bool add_file(std::string_view bytes, double waits_from_ns, call_counts& all,
              std::map<site_key, site_sums>& sums) {
  const byte_reader file(bytes);
  const auto header = file.at<probe::file_header>(0);
  if (!header || !bytes.starts_with(probe::magic)) return true;
  if (!bytes.starts_with(probe::layout_of_build))
    throw std::runtime_error(
        "advise: what was counted cannot be read: the program loaded a libsyncmeter-probe.so with "
        "another layout than this driver; use both of one build, and none in your own LD_PRELOAD");
  ++all.processes;
  all.lost_calls += header->lost_calls;
  const std::string program =
      file.text(offsetof(probe::file_header, program), sizeof(probe::file_header));
  process_names names;
  std::vector<row_of_thread> rows;
  std::vector<probe::times_block> times;
  std::vector<probe::device_block> device;
  std::vector<std::string_view> kernels;
  for (std::uint64_t at = sizeof(probe::file_header); at < header->used_bytes;) {
    const auto head = file.at<probe::block_head>(at);
    if (!head || head->bytes == 0) break;
    const std::uint64_t end = at + head->bytes;
    if (head->type == probe::block_type::module) {
      if (const auto block = file.at<probe::module_block>(at)) {
        const std::string path = file.text(at + sizeof *block, end);
        names.modules.push_back({*block, path.empty() ? program : path});
      }
    } else if (head->type == probe::block_type::rows) {
      const auto block = file.at<probe::rows_block>(at);
      for (std::uint64_t r = at + sizeof(probe::rows_block); block && r < end;
           r += sizeof(probe::row))
        if (const auto row = file.at<probe::row>(r);
            row && row->address != 0 && row->kind < kinds_of_calls.size())
          rows.push_back({*row, block->thread});
    } else if (head->type == probe::block_type::times) {
      const auto block = file.at<probe::times_block>(at);
      if (block && block->timed > 0 && block->every > 0 && block->kind < kinds_of_calls.size())
        times.push_back(*block);
    } else if (head->type == probe::block_type::objects) {
      add_objects(file, at, all, names.locks);
    } else if (head->type == probe::block_type::label) {
      if (const auto block = file.at<probe::label_block>(at))
        names.labels[block->number] = {.text = file.text(at + sizeof *block, end),
                                       .offset = block->address};
    } else if (head->type == probe::block_type::device) {
      const auto block = file.at<probe::device_block>(at);
      if (block && block->works > 0 && block->kind < kinds_of_calls.size())
        device.push_back(*block);
    } else if (head->type == probe::block_type::kernel_times) {
      add_kernel_times(file, at, end, all);
    } else if (head->type == probe::block_type::cuda_span) {
      add_cuda_span(file, at, all);
    } else if (head->type == probe::block_type::kernel) {
      kernels.push_back(bytes.substr(at, head->bytes));
    } else if (head->type == probe::block_type::problem) {
      add_once(all.problems_of_cuda, file.text(at + sizeof(probe::problem_block), end));
    }
    at = end;
  }
  if (!device.empty()) ++all.gpu_processes;
  place_labels(names);
  const places_of_barriers places = places_in(times, names);
  add_rows(rows, names, places, all, sums);
  for (const probe::device_block& block : device)
    if (const auto key = key_of(names, block.address, block.kind, 0)) add_device(block, sums[*key]);
  for (const std::string_view block : kernels) {
    auto kernel = kernel_of_block(block);
    if (!kernel) continue;
    const auto of = byte_reader(block).at<probe::kernel_block>(0);
    if (of->kind >= kinds_of_calls.size()) continue;
    if (const auto key = key_of(names, of->address, of->kind, 0))
      add_kernel_to(sums[*key], *std::move(kernel));
  }
  for (const probe::times_block& block : times)
    if (const auto key = key_of(names, block.address, block.kind, block.row_team, block.object)) {
      site_sums& of = sums[places.of(*key)];
      add_times(block, of);
      if (lock_use* const use = use_in(of, block, all.processes, names.locks))
        add_lock_times(block, waits_from_ns, *use);
      if (has_condition(block)) {
        const bool is_signal = static_cast<probe::kind>(block.kind) == probe::kind::signal;
        condition_use& to = of.conditions[lock_of(block.object, all.processes)];
        (is_signal ? to.signals : to.waits) += block.timed;
        to.under_lock += block.under_lock;
        to.to_all += block.to_all;
        to.in_vain += block.in_vain;
        to.with_own_lock += block.with_own_lock;
      }
    }
  const bool has_met =
      std::ranges::any_of(times, [](const probe::times_block& block) { return block.threads > 1; });
  return !has_met || add_run_delay(*header, all);
}

}  // namespace

call_counts read_counts(const std::string& folder, double waits_from_ns) {
  call_counts all;
  std::map<site_key, site_sums> sums;
  bool has_run_delay = true;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error)
    throw std::runtime_error(
        fmt::format("what was counted is lost: the folder for it, '{}', cannot be read: {}; it was "
                    "there when the program began, which may have deleted it",
                    folder, error.message()));
  for (const auto& entry : entries)
    if (entry.path().extension() == probe::file_suffix)
      has_run_delay &= add_file(read_file(entry.path()).bytes, waits_from_ns, all, sums);
  if (!has_run_delay) all.run_delay_s.reset();
  for (const auto& [key, sum] : sums) {
    if (sum.count == 0) continue;
    const auto& [kind, module, offset, team, label] = key;
    all.sites.push_back({.kind = std::string(kinds_of_calls[kind].name),
                         .module = module,
                         .offset = offset,
                         .places = {sum.places.begin(), sum.places.end()},
                         .team = team,
                         .count = sum.count,
                         .threads = static_cast<unsigned>(sum.callers.size()),
                         .callers = {sum.callers.begin(), sum.callers.end()},
                         .label = label,
                         .times = times_of(sum.times),
                         .locks = sum.locks,
                         .conditions = sum.conditions,
                         .device = device_of(sum.device),
                         .kernels = sum.kernels});
  }
  std::ranges::stable_sort(all.sites, std::ranges::greater{}, &site::count);
  std::ranges::stable_sort(all.kernels, std::ranges::greater{}, &kernel_times::busy_s);
  return all;
}

void condition_use::add(const condition_use& other) {
  lock = other.lock;
  outer = other.outer;
  calls += other.calls;
  waiters.insert(other.waiters.begin(), other.waiters.end());
  signals += other.signals;
  under_lock += other.under_lock;
  to_all += other.to_all;
  waits += other.waits;
  in_vain += other.in_vain;
  with_own_lock += other.with_own_lock;
}

bool is_same_site(const site& of, const site& of_another_run) {
  const auto key = [](const site& s) { return std::tie(s.kind, s.module, s.team, s.label); };
  if (key(of) != key(of_another_run)) return false;
  // Which of its places stands for a barrier differs, as not every run has threads at each.
  return of.offset == of_another_run.offset ||
         std::ranges::find_first_of(of.places, of_another_run.places) != of.places.end();
}

kind_of_call find_call(std::string_view kind_of_site) {
  const auto found = std::ranges::find(kinds_of_calls, kind_of_site, &kind_of_call::name);
  return found == kinds_of_calls.end() ? kind_of_call{} : *found;
}

std::string grouped_digits(std::uint64_t number) {
  std::string text = fmt::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace syncmeter
