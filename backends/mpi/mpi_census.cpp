#include "backends/mpi/mpi_census.hpp"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/std/std_census.hpp"

namespace syncmeter::mpi {
namespace {

std::string_view call_of(std::string_view name) {
  if (name == "ibarrier") return "start_barrier_and_wait";
  if (name == "allreduce_0") return "reduce_nothing";
  if (name == "allreduce_8") return "reduce_word";
  if (name == "rma_accumulate") return "accumulate_and_flush";
  if (name == "rma_fetch_add") return "fetch_and_flush";
  if (name == "rma_cas_pass") return "compare_and_flush";
  if (name == "rma_put") return "put_and_flush";
  if (name == "rma_lock_add") return "accumulate_under_lock";
  if (name == "rma_fence_add") return "accumulate_and_fence";
  if (name == "window_sync") return "sync_window";
  if (name == "message_handoff") return "hand_on";
  return {};
}

}  // namespace

// What is not MPI's is std::atomic_ref's.
nlohmann::json declared_instructions(const measurable& row) {
  if (row.info.name == "barrier") return {{"x86-64", "call:MPI_Barrier 1"}};
  if (const auto call = call_of(row.info.name); !call.empty())
    return {{"x86-64", fmt::format("call:syncmeter::mpi::{} 1", call)}};
  return standard::declared_instructions(row);
}

}  // namespace syncmeter::mpi
