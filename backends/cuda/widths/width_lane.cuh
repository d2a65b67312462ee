// Atomic updates of each width, and their lane.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backends/cuda/lane/cuda_atomics.cuh"
#include "backends/cuda/lane/cuda_lane.cuh"
#include "backends/cuda/widths/shapes.hpp"

namespace syncmeter::cuda {

__extension__ typedef unsigned __int128 word128;

template <unsigned Bytes>
using word_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 8, std::uint64_t, word128>>>>;

template <class Word> SM_FN Word word_from(const cell_bits& bits) {
  if constexpr (sizeof(Word) == 16) return Word{bits.high} << 64U | bits.low;
  else return static_cast<Word>(bits.low);
}
template <class Word> SM_FN cell_bits bits_from(Word word) {
  if constexpr (sizeof(Word) == 16)
    return {static_cast<std::uint64_t>(word), static_cast<std::uint64_t>(word >> 64U)};
  else return {static_cast<std::uint64_t>(word), 0};
}

/// Returns the same bits as another type of equal size.
template <class To, class From> SM_FN To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

// Additions by CUDA's functions. Functions for halves have no scope in their name.

template <class Vector, scope S, class Word> SM_FN Word add_by_function(Word& x, Word v) {
  auto* const p = reinterpret_cast<Vector*>(&x);
  const auto e = same_bits<Vector>(v);
  if constexpr (S == scope::block) return same_bits<Word>(::atomicAdd_block(p, e));
  else if constexpr (S == scope::system) return same_bits<Word>(::atomicAdd_system(p, e));
  else return same_bits<Word>(::atomicAdd(p, e));
}

template <class Half, class Word> SM_FN Word add_half(Word& x, Word v) {
  return same_bits<Word>(::atomicAdd(reinterpret_cast<Half*>(&x), same_bits<Half>(v)));
}

/// Adds to integers without their own atomic, by the only way for a program: a compare-and-swap on
/// the surrounding 32-bit word.
template <class Word> SM_FN Word add_in_word(Word& x, Word v) {
  const auto at = reinterpret_cast<std::uintptr_t>(&x);
  auto* const word = reinterpret_cast<unsigned*>(&x - (at & 3U) / sizeof(Word));
  const unsigned shift = (at & 3U) * 8;
  const unsigned mask = static_cast<Word>(~Word{0}) << shift;
  unsigned seen = *const_cast<volatile unsigned*>(word);
  for (;;) {
    const unsigned next = (seen & ~mask) | ((seen + (unsigned{v} << shift)) & mask);
    const unsigned old = ::atomicCAS(word, seen, next);
    if (old == seen) return static_cast<Word>(seen >> shift);
    seen = old;
  }
}

// Additions by PTX, on global memory: halves in pairs, and eight at once.

#define SM_IN_SCOPE(BEFORE, BEHIND, ...)                                                           \
  if constexpr (S == scope::block) {                                                               \
    asm volatile(BEFORE ".relaxed.cta.global.add.noftz." BEHIND __VA_ARGS__);                      \
  } else if constexpr (S == scope::system) {                                                       \
    asm volatile(BEFORE ".relaxed.sys.global.add.noftz." BEHIND __VA_ARGS__);                      \
  } else {                                                                                         \
    asm volatile(BEFORE ".relaxed.gpu.global.add.noftz." BEHIND __VA_ARGS__);                      \
  }
#define SM_RED_PAIR(TYPE) SM_IN_SCOPE("red", TYPE " [%0], %1;", ::"l"(&x), "r"(v) : "memory")
#define SM_ATOM_PAIR(TYPE)                                                                         \
  SM_IN_SCOPE("atom", TYPE " %0, [%1], %2;", : "=r"(old) : "l"(&x), "r"(v) : "memory")
#define SM_RED_EIGHT(TYPE)                                                                         \
  SM_IN_SCOPE("red", "v4." TYPE " [%0], {%1, %2, %3, %4};", ::"l"(&x), "r"(v.x), "r"(v.y),         \
              "r"(v.z), "r"(v.w) : "memory")
#define SM_ATOM_EIGHT(TYPE)                                                                        \
  SM_IN_SCOPE("atom", "v4." TYPE " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};", : "=r"(old.x),      \
              "=r"(old.y), "=r"(old.z), "=r"(old.w) : "l"(&x), "r"(v.x), "r"(v.y), "r"(v.z),       \
              "r"(v.w) : "memory")

// PTX has bfloat16 and wider additions from compute capability 9.0 on. On older GPUs the rig
// refuses the points, and their replacement only compiles.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool before_hopper = true;
#else
inline constexpr bool before_hopper = false;
#endif

template <element E, scope S> SM_FN void red_pair(std::uint32_t& x, std::uint32_t v) {
  if constexpr (E == element::f16) {
    SM_RED_PAIR("f16x2")
  } else if constexpr (before_hopper) {
    static_cast<void>(add_half<__nv_bfloat162>(x, v));
  } else {
    SM_RED_PAIR("bf16x2")
  }
}
template <element E, scope S> SM_FN std::uint32_t atom_pair(std::uint32_t& x, std::uint32_t v) {
  std::uint32_t old = 0;
  if constexpr (E == element::f16) {
    SM_ATOM_PAIR("f16x2")
  } else if constexpr (before_hopper) {
    old = add_half<__nv_bfloat162>(x, v);
  } else {
    SM_ATOM_PAIR("bf16x2")
  }
  return old;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <element E, scope S> SM_FN void red_eight(word128& x, uint4 v) {
  auto* const pairs = reinterpret_cast<std::uint32_t*>(&x);
  red_pair<E, S>(pairs[0], v.x);
  red_pair<E, S>(pairs[1], v.y);
  red_pair<E, S>(pairs[2], v.z);
  red_pair<E, S>(pairs[3], v.w);
}
template <element E, scope S> SM_FN uint4 atom_eight(word128& x, uint4 v) {
  auto* const pairs = reinterpret_cast<std::uint32_t*>(&x);
  return {atom_pair<E, S>(pairs[0], v.x), atom_pair<E, S>(pairs[1], v.y),
          atom_pair<E, S>(pairs[2], v.z), atom_pair<E, S>(pairs[3], v.w)};
}
template <scope S, class Vector, class Word> SM_FN Word add_floats(Word& x, Word v) {
  auto* const parts = reinterpret_cast<std::uint32_t*>(&x);
  Word old = 0;
  for (unsigned i = 0; i < sizeof(Word) / 4; ++i)
    old |= Word{add_by_function<float, S>(parts[i], static_cast<std::uint32_t>(v >> (32 * i)))}
           << (32 * i);
  return old;
}
SM_FN word128 exchange_word128(word128& x, word128 v) {
  auto* const halves = reinterpret_cast<unsigned long long*>(&x);
  const word128 low = ::atomicExch(halves, static_cast<unsigned long long>(v));
  return low | word128{::atomicExch(halves + 1, static_cast<unsigned long long>(v >> 64U))} << 64U;
}
SM_FN word128 cas_word128(word128& x, word128 e, word128 v) {
  auto* const halves = reinterpret_cast<unsigned long long*>(&x);
  const word128 low =
      ::atomicCAS(halves, static_cast<unsigned long long>(e), static_cast<unsigned long long>(v));
  return low | word128{::atomicCAS(halves + 1, static_cast<unsigned long long>(e >> 64U),
                                   static_cast<unsigned long long>(v >> 64U))}
                   << 64U;
}
#else
template <element E, scope S> SM_FN void red_eight(word128& x, uint4 v) {
  if constexpr (E == element::f16) {
    SM_RED_EIGHT("f16x2")
  } else {
    SM_RED_EIGHT("bf16x2")
  }
}
template <element E, scope S> SM_FN uint4 atom_eight(word128& x, uint4 v) {
  uint4 old{};
  if constexpr (E == element::f16) {
    SM_ATOM_EIGHT("f16x2")
  } else {
    SM_ATOM_EIGHT("bf16x2")
  }
  return old;
}
template <scope S, class Vector, class Word> SM_FN Word add_floats(Word& x, Word v) {
  return add_by_function<Vector, S>(x, v);
}
SM_FN word128 exchange_word128(word128& x, word128 v) { return ::atomicExch(&x, v); }
SM_FN word128 cas_word128(word128& x, word128 e, word128 v) { return ::atomicCAS(&x, e, v); }
#endif

#undef SM_ATOM_EIGHT
#undef SM_RED_EIGHT
#undef SM_ATOM_PAIR
#undef SM_RED_PAIR
#undef SM_IN_SCOPE

/// One lane for cells of shape number Shape.
template <unsigned Shape, class Form> class width_lane {
  static constexpr form F = Form::value;
  static constexpr enum scope S = F.scope;
  static constexpr cell_shape shape = cell_shapes[Shape];
  static constexpr bool by_ptx = F.flavour == flavour::ptx;
  using word = word_of<shape.bytes>;
  using tally_word = word_of < shape.bytes<8 ? 4 : 8>;

 public:
  using value_type = word;
  static constexpr form lane_form = F;

  SM_FN explicit width_lane(const kernel_setup& s)
      : cells_{s.cells},
        offset_{std::size_t{F.space == space::shared_memory ? lane_in_block() : thread()} *
                s.stride_bytes},
        has_own_cell_{s.stride_bytes != 0}, one_{static_cast<std::uint32_t>(s.ones[0])},
        first_{word_from<word>(first_bits(shape))}, operand_{first_operand()},
        number_{thread() << 8U} {}

  SM_FN static unsigned thread() { return blockIdx.x * lanes_in_block() + lane_in_block(); }

  [[nodiscard]] SM_FN word& cell() const {
    if constexpr (F.space == space::shared_memory)
      return *reinterpret_cast<word*>(block_memory + cells_offset + static_cast<unsigned>(offset_));
    else return *reinterpret_cast<word*>(cells_ + offset_);
  }
  [[nodiscard]] SM_FN bool has_own_cell() const { return has_own_cell_; }
  [[nodiscard]] SM_FN word initial() const { return first_; }

  /// Loops on shared memory make the compiler keep more registers.
  template <class Op> static consteval unsigned most_steps() {
    const bool used = action_of(Op::info) == width_action::fetch_add;
    return used && F.space == space::shared_memory && shape.kind == element::f32 ? 4
                                                                                 : Op::info.unroll;
  }

  // Each second float addend cancels the previous addend, and neighbours begin with opposite signs.
  // Sums stay small enough to be exact in every type.
  SM_FN void add() {
    if constexpr (by_ptx && shape.bytes == 4) red_pair<shape.kind, S>(cell(), next_operand());
    else if constexpr (by_ptx) red_eight<shape.kind, S>(cell(), same_bits<uint4>(next_operand()));
    else static_cast<void>(added(cell(), next_operand()));
  }
  SM_FN void fetch_add() {
    if constexpr (by_ptx && shape.bytes == 4)
      sink(atom_pair<shape.kind, S>(cell(), next_operand()));
    else if constexpr (by_ptx)
      sink(same_bits<word>(atom_eight<shape.kind, S>(cell(), same_bits<uint4>(next_operand()))));
    else sink(added(cell(), next_operand()));
  }
  SM_FN void exchange() {
    number_ += one_;
    make_opaque(number_);
    const cell_bits written = exchanged_value(number_, shape.bytes);
    const cell_bits old = bits_from(exchanged(cell(), word_from<word>(written)));
    tally_ += static_cast<tally_word>(balance_of(old) - balance_of(written));
    note_wrong(torn(old, shape.bytes));
  }
  // The only compare-and-swap that succeeds in all lanes.
  SM_FN void compare_exchange() {
    const cell_bits changed = bits_from<word>(swapped(cell(), first_, first_) ^ first_);
    note_wrong(changed.low | changed.high);
  }

  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    return {{.tally = tally_, .operand = wrong_}, sunk_};
  }

 private:
  /// Returns 1, 2, 1, 2, ... in the elements, negated in every second lane. Lanes of a warp differ
  /// in progress, and their sums must stay below 256, bfloat16's limit for exact integers.
  [[nodiscard]] SM_FN word first_operand() const {
    if constexpr (shape.adds_floats()) {
      constexpr unsigned part = shape.bytes / shape.count;
      cell_bits all;
      for (unsigned i = 0; i < shape.count; ++i)
        (i * part < 8 ? all.low : all.high) |= float_bits(i % 2 + one_) << (i * part % 8 * 8);
      const auto value = word_from<word>(all);
      return thread() % 2 == 0 ? value : static_cast<word>(value ^ signs());
    } else {
      return static_cast<word>(one_);
    }
  }
  [[nodiscard]] SM_FN static std::uint64_t float_bits(unsigned value) {
    const auto wide = static_cast<float>(value);
    if constexpr (shape.kind == element::f16) return __half_as_ushort(__float2half(wide));
    else if constexpr (shape.kind == element::bf16) return __float_as_uint(wide) >> 16U;
    else return __float_as_uint(wide);
  }
  [[nodiscard]] SM_FN static constexpr word signs() {
    constexpr unsigned part = shape.bytes / shape.count;
    return word_from<word>(in_each(std::uint64_t{1} << (part * 8 - 1), part, shape.bytes));
  }
  SM_FN word next_operand() {
    if constexpr (shape.adds_floats()) operand_ ^= signs();
    return operand_;
  }

  [[nodiscard]] SM_FN static word added(word& x, word v) {
    if constexpr (shape.kind == element::f16)
      return add_half<std::conditional_t<shape.count == 1, __half, __half2>>(x, v);
    else if constexpr (shape.kind == element::bf16)
      return add_half<std::conditional_t<shape.count == 1, __nv_bfloat16, __nv_bfloat162>>(x, v);
    else if constexpr (shape.kind == element::f32 && shape.count == 1)
      return add_by_function<float, S>(x, v);
    else if constexpr (shape.kind == element::f32)
      return add_floats<S, std::conditional_t<shape.count == 2, float2, float4>>(x, v);
    else if constexpr (shape.bytes < 4) return add_in_word(x, v);
    else return function::atomicAdd<S>(x, v);
  }
  [[nodiscard]] SM_FN static word exchanged(word& x, word v) {
    if constexpr (shape.bytes == 16) return exchange_word128(x, v);
    else return static_cast<word>(function::atomicExch<S>(x, v));
  }
  [[nodiscard]] SM_FN static word swapped(word& x, word e, word v) {
    if constexpr (shape.bytes == 16) return cas_word128(x, e, v);
    else return static_cast<word>(function::atomicCAS<S>(x, e, v));
  }
  SM_FN void note_wrong(std::uint64_t bits) {
    wrong_ |= static_cast<std::uint32_t>(bits | bits >> 32U);
  }
  SM_FN void sink(word value) {
    const cell_bits bits = bits_from(value);
    const std::uint64_t both = bits.low ^ bits.high;
    sunk_ ^= static_cast<std::uint32_t>(both ^ both >> 32U);
  }

  std::byte* cells_;
  std::size_t offset_;
  bool has_own_cell_;
  std::uint32_t one_;
  word first_;
  word operand_;
  std::uint32_t number_;
  std::uint32_t sunk_ = 0;
  std::uint32_t wrong_ = 0;
  tally_word tally_ = 0;
};

}  // namespace syncmeter::cuda
