#include "driver/advise/counts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "driver/advise/site_keys.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
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
  using buckets = std::array<std::uint64_t, std::size(probe::interval_sums{}.buckets)>;
  buckets lateness{}, mechanism{}, call{}, held{}, work{};
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
  auto& [times, lateness, mechanism, call, held, work] = *to.times;
  times.timed += block.timed;
  times.every = block.every;
  times.threads = static_cast<unsigned>(block.threads);
  times.fork_ns += static_cast<double>(block.fork_ns);
  times.inside_ns += static_cast<double>(block.inside_ns);
  times.same_processor += block.same_processor;
  times.under_lock += block.under_lock;
  times.to_all += block.to_all;
  times.in_vain += block.in_vain;
  const auto what = static_cast<probe::kind>(block.kind);
  if (block.threads > 0) {
    add_intervals(block.until_last, times.lateness, lateness);
    add_intervals(block.after_last, times.mechanism, mechanism);
  } else if (what == probe::kind::cond_wait) {
    add_intervals(block.until_signal, times.lateness, lateness);
    add_intervals(block.after_signal, times.mechanism, mechanism);
  } else {
    add_intervals(block.call, times.call, call);
    if (what == probe::kind::chunk) add_intervals(block.work, times.work, work);
    else add_intervals(block.held, times.held, held);
  }
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
  const double held_ns = quantile_of(block.held.buckets, 0.1);
  to.short_held_ns = to.timed == 0 ? held_ns : std::min(to.short_held_ns, held_ns);
  to.timed += block.timed;
  to.every = block.every;
  to.held_ns += static_cast<double>(block.held.sum_ns);
  // What a wait for a signal waits for is not the lock alone; behind it the lock is held.
  if (block.kind == static_cast<std::uint32_t>(probe::kind::cond_wait)) return;
  to.call_ns += static_cast<double>(block.call.sum_ns);
  for (auto i = probe::bucket_of(static_cast<std::uint64_t>(waits_from_ns));
       i < std::size(block.call.buckets); ++i) {
    to.contended += block.call.buckets[i];
    to.contended_call_ns += block.call.buckets[i] * middle_of(i);
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
  const std::uint64_t addresses = at + sizeof *block,
                      counts = addresses + block->places * sizeof(probe::object_address);
  for (std::uint64_t i = 0; i < block->places; ++i) {
    const auto address =
        file.at<probe::object_address>(addresses + i * sizeof(probe::object_address));
    const auto of = file.at<probe::object_counts>(counts + i * sizeof(probe::object_counts));
    if (!address || !of) return;
    const std::uint64_t number = block->places_before + i + 1;
    if (of->guard != 0) locks[number] = {.lock = of->guard, .outer = of->outer};
    else if (address->address != 0)
      all.owners[lock_of(number, all.processes)] = {
          .followed = of->followed, .changes = of->owner_changes, .address = address->address};
  }
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
  times.call.median_ns = quantile_of(sums->call, 0.5);
  times.held.median_ns = quantile_of(sums->held, 0.5);
  times.work.median_ns = quantile_of(sums->work, 0.5);
  return times;
}

std::optional<device_times> device_of(const std::optional<device_sums>& sums) {
  if (!sums) return std::nullopt;
  device_times times = sums->times;
  times.busy.median_ns = quantile_of(sums->busy, 0.5);
  times.idle.median_ns = quantile_of(sums->idle, 0.5);
  return times;
}

std::string program_in(const byte_reader& file) {
  return file.text(offsetof(probe::file_header, program), sizeof(probe::file_header));
}

void add_refused(call_counts& all, std::string program, std::string reason,
                 std::uint64_t number = 1) {
  for (refused_processes& each : all.refused)
    if (each.program == program && each.reason == reason) {
      each.number += number;
      return;
    }
  all.refused.push_back({std::move(program), std::move(reason), number});
}

std::string reason_text(std::int64_t error) {
  return error == EDQUOT   ? "the counts of all processes reached their bound"
         : error == ENOSPC ? "no room for its counts; set TMPDIR to a folder with room"
                           : std::strerror(static_cast<int>(error));
}

