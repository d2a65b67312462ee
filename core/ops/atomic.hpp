// Atomic accesses to one cell, and their plain controls. All are self-paired: test - baseline ==
// one more of the same access by the same lane to the same cell.
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

// What every atomic op shares; each op gives its name and its oracle.
consteval op_info atomic_info(std::string_view name, enum oracle oracle,
                              std::string_view note = {}) {
  return {.name = name,
          .family = family::atomic,
          .typed = true,
          .places = places::shared_and_strided,
          .orders = orders::atomic,
          .oracle = oracle,
          .note = note};
}

consteval op_info compare_info(std::string_view name) {
  op_info info = atomic_info(name, oracle::unchanged);
  info.compares = true;
  return info;
}

struct atomic_add {  // x += 1, result unused
  static constexpr op_info info = atomic_info("atomic_add", oracle::adds);
  SM_FN static void common(has_atomic_add auto& lane) { lane.atomic_add(lane.cell(), lane.one()); }
  SM_FN static void measured(has_atomic_add auto& lane) { common(lane); }
};

struct atomic_fetch_add {  // v = x, x += 1, result used
  static constexpr op_info info =
      atomic_info("atomic_fetch_add", oracle::adds, "the result is used (capture)");
  SM_FN static void common(has_atomic_fetch_add auto& lane) {
    lane.sink(lane.atomic_fetch_add(lane.cell(), lane.one()));
  }
  SM_FN static void measured(has_atomic_fetch_add auto& lane) { common(lane); }
};

struct atomic_sub {  // x -= 1, result unused
  static constexpr op_info info = atomic_info("atomic_sub", oracle::subtracts);
  SM_FN static void common(has_atomic_sub auto& lane) { lane.atomic_sub(lane.cell(), lane.one()); }
  SM_FN static void measured(has_atomic_sub auto& lane) { common(lane); }
};

struct atomic_max_raise {  // x = max(x, e), e grows each step: alone, a lane writes every time
  static constexpr op_info info =
      atomic_info("atomic_max_raise", oracle::raises, "the operand always changes the cell");
  SM_FN static void common(has_atomic_max auto& lane) {
    lane.atomic_max(lane.cell(), lane.operand_up());
  }
  SM_FN static void measured(has_atomic_max auto& lane) { common(lane); }
};

struct atomic_max_hold {  // x = max(x, e), e below the cell: the value never changes
  static constexpr op_info info =
      atomic_info("atomic_max_hold", oracle::unchanged, "the operand never changes the cell");
  SM_FN static void common(has_atomic_max auto& lane) {
    lane.atomic_max(lane.cell(), lane.below());
  }
  SM_FN static void measured(has_atomic_max auto& lane) { common(lane); }
};

struct atomic_min_raise {  // x = min(x, e), e falls each step: alone, a lane writes every time
  static constexpr op_info info =
      atomic_info("atomic_min_raise", oracle::lowers, "the operand always changes the cell");
  SM_FN static void common(has_atomic_min auto& lane) {
    lane.atomic_min(lane.cell(), lane.operand_down());
  }
  SM_FN static void measured(has_atomic_min auto& lane) { common(lane); }
};

struct atomic_min_hold {  // x = min(x, e), e above the cell: the value never changes
  static constexpr op_info info =
      atomic_info("atomic_min_hold", oracle::unchanged, "the operand never changes the cell");
  SM_FN static void common(has_atomic_min auto& lane) {
    lane.atomic_min(lane.cell(), lane.above());
  }
  SM_FN static void measured(has_atomic_min auto& lane) { common(lane); }
};

struct atomic_exchange {  // v = x, x = e; e grows each step, so that no lost or doubled value goes
                          // unseen
  static constexpr op_info info = atomic_info("atomic_exchange", oracle::exchanges);
  SM_FN static void common(has_atomic_exchange auto& lane) {
    const auto written = lane.operand_up();
    lane.tally_exchange(lane.atomic_exchange(lane.cell(), written), written);
  }
  SM_FN static void measured(has_atomic_exchange auto& lane) { common(lane); }
};

struct atomic_cas_pass {  // expected == desired == the cell's value: the only CAS that passes in
                          // all lanes
  static constexpr op_info info = compare_info("atomic_cas_pass");
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    lane.tally_difference(
        lane.atomic_compare_exchange(lane.cell(), lane.initial(), lane.initial()));
  }
  SM_FN static void measured(has_atomic_compare_exchange auto& lane) { common(lane); }
};

struct atomic_cas_fail {  // expected is never the cell's value
  static constexpr op_info info = compare_info("atomic_cas_fail");
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    lane.tally_difference(lane.atomic_compare_exchange(lane.cell(), lane.above(), lane.below()));
  }
  SM_FN static void measured(has_atomic_compare_exchange auto& lane) { common(lane); }
};

struct atomic_read {
  static constexpr op_info info = atomic_info("atomic_read", oracle::none);
  SM_FN static void common(has_atomic_read auto& lane) { lane.sink(lane.atomic_read(lane.cell())); }
  SM_FN static void measured(has_atomic_read auto& lane) { common(lane); }
};

struct atomic_write {
  static constexpr op_info info = atomic_info("atomic_write", oracle::written);
  SM_FN static void common(has_atomic_write auto& lane) {
    lane.atomic_write(lane.cell(), lane.next_value());
  }
  SM_FN static void measured(has_atomic_write auto& lane) { common(lane); }
};

struct atomic_write_two_lines {  // the writes alternate between two lines, on both sides; cost per
                                 // write
  static constexpr op_info info = [] {
    op_info two = atomic_info("atomic_write_two_lines", oracle::written_twice,
                              "writes alternate between two cache lines");
    two.ops_per_step = 2;
    two.unroll = 16;
    return two;
  }();
  SM_FN static void common(has_atomic_write auto& lane) {
    lane.atomic_write(lane.cell(), lane.operand());
    lane.atomic_write(lane.second_cell(), lane.operand());
  }
  SM_FN static void measured(has_atomic_write auto& lane) { common(lane); }
};

// Controls: the same accesses without atomicity.
consteval op_info plain_info(std::string_view name, enum oracle oracle) {
  return {.name = name,
          .family = family::memory,
          .typed = true,
          .places = places::shared_and_strided,
          .oracle = oracle,
          .note = "not atomic (volatile): the control for the atomic op"};
}

struct plain_read {
  static constexpr op_info info = plain_info("plain_read", oracle::none);
  SM_FN static void common(has_plain_access auto& lane) { lane.sink(lane.plain_read(lane.cell())); }
  SM_FN static void measured(has_plain_access auto& lane) { common(lane); }
};

struct plain_write {
  static constexpr op_info info = plain_info("plain_write", oracle::written);
  SM_FN static void common(has_plain_access auto& lane) {
    lane.plain_write(lane.cell(), lane.operand());
  }
  SM_FN static void measured(has_plain_access auto& lane) { common(lane); }
};

struct plain_add {  // x += 1 by a load, an add and a store, none of them atomic: only on cells of
                    // one's own, as lanes that share one lose updates
  static constexpr op_info info = [] {
    op_info own = plain_info("plain_add", oracle::adds);
    own.places = places::strided;
    return own;
  }();
  SM_FN static void common(has_plain_access auto& lane) { lane.plain_add(lane.cell()); }
  SM_FN static void measured(has_plain_access auto& lane) { common(lane); }
};

}  // namespace syncmeter::ops
