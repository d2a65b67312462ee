// One datum that many read and few write. Each lane reads `reads_per_write` times for each of its
// writes; a read looks at every word of the datum, a write replaces all of them. And ways to do it:
// under a lock, under a lock that lets readers in together, by a sequence number (seqlock), and by
// a pointer to the newest version. Why the orders of the last two are enough is argued in
// docs/reference/studies/read-mostly.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/cell_object.hpp"
#include "core/op.hpp"
#include "core/ops/literal.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter::ops {

/// What a read saw: all words of a version are its number.
struct datum_state {
  std::uint64_t version = 0;
  std::uint64_t difference = 0;  ///< the or of every word xor the first: not 0 in a torn read
};

/// A read of `words` words, each by `load(index)`.
[[gnu::always_inline]] inline datum_state look_at(std::size_t words, auto load) {
  datum_state state{.version = load(0)};
  for (std::size_t i = 1; i < words; ++i) state.difference |= load(i) ^ state.version;
  return state;
}

/// The words of a datum of so many bytes.
[[nodiscard]] constexpr std::size_t words_in(unsigned bytes) {
  return bytes > 8 ? (bytes + 7) / 8 : 1;
}

/// When each lane writes: every `reads + 1` ops, the lanes' turns spread evenly over these.
struct writing_turns {
  std::uint64_t period = 1;
  unsigned lanes = 1;

  /// Which op of a lane is its first write, from 1.
  [[nodiscard]] constexpr std::uint64_t first(unsigned lane) const {
    return period - period * (lane % lanes) / lanes;
  }
  /// Writes among the first `ops` ops of each lane, of all lanes.
  [[nodiscard]] constexpr std::uint64_t writes_in(std::uint64_t ops) const {
    std::uint64_t all = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (ops >= first(lane)) all += 1 + (ops - first(lane)) / period;
    }
    return all;
  }
  /// The least ops of each lane in which there is a write, and a multiple of which has as many
  /// times more: a whole period, where that is long the part of it in which one lane writes.
  [[nodiscard]] constexpr std::uint32_t least_ops() const {
    constexpr std::uint64_t is_short = 1000;
    return static_cast<std::uint32_t>(period <= is_short ? period : (period + lanes - 1) / lanes);
  }
};

/// A datum under `Scheme`, which is made from sharers and has read(lane), which returns what it
/// saw, write(lane), which returns the version that it wrote, one more than that before it, and
/// version(), called when all is over.
template <class Scheme> class shared_datum {
 public:
  explicit shared_datum(sharers who)
      : turns_{.period = std::uint64_t{who.reads_per_write} + 1, .lanes = who.lanes}, scheme_{who},
        places_{new place[who.lanes]} {
    for (unsigned lane = 0; lane < who.lanes; ++lane)
      places_[lane].until_write = turns_.first(lane);
  }

  /// One read or write of a lane, as its turn is.
  void access(unsigned lane) {
    place& here = places_[lane % turns_.lanes];
    if (--here.until_write == 0) {
      here.until_write = turns_.period;
      const std::uint64_t written = scheme_.write(lane);
      here.went_back |= written <= here.newest;
      here.newest = written;
      return;
    }
    const datum_state read = scheme_.read(lane);
    here.torn |= read.difference;
    here.went_back |= read.version < here.newest;
    here.newest = read.version;
  }

  /// What is wrong after a sample.
  [[nodiscard]] std::string wrong(const object_use& use) const {
    for (unsigned lane = 0; lane < turns_.lanes; ++lane) {
      if (places_[lane].torn != 0)
        return "thread " + std::to_string(lane) + " read words of different writes";
      if (places_[lane].went_back)
        return "thread " + std::to_string(lane) + " saw a version older than one that it had seen";
    }
    const std::uint64_t writes = turns_.writes_in(use.ops);
    if (scheme_.version() == writes) return {};
    return std::to_string(writes) + " writes left version " + std::to_string(scheme_.version()) +
           ": a write was lost";
  }

 private:
  struct alignas(128) place {
    std::uint64_t until_write = 1, newest = 0, torn = 0;
    bool went_back = false;
  };
  writing_turns turns_;
  alignas(128) Scheme scheme_;
  std::unique_ptr<place[]> places_;
};

