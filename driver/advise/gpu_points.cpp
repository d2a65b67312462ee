#include "driver/advise/gpu_points.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/kernel_rules.hpp"
#include "driver/advise/price_meter.hpp"
#include "driver/advise/prices.hpp"

namespace syncmeter {
namespace {

constexpr const char* backend_of_gpus = "cuda";
constexpr double seconds_of_price = visit_of_price_s * measurements_of_price;

planned_point on_first_gpu(const point& what) {
  return {.what = what, .pus = {}, .device = 0, .same_as = {}, .why = {}, .visits = 1};
}

/// One more kernel in a stream, one more graph of several, and a kernel's end in a stream.
std::vector<planned_point> launch_points() {
  point launch;
  launch.backend = backend_of_gpus;
  launch.op = "additional_launch";
  launch.lanes = 32;
  launch.blocks = 1;
  point graph = launch;
  graph.op = "additional_graph_launch";
  graph.size = kernels_of_priced_graph;
  point split = launch;
  split.op = "kernel_split";
  return {on_first_gpu(launch), on_first_gpu(graph), on_first_gpu(split)};
}

/// That prices are measured on; nothing where no worker can measure on one.
std::optional<gpu_device> gpu_here() {
  const worker_info worker = worker_of_backend(backend_of_gpus);
  const auto gpus = worker.gpus.find(backend_of_gpus);
  if (gpus == worker.gpus.end() || gpus->second.devices.empty()) return std::nullopt;
  return gpus->second.devices.front();
}

/// The names of the first ones, and how many more there are.
std::string unpriced_kernels_text(const std::vector<std::string>& kernels, bool forms,
                                  std::size_t room, std::size_t all) {
  constexpr std::size_t named = 3;
  std::string what = forms ? "some forms in the code of kernels" : "";
  for (std::size_t i = 0; i < std::min(named, kernels.size()); ++i)
    what += (what.empty() ? "" : ", ") + kernels[i];
  if (kernels.size() > named)
    what += " and " + count_text(kernels.size() - named, "more kernel", "more kernels");
  return fmt::format("What kernels do has {} prices at most in half of --budget, so that none were "
                     "measured for {}; --budget {:.0f}s has room for all {}.",
                     room, what, std::ceil(static_cast<double>(2 * all) * seconds_of_price), all);
}

/// Of what kernels that ran update and where they meet, and of the forms in their code: these only
/// where a worker can measure on a GPU.
std::vector<planned_point> kernel_points(const std::vector<site>& sites, double wall_s,
                                         double budget_s, std::vector<std::string>& notes) {
  const std::size_t room = room_for_kernels(budget_s);
  gpu_device any;
  any.multiprocessors = 132;
  any.max_threads_per_multiprocessor = 2048;
  any.max_blocks_per_multiprocessor = 32;
  any.warp_size = 32;
  const std::size_t of_kernels = points_of_kernels(sites, any, wall_s, room).all;
  if (points_of_forms(sites, 1).empty() && of_kernels == 0) return {};
  const std::optional<gpu_device> gpu = gpu_here();
  points_in_room forms;
  if (gpu) forms.points = points_of_forms(sites, gpu->multiprocessors);
  forms.all = forms.points.size();
  forms.points.resize(std::min(forms.all, std::max(room / 2, room - std::min(room, of_kernels))));
  points_in_room kernels =
      points_of_kernels(sites, gpu.value_or(any), wall_s, room - forms.points.size());
  if (const std::size_t all = forms.all + kernels.all;
      all > forms.points.size() + kernels.points.size())
    notes.push_back(
        unpriced_kernels_text(kernels.left_out, forms.points.size() < forms.all, room, all));
  std::vector<point> points = std::move(forms.points);
  for (point& each : kernels.points)
    if (std::ranges::find(points, each) == points.end()) points.push_back(std::move(each));
  std::vector<planned_point> planned;
  std::ranges::transform(points, std::back_inserter(planned), on_first_gpu);
  return planned;
}

bool launches_kernels(const site& of) {
  return of.kind == "kernel_launch" && of.device && of.count >= fewest_launches;
}

}  // namespace

std::size_t room_for_kernels(double budget_s) {
  constexpr std::size_t of_one_kernel = 12;
  constexpr double most = 1e6;
  return std::max(of_one_kernel,
                  static_cast<std::size_t>(std::min(most, budget_s / 2 / seconds_of_price)));
}

std::vector<planned_point> gpu_points(const std::vector<site>& sites, double wall_s,
                                      double budget_s, std::vector<std::string>& notes) {
  std::vector<planned_point> points;
  if (std::ranges::any_of(sites, launches_kernels)) points = launch_points();
  std::ranges::move(kernel_points(sites, wall_s, budget_s, notes), std::back_inserter(points));
  return points;
}

}  // namespace syncmeter
