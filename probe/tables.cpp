// The tables of a process, in a file that it maps: what is counted there outlives the process,
// however it ends. Nothing here is allocated from the program's heap, and no descriptor stays open:
// a program may close all it finds.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <iterator>

#include "probe/count.hpp"
#include "probe/kernel.hpp"
#include "probe/thread_key.hpp"

namespace syncmeter::probe {
namespace {

// The probe maps a window before memory is needed: a program that has dropped its user cannot open
// the file again to grow it.
constexpr std::uint64_t window_bytes = std::uint64_t{4} << 20U;
constexpr std::uint32_t first_rows = 128, most_rows = 8192;
constexpr std::uint32_t slots_tried = 8;
constexpr int longest_path = 4096;

struct process {
  file_header* header = nullptr;
  char* next = nullptr;           // where the next block goes
  std::uint64_t left = 0;         // bytes there that have memory
  std::uint64_t window_left = 0;  // mapped bytes behind them that have none yet
  std::uint64_t file_bytes = 0;   // up to the end of what has memory
  module_block* modules[256] = {};
  unsigned module_count = 0;
  rows_block* free_threads = nullptr;
  std::uint32_t thread_count = 0;
  objects_block* objects[std::size(sizes_of_object_tables)] = {};
  bool no_objects = false;  // no room for another table of them
  bool refused = false;     // no folder, or no room in any of them at the start
  bool full = false;        // no room for another block
  unsigned folder = 0;      // the number of that of the file
  char path[longest_path] = {};
  char program[longest_path] = {};
};
constinit process here;
constinit char folders[longest_path] = {};  // as the driver named them, separated by colons
constinit shared_room* room = nullptr;      // nullptr: the process cannot open it
constinit int lock_of_tables = 0;
constinit thread_key end_of_thread;

__thread rows_block* own_rows = nullptr;
// Set while this thread changes the tables: a signal handler that comes in between may not.
__thread bool changing = false;

// Held for as long as a few stores take, or the birth of a thread.
class tables_lock {
  no_cancellation postponed_;

 public:
  tables_lock() {
    changing = true;
    for (unsigned tries = 0; __atomic_exchange_n(&lock_of_tables, 1, __ATOMIC_ACQUIRE) != 0;)
      if (++tries % 64 == 0) ::syscall(SYS_sched_yield);
  }
  tables_lock(const tables_lock&) = delete;
  tables_lock& operator=(const tables_lock&) = delete;
  ~tables_lock() {
    __atomic_store_n(&lock_of_tables, 0, __ATOMIC_RELEASE);
    changing = false;
  }
};

std::uint64_t in_pages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::getpagesize());
  return (bytes + page - 1) / page * page;
}

/// Maps the part of the file behind what has memory, at least so many bytes. Returns the negative
/// error number, or 0.
long map_window(int fd, std::uint64_t least_bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return -EFBIG;
  const std::uint64_t longest = limit.rlim_cur < most_file_bytes ? limit.rlim_cur : most_file_bytes;
  if (longest < here.file_bytes + in_pages(least_bytes)) return -EFBIG;
  const auto page = static_cast<std::uint64_t>(::getpagesize());
  std::uint64_t bytes = (longest - here.file_bytes) / page * page;
  if (bytes > window_bytes) bytes = window_bytes;
  if (const long error = kernel(SYS_ftruncate, fd, here.file_bytes + bytes); error != 0)
    return error;
  void* const mapped = map_memory(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, here.file_bytes);
  if (mapped == nullptr) return -ENOMEM;
  here.next = static_cast<char*>(mapped);
  here.left = 0;
  here.window_left = bytes;
  return 0;
}

/// Gives memory to these bytes of the window: room that the disk does not have would be a SIGBUS at
/// the first store. Returns the negative error number, or 0.
long populate(std::uint64_t bytes) {
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers do not have
  const long error = kernel(SYS_madvise, here.next + here.left, bytes, populate_write);
  if (error == -EFAULT) return -ENOSPC;
  if (error != -EINVAL) return error;
  // Linux before 5.14.
  const int fd = static_cast<int>(kernel(SYS_openat, AT_FDCWD, here.path, O_RDWR | O_CLOEXEC, 0));
  if (fd < 0) return fd;
  const long result = kernel(SYS_fallocate, fd, 0, here.file_bytes, bytes);
  kernel(SYS_close, fd);
  return result;
}

