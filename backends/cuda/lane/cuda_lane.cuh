// The CUDA lane: one thread. The parts common to all forms: registers, cells, plain accesses, block
// and warp ops. cuda_atomic_lane.cuh has the atomic ops. At the end, a lane for ops with their own
// object.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "backends/cuda/lane/cuda_setup.hpp"

namespace syncmeter::cuda {

constexpr unsigned all_lanes = 0xffffffffU;

/// Copies through the integer type, because std::bit_cast is not a device function everywhere.
template <class T> SM_FN bits_of<T> to_bits(T value) {
  bits_of<T> bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Hides a value from the front end. ptxas sees through: therefore results feed the next operand,
/// or a stored register.
template <class T> SM_FN void make_opaque(T& value) {
  if constexpr (std::is_same_v<T, float>) asm volatile("" : "+f"(value));
  else if constexpr (std::is_same_v<T, double>) asm volatile("" : "+d"(value));
  else if constexpr (sizeof(T) == 8) asm volatile("" : "+l"(value));
  else asm volatile("" : "+r"(value));
}

/// Return a lane's place in its block, and the lanes per block. Kokkos has team members along y.
#if defined(SM_LANES_ALONG_Y)
SM_FN unsigned lane_in_block() { return threadIdx.y; }
SM_FN unsigned lanes_in_block() { return blockDim.y; }
#else
SM_FN unsigned lane_in_block() { return threadIdx.x; }
SM_FN unsigned lanes_in_block() { return blockDim.x; }
#endif

/// The block's own memory (dynamic shared memory): cells of space `shared_memory`, the barrier
/// object, or the ring for memory latency.
extern __shared__ __align__(128) unsigned char block_memory[];

/// A form as a type of enumerators. Compilers disagree about symbols of templates with a struct
/// argument, but the census needs one name on host and device.
template <order O, placement P, scope S, flavour V, space M, bool SomeLanes, unsigned Size = 0>
struct form_constant {
  static constexpr form value{.order = O,
                              .placement = P,
                              .scope = S,
                              .flavour = V,
                              .space = M,
                              .some_lanes = SomeLanes,
                              .size = Size};
};

template <class T, class Form> class basic_lane {
 public:
  using value_type = T;
  static constexpr form F = Form::value;
  static constexpr form lane_form = F;

  SM_FN explicit basic_lane(const kernel_setup& s)
      : cells_{reinterpret_cast<T*>(s.cells)}, second_cells_{reinterpret_cast<T*>(s.second_cells)},
        offset_{std::size_t{F.space == space::shared_memory ? lane_in_block() : thread()} *
                s.stride_bytes},
        has_own_cell_{F.placement == placement::strided && s.stride_bytes != 0},
        one_{static_cast<T>(s.ones[0])}, zero_{static_cast<T>(s.ones[1])},
        operand_{initial_operand<T>(s.oracle, thread())}, initial_{initial_value<T>(s.oracle)},
        no_bits_{static_cast<unsigned>(s.ones[1])} {}

  /// Returns this thread's number in the whole grid.
  SM_FN static unsigned thread() { return blockIdx.x * lanes_in_block() + lane_in_block(); }

  // A shared cell is visibly the same for all lanes (a kernel parameter). A strided cell is not,
  // even at stride 0.
  [[nodiscard]] SM_FN T& cell() const { return at(cells_); }
  [[nodiscard]] SM_FN T& second_cell() const { return at(second_cells_); }

  [[nodiscard]] SM_FN bool has_own_cell() const { return has_own_cell_; }
  [[nodiscard]] SM_FN T one() const { return one_; }
  [[nodiscard]] SM_FN T zero() const { return zero_; }
  [[nodiscard]] SM_FN T largest() const { return static_cast<T>(-one_); }
  [[nodiscard]] SM_FN T initial() const { return initial_; }
  [[nodiscard]] SM_FN T below() const {
    return static_cast<T>(initial_ - static_cast<T>(4) * one_);
  }
  [[nodiscard]] SM_FN T above() const {
    return static_cast<T>(initial_ + static_cast<T>(4) * one_);
  }
  [[nodiscard]] SM_FN T operand() const { return operand_; }
  // Returns a value different from the last, because ptxas drops a relaxed store of an equal value.
  SM_FN T next_value() { return operand_up(); }
  SM_FN T operand_up() {
    operand_ = static_cast<T>(operand_ + one_);
    make_opaque(operand_);
    return operand_;
  }
  SM_FN T operand_down() {
    operand_ = static_cast<T>(operand_ - one_);
    make_opaque(operand_);
    return operand_;
  }
  SM_FN void multiply() {
    operand_ = static_cast<T>(operand_ * one_);
    make_opaque(operand_);
  }
  SM_FN void add_float() { float_ = __fadd_rn(float_, static_cast<float>(one_)); }

  // Folds a result into a register stored after the loop: one logic operation each time.
  SM_FN void sink(T value) { sunk_ ^= to_bits(value); }
  // Makes the next addend, again 1, wait for a result.
  SM_FN void depend_on(T value) {
    if constexpr (std::is_integral_v<T>) addend_ = static_cast<T>((value & zero_) | one_);
    else addend_ = value * zero_ + one_;
  }
  [[nodiscard]] SM_FN T dependent_one() const { return addend_; }
  SM_FN void tally_exchange(T returned, T written) {
    tally_ += to_bits(returned) - to_bits(written);
  }
  SM_FN void tally_difference(T value) { tally_ |= to_bits(value) ^ to_bits(initial_); }

  [[nodiscard]] SM_FN T plain_read(const T& from) const {
    return *const_cast<const volatile T*>(&from);
  }
  SM_FN void plain_write(T& to, T value) const { *const_cast<volatile T*>(&to) = value; }
  SM_FN void plain_add(T& to) const { plain_write(to, static_cast<T>(plain_read(to) + one_)); }

  [[nodiscard]] SM_FN lane_outcome tallied() const { return {tally_, to_bits(operand_)}; }
  [[nodiscard]] SM_FN std::uint64_t sunk() const {
    return std::uint64_t{sunk_} ^ __float_as_uint(float_) ^ to_bits(addend_);
  }

 protected:
  /// Returns 0, computed from a register that changes each time.
  SM_FN std::size_t nowhere() {
    ++times_;
    return times_ & no_bits_;
  }
  SM_FN T& at(T* array) const {
    if constexpr (F.space == space::shared_memory) {
      const auto own = F.placement == placement::strided ? static_cast<unsigned>(offset_) : 0U;
      return *reinterpret_cast<T*>(block_memory + cells_offset + own);
    } else if constexpr (F.placement == placement::strided) {
      return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(array) + offset_);
    } else {
      return *array;
    }
  }
  T* cells_;
  T* second_cells_;
  std::size_t offset_;
  bool has_own_cell_;
  T one_;
  T zero_;
  T operand_;
  T initial_;
  T addend_ = one_;
  bits_of<T> tally_ = 0;
  bits_of<T> sunk_ = 0;
  float float_ = 0;
  unsigned times_ = 0;
  unsigned no_bits_;
};

/// A lane for an op with its own object, as in user ops. Also gives the place in the block.
template <class Object, class Lane> class object_lane : public Lane {
  static_assert(std::is_trivially_copyable_v<Object>,
                "on a GPU the object of an op gets there as bytes: it must be trivially copyable");
  static_assert(alignof(Object) <= 256,
                "on a GPU the object of an op must not be aligned to more than 256 bytes");

 public:
  SM_FN explicit object_lane(const kernel_setup& s)
      : Lane{s}, object_{reinterpret_cast<Object*>(s.data + number_of_object() * s.data_bytes)} {}

  /// Returns the object of this lane's cell, or the block's object for an op without cells.
  template <class Named = Object> [[nodiscard]] SM_FN Object& object() const {
    static_assert(std::is_same_v<Named, Object>,
                  "lane.object<T>() must name the type that the op has as `object`");
    return *object_;
  }
  [[nodiscard]] SM_FN unsigned number() const { return lane_in_block(); }  ///< from 0
  [[nodiscard]] SM_FN unsigned lanes() const { return lanes_in_block(); }  ///< per block

 private:
  SM_FN static std::size_t number_of_object() {
    constexpr form f = Lane::lane_form;
    if constexpr (f.placement == placement::strided) return Lane::thread();
    else if constexpr (f.placement == placement::shared && f.space != space::shared_memory)
      return 0;
    else return blockIdx.x;
  }

  Object* object_;
};

}  // namespace syncmeter::cuda