/// An op under `Scheme`. An access is a call that is not inlined.
template <class Scheme> struct access_op : self_paired<access_op<Scheme>> {
  using object = shared_datum<Scheme>;
  SM_FN static void common(auto& lane) { step(lane.object(), lane.number()); }
  SM_LOOP static void step(object& datum, unsigned lane) { datum.access(lane); }
  static std::string check(const object& datum, const object_use& use) { return datum.wrong(use); }
};

/// test - baseline == one more access: a read, or in its turn a write.
consteval op_info read_mostly_info(std::string_view name, std::string_view note,
                                   std::string_view compiles_to = {}) {
  return {.name = name,
          .in_quick = false,
          .family = family::structure,
          .unroll = 1,
          .communicates = true,
          .reads_and_writes = true,
          .note = note,
          .size_of = "bytes of the datum",
          .compiles_to = compiles_to};
}

/// NAME_read_mostly: `What`. `Type` is what a disassembly calls the scheme.
template <class Scheme, literal Name, literal What, literal Type>
struct accessed : access_op<Scheme> {
  static constexpr op_info info =
      read_mostly_info(text<Name, "_read_mostly">, text<What>,
                       text<"call:syncmeter::ops::access_op<", Type, ">::step 1">);
};

/// Words on lines of their own, all 0.
template <class Word> class words_apart {
 public:
  explicit words_apart(std::size_t count) : count_{count}, words_{new(lines) Word[count]{}} {}
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] Word* data() const { return words_.get(); }

 private:
  static constexpr std::align_val_t lines{128};
  struct free_lines {
    void operator()(Word* words) const { ::operator delete[](words, lines); }
  };
  std::size_t count_;
  std::unique_ptr<Word[], free_lines> words_;
};

/// A datum that something else keeps lanes apart at.
class plain_words {
 public:
  explicit plain_words(std::size_t count) : words_{count} {}
  [[nodiscard]] datum_state read() const {
    const std::uint64_t* const words = words_.data();
    return look_at(words_.count(), [words](std::size_t i) { return words[i]; });
  }
  void write(std::uint64_t version) { std::fill_n(words_.data(), words_.count(), version); }
  std::uint64_t write() {
    write(version() + 1);
    return version();
  }
  [[nodiscard]] std::uint64_t version() const { return words_.data()[0]; }

 private:
  words_apart<std::uint64_t> words_;
};

/// A lock: lock() and unlock(), for readers too.
template <class Mutex, class ReadLock = std::lock_guard<Mutex>> class under_mutex {
 public:
  explicit under_mutex(sharers who) : words_{words_in(who.size)} {}
  datum_state read(unsigned /*lane*/) {
    const ReadLock hold{mutex_};
    return words_.read();
  }
  std::uint64_t write(unsigned /*lane*/) {
    const std::lock_guard hold{mutex_};
    return words_.write();
  }
  [[nodiscard]] std::uint64_t version() const { return words_.version(); }

 private:
  Mutex mutex_;
  alignas(128) plain_words words_;
};

/// Readers by lock_shared() and unlock_shared().
template <class SharedMutex>
using under_shared_mutex = under_mutex<SharedMutex, std::shared_lock<SharedMutex>>;

/// A seqlock after Boehm 2012, "Can seqlocks get along with programming language memory models?",
/// section 4: the words are atomic and relaxed, the number is odd while they change, and fences
/// order the two. Readers write nothing; one that met a writer reads again.
class seqlock {
 public:
  explicit seqlock(sharers who) : words_{words_in(who.size)} {}

