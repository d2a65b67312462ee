// What a lane on a CPU has in every backend: its registers, its cells, and the accesses that need
// no API. A backend's lane derives from it and adds the words of its API.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/harness/oracle.hpp"
#include "core/op.hpp"
#include "core/owner_note.hpp"

namespace syncmeter {

struct late_turns;

/// Where a lane finds its memory; made by the rig for one point.
struct lane_setup {
  void* cell = nullptr;
  void* second_cell = nullptr;
  std::uint64_t* mailbox = nullptr;  ///< token ring: this lane's, on lines of its own
  std::uint64_t* next_mailbox = nullptr;
  const std::int32_t* ones = nullptr;  ///< a 1 in memory that no compiler can see through
  void* backend = nullptr;             ///< the backend's own objects (a lock)
  unsigned lane = 0;
  unsigned lanes = 1;
  unsigned cell_index = 0;     ///< which cell that is: what guards it (a lock) has the same number
  late_turns* late = nullptr;  ///< when this lane arrives late, where the op has such
  void* object = nullptr;      ///< the op's own (core/cell_object.hpp), beside the cell
  enum oracle oracle = oracle::none;
};

/// What a mailbox of the token ring holds when no token is in it.
inline constexpr std::uint64_t no_token = ~std::uint64_t{0};

/// An empty asm that takes the value in a register and gives back "another" one: the compiler may
/// neither fold nor drop what made it.
template <class T> SM_FN void make_opaque(T& value) {
  if constexpr (std::is_floating_point_v<T>) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(value));
#elif defined(__riscv)
    asm volatile("" : "+f"(value));
#else
    asm volatile("" : "+w"(value));
#endif
  } else {
    asm volatile("" : "+r"(value));
  }
}

template <class T> class host_lane {
 public:
  using value_type = T;

  explicit host_lane(const lane_setup& s)
      : cell_{static_cast<T*>(s.cell)}, second_cell_{static_cast<T*>(s.second_cell)},
        one_{static_cast<T>(*s.ones)}, factor_{static_cast<T>(*s.ones)},
        operand_{initial_operand<T>(s.oracle, s.lane)}, initial_{initial_value<T>(s.oracle)},
        below_{static_cast<T>(initial_ - static_cast<T>(4 * *s.ones))},
        above_{static_cast<T>(initial_ + static_cast<T>(4 * *s.ones))} {}

  [[nodiscard]] SM_FN T& cell() const { return *cell_; }
  [[nodiscard]] SM_FN T& second_cell() const { return *second_cell_; }
  [[nodiscard]] SM_FN T one() const { return one_; }
  [[nodiscard]] SM_FN T initial() const { return initial_; }
  [[nodiscard]] SM_FN T below() const { return below_; }
  [[nodiscard]] SM_FN T above() const { return above_; }
  [[nodiscard]] SM_FN T operand() const { return operand_; }
  // What to write over what one wrote before: the same, where no compiler drops such a write.
  [[nodiscard]] SM_FN T next_value() const { return operand_; }
  // Opaque, or compilers work out the operands of a whole trip ahead.
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

  // Opaque after every multiply: integer chains are associative, and a compiler would hoist
  // factor^2.
  SM_FN void multiply() {
    operand_ = static_cast<T>(operand_ * factor_);
    make_opaque(operand_);
  }

  SM_FN void sink(T value) const { make_opaque(value); }
  // Opaque too: g++ collected the results of a whole trip on the stack, to add them up later.
  SM_FN void tally_exchange(T returned, T written) {
    tally_ += std::bit_cast<bits_of<T>>(returned) - std::bit_cast<bits_of<T>>(written);
    make_opaque(tally_);
  }
  SM_FN void tally_difference(T value) {
    tally_ |= std::bit_cast<bits_of<T>>(value) ^ std::bit_cast<bits_of<T>>(initial_);
    make_opaque(tally_);
  }

  SM_FN void tally_wrong(bits_of<T> difference) {
    tally_ |= difference;
    make_opaque(tally_);
  }

  // Through a pointer: clang 14 loses the volatile of a static_cast to a reference in a template,
  // and the loop with it.
  [[nodiscard]] SM_FN T plain_read(const T& from) const {
    return *const_cast<const volatile T*>(&from);
  }
  SM_FN void plain_write(T& to, T value) const { *const_cast<volatile T*>(&to) = value; }
  SM_FN void plain_add(T& to) const { plain_write(to, static_cast<T>(plain_read(to) + one_)); }

  [[nodiscard]] lane_outcome outcome() const {
    return {tally_, std::bit_cast<bits_of<T>>(operand_)};
  }

 private:
  T* cell_;
  T* second_cell_;
  T one_;
  T factor_;
  T operand_;
  T initial_;
  T below_;
  T above_;
  bits_of<T> tally_ = 0;
};

/// A lane for counting owner changes, with the words that an add under a lock needs. The lock
/// orders the accesses: volatile is not needed.
template <> class host_lane<owner_note> {
 public:
  using value_type = owner_note;

  explicit host_lane(const lane_setup& s)
      : cell_{static_cast<owner_note*>(s.cell)}, one_{.owner = s.lane + 1} {}

  [[nodiscard]] SM_FN owner_note& cell() const { return *cell_; }
  [[nodiscard]] SM_FN owner_note one() const { return one_; }
  [[nodiscard]] SM_FN owner_note plain_read(const owner_note& from) const { return from; }
  SM_FN void plain_write(owner_note& to, owner_note value) const { to = value; }
  SM_FN void plain_add(owner_note& to) const { to = to + one_; }
  SM_FN void sink(owner_note) const {}
  [[nodiscard]] lane_outcome outcome() const { return {}; }

 private:
  owner_note* cell_;
  owner_note one_;
};

/// A backend's lane for an op with an object of its own, and so for a user's: what it may ask of
/// its place in the team too.
template <class Object, class Lane> class object_lane : public Lane {
 public:
  explicit object_lane(const lane_setup& s)
      : Lane{s}, object_{static_cast<Object*>(s.object)}, number_{s.lane}, lanes_{s.lanes} {}

  /// The object of this lane's cell; of an op without cells the one of all lanes.
  template <class Named = Object> [[nodiscard]] SM_FN Object& object() const {
    static_assert(std::is_same_v<Named, Object>,
                  "lane.object<T>() must name the type that the op has as `object`");
    return *object_;
  }
  [[nodiscard]] SM_FN unsigned number() const { return number_; }  ///< from 0, in the team
  [[nodiscard]] SM_FN unsigned lanes() const { return lanes_; }    ///< of the team

 private:
  Object* object_;
  unsigned number_;
  unsigned lanes_;
};

/// The token ring's registers; a backend adds the acquire load and the release store.
class ring_registers {
 public:
  explicit ring_registers(const lane_setup& s)
      : mailbox_{s.mailbox}, next_mailbox_{s.next_mailbox}, bump_{s.lane == 0 ? 1U : 0U},
        expected_{1U - bump_} {}

 protected:
  // Lane 0 finds its first token (0) in its mailbox and passes each on with 1 added; the others
  // pass on what they got. So all lanes run the same code, and a token of an older rotation is
  // never taken.
  std::uint64_t* mailbox_;
  std::uint64_t* next_mailbox_;
  std::uint64_t bump_;
  std::uint64_t expected_;
};

}  // namespace syncmeter
