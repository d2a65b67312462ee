// The options in the campaign line of a results file, so that --resume plans the same points again.
#include <nlohmann/json.hpp>

#include "driver/plan/options.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

template <axis_value Enum> nlohmann::json texts(const std::vector<Enum>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const Enum value : values) list.push_back(to_text(value));
  return list;
}

template <axis_value Enum>
void read_texts(const nlohmann::json& j, const char* member, std::vector<Enum>& values) {
  values.clear();
  if (!j.contains(member)) return;
  for (const std::string text : j.at(member)) {
    const auto value = from_text<Enum>(text);
    if (!value) throw usage_error(unknown_name(member, "name", text, names_allowed<Enum>()));
    values.push_back(*value);
  }
}

template <class T>
void read_optional(const nlohmann::json& j, const char* member, std::optional<T>& value) {
  value = j.contains(member) && !j.at(member).is_null() ? std::optional<T>(j.at(member).get<T>())
                                                        : std::nullopt;
}

template <class T> nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

void to_json(nlohmann::json& j, const run_options& o) {
  nlohmann::json lanes = nlohmann::json::array(), blocks = nlohmann::json::array();
  for (const lane_range& range : o.lanes) lanes.push_back(to_text(range));
  for (const block_range& range : o.blocks) blocks.push_back(to_text(range));
  j = nlohmann::json{{"study", o.study},
                     {"backends", o.backends},
                     {"ops", o.ops},
                     {"types", texts(o.types)},
                     {"placements", texts(o.placements)},
                     {"lanes", lanes},
                     {"strides", o.strides},
                     {"base_offsets", o.base_offsets},
                     {"cells", o.cells},
                     {"affinities", texts(o.affinities)},
                     {"pus", o.pus},
                     {"homes", texts(o.homes)},
                     {"orders", texts(o.orders)},
                     {"waits", texts(o.waits)},
                     {"lates_us", o.lates_us},
                     {"sizes", o.sizes},
                     {"blocks", blocks},
                     {"scopes", texts(o.scopes)},
                     {"flavours", texts(o.flavours)},
                     {"spaces", texts(o.spaces)},
                     {"actives", o.actives},
                     {"device", o.device},
                     {"waves", o.waves},
                     {"precision", o.precision},
                     {"max_time_s", o.max_time_s},
                     {"gpu_max_time_s", o.gpu_max_time_s},
                     {"min_sample_us", o.min_sample_us},
                     {"visits", or_null(o.visits)},
                     {"budget_s", or_null(o.budget_s)},
                     {"output", or_null(o.output)},
                     {"resume", or_null(o.resume)},
                     {"csv", or_null(o.csv)},
                     {"topology", or_null(o.topology)},
                     {"seed", o.seed},
                     {"additivity", o.additivity},
                     {"oversubscribe", o.oversubscribe},
                     {"interleave_backends", o.interleave_backends},
                     {"retry", o.retry},
                     {"dry_run", o.dry_run}};
}

void from_json(const nlohmann::json& j, run_options& o) {
  o = run_options{};
  o.study = j.value("study", o.study);
  o.backends = j.value("backends", o.backends);
  o.ops = j.value("ops", o.ops);
  read_texts(j, "types", o.types);
  read_texts(j, "placements", o.placements);
  for (const std::string range : j.value("lanes", nlohmann::json::array())) {
    const auto parsed = parse_lanes("lanes", range);
    o.lanes.insert(o.lanes.end(), parsed.begin(), parsed.end());
  }
  o.strides = j.value("strides", o.strides);
  o.base_offsets = j.value("base_offsets", o.base_offsets);
  o.cells = j.value("cells", o.cells);
  read_texts(j, "affinities", o.affinities);
  o.pus = j.value("pus", o.pus);
  read_texts(j, "homes", o.homes);
  read_texts(j, "orders", o.orders);
  read_texts(j, "waits", o.waits);
  o.lates_us = j.value("lates_us", o.lates_us);
  o.sizes = j.value("sizes", o.sizes);
  for (const std::string range : j.value("blocks", nlohmann::json::array())) {
    const auto parsed = parse_blocks("blocks", range);
    o.blocks.insert(o.blocks.end(), parsed.begin(), parsed.end());
  }
  read_texts(j, "scopes", o.scopes);
  read_texts(j, "flavours", o.flavours);
  read_texts(j, "spaces", o.spaces);
  o.actives = j.value("actives", o.actives);
  o.device = j.value("device", o.device);
  o.waves = j.value("waves", o.waves);
  o.precision = j.value("precision", o.precision);
  o.max_time_s = j.value("max_time_s", o.max_time_s);
  o.gpu_max_time_s = j.value("gpu_max_time_s", o.max_time_s);
  o.min_sample_us = j.value("min_sample_us", o.min_sample_us);
  read_optional(j, "visits", o.visits);
  read_optional(j, "budget_s", o.budget_s);
  read_optional(j, "output", o.output);
  read_optional(j, "resume", o.resume);
  read_optional(j, "csv", o.csv);
  read_optional(j, "topology", o.topology);
  o.seed = j.value("seed", o.seed);
  o.additivity = j.value("additivity", o.additivity);
  o.oversubscribe = j.value("oversubscribe", o.oversubscribe);
  o.interleave_backends = j.value("interleave_backends", o.interleave_backends);
  o.retry = j.value("retry", o.retry);
  o.dry_run = j.value("dry_run", o.dry_run);
}

}  // namespace syncmeter
