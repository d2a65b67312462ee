// The array that reductions on a CPU work on: laid on the pages of the lanes that read it, with its
// maximum planted at another place for each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/harness/oracle.hpp"
#include "core/host/reduction_values.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter {

/// Throws point_refused (core/worker/worker.hpp) where an op with a size has none, or one that this
/// machine has no memory for.
void require_room(const measurable& row, const point& where);

class reduction_array {
 public:
  /// Writes reduction_element to each element, on the lanes that will read it: the first to touch a
  /// page decides on which NUMA node it lies.
  template <class T>
  using filler = void (*)(T* data, std::size_t elements, std::uint64_t seed, reduction_input kind,
                          unsigned lanes);

  /// Nothing where the array is so already. Mixed and all negative inputs take turns. Throws
  /// std::runtime_error without memory, or where the array's maximum is not the one planted.
  template <class T> void fit(std::size_t elements, unsigned lanes, filler<T> fill) {
    if (elements == elements_ && lanes == lanes_ && type_ == type_tag<T>::value) return;
    renew(type_tag<T>::value, elements, lanes);
    fill(static_cast<T*>(memory_.get()), elements_, seed_, kind_, lanes_);
    check();
  }
  /// Puts the last maximum back to what it was, and another one elsewhere.
  void plant();

  template <class T> [[nodiscard]] const T* data() const {
    return static_cast<const T*>(memory_.get());
  }
  [[nodiscard]] std::size_t elements() const { return elements_; }
  /// How a result differs from the maximum: 0 when it is that.
  template <class T> [[nodiscard]] bits_of<T> difference(T result) const {
    return std::bit_cast<bits_of<T>>(result) ^ static_cast<bits_of<T>>(expected_);
  }

 private:
  struct free_memory {
    void operator()(void* p) const { std::free(p); }
  };

  void renew(value_type type, std::size_t elements, unsigned lanes);
  void check();

  std::unique_ptr<void, free_memory> memory_;
  value_type type_ = value_type::int32;
  std::size_t elements_ = 0;
  unsigned lanes_ = 0;
  reduction_input kind_ = reduction_input::mixed;
  std::uint64_t seed_ = 1, draw_ = 1;
  std::uint64_t expected_ = 0;  // bit pattern
  std::size_t place_ = 0;       // of the maximum
};

}  // namespace syncmeter
