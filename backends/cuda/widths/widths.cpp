// The rig for atomic widths, and the expected machine code (see cuda_census.cpp).
#include "backends/cuda/widths/widths.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/checked_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

/// Sets and checks its cells itself, because they are outside the type axis.
class widths_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;

 private:
  [[nodiscard]] std::size_t own_cell_bytes() const override { return shape_of(what_->info).bytes; }
  void prepare_more() override {
    const cell_shape& shape = shape_of(what_->info);
    const bool by_ptx = shape.kind == element::bf16 && where_.flavour == flavour::ptx;
    if ((shape.since_hopper || by_ptx) && device_.largest_cluster == 0)
      throw point_refused(fmt::format("atomics of {} need compute capability 9.0; {} has {}",
                                      shape.name, device_.name, device_.compute_capability));
    if (where_.active != 0)
      throw point_refused("--active is not supported here: all lanes of a warp take part");
  }
  sample measure(std::size_t index) override {
    places_ = places_for(index);
    return checked_rig::measure(index);
  }
  void queue_first() override {
    reset_widths(what_->info, layout_, arrays().front(), places_, stream_.get());
  }
  void queue_check(std::uint64_t, own_outcome* found) override {
    check_widths(what_->info, layout_, arrays().front(), places_, setup_.outcomes, found,
                 stream_.get());
  }
  [[nodiscard]] std::string wrong(const own_outcome& found, std::uint64_t ops) const override {
    const std::string begin = fmt::format(
        "oracle: {} of {} cells are wrong, for example cell {} after {} ops of each lane",
        found.wrong, layout_.cells, found.at, ops);
    if (found.lane.operand == found.held)
      return begin + ": a lane got back a value that nobody wrote";
    return fmt::format("{}: it holds {:#x}, expected {:#x}", begin, found.lane.operand, found.held);
  }

  cell_places places_;
};

// Instructions for several elements have the number in their name: RED.ADD.F16x8.
std::string packed(const cell_shape& shape) {
  if (shape.count == 1) return {};
  std::string name = ".";
  for (const char c : shape.name) name += c >= 'a' && c <= 'w' ? static_cast<char>(c - 32) : c;
  return name;
}

std::string_view scope_of(const form& f) {
  if (f.scope == scope::device) return "";
  return f.scope == scope::block ? ".SM" : ".SYS";
}

// CUDA's function for a half is a compare-and-swap loop on the surrounding 32 bits. For a pair it
// checks the address space: a block's own memory needs such a loop too.
std::string half_by_function(const cell_shape& shape) {
  if (shape.count == 1) return "LD 1, HADD2 1, ATOM.CAS 1, branch 1";
  return fmt::format("ATOM.ADD{} 1, QSPC 1, LDS 1, HADD2 1, ATOMS.CAST.SPIN 1, LD 1, ST 1, "
                     "branch 3, jump 1",
                     packed(shape));
}

std::string on_hopper(const op_info& info, const form& f) {
  const cell_shape& shape = shape_of(info);
  const bool in_block = f.space == space::shared_memory;
  const auto update = [&](std::string_view opcode, std::string_view what) {
    return fmt::format("{}.{}{}{} 1", in_block ? "ATOMS" : opcode, what, packed(shape),
                       in_block ? "" : scope_of(f));
  };
  switch (action_of(info)) {
  case width_action::exchange:
    return update("ATOMG", "EXCH");
  case width_action::compare_exchange:
    return update("ATOMG", "CAS");
  default:
    break;
  }
  const bool halves = shape.kind == element::f16 || shape.kind == element::bf16;
  if (halves && f.flavour == flavour::function) return half_by_function(shape);
  if (shape.kind == element::f32 && in_block) return "LDS 1, FADD 1, ATOMS.CAST.SPIN 1, branch 1";
  if (shape.bytes < 4)
    return fmt::format("{} 1, YIELD 1, branch 1",
                       in_block ? "LDS 1, ATOMS.CAS" : "LDG.STRONG.SYS 1, ATOMG.CAS");
  return update(action_of(info) == width_action::add ? "RED" : "ATOMG", "ADD");
}

// There bfloat16 has only a compare-and-swap, and wider cells than 8 bytes are split (and refused
// by the rig): this is the replacement code.
std::string before_hopper(const op_info& info, const form& f) {
  const cell_shape& shape = shape_of(info);
  const bool in_block = f.space == space::shared_memory;
  if (shape.kind == element::bf16) {
    const unsigned loops = shape.count == 8 ? 4 : 1, each = shape.count == 1 ? 2 : loops;
    return fmt::format("{} {}, HADD2 {}, {}.CAS {}, YIELD {}, branch {}", in_block ? "LDS" : "LDG",
                       each, loops, in_block ? "ATOMS" : "ATOMG", loops, loops, each);
  }
  if (!shape.since_hopper) return {};
  if (shape.kind == element::bits)
    return action_of(info) == width_action::exchange ? "ATOMG.EXCH 2" : "ATOMG.CAS 2";
  const bool pairs = shape.kind == element::f16;
  return fmt::format("{}.ADD{}{} {}", action_of(info) == width_action::add ? "RED" : "ATOMG",
                     pairs ? ".F16x2" : "", scope_of(f), pairs ? shape.count / 2 : shape.count);
}

nlohmann::json declares(const measurable& row) {
  return declared_sass(
      {.hopper = on_hopper(row.info, row.form), .before = before_hopper(row.info, row.form)});
}

}  // namespace

row_group widths_group() { return {width_rows(), &make_rig<widths_rig>, &declares}; }

}  // namespace syncmeter::cuda