/// False where threads met that were timed, and how long these had no processor is not known.
bool add_file(std::string_view bytes, double waits_from_ns, call_counts& all,
              std::map<site_key, site_sums>& sums) {
  const byte_reader file(bytes);
  const auto header = file.at<probe::file_header>(0);
  ++all.processes;
  all.lost_calls += header->lost_calls;
  const std::string program = program_in(file);
  if (header->growth_error != 0) add_refused(all, program, reason_text(header->growth_error));
  process_names names;
  std::vector<row_of_thread> rows;
  std::vector<probe::times_block> times;
  std::vector<probe::device_block> device;
  std::vector<std::string_view> kernels;
  for (std::uint64_t at = sizeof(probe::file_header); at < header->used_bytes;) {
    const auto head = file.at<probe::block_head>(at);
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

/// The least bytes by block type.
constexpr std::array<std::uint64_t, 11> least_bytes{
    sizeof(probe::block_head),      sizeof(probe::module_block),  sizeof(probe::rows_block),
    sizeof(probe::times_block),     sizeof(probe::objects_block), sizeof(probe::problem_block),
    sizeof(probe::device_block),    sizeof(probe::kernel_block),  sizeof(probe::kernel_times_block),
    sizeof(probe::cuda_span_block), sizeof(probe::label_block)};

/// Returns whether the blocks fill the file, and no block claims more elements than bytes.
bool has_sound_blocks(const byte_reader& file, std::uint64_t used_bytes) {
  std::uint64_t at = sizeof(probe::file_header);
  while (at < used_bytes) {
    const auto head = file.at<probe::block_head>(at);
    if (!head || head->bytes == 0 || head->bytes % 64 != 0 || head->bytes > used_bytes - at)
      return false;
    const auto type = static_cast<std::size_t>(head->type);
    if (type >= least_bytes.size() || head->bytes < least_bytes[type]) return false;
    const std::uint64_t behind = head->bytes - least_bytes[type];
    if (head->type == probe::block_type::rows &&
        file.at<probe::rows_block>(at)->rows > behind / sizeof(probe::row))
      return false;
    if (head->type == probe::block_type::objects &&
        file.at<probe::objects_block>(at)->places >
            behind / (sizeof(probe::object_address) + sizeof(probe::object_counts)))
      return false;
    at += head->bytes;
  }
  return true;
}

/// Returns the first bytes, up to a limit.
std::string read_begin(int file, std::uint64_t most) {
  std::string bytes(most, '\0');
  std::uint64_t got = 0;
  while (got < most) {
    const ssize_t more = ::pread(file, bytes.data() + got, most - got, static_cast<off_t>(got));
    if (more <= 0) break;
    got += static_cast<std::uint64_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

struct counts_file {
  std::string bytes{};  ///< of a file with a flaw the header
  std::string flaw{};   ///< empty: the file is sound
};

/// Opens no link, and no pipe: a read would wait for a writer.
unique_fd open_regular(const fs::path& path, struct stat& about) {
  unique_fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return unique_fd{};
  return file;
}

counts_file read_counts_file(const fs::path& path) {
  struct stat about{};
  const unique_fd file = open_regular(path, about);
  if (!file) return {.flaw = "not a readable regular file"};
  std::string begin = read_begin(file.get(), sizeof(probe::file_header));
  const auto header = byte_reader(begin).at<probe::file_header>(0);
  if (!header || !begin.starts_with(probe::magic)) return {.flaw = "overwritten or cut short"};
  if (!begin.starts_with(probe::layout_of_build))
    throw std::runtime_error(
        "advise: what was counted cannot be read: the program loaded a libsyncmeter-probe.so with "
        "another layout than this driver; use both of one build, and none in your own LD_PRELOAD");
  const std::uint64_t used = header->used_bytes;
  if (used < sizeof *header || used > probe::most_file_bytes ||
      used > static_cast<std::uint64_t>(about.st_size))
    return {.bytes = std::move(begin), .flaw = "overwritten or cut short"};
  std::string bytes = read_begin(file.get(), used);
  if (bytes.size() < used || !has_sound_blocks(byte_reader(bytes), used))
    return {.bytes = std::move(begin), .flaw = "overwritten or cut short"};
  return {.bytes = std::move(bytes)};
}

/// Adds the processes without a link. Returns the number of counts files that processes made, or 0
/// if the number is unknown.
std::uint64_t add_room(const fs::path& path, call_counts& all) {
  struct stat about{};
  const unique_fd file = open_regular(path, about);
  if (!file) return 0;
  const std::string bytes = read_begin(file.get(), sizeof(probe::shared_room));
  const auto room = byte_reader(bytes).at<probe::shared_room>(0);
  if (!room || !bytes.starts_with(probe::layout_of_build)) {
    add_refused(all, "", "what its processes share is damaged");
    return 0;
  }
  if (room->refused > 0) add_refused(all, "", reason_text(room->error), room->refused);
  std::uint64_t made = 0;
  for (const auto& folder : room->folders) made += folder.files;
  return made;
}

/// A link PID.N.ERRNO.refused to a program.
void add_refusal(const fs::path& link, call_counts& all) {
  std::error_code none;
  const std::string program = fs::read_symlink(link, none).string();
  const std::string number = link.stem().extension().string();
  add_refused(all, program, reason_text(number.empty() ? 0 : std::atoi(number.c_str() + 1)));
}

}  // namespace

std::string refused_text(const std::vector<refused_processes>& refused) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> all;
  std::uint64_t others = 0;
  for (const refused_processes& each : refused)
    if (all.size() == most_named) others += each.number;
    else
      all.push_back(fmt::format(
          "{} process{} of {} ({})", grouped_digits(each.number), each.number == 1 ? "" : "es",
          each.program.empty() ? "an unknown program" : each.program, each.reason));
  if (others > 0) all.push_back(fmt::format("{} more", grouped_digits(others)));
  return join(all, " and ");
}

call_counts read_counts(const std::vector<std::string>& folders, double waits_from_ns) {
  call_counts all;
  std::map<site_key, site_sums> sums;
  bool has_run_delay = true;
  // A running process may make a file after this line, so the files are counted last.
  std::uint64_t made = add_room(folders.front() + '/' + probe::room_name, all), found = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::directory_iterator entries(folder, error);
    if (error)
      throw std::runtime_error(
          fmt::format("what was counted is lost: the folder for it, '{}', cannot be read: {}; it "
                      "was there when the program began, which may have deleted it",
                      folder, error.message()));
    for (const auto& entry : entries) {
      if (entry.path().extension() == probe::refusal_suffix) add_refusal(entry.path(), all);
      if (entry.path().extension() != probe::file_suffix) continue;
      ++found;
      const counts_file file = read_counts_file(entry.path());
      if (file.flaw.empty()) has_run_delay &= add_file(file.bytes, waits_from_ns, all, sums);
      else
        add_refused(all, program_in(byte_reader(file.bytes)),
                    "its counts are damaged: " + file.flaw);
    }
  }
  if (made > found) add_refused(all, "", "the files of their counts are gone", made - found);
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
