// Where the memory comes from that the lanes of a team have in common. Threads share all that their
// process has; lanes that are processes need pages that each of them sees, at one address.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

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

}  // namespace syncmeter