  datum_state read(unsigned /*lane*/) const {
    for (;;) {
      const std::uint64_t before = number_.load(std::memory_order_acquire);
      const std::atomic<std::uint64_t>* const words = words_.data();
      const datum_state read = look_at(words_.count(), [words](std::size_t i) {
        return words[i].load(std::memory_order_relaxed);
      });
      std::atomic_thread_fence(std::memory_order_acquire);
      if ((before & 1) == 0 && number_.load(std::memory_order_relaxed) == before) return read;
      spin_pause();
    }
  }
  std::uint64_t write(unsigned /*lane*/) {
    const std::uint64_t before = begin();
    // Whoever sees one of the new words sees the odd number too, after its own fence.
    std::atomic_thread_fence(std::memory_order_release);
    const std::uint64_t next = version() + 1;
    for (std::size_t i = 0; i < words_.count(); ++i)
      words_.data()[i].store(next, std::memory_order_relaxed);
    number_.store(before + 2, std::memory_order_release);
    return next;
  }
  [[nodiscard]] std::uint64_t version() const {
    return words_.data()[0].load(std::memory_order_relaxed);
  }

 private:
  // Writers take turns by the number itself. Returns it as it was, even.
  std::uint64_t begin() {
    for (;;) {
      std::uint64_t before = number_.load(std::memory_order_relaxed);
      if ((before & 1) == 0 &&
          number_.compare_exchange_weak(before, before + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed))
        return before;
      spin_pause();
    }
  }

  alignas(128) std::atomic<std::uint64_t> number_{0};
  alignas(128) words_apart<std::atomic<std::uint64_t>> words_;
};

/// A pointer to the newest of lanes + 2 copies. A reader says which copy it reads (Michael 2004,
/// "Hazard pointers"), and a writer fills one that is neither the newest nor announced by anybody,
/// of which there always is one.
class snapshot_pointer {
 public:
  explicit snapshot_pointer(sharers who) : lanes_{who.lanes}, hazards_{new hazard[who.lanes]} {
    copies_.reserve(who.lanes + 2);
    while (copies_.size() < who.lanes + 2) copies_.emplace_back(words_in(who.size));
    newest_.store(&copies_[0], std::memory_order_relaxed);
  }

  datum_state read(unsigned lane) {
    std::atomic<const plain_words*>& mine = hazards_[lane % lanes_].copy;
    const plain_words* copy = newest_.load(std::memory_order_relaxed);
    // Sequentially consistent, both: announced before it is looked at again.
    for (;;) {
      mine.store(copy, std::memory_order_seq_cst);
      const plain_words* const again = newest_.load(std::memory_order_seq_cst);
      if (again == copy) break;
      copy = again;
    }
    const datum_state read = copy->read();
    mine.store(nullptr, std::memory_order_release);
    return read;
  }
  std::uint64_t write(unsigned /*lane*/) {
    const std::lock_guard one_at_a_time{writers_};
    plain_words& next = unused();
    const std::uint64_t version = newest_.load(std::memory_order_relaxed)->version() + 1;
    next.write(version);
    newest_.store(&next, std::memory_order_seq_cst);
    return version;
  }
  [[nodiscard]] std::uint64_t version() const {
    return newest_.load(std::memory_order_relaxed)->version();
  }

 private:
  struct alignas(128) hazard {
    std::atomic<const plain_words*> copy{nullptr};
  };

  plain_words& unused() {
    const plain_words* const newest = newest_.load(std::memory_order_relaxed);
    for (;; ++turn_) {
      plain_words& copy = copies_[turn_ % copies_.size()];
      if (&copy != newest && !is_announced(copy)) return copy;
    }
  }
  [[nodiscard]] bool is_announced(const plain_words& copy) const {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if (hazards_[lane].copy.load(std::memory_order_seq_cst) == &copy) return true;
    }
    return false;
  }

  unsigned lanes_;
  std::vector<plain_words> copies_;
  std::unique_ptr<hazard[]> hazards_;
  std::size_t turn_ = 0;
  std::mutex writers_;
  alignas(128) std::atomic<plain_words*> newest_{nullptr};
};

}  // namespace syncmeter::ops
