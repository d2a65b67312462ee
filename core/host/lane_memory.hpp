// Where the memory comes from that the lanes of a team have in common, and what is placed in it.
// Threads share all that their process has; lanes that are processes need pages that each of them
// has at one address.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/cell_object.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {

/// A source of such memory. Used by the process that leads the team only: lanes read and write what
/// they find there, and take and give back nothing.
class lane_memory {
 public:
  virtual ~lane_memory() = default;
  /// `bytes` of memory aligned to `alignment`, a power of two up to 4096. `of` names them where
  /// there are none left: throws std::runtime_error, "out of memory: N bytes for OF".
  [[nodiscard]] virtual std::byte* take(std::size_t bytes, std::size_t alignment,
                                        std::string_view of) = 0;
  virtual void give_back(std::byte* memory, std::size_t bytes) noexcept = 0;
  /// The same, of whole pages that hold 0 and that nobody has touched: the first to do so decides
  /// on which NUMA node each lies.
  [[nodiscard]] virtual std::byte* take_pages(std::size_t bytes, std::string_view of) = 0;
  virtual void give_back_pages(std::byte* memory, std::size_t bytes) noexcept = 0;
};

/// The source in use: this process's heap, unless use_lane_memory named another.
[[nodiscard]] lane_memory& memory_of_lanes();
/// Makes `source` the one in use. Before the first backend is made; it must outlive them all.
void use_lane_memory(lane_memory& source);

/// What containers that lanes look into take their memory from.
template <class T> struct lane_allocator {
  using value_type = T;
  lane_allocator() = default;
  template <class U> lane_allocator(const lane_allocator<U>&) {}
  [[nodiscard]] T* allocate(std::size_t n) {
    return reinterpret_cast<T*>(memory_of_lanes().take(n * sizeof(T), alignof(T), "lanes"));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    memory_of_lanes().give_back(reinterpret_cast<std::byte*>(p), n * sizeof(T));
  }
  friend bool operator==(lane_allocator, lane_allocator) { return true; }
};

/// The owner of one object that lanes have in common.
template <class T> struct lane_deleter {
  void operator()(T* object) const {
    std::destroy_at(object);
    lane_allocator<T>{}.deallocate(object, 1);
  }
};
template <class T> using lane_owner = std::unique_ptr<T, lane_deleter<T>>;
template <class T, class... Arguments>
[[nodiscard]] lane_owner<T> make_for_lanes(Arguments&&... arguments) {
  T* const memory = lane_allocator<T>{}.allocate(1);
  try {
    return lane_owner<T>(std::construct_at(memory, std::forward<Arguments>(arguments)...));
  } catch (...) {
    lane_allocator<T>{}.deallocate(memory, 1);
    throw;
  }
}

/// Bytes that lanes have in common.
struct lane_bytes_deleter {
  std::size_t bytes = 0;
  void operator()(std::byte* p) const { memory_of_lanes().give_back(p, bytes); }
};
using lane_bytes = std::unique_ptr<std::byte[], lane_bytes_deleter>;
[[nodiscard]] lane_bytes take_for_lanes(std::size_t bytes, std::size_t alignment,
                                        std::string_view of);

class shared_pages final : public lane_memory {
 public:
  /// `bytes` of address space without a file, shared with the processes that are forked from here
  /// on. Pages count once they are touched. Throws std::runtime_error when there is none.
  explicit shared_pages(std::size_t bytes);
  /// The first `bytes` of a file, at `address`: as other processes have them that say the same.
  /// Throws std::runtime_error where something else is there already.
  shared_pages(int file, std::size_t bytes, std::byte* address);
  ~shared_pages() override;
  shared_pages(const shared_pages&) = delete;
  shared_pages& operator=(const shared_pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

  [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t alignment,
                                std::string_view of) override;
  void give_back(std::byte* memory, std::size_t bytes) noexcept override;
  [[nodiscard]] std::byte* take_pages(std::size_t bytes, std::string_view of) override;
  void give_back_pages(std::byte* memory, std::size_t bytes) noexcept override;

 private:
  std::size_t bytes_;
  std::byte* data_;
  std::map<std::size_t, std::size_t> free_;  // offset: bytes; neighbours are one
};

/// Fresh pages, first touched by a thread bound to one PU; all bytes are 0.
class homed_pages {
 public:
  /// Throws std::runtime_error when there is no memory or the PU cannot be used.
  homed_pages(const topology& machine, std::size_t bytes, int os_pu);
  ~homed_pages();
  homed_pages(const homed_pages&) = delete;
  homed_pages& operator=(const homed_pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  /// The NUMA node (by the operating system's number) that the first page is on, read back; nothing
  /// where the system does not say.
  [[nodiscard]] std::optional<int> numa_node() const;
  [[nodiscard]] int pu() const { return pu_; }

 private:
  const topology& machine_;
  std::size_t bytes_;
  int pu_;
  std::byte* data_;
};

/// Where the cells of a point lie: the objects follow them as far as their size lets them.
struct cell_spacing {
  std::size_t pitch = 0;   ///< bytes from one cell to the next
  std::size_t offset = 0;  ///< of the first from the start of a page
};

class cell_objects {
 public:
  cell_objects() = default;
  ~cell_objects() { clear(); }
  cell_objects(const cell_objects&) = delete;
  cell_objects& operator=(const cell_objects&) = delete;

  /// Makes `count` objects in place of those that there are; none of a kind without bytes. They lie
  /// as far apart as the cells, or next to each other where they are larger than that. Throws
  /// std::runtime_error without memory, and what a constructor throws.
  void make(const object_kind& kind, std::size_t count, sharers who, cell_spacing like);
  /// Ends them.
  void clear();
  /// Null where there are none.
  [[nodiscard]] void* at(std::size_t index) const;
  [[nodiscard]] std::size_t pitch() const { return pitch_; }

 private:
  object_kind kind_;
  std::size_t count_ = 0, pitch_ = 0, offset_ = 0, capacity_ = 0;
  lane_bytes memory_;
};

}  // namespace syncmeter