/// Makes `bytes` from `next` on usable, within the window. Returns the negative error number, or 0.
long grow_within_window(std::uint64_t bytes) {
  std::uint64_t more = in_pages(bytes - here.left);
  if (const std::uint64_t usual = in_pages(here.file_bytes / 4); usual > more) more = usual;
  if (more > here.window_left) more = here.window_left;
  shared_room::folder* const all = room == nullptr ? nullptr : &room->folders[here.folder];
  if (all != nullptr &&
      __atomic_add_fetch(&all->used_bytes, more, __ATOMIC_RELAXED) > all->most_bytes) {
    __atomic_fetch_sub(&all->used_bytes, more, __ATOMIC_RELAXED);
    return -EDQUOT;
  }
  if (const long error = populate(more); error != 0) {
    if (all != nullptr) __atomic_fetch_sub(&all->used_bytes, more, __ATOMIC_RELAXED);
    return error;
  }
  here.left += more;
  here.window_left -= more;
  here.file_bytes += more;
  return 0;
}

/// Maps the next window. A block without a type skips the bytes that are left in this window.
long map_next_window(std::uint64_t bytes) {
  const int fd = static_cast<int>(kernel(SYS_openat, AT_FDCWD, here.path, O_RDWR | O_CLOEXEC, 0));
  if (fd < 0) return fd;
  auto* const rest = reinterpret_cast<block_head*>(here.next);
  const std::uint64_t skipped = here.left;
  const long error = map_window(fd, bytes);
  kernel(SYS_close, fd);
  if (error != 0) return error;
  if (skipped > 0) *rest = {block_type::none, static_cast<std::uint32_t>(skipped)};
  here.header->used_bytes += skipped;
  return 0;
}

/// `bytes` of the file, all 0, as a block of this type.
template <class Block> Block* new_block(block_type type, std::uint64_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  if (here.full) return nullptr;
  if (here.left < bytes) {
    long error = here.left + here.window_left < bytes ? map_next_window(bytes) : 0;
    if (error == 0) error = grow_within_window(bytes);
    if (error != 0) {
      here.header->growth_error = -error;
      here.full = true;
      return nullptr;
    }
  }
  auto* const block = reinterpret_cast<Block*>(here.next);
  block->head = {type, static_cast<std::uint32_t>(bytes)};
  here.next += bytes;
  here.left -= bytes;
  __atomic_fetch_add(&here.header->used_bytes, bytes, __ATOMIC_RELEASE);
  return block;
}

