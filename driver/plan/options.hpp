// What the user asked for: the command line of `syncmeter`, parsed and validated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/axes.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/ranges.hpp"
#include "driver/text/usage_error.hpp"

namespace syncmeter {

/// The options of `syncmeter run`. An empty list means: the study's own values.
struct run_options {
  std::string study = "quick";
  std::vector<std::string> backends;  ///< empty: every backend with a worker
  std::vector<std::string> ops;
  std::vector<value_type> types;
  std::vector<placement> placements;
  std::vector<lane_range> lanes;
  std::vector<unsigned> strides;
  std::vector<unsigned> base_offsets;  ///< bytes; CPU
  std::vector<unsigned> cells;         ///< strided cells that the lanes share out; CPU
  std::vector<affinity> affinities;
  std::vector<order> orders;
  std::vector<int> pus;  ///< OS numbers, in place of lanes and affinities; the study core-to-core
                         ///< takes the pairs among them
  std::vector<home> homes;
  std::vector<wait_policy> waits;
  std::vector<unsigned> lates_us;         ///< for ops with a late lane
  std::vector<unsigned> sections_ns;      ///< for ops that hold a lock for a while
  std::vector<unsigned> thinks_ns;        ///< for the same ops
  std::vector<unsigned> reads_per_write;  ///< for ops that read and write one datum
  std::vector<unsigned> sizes;            ///< for ops with a size
  std::vector<block_range> blocks;        ///< GPU, as are the next five
  std::vector<scope> scopes;
  std::vector<flavour> flavours;
  std::vector<space> spaces;
  std::vector<unsigned> actives;     ///< lanes of each warp
  std::vector<unsigned> devices{0};  ///< several equal GPUs share the points; empty: all
  bool waves = false;
  double precision = 0.01;
  double max_time_s = 0.15;        ///< per point, over all its visits
  double gpu_max_time_s = 0.15;    ///< the same of a GPU's point
  double min_sample_us = 0;        ///< 0: 100 on a CPU, 50 on a GPU
  std::optional<unsigned> visits;  ///< nothing: 5 for a CPU's point, 3 for a GPU's
  std::optional<double> budget_s;
  std::optional<std::string> output;  ///< nothing: syncmeter-HOST-TIME.jsonl in the working
                                      ///< directory
  std::optional<std::string> resume;
  std::optional<std::string> csv;
  bool force = false;                   ///< csv may replace a file
  std::optional<std::string> topology;  ///< hwloc's XML file of the machine; nothing: hwloc looks
  std::uint64_t seed = 0;               ///< 0: drawn, and recorded
  bool additivity = false;
  bool oversubscribe = false;
  bool keep_rounds = false;
  bool interleave_backends = false;  ///< counterparts are visited one after the other
  bool retry = false;
  bool dry_run = false;
  bool list_workers = false;
  bool wide = false;     ///< every column of the table
  bool verbose = false;  ///< every note below it
};

/// For the campaign line, so that --resume can plan the same points again.
void to_json(nlohmann::json& j, const run_options& o);
void from_json(const nlohmann::json& j, run_options& o);

/// What the words after `syncmeter run` ask for.
struct run_request {
  run_options options;
  bool help = false;
};

/// Parses and validates them. With --resume, only --retry, --budget and --csv may stand beside it:
/// the points come from the file. Throws usage_error. Ops and backends are checked by make_plan,
/// which knows them.
[[nodiscard]] run_request parse_run(const std::vector<std::string>& arguments);

/// The table of options bound to a request; `refused` becomes the first one that --resume does not
/// admit.
[[nodiscard]] std::vector<option_row> run_rows(run_request& request, std::string& refused);
/// Throws usage_error for options that exclude each other.
void check_together(const run_options& options, const std::string& refused);

/// What of a results file is printed, and how.
struct show_view {
  std::optional<std::string> csv{};
  bool force = false;              ///< csv may replace a file
  std::vector<std::string> ops{};  ///< patterns; empty: every op
  std::vector<value_type> types{};
  std::vector<lane_range> lanes{};
  std::string sort = "family";  ///< "family" or "cost": the lowest cost first
  bool json = false;            ///< in place of the table
  bool points = false;    ///< in place of the table: the lines of points that end a results file
  bool complete = false;  ///< appends those lines to a file that lacks them
  bool wide = false;      ///< every column, however narrow the terminal is
  bool verbose = false;   ///< every note
};
/// What the words after `syncmeter show` ask for.
struct show_request {
  std::string file;
  show_view view;
  bool help = false;
};
[[nodiscard]] show_request parse_show(const std::vector<std::string>& arguments);

/// The text of `syncmeter SUBCOMMAND --help`; every option with its default and unit.
[[nodiscard]] std::string run_help();
[[nodiscard]] std::string show_help();

/// Their options, for the completion of shells and the manual page, and what both say of the
/// report.
[[nodiscard]] std::vector<option_row> run_command_rows();
[[nodiscard]] std::vector<option_row> show_command_rows();
[[nodiscard]] std::string report_notes();

}  // namespace syncmeter
