// From options, capabilities and the machine to the list of points that a campaign measures.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/plan/options.hpp"
#include "driver/workers/gpu_devices.hpp"

namespace syncmeter {

/// One entry of a worker's capabilities (docs/worker-protocol.md).
struct capability {
  std::string backend, op, family, pairing, note, reason;
  std::optional<value_type> type;
  enum order order = order::unordered;
  std::vector<placement> placements;
  enum scope scope = scope::none;
  enum flavour flavour = flavour::none;
  enum space space = space::none;
  bool some_lanes = false;    ///< a GPU's loop with lanes of each warp switched off
  std::string size_of;        ///< what point::size counts; empty: the op has no size
  unsigned size = 0;          ///< the one that these loops are for; 0: any
  bool all_at_once = false;   ///< a GPU's op whose blocks wait for each other: no waves of them
  bool arrives_late = false;  ///< a lane in turn arrives point::late_us late
  bool additivity = true;     ///< false where loops with 2 and 4 measured ops are not built
  unsigned unroll = 1, ops_per_step = 1, min_lanes = 1;
  bool communicates = false, supported = false, empty_on_purpose = false;
  std::vector<std::string> code;     ///< hashes of the baseline and the test loop; may be empty
  std::vector<std::string> symbols;  ///< of the loops for 0, 1, 2, 4 measured ops; may be empty
  std::map<std::string, std::string> declares;  ///< instruction set -> declared instructions of one
                                                ///< op
  nlohmann::json census{};  ///< census_summary, when one was kept beside the worker; else null
};

/// A worker found on this machine and what it said of itself.
struct worker_info {
  std::string name;  ///< "omp"
  std::string path;
  std::string problem;  ///< why it cannot be used; empty when it can
  std::vector<std::string> backends;
  std::set<std::string> pooled{};  ///< those of the backends that start their threads once: a
                                   ///< process serves one number of lanes
  std::map<std::string, gpu_backend> gpus{};  ///< facts of those backends that run on GPUs
  std::map<std::string, std::string> backend_problems{};  ///< why a backend can measure nothing
                                                          ///< here; its ops are listed all the same
  nlohmann::json build;                                   ///< its "build" object
  std::vector<capability> capabilities;
};

/// One point to measure, where its lanes sit, and which other points it stands for.
struct planned_point {
  point what;
  std::vector<int> pus;              ///< one per lane; -1 = not bound; none on a GPU
  std::optional<unsigned> device{};  ///< a GPU's index; nothing for a CPU's point
  std::vector<point> same_as;  ///< equal machine code on equal cells and PUs: measured once, here
  std::string why;             ///< why same_as are the same, for the reader
  bool additivity = false;
  bool watch_states = false;  ///< pair probes even where its lanes have no line in common
  unsigned visits = 5;
  nlohmann::json census{};  ///< what its loops compiled to, for the results; null when not known
};

/// A point that is not measured, and why (status unsupported or elided).
struct refused_point {
  point what;
  std::string status, reason;
};

struct campaign_plan {
  std::vector<planned_point> points;
  std::vector<refused_point> refused;
  double predicted_s = 0;
  bool layouts_together = false;  ///< as in its study
  bool ops_together = false;      ///< as in its study
  bool waits_together = false;    ///< as in its study
  std::string left_out{};         ///< as in its study
};

/// Throws usage_error for unknown studies, ops, types, backends, or lanes beyond what is allowed.
[[nodiscard]] campaign_plan make_plan(const run_options& options,
                                      const std::vector<worker_info>& workers,
                                      const topology& machine, const cpu_grant& grant);

/// The longest that one visit of this point may take.
[[nodiscard]] double max_visit_s(const planned_point& point, const run_options& options);

/// Backends that this project has workers for, and what a machine without one has to install.
struct known_backend {
  std::string name, install;
  bool when_named = false;  ///< --backend must name it where another can be used: what is built
                            ///< everywhere must not make every study longer
  bool several = false;     ///< its worker has backends whose names begin with it
};
[[nodiscard]] const std::vector<known_backend>& known_backends();

/// Names of the workers that these options measure with where they are installed: those of
/// --backend, else what the study compares.
[[nodiscard]] std::vector<std::string> workers_for(const run_options& options);

}  // namespace syncmeter
