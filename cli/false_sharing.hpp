// How far apart the cells of different lanes must lie: the cost at each stride against that of
// cells on separate pages, visit by visit in one placement state, and the destructive interference
// size that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/results.hpp"

namespace syncmeter {

/// Cells this far apart share neither a line nor what is fetched along with one: the control. The
/// smallest page there is.
inline constexpr unsigned apart_bytes = 4096;

/// Two costs are the same when the interval of their ratio lies between 1 / (1 + same_within) and
/// 1 + same_within (two one-sided tests: Schuirmann 1987), and differ when it lies outside. An
/// interval that holds one of these bounds says neither.
inline constexpr double same_within = 0.05;

enum class comparison : std::uint8_t { same, dearer, cheaper, open };

/// The cost at one layout of cells over that at another.
struct cost_ratio {
  interval ratio;  ///< median over the visits that both have in the row's placement state, with
                   ///< their interval on logarithms; infinite bounds where one visit is all
  std::size_t visits = 0;  ///< that it is made of; 0 where there is no ratio
  std::string reason;      ///< why there is no interval; empty when there is one
  [[nodiscard]] comparison says() const;
};

/// The destructive interference size, or why it cannot be told.
struct interference_size {
  std::optional<unsigned> bytes;  ///< the smallest stride that costs the same as cells apart, when
                                  ///< all smaller ones cost more; nothing: cannot tell
  unsigned dearer_at = 0;         ///< the largest stride known to cost more, in bytes; or 0
  std::string reason;             ///< why it cannot be told
};

/// One element apart over cells apart: what it costs not to know.
struct element_ratio {
  value_type type{};
  cost_ratio over_apart;
};

/// The cells of one op on so many lanes, from one base offset, under affinities that place the
/// lanes alike. Types are pooled: of each visit the median of their logarithms.
struct sharing_row {
  point what;              ///< its first point; type and stride are those of that one
  std::string affinities;  ///< "close, smt"
  std::vector<value_type> types;
  std::optional<unsigned> state;       ///< placement state, where the file has several
  std::vector<unsigned> strides;       ///< bytes, ascending, without the control
  std::vector<cost_ratio> over_apart;  ///< for each stride, the cost over that of cells apart
  cost_ratio next_line;                ///< 64 B over 128 B
  std::vector<element_ratio> one_element;
  interference_size size;
  bool has_control = false;  ///< cells apart were measured
};

/// Every such row of the file's strided points on CPUs, with two lanes and more.
[[nodiscard]] std::vector<sharing_row> false_sharing_of(const results_file& file,
                                                        const std::vector<point_summary>& points);

/// What holds for all of the rows: the largest of their sizes, unless a row that cannot tell is
/// known to cost more there.
[[nodiscard]] interference_size size_of_all(const std::vector<const sharing_row*>& rows);

/// The tables, and what follows for this machine; empty when the file is of another study and has
/// no cells apart.
[[nodiscard]] std::string false_sharing_text(const results_file& file,
                                             const std::vector<point_summary>& points);

}  // namespace syncmeter
