// A worker's main(): capabilities out, requests in, results out
// (docs/reference/worker-protocol.md).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/harness/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter {

/// Where the lanes of a visit go, and what the driver knows of that place from earlier visits.
struct lane_request {
  std::vector<int> pus;       ///< one OS number per lane, -1 for not bound
  int device = -1;            ///< GPU: its index, and `pus` is empty
  unsigned visit = 1;         ///< its number
  bool watch_states = false;  ///< bracket rounds with pair probes: the lanes are contended
  std::vector<double> quiet_floor_ns{};  ///< per lane, the fastest quiet probe of another process
                                         ///< there; empty when none is known
};

/// A point that the device cannot measure: unsupported, with the reason.
struct point_refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

  /// What it runs on, for the capabilities: null for the CPU that the driver knows itself.
  [[nodiscard]] virtual nlohmann::json device() const;
  /// Why nothing can be measured here (no driver, no device); empty when it can. Capabilities and
  /// machine code are there all the same.
  [[nodiscard]] virtual std::string problem() const { return {}; }
  /// True where threads are started once per process: the driver starts a worker for each number of
  /// lanes, with KOKKOS_NUM_THREADS set to it (docs/reference/worker-protocol.md).
  [[nodiscard]] virtual bool pool() const { return false; }
  /// Of an API that runs on many kinds of device, the backend whose code a developer would write
  /// for this one by hand, and that it is compared with ("omp", "cuda"); empty for that backend
  /// itself.
  [[nodiscard]] virtual std::string native_of() const { return {}; }
  /// How many lanes take part in a point: what the cost of an op that visits every lane is divided
  /// by, and what an op's min_lanes speaks of.
  [[nodiscard]] virtual unsigned participants(const measurable& row, const point& where) const {
    return row.info.host_lane ? 1 : where.lanes;
  }
  /// The smallest step of the clock that times a point, in ns; 0 for the host's own.
  [[nodiscard]] virtual double clock_tick_ns(const point&) const { return 0; }
  /// What it may take, in ns, to make ready for a point beyond the usual: contexts of several
  /// devices, a library that looks at all links. The driver waits as much longer.
  [[nodiscard]] virtual double set_up_ns(const measurable&, const point&) const { return 0; }
  /// True after an error that this process cannot recover from (a GPU context is lost for good):
  /// the worker says so with its visit and ends.
  [[nodiscard]] virtual bool lost() const { return false; }

  /// Makes ready for one point. Throws point_refused when it is one that this device cannot
  /// measure, and std::runtime_error when it fails.
  virtual bench& prepare(const measurable& row, const point& where, const lane_request& lanes) = 0;
  /// Runs the row's litmus on the prepared point; how often the forbidden outcome occurred.
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

/// The backends of a worker, and what keeps them.
struct worker_backends {
  std::shared_ptr<void> state;
  std::vector<worker_backend*> all;
};

/// A worker's main(): makes its backends, and answers requests until the input ends. Returns the
/// exit status: 0, 2 for a bad command line, or 1 with the reason on stderr.
int worker_main(const worker_identity& who, worker_backends (*make)(), int argc, char** argv);

}  // namespace syncmeter
