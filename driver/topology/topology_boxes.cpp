#include "driver/topology/topology_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <hwloc.h>

#include "core/machine/hwloc_names.hpp"

namespace syncmeter {
namespace {

constexpr double pu_width = 62, pu_height = 40, memory_height = 20, gap = 6;
constexpr double letter_width = 6.3;  // 11 px, sans-serif: the widest of common fonts, on average
constexpr double screen_shape = 1.6;  // width over height

box_kind kind_of(const hwloc_obj* object) {
  switch (object->type) {
  case HWLOC_OBJ_MACHINE:
    return box_kind::machine;
  case HWLOC_OBJ_PACKAGE:
    return box_kind::package;
  case HWLOC_OBJ_NUMANODE:
  case HWLOC_OBJ_MEMCACHE:
    return box_kind::memory;
  case HWLOC_OBJ_CORE:
    return box_kind::core;
  case HWLOC_OBJ_PU:
    return box_kind::pu;
  default:
    return hwloc_obj_type_is_cache(object->type) != 0 ? box_kind::cache : box_kind::group;
  }
}

class layouter {
 public:
  explicit layouter(const topology& machine)
      : machine_(machine), tree_(static_cast<hwloc_topology_t>(machine.native())) {}

  [[nodiscard]] box lay_out() const {
    box all = of(hwloc_get_root_obj(tree_));
    move(all, 0, 0);
    return all;
  }

 private:
  /// With its final size; it and what is inside stand relative to their parent's corner.
  [[nodiscard]] box of(hwloc_obj_t object) const {
    box b{.kind = kind_of(object), .label = label_of(object), .inside = {}};
    if (b.kind == box_kind::pu) {
      b.pu = static_cast<int>(object->os_index);
      b.width = std::max(pu_width, text_width(b.label) + gap);
      b.height = pu_height;
      return b;
    }
    if (b.kind == box_kind::memory) {
      b.width = text_width(b.label) + 2 * gap;
      b.height = memory_height;
      return b;
    }
    std::vector<box> memories, parts;
    add_memories(object, memories);
    for (hwloc_obj_t c = object->first_child; c != nullptr; c = c->next_sibling)
      parts.push_back(of(c));
    fill(b, std::move(memories), std::move(parts));
    return b;
  }

  // A memory-side cache stands beside the node behind it.
  void add_memories(hwloc_obj_t object, std::vector<box>& memories) const {
    for (hwloc_obj_t c = object->memory_first_child; c != nullptr; c = c->next_sibling) {
      memories.push_back(of(c));
      add_memories(c, memories);
    }
  }

  [[nodiscard]] std::string label_of(hwloc_obj_t object) const {
    if (object->type == HWLOC_OBJ_CORE) {
      const std::string kind = kind_in(object);
      return fmt::format("{}{}{}", object_name(object), kind.empty() ? "" : ", ", kind);
    }
    return object_name(object);
  }

  [[nodiscard]] std::string kind_in(hwloc_obj_t core) const {
    if (machine_.kinds() < 2) return "";
    for (const processing_unit& unit : machine_.units()) {
      if (hwloc_bitmap_isset(core->cpuset, static_cast<unsigned>(unit.os)) != 0)
        return machine_.kind_name(unit.kind);
    }
    return "";
  }

  struct grid_size {
    std::size_t columns = 1;
    double width = 0, height = 0;
  };

  // Rows of `columns` parts, each as high as its highest.
  static grid_size measured(const std::vector<box>& parts, std::size_t columns) {
    grid_size size{.columns = columns};
    for (std::size_t first = 0; first < parts.size(); first += columns) {
      double width = -gap, height = 0;
      for (std::size_t i = first; i < std::min(first + columns, parts.size()); ++i) {
        width += gap + parts[i].width;
        height = std::max(height, parts[i].height);
      }
      size.width = std::max(size.width, width);
      size.height += (first > 0 ? gap : 0) + height;
    }
    return size;
  }

  static grid_size best_grid(const box_kind around, const std::vector<box>& parts) {
    if (around == box_kind::core) return measured(parts, parts.size());
    std::optional<grid_size> best;
    double best_cost = 0;
    for (std::size_t columns = 1; columns <= parts.size(); ++columns) {
      const grid_size size = measured(parts, columns);
      // A last row that is not full looks as if something were missing.
      const double ragged = parts.size() % columns == 0 ? 0 : 0.7;
      const double cost = std::abs(std::log(size.width / size.height / screen_shape)) + ragged;
      if (best && cost >= best_cost) continue;
      best = size;
      best_cost = cost;
    }
    return best.value_or(grid_size{});
  }

  static void fill(box& b, std::vector<box> memories, std::vector<box> parts) {
    const grid_size grid = best_grid(b.kind, parts);
    const double labels = text_width(b.label);
    double inner = std::max(grid.width, labels);
    for (const box& memory : memories) inner = std::max(inner, memory.width);
    double y = b.kind == box_kind::machine ? 0 : header_height + gap / 2;
    const double margin = b.kind == box_kind::machine ? 0 : gap;
    for (box& memory : memories) {
      memory.x = margin;
      memory.y = y;
      memory.width = inner;
      y += memory.height + gap;
    }
    // What a wide label or memory leaves beside the parts goes to both sides.
    const double indent = margin + (inner - grid.width) / 2;
    for (std::size_t first = 0; first < parts.size(); first += grid.columns) {
      double x = indent, height = 0;
      for (std::size_t i = first; i < std::min(first + grid.columns, parts.size()); ++i) {
        parts[i].x = x;
        parts[i].y = y;
        x += parts[i].width + gap;
        height = std::max(height, parts[i].height);
      }
      y += height + gap;
    }
    b.width = inner + 2 * margin;
    b.height = y - gap + margin;
    b.inside = std::move(memories);
    std::move(parts.begin(), parts.end(), std::back_inserter(b.inside));
  }

  // From the parent's corner to the drawing's.
  static void move(box& b, double x, double y) {
    b.x += x;
    b.y += y;
    for (box& part : b.inside) move(part, b.x, b.y);
  }

  const topology& machine_;
  hwloc_topology_t tree_;
};

}  // namespace

double text_width(const std::string& text) {
  return letter_width * static_cast<double>(text.size());
}

box lay_out(const topology& machine) { return layouter(machine).lay_out(); }

}  // namespace syncmeter
