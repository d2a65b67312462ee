#include "driver/advise/cuda_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::array<std::string_view, 3> synchronizing{"device_sync", "stream_sync", "event_sync"};
constexpr std::string_view copying = "blocking_copy";

double count_of(const site& of) { return static_cast<double>(of.count); }

/// What the GPU did in all the run, and what the program called for it.
struct gpu_use {
  double launches = 0, synchronizations = 0, copies = 0;  ///< calls
  double works = 0, busy_s = 0, idle_s = 0;  ///< of the timed run, as the GPU's clock has them
  double kernels = 0, kernels_busy_s = 0;    ///< of them, kernels that were launched one by one
  double copies_busy_s = 0;                  ///< of them, copies that the host waited for
  double first_s = 0, last_s = 0;

  /// In which it did something: what several streams did at once is in it once, and what no counted
  /// call was for, as asynchronous copies, is in it, too; but not what it was idle before these.
  [[nodiscard]] double covered_s() const { return std::max(0.0, last_s - first_s - idle_s); }
  [[nodiscard]] double kernel_s() const { return kernels_busy_s / std::max(1.0, kernels); }
  /// Of that, what no counted call is for, as far as it is not done beside what there is one for.
  [[nodiscard]] double uncounted_s() const { return std::max(0.0, covered_s() - busy_s); }
  /// From a kernel to an asynchronous copy and back the GPU takes some microseconds, for which
  /// there is no price: they stay whatever the host does.
  [[nodiscard]] bool has_uncounted() const {
    return uncounted_s() > least_worth_saying * covered_s();
  }
};

gpu_use use_of(const std::vector<site>& sites) {
  gpu_use use;
  constexpr double s = 1e-9;
  for (const site& each : sites) {
    if (each.kind == "kernel_launch") use.launches += count_of(each);
    if (contains(synchronizing, std::string_view(each.kind)))
      use.synchronizations += count_of(each);
    if (each.kind == copying) use.copies += count_of(each);
    if (!each.device) continue;
    const double first_s = static_cast<double>(each.device->first_ns) * s;
    use.first_s = use.works == 0 ? first_s : std::min(use.first_s, first_s);
    use.last_s = std::max(use.last_s, static_cast<double>(each.device->last_ns) * s);
    use.works += static_cast<double>(each.device->works);
    use.busy_s += each.device->busy.sum_ns * s;
    if (each.kind == "kernel_launch") {
      use.kernels += static_cast<double>(each.device->works);
      use.kernels_busy_s += each.device->busy.sum_ns * s;
    }
    if (each.kind == copying) use.copies_busy_s += each.device->busy.sum_ns * s;
    use.idle_s += each.device->idle.sum_ns * s;
  }
  return use;
}

/// From the first kernel's begin to the last one's end in a run without CUPTI, of which `all_s` is
/// known, as far as the rest of it takes as long as in the timed one, where the same is `timed_s`:
/// CUPTI makes the calls longer, not the kernels.
double plain_span_s(const gpu_use& use, double all_s, double timed_s) {
  const double gpu_s = use.last_s - use.first_s;
  if (all_s == 0) return gpu_s;
  return std::clamp(all_s - (timed_s - gpu_s), 0.0, gpu_s);
}

std::optional<interval> price_of_op(std::string_view op, const std::vector<price>& prices) {
  std::vector<price> of_op;
  std::ranges::copy_if(prices, std::back_inserter(of_op),
                       [&](const price& each) { return each.what.op == op; });
  return over_measurements(of_op);
}

/// The site of these kinds with the most calls; null where there is none.
const site* most_called(const std::vector<site>& sites, const auto& is_of_kind) {
  const site* most = nullptr;
  for (const site& each : sites)
    if (is_of_kind(each.kind) && (most == nullptr || each.count > most->count)) most = &each;
  return most;
}

struct idle_gpu {
  gpu_use use;
  const advice_setting& setting;
  interval span_s{}, idle_s{};  ///< of the plain runs

  idle_gpu(const gpu_use& of, const advice_setting& its_setting) : use(of), setting(its_setting) {
    // Starting CUDA is in the wall time, and takes tenths of a second more or less.
    const bool has_spans = setting.cuda_span_s.value > 0 && setting.timed_cuda_span_s > 0;
    const double timed_s = has_spans ? setting.timed_cuda_span_s : setting.wall_s;
    const auto span_of = [&](double all_s) { return plain_span_s(use, all_s, timed_s); };
    const auto idle_in = [&](double in_s) {
      return std::clamp(in_s - use.covered_s(), 0.0, use.idle_s);
    };
    const interval& plain = has_spans ? setting.cuda_span_s : setting.plain_wall_s;
    span_s = {span_of(plain.value), span_of(plain.low), span_of(plain.high)};
    idle_s = {idle_in(span_s.value), idle_in(span_s.low), idle_in(span_s.high)};
  }

