// The study `widths`: atomic updates by width, from an eighth of a word to four words.
#include <utility>

#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

gpu_axes cells_of(std::vector<grid_set> grids, std::vector<unsigned> strides,
                  std::vector<scope> scopes = {scope::device}) {
  return {.grids = std::move(grids),
          .forms = form_set::all,
          .placements = {placement::strided},
          .scopes = std::move(scopes),
          .strides = std::move(strides)};
}

// Uses one cell for all lanes, adjacent cells, and on a full device cells 16 elements apart.
// Compare-and-swap loops with a full device on one cell do not end in time, because passes succeed
// only singly.
gpu_part gpu_widths() {
  const std::vector<std::string_view> loops{"add_f16",        "add_bf16", "fetch_add_f16",
                                            "fetch_add_bf16", "add_u8",   "add_u16"};
  const std::vector<std::string_view> instructions{
      "add_f16x*",        "add_bf16x*",     "add_f32*",      "add_u32",     "fetch_add_f16x*",
      "fetch_add_bf16x*", "fetch_add_f32*", "fetch_add_u32", "exchange_b*", "compare_exchange_b*"};
  const grid_set one_block{{one}, {1, 32, 1024}}, full{{sm}, {1024}};
  return {
      .rules = {{.ops = instructions, .axes = cells_of({one_block, full}, {0, 1})},
                {.ops = instructions, .axes = cells_of({full}, {16})},
                {.ops = instructions, .axes = cells_of({full}, {1}, {scope::block, scope::system})},
                {.ops = loops, .axes = cells_of({one_block}, {0, 1})},
                {.ops = loops, .axes = cells_of({full}, {1, 16})}},
      .others = cells_of({one_block, full}, {1})};
}

}  // namespace

study widths_study() {
  return {.place = 24,
          .name = "widths",
          .purpose = "GPU: atomic updates of 8 to 128 bits: halves, pairs, vectors, exchange, CAS",
          .gpu = gpu_widths(),
          // Equals the pace of `defaults`, limited to a minute for all points.
          .pace = study_pace{.precision = 0.008, .max_time_s = 0.2},
          .left_out = "one variable that a full device updates by loops around a compare-and-swap"};
}

}  // namespace syncmeter
