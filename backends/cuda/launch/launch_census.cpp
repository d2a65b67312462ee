// A loop of launches is a loop of calls: one more op is one more of them.
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/launch/launch_table.hpp"
#include "backends/cuda/ops/launch.hpp"

namespace syncmeter::cuda {
namespace {

using word_of_op = std::pair<std::string_view, std::string_view>;

constexpr std::array words{
    word_of_op{ops::launch::info.name, "launch_and_wait"},
    word_of_op{ops::additional_launch::info.name, "launch_another"},
    word_of_op{ops::launch_call::info.name, "launch_timed"},
    word_of_op{ops::cooperative_launch::info.name, "launch_cooperative_and_wait"},
    word_of_op{ops::additional_cooperative_launch::info.name, "launch_another_cooperative"},
    word_of_op{ops::graph_launch::info.name, "launch_chain_and_wait"},
    word_of_op{ops::additional_graph_launch::info.name, "launch_another_chain"},
    word_of_op{ops::programmatic_launch::info.name, "launch_programmatic"},
    word_of_op{ops::kernel_split::info.name, "cut_work"},
    word_of_op{ops::programmatic_split::info.name, "cut_work_early"},
    word_of_op{ops::blocking_copy::info.name, "copy_back"},
    word_of_op{ops::stream_order::info.name, "launch_in_order"},
    word_of_op{ops::stream_event_order::info.name, "launch_after_event"},
    word_of_op{ops::event_record_wait::info.name, "record_and_wait"}};

}  // namespace

nlohmann::json declared_launches(const measurable& row) {
  auto declared = nlohmann::json::object();
  for (const auto& [op, word] : words) {
    if (op != row.info.name) continue;
    declared["x86-64"] = fmt::format("call:syncmeter::cuda::{} 1", word);
  }
  return declared;
}

}  // namespace syncmeter::cuda
