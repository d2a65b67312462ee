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
  return atomic_info(name, oracle::unchanged).with(&op_info::compares, true);
}

struct atomic_add : self_paired<atomic_add> {  // x += 1, result unused
  static constexpr op_info info = atomic_info("atomic_add", oracle::adds);
  SM_FN static void common(has_atomic_add auto& lane) { lane.atomic_add(lane.cell(), lane.one()); }
};

struct atomic_fetch_add : self_paired<atomic_fetch_add> {  // v = x, x += 1, result used
  static constexpr op_info info =
      atomic_info("atomic_fetch_add", oracle::adds, "the result is used (capture)");
  SM_FN static void common(has_atomic_fetch_add auto& lane) {
    lane.sink(lane.atomic_fetch_add(lane.cell(), lane.one()));
  }
};

struct atomic_sub : self_paired<atomic_sub> {  // x -= 1, result unused
  static constexpr op_info info = atomic_info("atomic_sub", oracle::subtracts);
  SM_FN static void common(has_atomic_sub auto& lane) { lane.atomic_sub(lane.cell(), lane.one()); }
};

// x = max(x, e), e grows each step: alone, a lane writes every time
struct atomic_max_raise : self_paired<atomic_max_raise> {
  static constexpr op_info info =
      atomic_info("atomic_max_raise", oracle::raises, "the operand always changes the variable");
  SM_FN static void common(has_atomic_max auto& lane) {
    lane.atomic_max(lane.cell(), lane.operand_up());
  }
};

// x = max(x, e), e below the cell: the value never changes
struct atomic_max_hold : self_paired<atomic_max_hold> {
  static constexpr op_info info =
      atomic_info("atomic_max_hold", oracle::unchanged, "the operand never changes the variable");
  SM_FN static void common(has_atomic_max auto& lane) {
    lane.atomic_max(lane.cell(), lane.below());
  }
};

// x = min(x, e), e falls each step: alone, a lane writes every time
struct atomic_min_raise : self_paired<atomic_min_raise> {
  static constexpr op_info info =
      atomic_info("atomic_min_raise", oracle::lowers, "the operand always changes the variable");
  SM_FN static void common(has_atomic_min auto& lane) {
    lane.atomic_min(lane.cell(), lane.operand_down());
  }
};

// x = min(x, e), e above the cell: the value never changes
struct atomic_min_hold : self_paired<atomic_min_hold> {
  static constexpr op_info info =
      atomic_info("atomic_min_hold", oracle::unchanged, "the operand never changes the variable");
  SM_FN static void common(has_atomic_min auto& lane) {
    lane.atomic_min(lane.cell(), lane.above());
  }
};

// v = x, x = e; e grows each step, so that no lost or doubled value goes unseen
struct atomic_exchange : self_paired<atomic_exchange> {
  static constexpr op_info info = atomic_info("atomic_exchange", oracle::exchanges);
  SM_FN static void common(has_atomic_exchange auto& lane) {
    const auto written = lane.operand_up();
    lane.tally_exchange(lane.atomic_exchange(lane.cell(), written), written);
  }
};

// expected == desired == the cell's value: the only CAS that passes in all lanes
struct atomic_cas_pass : self_paired<atomic_cas_pass> {
  static constexpr op_info info = compare_info("atomic_cas_pass");
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    lane.tally_difference(
        lane.atomic_compare_exchange(lane.cell(), lane.initial(), lane.initial()));
  }
};

struct atomic_cas_fail : self_paired<atomic_cas_fail> {  // expected is never the cell's value
  static constexpr op_info info = compare_info("atomic_cas_fail");
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    lane.tally_difference(lane.atomic_compare_exchange(lane.cell(), lane.above(), lane.below()));
  }
};

struct atomic_read : self_paired<atomic_read> {
  static constexpr op_info info = atomic_info("atomic_read", oracle::none);
  SM_FN static void common(has_atomic_read auto& lane) { lane.sink(lane.atomic_read(lane.cell())); }
};

struct atomic_write : self_paired<atomic_write> {
  static constexpr op_info info = atomic_info("atomic_write", oracle::written);
  SM_FN static void common(has_atomic_write auto& lane) {
    lane.atomic_write(lane.cell(), lane.next_value());
  }
};

// the writes alternate between two lines, on both sides; cost per write
struct atomic_write_two_lines : self_paired<atomic_write_two_lines> {
  static constexpr op_info info = atomic_info("atomic_write_two_lines", oracle::written_twice,
                                              "writes alternate between two cache lines")
                                      .with(&op_info::ops_per_step, 2)
                                      .with(&op_info::unroll, 16);
  SM_FN static void common(has_atomic_write auto& lane) {
    lane.atomic_write(lane.cell(), lane.operand());
    lane.atomic_write(lane.second_cell(), lane.operand());
  }
};

// Controls: the same accesses without atomicity.
consteval op_info plain_info(std::string_view name, enum oracle oracle) {
  return {.name = name,
          .family = family::memory,
          .typed = true,
          .places = places::shared_and_strided,
          .oracle = oracle,
          .note = "not atomic (volatile): the control for the atomic operation"};
}

struct plain_read : self_paired<plain_read> {
  static constexpr op_info info = plain_info("plain_read", oracle::none);
  SM_FN static void common(has_plain_access auto& lane) { lane.sink(lane.plain_read(lane.cell())); }
};

struct plain_write : self_paired<plain_write> {
  static constexpr op_info info = plain_info("plain_write", oracle::written);
  SM_FN static void common(has_plain_access auto& lane) {
    lane.plain_write(lane.cell(), lane.operand());
  }
};

// x += 1 by a load, an add and a store, none of them atomic: only on cells of one's own, as lanes
// that share one lose updates
struct plain_add : self_paired<plain_add> {
  static constexpr op_info info =
      plain_info("plain_add", oracle::adds).with(&op_info::places, places::strided);
  SM_FN static void common(has_plain_access auto& lane) { lane.plain_add(lane.cell()); }
};

}  // namespace syncmeter::ops
