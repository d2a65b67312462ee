// Which forms of an op are built for a GPU.
#include "backends/cuda/lane/cuda_forms.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/all.hpp"

namespace syncmeter::cuda {
namespace {

using testing::IsSupersetOf;

/// On cells of one's own in global memory, by all lanes.
std::vector<form> forms_on_own_cells(const op_info& info, value_type type = value_type::int32) {
  std::vector<form> found;
  const form_list built = forms_built(info, type);
  for (std::size_t i = 0; i < built.size(); ++i)
    if (built[i].placement == placement::strided && built[i].space == space::global &&
        !built[i].some_lanes)
      found.push_back(built[i]);
  return found;
}

form own_cell(flavour f, scope s, order o) {
  return {.order = o,
          .placement = placement::strided,
          .scope = s,
          .flavour = f,
          .space = space::global};
}

TEST(cuda_forms, of_each_update_are_what_an_author_writes_and_what_is_enough) {
  const std::vector by_library{own_cell(flavour::atomic_ref, scope::system, order::seq_cst),
                               own_cell(flavour::atomic_ref, scope::device, order::seq_cst),
                               own_cell(flavour::atomic_ref, scope::device, order::relaxed)};
  for (const op_info& info :
       {ops::atomic_add::info, ops::atomic_exchange::info, ops::atomic_cas_pass::info,
        ops::atomic_read::info, ops::atomic_write::info})
    EXPECT_THAT(forms_on_own_cells(info), IsSupersetOf(by_library)) << info.name;
  for (const op_info& info :
       {ops::atomic_add::info, ops::atomic_exchange::info, ops::atomic_cas_pass::info})
    EXPECT_THAT(forms_on_own_cells(info),
                IsSupersetOf({own_cell(flavour::function, scope::device, order::relaxed),
                              own_cell(flavour::function, scope::system, order::relaxed)}))
        << info.name;
}

TEST(cuda_forms, of_other_types_and_other_ops_are_one) {
  EXPECT_EQ(forms_on_own_cells(ops::atomic_exchange::info, value_type::uint64).size(), 1U);
  EXPECT_EQ(forms_on_own_cells(ops::atomic_cas_fail::info).size(), 1U);
}

}  // namespace
}  // namespace syncmeter::cuda