char* put_text(char* to, const char* text) {
  while (*text != 0) *to++ = *text++;
  *to = 0;
  return to;
}
char* put_number(char* to, std::uint64_t number) {
  char digits[20];
  int n = 0;
  do digits[n++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  while (n > 0) *to++ = digits[--n];
  *to = 0;
  return to;
}

/// Writes FOLDER/PID.N and the ending into the path. Returns the end of the text, or nullptr if no
/// folder has this number.
char* put_path(unsigned folder, unsigned n, const char* ending) {
  const char* from = folders;
  for (unsigned before = 0; before < folder; ++before) {
    from = ::strchr(from, ':');
    if (from == nullptr) return nullptr;
    ++from;
  }
  char* end = here.path;
  while (*from != 0 && *from != ':') *end++ = *from++;
  *end++ = '/';
  end = put_number(end, static_cast<std::uint64_t>(kernel(SYS_getpid)));
  *end++ = '.';
  return put_text(put_number(end, n), ending);
}

/// Maps the shared_room in the first folder, if the process may open the file.
void map_room() {
  char* end = here.path;
  for (const char* from = folders; *from != 0 && *from != ':';) *end++ = *from++;
  *end++ = '/';
  put_text(end, room_name);
  const int fd =
      static_cast<int>(kernel(SYS_openat, AT_FDCWD, here.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0));
  if (fd < 0) return;
  void* const mapped = map_memory(sizeof(shared_room), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  kernel(SYS_close, fd);
  auto* const found = static_cast<shared_room*>(mapped);
  if (found != nullptr && ::memcmp(found->layout, layout_of_build, sizeof found->layout) == 0)
    room = found;
}

/// Reads the environment at the first call: a program may change the environment later.
bool read_folders() {
  if (folders[0] != 0) return true;
  const char* const named = ::getenv(folder_variable);
  if (named == nullptr || *named != '/' || ::strlen(named) > longest_path / 2) return false;
  char* const end = put_text(folders, named);
  const char* const others = ::getenv(other_folders_variable);
  if (others != nullptr && *others == '/' && ::strlen(others) < longest_path / 4) {
    *end = ':';
    put_text(end + 1, others);
  }
  map_room();
  return true;
}

/// Makes the file of this process: FOLDER/PID.N, as exec keeps the number of a process. Returns the
/// negative error number, or 0.
long make_file(unsigned folder) {
  long fd = -EEXIST;
  for (unsigned n = 0; fd == -EEXIST && n < 1000; ++n) {
    put_path(folder, n, file_suffix);
    fd = kernel(SYS_openat, AT_FDCWD, here.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  if (fd < 0) return fd;
  here.folder = folder;
  long error = map_window(static_cast<int>(fd), sizeof(file_header));
  if (error == 0) error = grow_within_window(sizeof(file_header));
  kernel(SYS_close, fd);
  if (error != 0) kernel(SYS_unlinkat, AT_FDCWD, here.path, 0);
  return error;
}

/// Tells the driver that this process counts nothing.
void report_refusal(long error) {
  constexpr std::size_t longest_without_page = 100;  // tmpfs keeps a longer target in a page
  const std::size_t length = ::strlen(here.program);
  const char* const whole = length == 0 ? "?" : here.program;
  const char* const end_of_path =
      length > longest_without_page ? here.program + length - longest_without_page : whole;
  for (unsigned folder = 0; folder < most_folders; ++folder)
    for (unsigned n = 0; n < 1000; ++n) {
      char* const end = put_path(folder, n, ".");
      if (end == nullptr) break;
      put_text(put_number(end, static_cast<std::uint64_t>(-error)), refusal_suffix);
      long result = kernel(SYS_symlinkat, whole, AT_FDCWD, here.path);
      if (result == -ENOSPC) result = kernel(SYS_symlinkat, end_of_path, AT_FDCWD, here.path);
      if (result == 0) return;
      if (result != -EEXIST) break;
    }
  if (room == nullptr) return;
  __atomic_store_n(&room->error, -error, __ATOMIC_RELAXED);
  __atomic_fetch_add(&room->refused, 1, __ATOMIC_RELAXED);
}

void open_tables(bool by_fork) {
  if (!read_folders()) {
    here.refused = true;
    return;
  }
  kernel(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", here.program, sizeof here.program - 1);
  long error = -ENOENT;
  for (unsigned folder = 0; folder < most_folders && put_path(folder, 0, "") != nullptr; ++folder) {
    const long of_folder = make_file(folder);
    if (folder == 0 || of_folder == 0) error = of_folder;
    if (error == 0) break;
  }
  here.refused = error != 0;
  if (here.refused) {
    report_refusal(error);
    return;
  }
  auto* const header = reinterpret_cast<file_header*>(here.next);
  here.next += sizeof *header;
  here.left -= sizeof *header;
  ::memcpy(header->layout, layout_of_build, sizeof header->layout);
  header->used_bytes = sizeof *header;
  header->pid = kernel(SYS_getpid);
  header->parent = kernel(SYS_getppid);
  header->by_fork = by_fork ? 1 : 0;
  ::memcpy(header->program, here.program, sizeof header->program - 1);
  if (room != nullptr) __atomic_fetch_add(&room->folders[here.folder].files, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&here.header, header, __ATOMIC_RELEASE);
}

std::uint64_t unwind_table_of(const dl_phdr_info& module) {
  for (unsigned i = 0; i < module.dlpi_phnum; ++i)
    if (module.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      return module.dlpi_addr + module.dlpi_phdr[i].p_vaddr;
  return 0;
}

/// Whether this module has the address that the block begins with; then the block is filled.
int find_module(dl_phdr_info* module, std::size_t, void* wanted) {
  auto& found = *static_cast<module_block*>(wanted);
  for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    const std::uint64_t first = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || found.first < first || found.first >= first + part.p_memsz)
      continue;
    const char* const path = module->dlpi_name;
    auto* const block =
        new_block<module_block>(block_type::module, sizeof(module_block) + ::strlen(path) + 1);
    if (block == nullptr) return 1;
    block->first = first;
    block->end = first + part.p_memsz;
    block->base = module->dlpi_addr;
    block->runtime = is_runtime(path) ? 1 : 0;
    note_code({.path = path,
               .base = block->base,
               .first = block->first,
               .end = block->end,
               .unwind_table = unwind_table_of(*module)});
    put_text(reinterpret_cast<char*>(block + 1), path);
    here.modules[here.module_count++] = block;
    return 1;
  }
  return 0;
}

/// Writes down which module has this address. The loader's lock that this takes is not held while
/// constructors of a library run, which may wait for this thread.
void note_module(std::uint64_t address) {
  for (unsigned i = 0; i < here.module_count; ++i)
    if (address >= here.modules[i]->first && address < here.modules[i]->end) return;
  if (here.module_count == sizeof here.modules / sizeof *here.modules) return;
  module_block wanted{};
  wanted.first = address;
  ::dl_iterate_phdr(find_module, &wanted);
}

rows_block* new_rows(std::uint32_t thread, std::uint32_t rows) {
  auto* const made =
      new_block<rows_block>(block_type::rows, sizeof(rows_block) + rows * sizeof(row));
  if (made == nullptr) return nullptr;
  made->thread = thread;
  made->rows = rows;
  return made;
}

/// The tables of this thread, at its first event.
rows_block* take_rows() {
  if (here.header == nullptr && !here.refused) open_tables(false);
  if (here.refused) return nullptr;
  rows_block* rows = here.free_threads;
  if (rows != nullptr) here.free_threads = rows->free;
  else if ((rows = new_rows(here.thread_count, first_rows)) != nullptr) ++here.thread_count;
  return rows;
}

// A destructor of a key: the thread has ended but for other destructors. What these still count
// goes to tables taken anew, for which this is called again.
void leave_rows(void* rows) {
  own_rows = nullptr;
  const tables_lock held;
  // A child of fork has tables of its own.
  auto* const left = static_cast<rows_block*>(rows);
  left->free = here.free_threads;
  here.free_threads = left;
}

/// What a row is for.
struct row_key {
  std::uint64_t site;
  std::uint64_t of_team;  ///< its kind and, above it, the team, as a row has them
  std::uint64_t object;
};
row_key key_of(kind what, std::uint64_t site, unsigned team, std::uint64_t object) {
  return {site, static_cast<std::uint32_t>(what) | std::uint64_t{team} << 32U, object};
}

std::uint64_t hash_of(const row_key& key) {
  return ((key.site ^ (key.of_team << 56U) ^ (key.of_team >> 32U << 40U) ^ (key.object << 20U)) *
          0x9E3779B97F4A7C15U) >>
         32U;
}

bool is_for(const row& at, const row_key& key) {
  return at.address == key.site && (at.kind | std::uint64_t{at.team} << 32U) == key.of_team &&
         at.object == key.object;
}

row& first_choice(rows_block* table, std::uint64_t hash) {
  return table->begin()[hash & (table->rows - 1)];
}

/// The row of this site in the tables of this thread; with `add` it is made where there is none.
row* find_row(const row_key& key, bool add) {
  const std::uint64_t hash = hash_of(key);
  rows_block* last = nullptr;
  for (rows_block* table = own_rows; table != nullptr; last = table, table = table->next) {
    for (std::uint32_t tried = 0; tried < slots_tried; ++tried) {
      row& at = first_choice(table, hash + tried);
      if (is_for(at, key)) return &at;
      if (at.address != 0) continue;
      // Rows are never taken out: what is not here is in no later table either.
      if (!add) return nullptr;
      at.kind = static_cast<std::uint32_t>(key.of_team);
      at.team = static_cast<std::uint32_t>(key.of_team >> 32U);
      at.object = key.object;
      note_module(key.site);
      // Last: a signal handler may look before this is done.
      __atomic_store_n(&at.address, key.site, __ATOMIC_RELEASE);
      return &at;
    }
  }
  if (!add || last == nullptr) return nullptr;
  last->next = new_rows(last->thread, last->rows * 4 < most_rows ? last->rows * 4 : most_rows);
  return last->next == nullptr ? nullptr : find_row(key, true);
}

/// The site that `find` has found, whose module is noted: whether code is a library's is known once
/// its module is, so that `find` may go on from there to a caller.
std::uint64_t noted_site(std::uint64_t site, auto find) {
  for (std::uint64_t noted = 0; !here.refused && noted != site; site = find()) {
    noted = site;
    note_module(noted);
  }
  return site;
}

/// The row that is not where it is looked for first; nullptr where none can be had. With the frame
/// of a wrapper its site is where the program called functions of the standard library.
row* other_row(row_key& key, call_frame wrapper) {
  const bool of_wrapper = wrapper.record != nullptr;
  if (of_wrapper) key.site = caller_in_program(wrapper);
  if (row* const found = find_row(key, false); found != nullptr) return found;
  if (changing || here.refused) return nullptr;
  // Looked for again: a signal handler may just have made it.
  const tables_lock held;
  if (own_rows == nullptr) {
    own_rows = take_rows();
    if (own_rows != nullptr) end_of_thread.set(own_rows);
  }
  if (of_wrapper) key.site = noted_site(key.site, [&] { return caller_in_program(wrapper); });
  return find_row(key, true);
}

// One instruction: a signal handler of this thread may add to the same row.
void add(std::uint64_t& counter, std::uint64_t number) {
#if defined(__x86_64__)
  asm volatile("addq %1, %0" : "+m"(counter) : "er"(number));
#else
  __atomic_fetch_add(&counter, number, __ATOMIC_RELAXED);
#endif
}

[[gnu::noinline, gnu::cold]] std::uint64_t count_elsewhere(row_key key, std::uint64_t adds,
                                                           call_frame wrapper) {
  row* const found = other_row(key, wrapper);
  if (adds == 0) return key.site;
  if (found != nullptr) add(found->count, adds);
  else if (file_header* const header = here.header; header != nullptr)
    __atomic_fetch_add(&header->lost_calls, adds, __ATOMIC_RELAXED);
  return key.site;
}

[[gnu::always_inline]] inline std::uint64_t count_in(const row_key& key, std::uint64_t adds,
                                                     call_frame wrapper) {
  if (own_rows == nullptr) [[unlikely]]
    return count_elsewhere(key, adds, wrapper);
  row& found = first_choice(own_rows, hash_of(key));
  if (!is_for(found, key)) [[unlikely]]
    return count_elsewhere(key, adds, wrapper);
  if (adds != 0) add(found.count, adds);
  return key.site;
}

// The child has one thread, the one that called fork; tables and their lock may be in any state.
void begin_child() {
  const bool is_counted = here.header != nullptr || here.refused;
  own_rows = nullptr;
  changing = false;
  lock_of_tables = 0;
  here.header = nullptr;
  here.module_count = 0;
  here.free_threads = nullptr;
  here.thread_count = 0;
  for (objects_block*& table : here.objects) table = nullptr;
  here.no_objects = false;
  here.file_bytes = 0;
  here.left = 0;
  here.full = false;
  here.refused = false;
  end_of_thread.set(nullptr);
  if (is_counted) open_tables(true);
}

// Before the constructors of all others; what is called earlier still is counted, too.
[[gnu::constructor(101)]] void start() {
  end_of_thread.make(leave_rows);
  ::pthread_atfork(nullptr, nullptr, begin_child);
  const tables_lock held;
  if (own_rows != nullptr) end_of_thread.set(own_rows);
  // A program that never synchronizes has a file all the same: it was seen.
  if (here.header == nullptr && !here.refused) open_tables(false);
}

}  // namespace

void count(kind what, std::uint64_t site, unsigned team, std::uint64_t adds, std::uint64_t object) {
  count_in(key_of(what, site, team, object), adds, {});
}

std::uint64_t count_call(kind what, call_frame wrapper, bool adds, std::uint64_t object) {
  return count_in(key_of(what, wrapper.record->returns_to, 0, object), adds ? 1 : 0, wrapper);
}

times_block* times_of(kind what, std::uint64_t site, unsigned row_team, unsigned threads,
                      std::uint64_t every, std::uint64_t object) {
  const row_key key = key_of(what, site, row_team, object);
  row* const found = find_row(key, false);
  if (found == nullptr || changing) return nullptr;
  if (found->times == nullptr) {
    const tables_lock held;
    auto* const made = new_block<times_block>(block_type::times, sizeof(times_block));
    if (made == nullptr) return nullptr;
    made->address = site;
    made->kind = static_cast<std::uint32_t>(what);
    made->row_team = row_team;
    made->threads = threads;
    made->every = every;
    made->object = object;
    found->times = made;
  }
  return found->times;
}

file_header* header_of_process() { return __atomic_load_n(&here.header, __ATOMIC_ACQUIRE); }

void write_problem_of_cuda(const char* text) {
  if (changing) return;
  const tables_lock held;
  if (here.header == nullptr && !here.refused) open_tables(false);
  if (here.refused) return;
  auto* const made =
      new_block<problem_block>(block_type::problem, sizeof(problem_block) + ::strlen(text) + 1);
  if (made != nullptr) put_text(reinterpret_cast<char*>(made + 1), text);
}

std::uint64_t noted_caller_of_kokkos(call_frame callback) {
  const std::uint64_t site = caller_of_kokkos(callback);
  if (changing) return site;
  const tables_lock held;
  if (here.header == nullptr && !here.refused) open_tables(false);
  return noted_site(site, [&] { return caller_of_kokkos(callback); });
}

bool write_label(std::uint64_t site, std::uint64_t number, const char* label) {
  constexpr std::uint64_t longest = 1000;  // the name of a type may be longer
  if (changing || here.header == nullptr) return false;
  const tables_lock held;
  const std::uint64_t characters = ::strnlen(label, longest);
  auto* const made =
      new_block<label_block>(block_type::label, sizeof(label_block) + characters + 1);
  if (made == nullptr) return false;
  made->address = site;
  made->number = number;
  ::memcpy(made + 1, label, characters);
  return true;
}

device_block* new_device_block(kind what, std::uint64_t site) {
  if (changing || here.header == nullptr) return nullptr;
  const tables_lock held;
  auto* const made = new_block<device_block>(block_type::device, sizeof(device_block));
  if (made == nullptr) return nullptr;
  made->address = site;
  made->kind = static_cast<std::uint32_t>(what);
  return made;
}

cuda_span_block* new_cuda_span() {
  if (changing || here.header == nullptr) return nullptr;
  const tables_lock held;
  return new_block<cuda_span_block>(block_type::cuda_span, sizeof(cuda_span_block));
}

kernel_times_block* new_kernel_times(const char* name) {
  if (changing || here.header == nullptr) return nullptr;
  const tables_lock held;
  auto* const made = new_block<kernel_times_block>(block_type::kernel_times,
                                                   sizeof(kernel_times_block) + ::strlen(name) + 1);
  if (made != nullptr) put_text(reinterpret_cast<char*>(made + 1), name);
  return made;
}

kernel_block* new_kernel_block(std::uint64_t bytes) {
  if (changing || here.header == nullptr || bytes > window_bytes / 2) return nullptr;
  const tables_lock held;
  return new_block<kernel_block>(block_type::kernel, bytes);
}

objects_block* objects_of_process(unsigned table, bool makes) {
  objects_block* const found = __atomic_load_n(&here.objects[table], __ATOMIC_ACQUIRE);
  if (found != nullptr || !makes || changing || here.no_objects) return found;
  const tables_lock held;
  if (here.header == nullptr && !here.refused) open_tables(false);
  if (here.objects[table] != nullptr || here.refused) return here.objects[table];
  const std::uint64_t places = sizes_of_object_tables[table];
  auto* const made = new_block<objects_block>(
      block_type::objects,
      sizeof(objects_block) + places * (sizeof(object_address) + sizeof(object_counts)));
  here.no_objects = made == nullptr;
  if (made == nullptr) return nullptr;
  made->places = places;
  for (unsigned before = 0; before < table; ++before)
    made->places_before += sizes_of_object_tables[before];
  __atomic_store_n(&here.objects[table], made, __ATOMIC_RELEASE);
  return made;
}

}  // namespace syncmeter::probe
