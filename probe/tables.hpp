// The file in which the probe counts, one for each process: written by the probe, which maps it,
// and read by the driver when the process has ended, however that came. Blocks follow one another
// behind the header; a block of a type that the reader does not know is skipped by its size.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "probe_layout.hpp"

namespace syncmeter::probe {

enum class kind : std::uint32_t {
#define SM_KIND(name, waits, lock) name,
#include "record/site_kinds.def"
};

/// The environment variable with the folder of these files; without it the probe counts nothing.
inline constexpr const char* folder_variable = "SYNCMETER_PROBE_FOLDER";
/// The variable with further folders, separated by colons: a process that finds no room in the
/// first folder tries them in turn.
inline constexpr const char* other_folders_variable = "SYNCMETER_PROBE_OTHER_FOLDERS";
/// And one with two whole numbers, "n,m": regions and barriers are timed whose number is a multiple
/// of n, and of waits for locks one in m, drawn at random; without it none is.
inline constexpr const char* times_variable = "SYNCMETER_PROBE_EVERY";
/// One with the file of the patches, where kernels are to be patched, and how long a GPU may count
/// what they do, in ms.
inline constexpr const char* patches_variable = "SYNCMETER_PATCHES";
inline constexpr const char* patches_ms_variable = "SYNCMETER_PATCHES_MS";
/// And one, set to anything, of a run that is as it is but for one thing: its time from the first
/// call of CUDA on, which is counted and nothing after it.
inline constexpr const char* span_variable = "SYNCMETER_CUDA_SPAN";
inline constexpr const char* file_suffix = ".counts";
/// A process without a counts file makes a symbolic link PID.N.ERRNO.refused to its program: a link
/// needs neither a descriptor nor a free page.
inline constexpr const char* refusal_suffix = ".refused";
/// The file in the first folder with a shared_room.
inline constexpr const char* room_name = "room";
inline constexpr unsigned most_folders = 4;
/// The probe lets no counts file grow beyond this size, so the driver reads no longer one.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{256} << 20U;
/// What each of these files begins with, whatever build it is of; then comes that of this build.
inline constexpr char magic[] = "smprobe";
inline constexpr char layout_of_build[] = SM_PROBE_LAYOUT;

/// Shared memory of all processes of a run, in a file that the driver makes.
struct shared_room {
  char layout[sizeof layout_of_build - 1];
  std::uint64_t refused;  ///< processes that could not even make a link
  std::int64_t error;     ///< errno of the last of them
  struct folder {
    std::uint64_t used_bytes, most_bytes;  ///< of all counts files together
    std::uint64_t files;                   ///< that processes made
  } folders[most_folders];
};

struct file_header {
  char layout[sizeof layout_of_build - 1];
  std::uint64_t used_bytes;  ///< of the file, the header among them
  std::uint64_t lost_calls;  ///< that no row could be had for
  std::int64_t pid, parent;
  std::uint64_t by_fork;  ///< 1 in a child of fork, 0 where the program began by exec
  /// How long threads were ready to run and had no processor: those that had met where that is
  /// timed, when they ended, and all that were left at the end.
  std::uint64_t run_delay_ns;
  std::uint64_t without_run_delay;  ///< threads of which that could not be read
  std::uint64_t has_ended;          ///< 1: by itself, and the threads that were left have been read
  std::int64_t growth_error;        ///< errno if the file could not grow, or 0
  char program[4000];               ///< /proc/self/exe
};
static_assert(sizeof(file_header) == 4096);

enum class block_type : std::uint32_t {
  none = 0,
  module = 1,
  rows = 2,
  times = 3,
  objects = 4,
  problem = 5,
  device = 6,
  kernel = 7,
  kernel_times = 8,
  cuda_span = 9,
  label = 10
};

/// Before each block. `bytes` are those of the whole block, this among them.
struct block_head {
  block_type type;
  std::uint32_t bytes;
};

/// Code that was called from: a program or a library as it was loaded. Its path, with a null at the
/// end, stands behind it; empty: the program.
struct module_block {
  block_head head;
  std::uint64_t first, end;  ///< addresses of its code
  std::uint64_t base;        ///< what was added to the addresses in its file
  std::uint64_t runtime;  ///< 1: an OpenMP runtime, or the probe: its calls are not the program's
};

/// Whether the name of a file with this path begins with one of these.
[[nodiscard]] inline bool is_file_named(const char* path,
                                        std::initializer_list<const char*> beginnings) {
  const char* const slash = ::strrchr(path, '/');
  const char* const name = slash == nullptr ? path : slash + 1;
  for (const char* const beginning : beginnings)
    if (::strncmp(name, beginning, ::strlen(beginning)) == 0) return true;
  return false;
}
/// Whether a file of this path is an OpenMP runtime, one of CUDA, the probe, or what it loads:
/// locks that these take for themselves are no calls of the program.
[[nodiscard]] inline bool is_runtime(const char* path) {
  return is_file_named(path, {"libgomp.", "libgomp-", "libomp.", "libomp5", "libomp-", "libiomp5",
                              "libcuda.", "libcudart.", "libcupti.", "libsanitizer-",
                              "libsyncmeter-probe."});
}

/// Of many intervals: buckets of a quarter of an octave, from 0 ns on.
struct interval_sums {
  std::uint64_t sum_ns;
  std::uint64_t long_ns;  ///< of it, that of intervals beyond 1 ms
  std::uint32_t buckets[160];
};
[[nodiscard]] inline std::uint32_t bucket_of(std::uint64_t ns) {
  constexpr std::uint32_t last = sizeof(interval_sums::buckets) / sizeof(std::uint32_t) - 1;
  if (ns < 4) return static_cast<std::uint32_t>(ns);
  const auto octave = static_cast<std::uint32_t>(63 - __builtin_clzll(ns));
  const auto bucket = (octave - 1) * 4 + static_cast<std::uint32_t>(ns >> (octave - 2) & 3U);
  return bucket < last ? bucket : last;
}
/// The least interval of a bucket.
[[nodiscard]] inline std::uint64_t bucket_start(std::uint32_t bucket) {
  if (bucket < 4) return bucket;
  return std::uint64_t{4 + bucket % 4} << (bucket / 4 - 1);
}

/// What was timed of a site in one thread; of a region, by the thread that called it.
struct times_block {
  block_head head;
  std::uint64_t address;
  std::uint32_t kind, row_team;  ///< of its row
  std::uint64_t threads;         ///< that meet; of a lock 0
  std::uint64_t timed;           ///< regions; of all else, this thread's calls
  std::uint64_t every;           ///< of how many each was one
  std::uint64_t fork_ns;    ///< of a region, from the call to a thread's begin, over all threads
  std::uint64_t inside_ns;  ///< of a region, from a thread's begin to its end, over all threads
  /// Each kind of call has one member of a union and leaves the others unnamed.
  union {
    interval_sums until_last;    ///< threads that meet: from the arrival to the last arrival
    interval_sums until_signal;  ///< wait for a signal: from the call to the last signal
    interval_sums call;          ///< all other calls: from the call to its return
  };
  union {
    interval_sums after_last;    ///< threads that meet: from the last arrival to the return
    interval_sums after_signal;  ///< wait for a signal: from the signal to the return
    interval_sums work;          ///< chunk of a loop: from the return to the next call
  };
  interval_sums held;    ///< lock, also after a wait for a signal: from the return to the release
  std::uint64_t object;  ///< of its row
  std::uint64_t same_processor;  ///< of those that meet, threads that find another one's processor
  std::uint64_t under_lock;  ///< of signals, those by a thread that has the lock that the waiter
                             ///< takes
  std::uint64_t to_all;      ///< of signals, those that wake all who wait
  std::uint64_t in_vain;     ///< of waits for a signal that came, those whose thread waits for the
                             ///< next one without having given back a lock but that of the wait
  /// Of waits for a signal, those before whose next one the thread gives back another lock under
  /// that of the wait, as std::condition_variable_any does with its own.
  std::uint64_t with_own_lock;
  /// Of a barrier of a team, where its first thread, which counts, called it from: g++ has whoever
  /// did the work of a `single`, or got no part of a loop, call it from another place. 0: the same.
  std::uint64_t met_at;
};

/// What the GPU did for the calls of a site, in a timed run, over all threads.
struct device_block {
  block_head head;
  std::uint64_t address;
  std::uint32_t kind, unused;           ///< of its row
  std::uint64_t works;                  ///< kernels, graphs or copies
  std::uint64_t first_start, last_end;  ///< ns, of a clock that all sites have
  interval_sums busy;                   ///< how long each took
  interval_sums idle;                   ///< how long the GPU had nothing to do before each
};

/// What a kernel took in a timed run, by the grid that it was launched with. Its name, as the
/// linker has it, with a null at the end, stands behind it.
struct kernel_times_block {
  block_head head;
  std::uint32_t grid[3], block[3];
  std::uint64_t launches;
  std::uint64_t busy_ns;  ///< over all of them
};

/// An instruction of a patched kernel, over all its launches. Threads are those that executed it,
/// each time.
struct kernel_instruction {
  std::uint64_t offset;  ///< in the kernel's code; of a function that it calls the whole address
  std::uint32_t event;   ///< a counted_event (device_counts.hpp)
  std::uint32_t unused;
  std::uint64_t threads, warps;
  std::uint64_t parts;      ///< of updates the distinct addresses of each warp; of barriers threads
                            ///< over those that must come, in parts of 2^32
  std::uint64_t uncounted;  ///< updates of cells that no room was found for
  std::uint64_t cells;      ///< distinct addresses
  std::uint64_t hottest;    ///< updates of the address that has the most
  std::uint64_t hottest_warps;  ///< executions by warps that update the address with most of these
};

/// A kernel of a run whose kernels are patched, as launched at one site. Behind it stand its
/// instructions, and then its name with a null at the end.
struct kernel_block {
  block_head head;
  std::uint64_t address;     ///< of the site's row
  std::uint32_t kind;        ///< likewise
  std::uint32_t is_cut_off;  ///< 1: it ran on when the time to count was over
  std::uint64_t launches;
  std::uint64_t blocks;          ///< of all of them
  std::uint64_t threads;         ///< of a block, of the last one
  std::uint64_t updates;         ///< of the GPU's memory by atomic operations
  std::uint64_t cells, hottest;  ///< distinct addresses, over all its instructions, and the updates
                                 ///< of the one that has the most
  std::uint64_t hottest_warps;   ///< as of an instruction
  std::uint64_t lost;            ///< of the process: threads at instructions without room
  std::uint64_t instructions;    ///< how many follow
  /// Of the launches those whose kernels counted from begin to end, and their blocks; 0: it is not
  /// known which.
  std::uint64_t counted_launches, counted_blocks;
};

/// One site in one thread: who called what, in a team of how many threads; in a timed run, also on
/// which lock. `address` 0: not used.
struct row {
  std::uint64_t address;  ///< to which the call returns
  std::uint64_t count;    ///< 0: only others counted what this thread called, too
  std::uint32_t kind;
  std::uint32_t team;    ///< 0: not known, or of no team
  times_block* times;    ///< in the probe's memory alone
  std::uint64_t object;  ///< the number of the lock, or of a signal's condition; of what takes no
                         ///< lock, of the kernel of Kokkos that it is or is of; 0: of none, or of
                         ///< one that had no room
  std::uint64_t unused[3];
};
static_assert(sizeof(row) == 64);

/// A table of one thread; when it is full, the thread goes on in another. A thread that ends leaves
/// its tables to the next one that begins: `thread` is a number of threads that lived side by side.
struct rows_block {
  block_head head;
  std::uint32_t thread;
  std::uint32_t rows;  ///< how many follow, a power of two
  rows_block* next;    ///< of the same thread; in the probe's memory alone
  rows_block* free;    ///< the next thread without an owner; likewise
  std::uint64_t unused[4];
  [[nodiscard]] row* begin() { return reinterpret_cast<row*>(this + 1); }
};
static_assert(sizeof(rows_block) == 64);

/// How a lock went from thread to thread. The order is that in which threads come from the release,
/// as nothing is written under a lock.
struct alignas(64) object_counts {
  std::uint64_t last_owner;     ///< in the probe's memory alone
  std::uint64_t followed;       ///< acquisitions of which the one before is known, too
  std::uint64_t owner_changes;  ///< of them, by another thread than the one before
  std::uint64_t guard;  ///< of a condition, the number of the lock that waits for it give back
  std::uint64_t outer;  ///< and of the one that is given back under that before; 0: none
};

/// Where a lock or a condition lies. Locks that begin in memory of earlier ones are others: the
/// address of those is made odd.
struct object_address {
  std::uint64_t address;
};
/// The sizes of the lock tables. The probe makes a table when all smaller tables are full.
inline constexpr std::uint32_t sizes_of_object_tables[] = {16, 256, 4096};

/// Why calls of CUDA are not counted in a program that makes them; the text, with a null at its
/// end, stands behind it.
struct problem_block {
  block_head head;
};

/// A kernel or a fence of Kokkos as called at one place, or what has no label of its own: the text,
/// with a null at the end, stands behind it.
struct label_block {
  block_head head;
  std::uint64_t address;  ///< to which the program's call of Kokkos returns
  std::uint64_t number;   ///< by which rows name it
};

/// When a process first made a call of CUDA that is counted, and when it ended by itself, in ns of
/// the monotonic clock.
struct cuda_span_block {
  block_head head;
  std::uint64_t first_call, end;
};

/// A table of locks and conditions in a timed run. The number of a lock is `places_before` plus the
/// place in the table, from 1 on. The addresses follow the block, then the counts.
struct objects_block {
  block_head head;
  std::uint64_t places, places_before;
  std::uint64_t unused[5];
  [[nodiscard]] object_address* addresses() { return reinterpret_cast<object_address*>(this + 1); }
  [[nodiscard]] object_counts* counts() {
    return reinterpret_cast<object_counts*>(addresses() + places);
  }
};
static_assert(sizeof(objects_block) == 64);

}  // namespace syncmeter::probe
