// The study `defaults`: one update per GPU API without a stated order and scope, beside weaker
// forms that suffice.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

// Triton's functions use their defaults, and OpenMP's constructs each order. Both, and CUDA's
// functions, also have the form that a count needs. libcu++ has its default, a scope alone, and the
// orders for data handover or for a mere count.
const std::vector<written_form> as_written{
    {flavour::function, scope::device, order::acq_rel},
    {flavour::function, scope::device, order::seq_cst},
    {flavour::function, scope::device, order::relaxed},
    {flavour::function, scope::system, order::relaxed},
    {flavour::function, scope::device, order::unordered},
    {flavour::function, scope::system, order::unordered},
    {flavour::atomic_ref, scope::system, order::seq_cst},
    {flavour::atomic_ref, scope::device, order::seq_cst},
    {flavour::atomic_ref, scope::device, order::acq_rel},
    {flavour::atomic_ref, scope::device, order::acquire},
    {flavour::atomic_ref, scope::device, order::release},
    {flavour::atomic_ref, scope::device, order::relaxed},
};

gpu_axes written_on(std::vector<grid_set> grids, unsigned stride) {
  return {.grids = std::move(grids),
          .forms = form_set::all,
          .placements = {placement::strided},
          .written = as_written,
          .strides = {stride}};
}

gpu_part gpu_defaults() {
  const gpu_axes own = written_on({{{one}, {32}}, {{sm}, {1024}}}, 1);
  return {.rules = {{.ops = {"atomic_add", "atomic_exchange", "atomic_cas_pass", "atomic_read",
                             "atomic_write", "plain_read", "plain_write", "fence"},
                     .axes = own},
                    {.ops = {"atomic_add", "atomic_exchange", "atomic_cas_pass"},
                     .axes = written_on({{{sm}, {1024}}}, 0)}},
          .others = own,
          .visit_s = 0.047};
}

}  // namespace

study defaults_study() {
  return {.place = 22,
          .name = "defaults",
          .purpose = "GPU: default memory order and scope of each API, compared with weaker ones",
          .gpu = gpu_defaults(),
          // Each round finds the cells elsewhere, at another cost. Only many rounds are
          // reproducible.
          .pace = study_pace{.precision = 0.008, .max_time_s = 0.3}};
}

}  // namespace syncmeter
