#include "driver/topology/topology_svg.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "driver/text/ranges.hpp"
#include "driver/text/xml_text.hpp"
#include "driver/topology/topology_boxes.hpp"

namespace syncmeter {
namespace {

constexpr double margin = 14, least_width = 520, title_scale = 1.5;
constexpr double title_baseline = 22, placement_baseline = 41, machine_top = 54;
constexpr double legend_height = 34, swatch = 14;

// Blue and its light form are apart from greys in lightness for every kind of colour vision; text
// on each keeps a contrast of 4.5 or more.
constexpr std::string_view style = R"(
  text{font:11px system-ui,"DejaVu Sans",Arial,sans-serif;fill:#1a1a1a}
  .title{font-size:15px;font-weight:600}
  .small{font-size:9.5px}
  .page{fill:#ffffff}
  .package{fill:#f2f2ee;stroke:#5c5c5c}
  .group{fill:none;stroke:#8a8a8a;stroke-dasharray:5 3}
  .memory{fill:#ece4d0;stroke:#8f7d4d}
  .cache{fill:#e3ebe4;stroke:#7f9183}
  .core{fill:#ffffff;stroke:#5c5c5c}
  .free{fill:#ffffff;stroke:#5c5c5c}
  .lane{fill:#0a5c96;stroke:#06395d;stroke-width:1.5}
  .barred{fill:#dcdcdc;stroke:#9a9a9a}
  .hatch{stroke:#b4b4b4;stroke-width:2}
  text.on-lane{fill:#ffffff}
  text.strong{font-weight:700}
  text.on-barred{fill:#4f4f4f}
  @media screen and (prefers-color-scheme:dark){
    text{fill:#ececec}
    .page{fill:#161616}
    .package{fill:#222222;stroke:#9a9a9a}
    .group{stroke:#8a8a8a}
    .memory{fill:#39321d;stroke:#a8925a}
    .cache{fill:#26312a;stroke:#7f9183}
    .core{fill:#1b1b1b;stroke:#9a9a9a}
    .free{fill:#1b1b1b;stroke:#9a9a9a}
    .lane{fill:#6cb8ee;stroke:#d2ebff}
    .barred{fill:#3a3a3a;stroke:#6a6a6a}
    .hatch{stroke:#4c4c4c}
    text.on-lane{fill:#06121c}
    text.on-barred{fill:#c4c4c4}
  }
)";

std::string_view class_of(box_kind kind) {
  switch (kind) {
  case box_kind::package:
    return "package";
  case box_kind::memory:
    return "memory";
  case box_kind::cache:
    return "cache";
  case box_kind::core:
    return "core";
  default:
    return "group";
  }
}

class artist {
 public:
  artist(const topology& machine, const placed_lanes& lanes) : machine_(machine), lanes_(lanes) {}

  [[nodiscard]] std::string draw() {
    const box all = lay_out(machine_);
    const double width =
        2 * margin + std::max({least_width, all.width, title_scale * text_width(lanes_.title),
                               text_width(lanes_.placement)});
    const double height = machine_top + all.height + legend_height + margin;
    write(R"svg(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-labelledby="title placement">
<title id="title">{2}</title>
<desc id="placement">{3}</desc>
<style>{4}</style>
<defs><pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
<rect class="page" width="{0:g}" height="{1:g}"/>
<text class="title" x="{5:g}" y="{6:g}">{2}</text>
<text x="{5:g}" y="{7:g}">{3}</text>
<g transform="translate({5:g} {8:g})">
)svg",
          width, height, xml_text(lanes_.title), xml_text(lanes_.placement), style, margin,
          title_baseline, placement_baseline, machine_top);
    for (const box& part : all.inside) object(part);
    write("</g>\n");
    legend(machine_top + all.height + legend_height - swatch);
    write("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Parts> void write(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  void rectangle(std::string_view name, double x, double y, double width, double height) {
    write("<rect class=\"{}\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" rx=\"3\"/>\n",
          name, x, y, width, height);
  }

  void hatching(double x, double y, double width, double height) {
    write("<rect fill=\"url(#hatching)\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" "
          "rx=\"3\"/>\n",
          x, y, width, height);
  }

  void centred(std::string_view name, double x, double y, const std::string& words) {
    write("<text class=\"{}\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", name, x, y,
          xml_text(words));
  }

  void object(const box& b) {
    if (b.kind == box_kind::pu) return pu(b);
    write("<g><title>{}</title>\n", xml_text(b.label));
    rectangle(class_of(b.kind), b.x, b.y, b.width, b.height);
    write("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", b.x + 6, b.y + 13.5, xml_text(b.label));
    for (const box& part : b.inside) object(part);
    write("</g>\n");
  }

  void pu(const box& b) {
    const auto allowed = [&](const processing_unit& unit) { return unit.os == b.pu; };
    const bool usable = std::ranges::any_of(machine_.units(), allowed);
    std::vector<int> on_it;
    for (std::size_t lane = 0; lane < lanes_.pus.size(); ++lane) {
      if (lanes_.pus[lane] == b.pu) on_it.push_back(static_cast<int>(lane));
    }
    const std::string words = !on_it.empty() ? fmt::format("lane {}", as_ranges(on_it))
                              : usable       ? std::string()
                                             : std::string("not allowed");
    write("<g><title>{}{}{}</title>\n", xml_text(b.label), words.empty() ? "" : ", ", words);
    const double middle = b.x + b.width / 2;
    if (!on_it.empty()) {
      rectangle("lane", b.x, b.y, b.width, b.height);
      centred("on-lane", middle, b.y + 15, b.label);
      centred("on-lane strong", middle, b.y + 31, words);
    } else if (usable) {
      rectangle("free", b.x, b.y, b.width, b.height);
      centred("pu", middle, b.y + 23, b.label);
    } else {
      rectangle("barred", b.x, b.y, b.width, b.height);
      hatching(b.x, b.y, b.width, b.height);
      centred("on-barred", middle, b.y + 15, b.label);
      centred("on-barred small", middle, b.y + 31, words);
    }
    write("</g>\n");
  }

  void legend(double y) {
    double x = margin;
    for (const auto& [name, words] :
         {std::pair{"lane", "a lane's PU"}, std::pair{"free", "allowed, no lane"},
          std::pair{"barred", "not allowed to this process"}}) {
      rectangle(name, x, y, swatch, swatch);
      if (std::string_view(name) == "barred") hatching(x, y, swatch, swatch);
      write("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", x + swatch + 6, y + 11, words);
      x += swatch + 6 + text_width(words) + 18;
    }
  }

  const topology& machine_;
  const placed_lanes& lanes_;
  std::string text_;
};

}  // namespace

std::string topology_svg(const topology& machine, const placed_lanes& lanes) {
  return artist(machine, lanes).draw();
}

}  // namespace syncmeter