  /// Every second kernel or more often; else most are launched without such a call before.
  [[nodiscard]] bool is_often(double calls) const { return 2 * calls >= use.launches; }
  [[nodiscard]] std::string begin(const site& of) const {
    return fmt::format("{}: {} calls ({})", where_text(of), grouped_digits(of.count), of.kind);
  }
};

/// What the same kernels and copies take with a change, from the first one's begin to the last
/// one's end: at least, and at most.
struct changed_span {
  double least_s = 0;
  std::optional<double> most_s{};  ///< nothing: it has no price, or the host may still wait
  double copies_s = 0;             ///< that take less where there are fewer of them
};

/// Why nothing is sure to be saved.
std::string uncounted_text(const gpu_use& use) {
  if (!use.has_uncounted()) return "";
  return fmt::format(" For {} it does what no counted call is for, as asynchronous copies: to go "
                     "from kernels to these and back may take it as long as it is idle.",
                     seconds_text(use.uncounted_s()));
}

advice saving_of(const idle_gpu& gpu, std::string_view rule, const changed_span& then,
                 const std::string& cause, const std::string& price) {
  const double whole_s = gpu.idle_s.high + then.copies_s;
  const double high_s = std::clamp(gpu.span_s.high - then.least_s, 0.0, whole_s);
  const double low_s = then.most_s ? std::clamp(gpu.span_s.low - *then.most_s, 0.0, high_s) : 0;
  const std::string copies =
      then.copies_s > 0 ? fmt::format(", and copies for {}", seconds_text(then.copies_s)) : "";
  return {.rule = std::string(rule),
          .site_id = 0,
          .at_most_s = high_s,
          .text = fmt::format("{} The GPU is idle for {}{} of {} between its first kernel and its "
                              "last one, of which that saves {}.{}{}",
                              cause, range_text(gpu.idle_s.low, gpu.idle_s.high), copies,
                              range_text(gpu.span_s.low, gpu.span_s.high),
                              low_s > 0           ? range_text(low_s, high_s)
                              : high_s == whole_s ? "at most all"
                                                  : "at most " + seconds_text(high_s),
                              uncounted_text(gpu.use), price),
          .cause = cause,
          .at_least_s = low_s,
          .kind = low_s > 0 ? "estimate" : "bound",
          .of_plain_runs = true};
}

/// Kernels of a graph follow one another by themselves, one beginning no later after the other's
/// end than an empty one takes in all.
advice about_launches(const idle_gpu& gpu, const site& of) {
  constexpr double s = 1e-9;
  const auto graph = price_of_op("additional_graph_launch", gpu.setting.prices);
  const double each_s = graph ? graph->high * s / kernels_of_priced_graph : 0;
  changed_span then{.least_s = gpu.use.covered_s()};
  if (graph && !gpu.use.has_uncounted()) then.most_s = then.least_s + gpu.use.launches * each_s;
  return saving_of(
      gpu, "launches", then,
      fmt::format(
          "{} launch kernels one by one, which take the GPU {} each: to launch the next one "
          "takes the host longer. Graphs of 20 kernels or more (cudaStreamBeginCapture, "
          "cudaGraphLaunch), programmatic dependent launch, or one kernel for several "
          "steps save time.",
          gpu.begin(of), seconds_text(gpu.use.kernel_s())),
      graph ? fmt::format(" An empty kernel of a graph of {} takes {} on this machine.",
                          kernels_of_priced_graph,
                          range_text(graph->low * s / kernels_of_priced_graph, each_s))
            : "");
}

/// Without the wait kernels follow one another as fast as they can be launched, or as the stream
/// goes from one to the next, which takes no longer than the end of a kernel costs in all. What is
/// copied is copied still, by fewer copies in no more time; where the host waits for a copy as
/// often as that, it may go on waiting as long.
advice about_waits(const idle_gpu& gpu, const site& of, std::string_view rule,
                   const std::string& change) {
  constexpr double s = 1e-9;
  const auto launch = price_of_op("additional_launch", gpu.setting.prices);
  const auto split = price_of_op("kernel_split", gpu.setting.prices);
  const double kernel_s = gpu.use.kernel_s();
  const double others_s = std::max(0.0, gpu.use.covered_s() - gpu.use.kernels_busy_s);
  changed_span then{.least_s = gpu.use.covered_s()};
  if (of.kind == copying) {
    then.copies_s = std::min(gpu.use.copies_busy_s, others_s);
    then.least_s -= then.copies_s;
  }
  if (launch) {
    const double gap_s = split ? split->high * s : 0;
    // One by one the GPU copies while the host launches, so that copies add nothing to these.
    then.least_s = std::max(then.least_s, gpu.use.launches * launch->low * s);
    const bool waits_for_copies = of.kind != copying && gpu.is_often(gpu.use.copies);
    if (!waits_for_copies && !gpu.use.has_uncounted())
      then.most_s = gpu.use.launches * std::max(kernel_s + gap_s, launch->high * s) + others_s;
  }
  const std::string each = seconds_text(kernel_s);
  const double kernels = gpu.use.launches / std::max(1.0, count_of(of));
  const std::string of_kernels = kernels < 1.05
                                     ? fmt::format("each kernel of {}", each)
                                     : fmt::format("{:.2g} kernels of {} each", kernels, each);
  return saving_of(gpu, rule, then,
                   fmt::format("{} wait for the GPU, one for {}, and the next kernel is "
                               "launched only after that. {}",
                               gpu.begin(of), of_kernels, change),
                   launch ? fmt::format(" One more launch takes {} on this machine.",
                                        range_text(launch->low * s, launch->high * s))
                          : "");
}

