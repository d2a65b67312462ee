#include "driver/show/matrix_svg.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "driver/plan/options.hpp"
#include "driver/results/units.hpp"
#include "driver/show/figures.hpp"
#include "driver/show/pair_matrix.hpp"
#include "driver/text/xml_text.hpp"

namespace syncmeter {
namespace {

constexpr double page_margin = 14, least_page_width = 560, title_y = 22, first_map = 60;
constexpr double name_height = 40, label_width = 30, between_maps = 26, group_gap = 4;
constexpr std::string_view meaning =
    "one way, half a round trip; the row is the first lane; PUs in the order of the topology";

// From light to dark, so that the order is seen by every kind of colour vision and on grey paper;
// text on each keeps a contrast of 4.5 or more.
constexpr std::array<std::string_view, 8> ramp{"#e3eef8", "#c6dcef", "#9ecae1", "#6baed6",
                                               "#3676ab", "#23689f", "#114f88", "#08305f"};
constexpr std::size_t first_dark = 4;

constexpr std::string_view map_style = R"(
  text{font:11px system-ui,"DejaVu Sans",Arial,sans-serif;fill:#1a1a1a}
  .title{font-size:15px;font-weight:600}
  .name{font-weight:600}
  .pu{font-size:9px}
  .page{fill:#ffffff}
  text.on-light{fill:#1a1a1a}
  text.on-dark{fill:#ffffff}
  @media screen and (prefers-color-scheme:dark){
    text{fill:#ececec}
    .page{fill:#161616}
  }
)";

/// Which colour a cost has: its place between the least and the most, on logarithms. Costs of one
/// kind are not made to look different by a scale that their noise sets.
struct heat_scale {
  double least = 0, most = 0;

  static heat_scale of(const std::vector<pair_matrix>& matrices) {
    std::vector<double> costs;
    for (const pair_matrix& matrix : matrices)
      for (const auto& [pus, point] : matrix.cells)
        if (has_cost(*point)) costs.push_back(point->cost_ns.value);
    const auto [least, most] = std::ranges::minmax(costs);
    return {.least = least, .most = std::max(most, 1.5 * least)};
  }
  [[nodiscard]] std::size_t colour(double ns) const {
    const double place = std::log(ns / least) / std::log(most / least);
    return std::min(static_cast<std::size_t>(std::max(place, 0.0) * ramp.size()), ramp.size() - 1);
  }
  [[nodiscard]] double from(std::size_t number) const {
    return least * std::pow(most / least, static_cast<double>(number) / ramp.size());
  }
};

class map_artist {
 public:
  map_artist(const results_file& file, const std::vector<pair_matrix>& matrices)
      : file_(file), matrices_(matrices), units_(units_of(file, matrices)),
        scale_(heat_scale::of(matrices)), side_(units_.size() <= 16   ? 44
                                                : units_.size() <= 64 ? 13
                                                                      : 7) {
    double end = 0;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (i > 0 && is_apart(units_[i - 1], units_[i])) end += group_gap;
      at_.push_back(end);
      end += side_;
    }
    length_ = end;
  }

  [[nodiscard]] std::string draw() {
    const double map_height = name_height + label_width + length_ + between_maps;
    const double width = std::max(least_page_width, 2 * page_margin + label_width + length_);
    const double height = first_map + map_height * static_cast<double>(matrices_.size()) + 30;
    const nlohmann::json machine = file_.campaign.value("machine", nlohmann::json::object());
    const std::string host = text_in(machine, "host"), cpu = text_in(machine, "cpu_model");
    write(R"svg(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-labelledby="title meaning">
<title id="title">{2}</title>
<desc id="meaning">{3}</desc>
<style>{4}{5}</style>
<rect class="page" width="{0:g}" height="{1:g}"/>
<text class="title" x="{6:g}" y="{7:g}">{2}</text>
<text x="{6:g}" y="{8:g}">{3}</text>
)svg",
          width, height, xml_text(host.empty() ? cpu : host + ": " + cpu), meaning, map_style,
          heat_rules(), page_margin, title_y, title_y + 19);
    double y = first_map;
    for (const pair_matrix& matrix : matrices_) {
      map(matrix, y);
      y += map_height;
    }
    legend(y);
    write("</svg>\n");
    return std::move(text_);
  }

 private:
  // Those measured; a file that does not say where they are has them by number.
  static std::vector<processing_unit> units_of(const results_file& file,
                                               const std::vector<pair_matrix>& matrices) {
    std::set<int> seen;
    for (const pair_matrix& matrix : matrices)
      for (const auto& [pus, point] : matrix.cells) seen.insert({pus.first, pus.second});
    std::vector<processing_unit> units = units_in(file.campaign);
    std::erase_if(units, [&seen](const processing_unit& unit) { return seen.erase(unit.os) == 0; });
    for (const int pu : seen) units.push_back({.os = pu});
    std::ranges::sort(units, {}, [](const processing_unit& unit) {
      return std::tuple(unit.package, unit.numa, unit.l3, unit.l2, unit.core, unit.thread_in_core,
                        unit.os);
    });
    return units;
  }

  static bool is_apart(const processing_unit& a, const processing_unit& b) {
    return a.package != b.package || a.numa != b.numa || a.l3 != b.l3;
  }

  static std::string heat_rules() {
    std::string rules;
    for (std::size_t i = 0; i < ramp.size(); ++i)
      rules += fmt::format("  .h{}{{fill:{}}}\n", i, ramp[i]);
    return rules;
  }

  template <class... Parts> void write(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  void map(const pair_matrix& matrix, double y) {
    write("<text class=\"name\" x=\"{:g}\" y=\"{:g}\">{}</text>\n", page_margin, y + 12,
          xml_text(matrix.name));
    write("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", page_margin, y + 28,
          xml_text(matrix.classes(units_)));
    write("<g transform=\"translate({:g} {:g})\">\n", page_margin + label_width,
          y + name_height + label_width);
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const double middle = at_[i] + side_ / 2;
      write("<text class=\"pu\" text-anchor=\"end\" x=\"-4\" y=\"{:g}\">{}</text>\n", middle + 3,
            units_[i].os);
      write("<text class=\"pu\" transform=\"translate({:g} -4) rotate(-90)\">{}</text>\n",
            middle + 3, units_[i].os);
    }
    for (std::size_t row = 0; row < units_.size(); ++row)
      for (std::size_t column = 0; column < units_.size(); ++column)
        if (const point_summary* s = matrix.at(units_[row].os, units_[column].os))
          field(*s, at_[column], at_[row]);
    write("</g>\n");
  }

  void field(const point_summary& s, double x, double y) {
    const interval& cost = s.cost_ns;
    const std::size_t colour = scale_.colour(cost.value);
    const std::string bounds =
        std::isfinite(cost.low) && std::isfinite(cost.high)
            ? fmt::format(" ({} to {})", nanoseconds(cost.low), nanoseconds(cost.high))
            : "";
    write("<rect class=\"h{}\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"><title>PU {} "
          "to PU {}: {} ns{}</title></rect>\n",
          colour, x, y, side_, side_, s.what.pus[0], s.what.pus[1], nanoseconds(cost.value),
          bounds);
    if (units_.size() > 16) return;
    write("<text class=\"{}\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\" "
          "pointer-events=\"none\">{}</text>\n",
          colour >= first_dark ? "on-dark" : "on-light", x + side_ / 2, y + side_ / 2 + 4,
          nanoseconds(cost.value));
  }

  void legend(double y) {
    double x = page_margin;
    for (std::size_t i = 0; i < ramp.size(); ++i) {
      write("<rect class=\"h{}\" x=\"{:g}\" y=\"{:g}\" width=\"16\" height=\"12\"/>\n", i, x, y);
      write("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", x + 20, y + 10, nanoseconds(scale_.from(i)));
      x += 62;
    }
    write("<text x=\"{:g}\" y=\"{:g}\">to {} ns</text>\n", x - 4, y + 10, nanoseconds(scale_.most));
  }

  const results_file& file_;
  const std::vector<pair_matrix>& matrices_;
  std::vector<processing_unit> units_;
  heat_scale scale_;
  double side_;
  std::vector<double> at_;  // where each row and column begins
  double length_ = 0;
  std::string text_;
};

}  // namespace

std::string matrix_svg(const results_file& file, const std::vector<point_summary>& points) {
  const std::vector<pair_matrix> matrices = pair_matrices(points);
  if (matrices.empty())
    throw usage_error(fmt::format("--svg: {} has no costs between pairs of PUs to draw; `syncmeter "
                                  "run --study core-to-core` measures them",
                                  file.path));
  return map_artist(file, matrices).draw();
}

}  // namespace syncmeter
