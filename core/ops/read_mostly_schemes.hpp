// Ways to let many read what few write: under a lock, under a lock that lets readers in together,
// by a sequence number (seqlock), and by a pointer to the newest version. Why the orders of the
// last two are enough is argued in docs/studies/read-mostly.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <vector>

#include "core/ops/read_mostly.hpp"
#include "core/spin_pause.hpp"

namespace syncmeter::ops {

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

/// A lock for everybody: lock() and unlock(). Readers too.
template <class Mutex> class under_mutex {
 public:
  explicit under_mutex(sharers who) : words_{words_in(who.size)} {}
  datum_state read(unsigned /*lane*/) {
    const std::lock_guard hold{mutex_};
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
template <class SharedMutex> class under_shared_mutex {
 public:
  explicit under_shared_mutex(sharers who) : words_{words_in(who.size)} {}
  datum_state read(unsigned /*lane*/) {
    const std::shared_lock hold{mutex_};
    return words_.read();
  }
  std::uint64_t write(unsigned /*lane*/) {
    const std::lock_guard hold{mutex_};
    return words_.write();
  }
  [[nodiscard]] std::uint64_t version() const { return words_.version(); }

 private:
  SharedMutex mutex_;
  alignas(128) plain_words words_;
};

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
/// "Hazard pointers"), and a writer fills one that is neither the newest nor said by anybody, of
/// which there always is one.
class snapshot_pointer {
 public:
  explicit snapshot_pointer(sharers who) : lanes_{who.lanes}, said_{new hazard[who.lanes]} {
    copies_.reserve(who.lanes + 2);
    while (copies_.size() < who.lanes + 2) copies_.emplace_back(words_in(who.size));
    newest_.store(&copies_[0], std::memory_order_relaxed);
  }

  datum_state read(unsigned lane) {
    std::atomic<const plain_words*>& mine = said_[lane % lanes_].copy;
    const plain_words* copy = newest_.load(std::memory_order_relaxed);
    // Sequentially consistent, both: said before it is looked at again.
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
      if (said_[lane].copy.load(std::memory_order_seq_cst) == &copy) return true;
    }
    return false;
  }

  unsigned lanes_;
  std::vector<plain_words> copies_;
  std::unique_ptr<hazard[]> said_;
  std::size_t turn_ = 0;
  std::mutex writers_;
  alignas(128) std::atomic<plain_words*> newest_{nullptr};
};

}  // namespace syncmeter::ops