/// What the host's launches take, whatever the machine: where kernels come less often, the host
/// does something else between them.
bool launches_all_the_time(const idle_gpu& gpu) {
  constexpr double longest_launch_s = 1e-5;
  return gpu.span_s.value < gpu.use.launches * longest_launch_s;
}

}  // namespace

bool waits_for_host(const std::vector<site>& sites, double wall_s) {
  const gpu_use use = use_of(sites);
  return use.launches >= static_cast<double>(fewest_launches) &&
         use.idle_s >= least_worth_saying * wall_s;
}

std::vector<advice> advise_on_cuda(const std::vector<site>& sites, const advice_setting& setting,
                                   std::vector<std::string>& notes) {
  const idle_gpu gpu(use_of(sites), setting);
  if (gpu.use.launches < static_cast<double>(fewest_launches) || gpu.use.kernels == 0) return {};
  if (setting.gpu_processes > 1) {
    notes.push_back(
        fmt::format("{} processes use GPUs, each of which is idle at other times: what "
                    "launches and waits of the host cost is judged of one process alone.",
                    setting.gpu_processes));
    return {};
  }
  if (gpu.idle_s.high < least_worth_saying * setting.wall_s && gpu.span_s.high > 0) {
    const double idle_share = gpu.idle_s.high / gpu.span_s.high;
    notes.push_back(
        idle_share < least_worth_saying
            ? fmt::format("The GPU works for {:.0f} % of the time from its first kernel to "
                          "its last one: launches and waits of the host keep it from nothing.",
                          100 * (1 - idle_share))
            : fmt::format("The GPU is idle for {} of {} between its first kernel and its last one, "
                          "less than 2 % of the program's time: launches and waits of the host "
                          "keep it from no more.",
                          range_text(gpu.idle_s.low, gpu.idle_s.high),
                          range_text(gpu.span_s.low, gpu.span_s.high)));
    return {};
  }
  std::optional<advice> found;
  const site* of = nullptr;
  if (gpu.is_often(gpu.use.synchronizations) && gpu.use.synchronizations >= gpu.use.copies) {
    of = most_called(sites, [](const std::string& kind) {
      return contains(synchronizing, std::string_view(kind));
    });
    found = about_waits(gpu, *of, "synchronizations",
                        "Where the host reads no result before that, leave the synchronization "
                        "out, or wait once for many kernels: those of one stream run one after the "
                        "other without it.");
  } else if (gpu.is_often(gpu.use.copies)) {
    of = most_called(sites, [](const std::string& kind) { return kind == copying; });
    found = about_waits(gpu, *of, "copies",
                        "Copy the values of many kernels at once; "
                        "cudaMemcpyAsync into pinned memory, looked at some launches later, still "
                        "puts a copy between two kernels.");
  } else if (launches_all_the_time(gpu)) {
    of = most_called(sites, [](const std::string& kind) { return kind == "kernel_launch"; });
    found = about_launches(gpu, *of);
  }
  if (!found) return {};
  found->site_id = static_cast<std::size_t>(of - sites.data()) + 1;
  return {*std::move(found)};
}

std::string idle_gpu_text(const std::vector<site>& sites, const std::vector<price>& prices,
                          double wall_s) {
  if (!waits_for_host(sites, wall_s)) return "";
  const gpu_use use = use_of(sites);
  const auto split = price_of_op("kernel_split", prices);
  // Between a kernel and a graph 1.9 us on an H200, where from kernel to kernel 1.7 to 1.8 us.
  constexpr double of_other_kinds = 1.25;
  if (split && use.idle_s < of_other_kinds * use.works * split->high * 1e-9) return "";
  const double span_s = use.last_s - use.first_s;
  return fmt::format("the GPU is idle for {} of {} between its first kernel and its last one: "
                     "{} of {} come every {}, and the host does other work, or waits, in between{}",
                     seconds_text(use.idle_s), seconds_text(span_s),
                     use.works == use.kernels ? "kernels" : "kernels, graphs and copies",
                     seconds_text(use.busy_s / use.works), seconds_text(span_s / use.works),
                     use.has_uncounted() ? ", or the GPU goes from kernels to asynchronous copies "
                                           "and back"
                                         : "");
}

}  // namespace syncmeter
