#include "driver/plan/option_tables.hpp"

#include <string>

#include <fmt/format.h>

#include "driver/plan/gpu_plan.hpp"
#include "driver/studies/studies.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {

namespace po = boost::program_options;

namespace {

constexpr unsigned help_width = 100;

po::typed_value<std::string>* text_value(const char* name) {
  return po::value<std::string>()->value_name(name);
}

// "5; on a GPU 3; in barrier with more than 128 points 3)".
std::string usual_visits() {
  std::string text = fmt::format("{}; on a GPU {}", usual_cpu_visits, usual_gpu_visits);
  for (const study& s : studies()) {
    if (!s.pace || s.rules.empty()) continue;
    text += fmt::format("; in {} with more than {} points {}", s.name, s.pace->many,
                        s.pace->visits_of_many);
  }
  return text + ")";
}

}  // namespace

po::options_description run_description() {
  po::options_description all("Options", help_width, help_width / 2);
  const std::string study_text = "set of points: " + join(study_names()) + " (default: quick)";
  const std::string visits_text = "number of visits to each point (default: " + usual_visits();
  all.add_options()("help,h", "print this help and exit")(
      "backend", text_value("LIST"),
      "APIs to measure (default: every backend with a worker; omp-llvm and std only "
      "where there is no other, or the study compares them)")("study", text_value("NAME"),
                                                              study_text.c_str())(
      "op", text_value("LIST"),
      "ops by name; * matches any characters, as in atomic_* (default: the study's)")(
      "type", text_value("LIST"), "int32, uint32, uint64, float, double (default: the study's)")(
      "placement", text_value("LIST"),
      "shared: all lanes use one cell; strided: each lane has its own (default: the study's)")(
      "lanes", text_value("LIST"),
      "numbers of lanes (threads; on a GPU threads per block): numbers, ranges and max, as "
      "1,2,4-8,max (default: the study's)")(
      "stride", text_value("LIST"),
      "elements between the cells of strided lanes (default: the study's; in quick one cache "
      "line, on a GPU 1)")("base-offset", text_value("LIST"),
                           "CPU: bytes from the start of a cache line to the first strided cell, 0 "
                           "to 4095 (default: the "
                           "study's, mostly 0)")(
      "cells", text_value("LIST"),
      "CPU: number of strided cells; each is shared by equally many neighbouring lanes (default: "
      "the study's, mostly one cell per lane)")(
      "affinity", text_value("LIST"),
      "placement of lanes on processing units: close, spread, smt, none (default: the study's)")(
      "pus", text_value("LIST"),
      "OS numbers of processing units, one lane on each in this order, as 0,3 or 0,8-11; in the "
      "study core-to-core the pairs among them (default: set by --lanes and --affinity)")(
      "home", text_value("LIST"),
      "first, second, other. Handoff: the mailboxes are first touched on the processing unit of "
      "the first lane, of the second, or of no lane (other). GPU launch: the launching thread runs "
      "near the GPU (first) or far from it (other) (default: the study's, mostly unset)")(
      "order", text_value("LIST"),
      "memory orders, for ops that have them: unordered, relaxed, acquire, release, acq_rel, "
      "seq_cst (default: the API's own)")(
      "wait", text_value("LIST"),
      "how threads wait: active (spin) or passive (sleep) (default: active; in barrier "
      "both)")("late", text_value("LIST"),
               "for barrier_late: microseconds by which the late lane arrives after the others, 0 "
               "to 10000 (default: 10; in barrier 0,1,10,100)")(
      "size", text_value("LIST"),
      "for ops with a size, 1 to 1073741824: lanes of a tile, blocks of a cluster, paths, "
      "elements, as `syncmeter list` says (default: the study's)")(
      "blocks", text_value("LIST"),
      "GPU: blocks of the grid: numbers, ranges, sm/2, sm, 2sm (sm: the number of multiprocessors) "
      "and max (as many as are co-resident) (default: the study's)")(
      "scope", text_value("LIST"),
      "GPU: memory scope: block, cluster, device, system (default: the API's own, or the study's)")(
      "flavour", text_value("LIST"),
      "GPU: API of an op: function, atomic_ref, ptx, volatile (default: the first listed)")(
      "space", text_value("LIST"),
      "GPU: memory space of the cells: global, shared_memory (default: the first listed)")(
      "active", text_value("LIST"),
      "GPU: number of active lanes in each warp, 1 to 32 (default: the study's, mostly all)")(
      "device", text_value("N"), "GPU: index of the device (default: 0)")(
      "waves", po::bool_switch(),
      "GPU: also measure grids with more blocks than are co-resident; they run in waves (default: "
      "off)")("precision", text_value("SHARE"),
              "a visit ends when its 95 % interval is within this share of the estimate; 0.02 in "
              "barrier and core-to-core (default: 0.01, no unit)")(
      "max-time", text_value("TIME"),
      "longest time for one point, over all its visits, with its unit (default: 150ms; "
      "core-to-core 30ms, paper on a GPU 45ms, handoff 300ms)")(
      "min-sample", text_value("TIME"),
      "shortest timed loop, with its unit (default: 100us; core-to-core and GPU 50us)")(
      "visits", text_value("N"), visits_text.c_str())(
      "budget", text_value("TIME"),
      "stop after this time, with its unit; visits that remain are dropped (default: no limit)")(
      "output", text_value("FILE"),
      "results file to create; must not exist (default: syncmeter-HOST-TIME.jsonl in this folder)")(
      "resume", text_value("FILE"),
      "continue the campaign of a results file, with its points and settings (default: a new "
      "campaign)")("retry", po::bool_switch(),
                   "with --resume: measure failed visits again (default: off)")(
      "csv", text_value("FILE"), "also write every point as CSV (default: none)")(
      "topology", text_value("FILE"),
      "XML file written by lstopo that describes this machine; with --dry-run, any machine "
      "(default: what hwloc finds)")(
      "seed", text_value("N"),
      "seed for the order of points and rounds; 0: drawn at random (default: 0)")(
      "additivity", po::bool_switch(),
      "also measure loops with 2 and 4 ops, and check that their costs add up (default: off; on in "
      "study control)")(
      "interleave-backends", po::bool_switch(),
      "visit points that differ only in their backend one after the other, so that drift of the "
      "machine cancels in their ratio (default: off; always so in the studies portability, "
      "barrier and locks)")("oversubscribe", po::bool_switch(),
                            "allow more lanes than processing units; in barrier also measure one "
                            "lane more, and twice as many "
                            "(default: off)")(
      "dry-run", po::bool_switch(),
      "print the points and the estimated time, measure nothing (default: off)")(
      "list-workers", po::bool_switch(),
      "print the names of the workers that these options need, installed or not (default: off)");
  return all;
}

po::options_description show_description() {
  po::options_description all("Options", help_width, help_width / 2);
  all.add_options()("help,h", "print this help and exit")(
      "csv", text_value("FILE"), "also write every point as CSV (default: none)");
  return all;
}

po::options_description list_description() {
  po::options_description all("Options", help_width, help_width / 2);
  all.add_options()("help,h", "print this help and exit")(
      "backend", text_value("LIST"), "APIs to list (default: every backend with a worker)");
  return all;
}

}  // namespace syncmeter
