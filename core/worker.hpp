// A worker's main(): capabilities out, requests in, results out (docs/worker-protocol.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter {

/// One backend of a worker. Kokkos has one for each execution space, the others have one.
class worker_backend {
 public:
  virtual ~worker_backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// "host lanes", "host", "device"; what span_ns is read from.
  [[nodiscard]] virtual std::string clock() const = 0;
  [[nodiscard]] virtual const std::vector<measurable>& rows() const = 0;
  /// What one measured op of a row should compile to, by instruction set; empty when not declared.
  [[nodiscard]] virtual nlohmann::json declares(const measurable& row) const = 0;
  /// The runtime's own description (version, settings).
  [[nodiscard]] virtual nlohmann::json runtime() const = 0;

  /// Makes ready for one point. `watch_states`: bracket contended rounds with pair probes. Throws
  /// std::runtime_error when it cannot; the point has failed.
  virtual bench& prepare(const measurable& row, const point& where, const std::vector<int>& pus,
                         bool watch_states) = 0;
  /// Runs the row's litmus on the prepared point; how often the forbidden was seen.
  [[nodiscard]] virtual std::uint64_t litmus(const measurable& row) = 0;
  /// Adds what only the backend knows of the visit just measured ("pus_seen", "quiet_probe").
  virtual void describe_visit(nlohmann::json& visit) const = 0;
  virtual void finish() = 0;
  /// Hops in ns between lanes on these PUs, sampled for `seconds`; empty when the backend has no
  /// such state.
  [[nodiscard]] virtual std::vector<double> probe(const std::vector<int>& pus, double seconds) = 0;
};

/// Who the worker is, for capabilities and the campaign's `worker` line.
struct worker_identity {
  std::string name;      ///< "omp"
  std::string compiler;  ///< "g++ 12.2.0"
  std::string flags;
};

/// Runs the worker until its input ends. Returns its exit status: 0, or 2 for a bad command line.
int run_worker(const worker_identity& who, const std::vector<worker_backend*>& backends, int argc,
               char** argv);

}  // namespace syncmeter
