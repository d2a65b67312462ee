#include "core/harness/oracle.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/axes.hpp"

namespace syncmeter {
namespace {

template <class T> T from_bits(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<bits_of<T>>(bits));
}
template <class T> std::uint64_t to_bits(T value) { return std::bit_cast<bits_of<T>>(value); }

template <class T> class checker {
 public:
  explicit checker(const sample_outcome& o) : o_{o} {}

  std::string run() const {
    if (o_.kind == oracle::agreed) return check_agreed();
    for (std::size_t c = 0; c < o_.cells.size(); ++c) {
      if (auto wrong = check_cell(o_.cells[c], c); !wrong.empty()) return wrong;
    }
    for (std::size_t c = 0; c < o_.second_cells.size(); ++c) {
      if (auto wrong = check_cell(o_.second_cells[c], c); !wrong.empty())
        return "second array: " + wrong;
    }
    return {};
  }

 private:
  std::span<const lane_outcome> lanes_of(std::size_t cell) const {
    if (o_.one_cell) return o_.lanes;
    const std::size_t each = o_.lanes.size() / o_.cells.size();
    return o_.lanes.subspan(cell * each, each);
  }

  std::string mismatch(std::size_t cell, T expected, T found) const {
    return fmt::format(
        "oracle: variable {} is {} after {} operations on each of {} threads, expected {}", cell,
        found, o_.ops_per_lane, lanes_of(cell).size(), expected);
  }

  std::string check_cell(std::uint64_t final_bits, std::size_t cell) const {
    const auto lanes = lanes_of(cell);
    const T found = from_bits<T>(final_bits);
    const T initial = initial_value<T>(o_.kind);
    const auto must_be = [&](T expected) {
      return to_bits(expected) == to_bits(found) ? std::string{} : mismatch(cell, expected, found);
    };
    switch (o_.kind) {
    case oracle::none:
    case oracle::agreed:
      return {};
    case oracle::adds:
    case oracle::adds_twice:
      return must_be(after_ones(initial, o_.ops_per_lane * lanes.size(), true));
    case oracle::subtracts:
      return must_be(after_ones(initial, o_.ops_per_lane * lanes.size(), false));
    case oracle::raises:
      return must_be(extreme(lanes, [](T a, T b) { return a < b; }));
    case oracle::lowers:
      return must_be(extreme(lanes, [](T a, T b) { return a > b; }));
    case oracle::unchanged:
      return check_unchanged(lanes, must_be(initial));
    case oracle::exchanges:
      return check_exchanges(lanes, final_bits);
    case oracle::written:
    case oracle::written_twice:
      return check_written(lanes, found);
    }
    return "oracle: unknown kind";
  }

  template <class Less> T extreme(std::span<const lane_outcome> lanes, Less less) const {
    T best = from_bits<T>(lanes.front().operand);
    for (const auto& lane : lanes) {
      if (less(best, from_bits<T>(lane.operand))) best = from_bits<T>(lane.operand);
    }
    return best;
  }

  std::string check_agreed() const {
    for (std::size_t i = 0; i < o_.lanes.size(); ++i) {
      if (o_.lanes[i].tally != 0) {
        return fmt::format("oracle: thread {} got a wrong result (xor with the expected one {:#x})",
                           i, o_.lanes[i].tally);
      }
    }
    return {};
  }

  static std::string check_unchanged(std::span<const lane_outcome> lanes, std::string final_value) {
    for (std::size_t i = 0; i < lanes.size() && final_value.empty(); ++i) {
      if (lanes[i].tally != 0) {
        return fmt::format("oracle: an operation of thread {} returned a value that the variable "
                           "never had (xor {:#x})",
                           i, lanes[i].tally);
      }
    }
    return final_value;
  }

  std::string check_exchanges(std::span<const lane_outcome> lanes, std::uint64_t final_bits) const {
    auto balance = static_cast<bits_of<T>>(final_bits - to_bits(initial_value<T>(o_.kind)));
    for (const auto& lane : lanes) balance = static_cast<bits_of<T>>(balance + lane.tally);
    if (balance == 0) return {};
    return fmt::format("oracle: the sums of the values written and of those returned or left "
                       "differ by {:#x}: one was lost or duplicated",
                       balance);
  }

  static std::string check_written(std::span<const lane_outcome> lanes, T found) {
    const bool someones = std::any_of(lanes.begin(), lanes.end(), [&](const lane_outcome& lane) {
      return lane.operand == to_bits(found);
    });
    return someones ? std::string{}
                    : fmt::format("oracle: the variable is {}, which no thread wrote", found);
  }

  const sample_outcome& o_;
};

}  // namespace

std::string check(const sample_outcome& outcome) {
  return by_type(outcome.type, [&]<class T>(T) { return checker<T>{outcome}.run(); });
}

}  // namespace syncmeter
