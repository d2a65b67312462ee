// The destructive interference size from costs made by hand: what is concluded, and what is not.
#include "cli/false_sharing.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli_fixtures.hpp"

namespace syncmeter::false_sharing_test {
namespace {

using fixtures::estimate_values;
using fixtures::visit;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// What a lane's op costs, in ns, with the cells so many bytes apart.
using cost_of_stride = std::function<double(unsigned bytes)>;

constexpr unsigned all_strides[] = {4, 8, 16, 32, 64, 128, 256, apart_bytes};

double line_of_64(unsigned bytes) { return bytes < 64 ? 50 : 10; }
double pairs_of_lines(unsigned bytes) { return bytes < 64 ? 50 : bytes < 128 ? 13 : 10; }

point add_at(unsigned bytes, unsigned lanes = 2, value_type type = value_type::int32) {
  point p = fixtures::atomic_add(lanes);
  p.type = type;
  p.placement = placement::strided;
  p.stride = bytes / static_cast<unsigned>(size_of(type));
  return p;
}

estimate_values costing(double ns, unsigned state = 0, bool busy = false, std::size_t rounds = 20) {
  return {.state = state,
          .busy = busy,
          .rounds = rounds,
          .cost = ns,
          .low = 0.99 * ns,
          .high = 1.01 * ns};
}

// The machine drifts by 10 % a visit, which cancels; the strides part by `jitter`, which does not.
double in_visit(unsigned number, unsigned bytes, double ns, double jitter) {
  const double sign = (number + (bytes == apart_bytes ? 1U : 0U)) % 2 == 0 ? 1 : -1;
  return ns * std::pow(1.1, number) * (1 + sign * jitter);
}

std::vector<nlohmann::json> visits_of(const cost_of_stride& cost, unsigned lanes = 2,
                                      value_type type = value_type::int32, double jitter = 0.002) {
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 5; ++n) {
    for (const unsigned bytes : all_strides) {
      if (bytes < size_of(type)) continue;
      visits.push_back(visit(add_at(bytes, lanes, type), n, "ok",
                             {costing(in_visit(n, bytes, cost(bytes), jitter))}));
    }
  }
  return visits;
}

sharing_row only_row(std::vector<nlohmann::json> visits) {
  const results_file file = fixtures::file_of(std::move(visits));
  const auto rows = false_sharing_of(file, summarize(file));
  EXPECT_THAT(rows, SizeIs(1));
  return rows.at(0);
}

std::string text_of(std::vector<nlohmann::json> visits) {
  results_file file = fixtures::file_of(std::move(visits));
  file.campaign["options"] = {{"study", "false-sharing"}};
  return false_sharing_text(file, summarize(file));
}

std::vector<nlohmann::json> operator+(std::vector<nlohmann::json> a,
                                      const std::vector<nlohmann::json>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(false_sharing, a_line_of_64_bytes) {
  const sharing_row row = only_row(visits_of(line_of_64));
  EXPECT_EQ(row.size.bytes, 64U);
  EXPECT_EQ(row.size.dearer_at, 32U);
  EXPECT_THAT(row.strides, ElementsAre(4, 8, 16, 32, 64, 128, 256));
  EXPECT_EQ(row.over_apart.front().says(), comparison::dearer);
  EXPECT_EQ(row.over_apart.front().visits, 5U);
  EXPECT_THAT(row.over_apart.front().ratio.value, DoubleNear(5, 0.05)) << "the drift cancels";
  EXPECT_EQ(row.over_apart[4].says(), comparison::same);
  EXPECT_EQ(row.next_line.says(), comparison::same);
  ASSERT_THAT(row.one_element, SizeIs(1));
  EXPECT_GT(row.one_element[0].over_apart.ratio.low, 4.8);
  EXPECT_LT(row.one_element[0].over_apart.ratio.high, 5.2);
  EXPECT_THAT(text_of(visits_of(line_of_64)),
              AllOf(HasSubstr("- close: 64 B: at 32 B 4.980 (4.9"), HasSubstr("(by 1 of 1 rows)"),
                    HasSubstr("64 B against 128 B: the same within 5 % in 1 of 1 rows")));
}

TEST(false_sharing, pairs_of_lines_make_it_128_bytes) {
  const sharing_row row = only_row(visits_of(pairs_of_lines));
  EXPECT_EQ(row.size.bytes, 128U);
  EXPECT_EQ(row.next_line.says(), comparison::dearer);
  EXPECT_THAT(text_of(visits_of(pairs_of_lines)),
              AllOf(HasSubstr("- close: 128 B: at 64 B 1.295 (1.2"),
                    HasSubstr("64 B against 128 B: differ: 1.300 (1.")));
}

TEST(false_sharing, an_interval_across_the_margin_is_no_answer) {
  // 20 % either way from visit to visit: neither the same within 5 % nor more.
  const sharing_row row = only_row(visits_of(line_of_64, 2, value_type::int32, 0.2));
  EXPECT_FALSE(row.size.bytes);
  EXPECT_EQ(row.size.dearer_at, 32U) << "five times is resolved all the same";
  EXPECT_EQ(row.over_apart[4].says(), comparison::open);
  EXPECT_THAT(row.size.reason, AllOf(HasSubstr("at 64 B the ratio is"), HasSubstr("5 visits")));
  EXPECT_THAT(text_of(visits_of(line_of_64, 2, value_type::int32, 0.2)),
              AllOf(HasSubstr("- close: more than 32 B, but cannot tell: at 64 B"),
                    HasSubstr("64 B against 128 B: ")));
}

// A difference within the margin is none, however well resolved; one beyond it is one.
TEST(false_sharing, the_margin_decides) {
  EXPECT_EQ(only_row(visits_of([](unsigned b) {
              return b < 64 ? 50. : b == 64 ? 10.3 : 10.;
            })).size.bytes,
            64U);
  EXPECT_EQ(only_row(visits_of([](unsigned b) {
              return b < 64 ? 50. : b == 64 ? 10.7 : 10.;
            })).size.bytes,
            128U);
}

TEST(false_sharing, without_cells_apart_nothing_is_concluded) {
  auto visits = visits_of(line_of_64);
  std::erase_if(visits, [](const nlohmann::json& line) {
    return line.at("point").at("stride_bytes") == apart_bytes;
  });
  const sharing_row row = only_row(visits);
  EXPECT_FALSE(row.has_control);
  EXPECT_FALSE(row.size.bytes);
  EXPECT_THAT(text_of(visits), HasSubstr("cannot tell: no cells 4096 B apart to compare with"));
  const results_file file = fixtures::file_of(visits);
  EXPECT_THAT(false_sharing_text(file, summarize(file)), IsEmpty()) << "another study's strides";
  std::erase_if(visits, [](const auto& line) { return line.at("point").at("stride_bytes") == 4; });
  EXPECT_THAT(text_of(visits), Not(HasSubstr("One element apart"))) << "a table without rows";
}

TEST(false_sharing, one_lane_alone_shares_with_nobody) {
  const std::string text = text_of(visits_of(line_of_64, 1));
  EXPECT_THAT(text, HasSubstr("- cannot tell: no two lanes were measured"));
  EXPECT_THAT(text, Not(HasSubstr("64 B: ")));
}

TEST(false_sharing, a_stride_that_costs_nothing_more_is_no_size) {
  EXPECT_THAT(text_of(visits_of([](unsigned) { return 10.; })),
              HasSubstr("- close: none: one element apart costs the same"));
  const auto never = only_row(visits_of([](unsigned b) { return b < apart_bytes ? 50. : 10.; }));
  EXPECT_FALSE(never.size.bytes);
  EXPECT_THAT(never.size.reason, HasSubstr("even 256 B apart cost more"));
  const auto muddled =
      only_row(visits_of([](unsigned b) { return b < 64 || b == 128 ? 50. : 10.; }));
  EXPECT_FALSE(muddled.size.bytes);
  EXPECT_THAT(muddled.size.reason,
              HasSubstr("64 B apart cost the same as cells apart, 128 B more"));
}

TEST(false_sharing, cells_apart_that_cost_more_are_no_control) {
  const auto row = only_row(visits_of([](unsigned b) {
    return b < 64 ? 50. : b < 4096 ? 10. : 15.;
  }));
  EXPECT_FALSE(row.size.bytes);
  EXPECT_THAT(row.size.reason, HasSubstr("which are no control"));
}

// Across caches an op costs several times what it costs on one core. A state that the control never
// saw says nothing of a stride, and a mixture of states is not averaged.
TEST(false_sharing, compares_within_one_placement_state) {
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 5; ++n) {
    for (const unsigned bytes : all_strides) {
      const double apart = n % 2 == 0 ? 10.02 : 9.98;
      const double near = bytes < 64 ? 50 : 10;
      std::vector<estimate_values> seen{costing(bytes == apart_bytes ? apart : near, 1)};
      // State 0 is faster where cells share a line, and is visited in other visits than the
      // control.
      if (bytes < 64 && n > 2) seen.push_back(costing(12, 0, false, 90));
      if (bytes == apart_bytes && n <= 2) seen.push_back(costing(30, 0, false, 90));
      visits.push_back(visit(add_at(bytes), n, "ok", seen));
    }
  }
  const sharing_row row = only_row(visits);
  EXPECT_EQ(row.size.bytes, 64U);
  EXPECT_THAT(row.over_apart.front().ratio.value, DoubleNear(5, 0.02));
  EXPECT_EQ(row.over_apart.front().visits, 5U);

  // Nothing in common at all.
  std::vector<nlohmann::json> apart_elsewhere;
  for (unsigned n = 1; n <= 5; ++n) {
    for (const unsigned bytes : all_strides) {
      apart_elsewhere.push_back(visit(add_at(bytes), n, "ok",
                                      {costing(line_of_64(bytes), bytes == apart_bytes ? 1 : 0)}));
    }
  }
  EXPECT_THAT(only_row(apart_elsewhere).size.reason,
              HasSubstr("at 4 B no visit has both in one placement state"));
}

TEST(false_sharing, busy_lanes_are_compared_with_busy_ones) {
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 5; ++n) {
    for (const unsigned bytes : all_strides) {
      const double ns = line_of_64(bytes) * (n % 2 == 0 ? 1.002 : 0.998);
      // Of visit 5 the control saw busy rounds alone, which cost more.
      if (bytes == apart_bytes && n == 5) {
        visits.push_back(visit(add_at(bytes), n, "ok", {costing(3 * ns, 0, true)}));
      } else {
        visits.push_back(visit(add_at(bytes), n, "ok", {costing(ns)}));
      }
    }
  }
  const sharing_row row = only_row(visits);
  EXPECT_EQ(row.over_apart.front().visits, 4U);
  EXPECT_EQ(row.size.bytes, 64U);
}

TEST(false_sharing, types_are_pooled_by_the_bytes_of_their_strides) {
  const auto both = visits_of(line_of_64) + visits_of([](unsigned b) { return b < 64 ? 30. : 10.; },
                                                      2, value_type::float64);
  const sharing_row row = only_row(both);
  EXPECT_THAT(row.types, ElementsAre(value_type::int32, value_type::float64));
  EXPECT_EQ(row.size.bytes, 64U);
  EXPECT_THAT(row.over_apart[0].ratio.value, DoubleNear(5, 0.05)) << "4 B: int32 alone";
  EXPECT_THAT(row.over_apart[1].ratio.value, DoubleNear(std::sqrt(15), 0.05)) << "8 B: both";
  ASSERT_THAT(row.one_element, SizeIs(2));
  EXPECT_THAT(row.one_element[1].over_apart.ratio.value, DoubleNear(3, 0.05));
}

TEST(false_sharing, visits_are_paired_and_one_is_not_enough) {
  auto visits = visits_of(line_of_64);
  std::erase_if(visits, [](const nlohmann::json& line) {
    return line.at("point").at("stride_bytes") == apart_bytes && line.at("visit") != 3;
  });
  const sharing_row row = only_row(visits);
  EXPECT_FALSE(row.size.bytes);
  EXPECT_THAT(row.size.reason, HasSubstr("one visit alone has both"));
}

TEST(false_sharing, rows_by_lanes_base_offset_and_placement) {
  auto visits = visits_of(line_of_64) + visits_of(pairs_of_lines, 4);
  for (auto line : visits_of([](unsigned b) { return b < 32 ? 50. : 10.; })) {
    line["point"]["base_offset"] = 32;
    visits.push_back(line);
  }
  results_file file = fixtures::file_of(visits);
  for (const unsigned bytes : all_strides) {
    point same = add_at(bytes);
    same.affinity = affinity::spread;
    file.same.push_back({{"kind", "same"}, {"point", same}, {"measured_as", add_at(bytes)}});
  }
  const auto points = summarize(file);
  const auto rows = false_sharing_of(file, points);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].affinities, "close, spread");
  EXPECT_EQ(rows[0].size.bytes, 64U);
  EXPECT_EQ(rows[1].what.lanes, 4U);
  EXPECT_EQ(rows[1].affinities, "close");
  EXPECT_EQ(rows[1].size.bytes, 128U);
  EXPECT_EQ(rows[2].what.base_offset, 32U);
  EXPECT_EQ(rows[2].size.bytes, 32U);
  EXPECT_EQ(size_of_all({&rows[0], &rows[1], &rows[2]}).bytes, 128U) << "it must hold for all";
}

TEST(false_sharing, a_row_that_cannot_tell_vetoes_only_what_it_knows) {
  sharing_row told, silent, against;
  told.size = {.bytes = 64, .dearer_at = 32, .reason = {}};
  silent.size = {.bytes = {}, .dearer_at = 32, .reason = "wide"};
  against.size = {.bytes = {}, .dearer_at = 128, .reason = "wider"};
  EXPECT_EQ(size_of_all({&told, &silent}).bytes, 64U);
  EXPECT_EQ(size_of_all({&told, &silent}).reason, "wide");
  const interference_size not_told = size_of_all({&told, &against});
  EXPECT_FALSE(not_told.bytes);
  EXPECT_THAT(not_told.reason, HasSubstr("others 128 B more"));
  EXPECT_EQ(size_of_all({&silent}).reason, "wide");
}

TEST(false_sharing, stands_beside_what_others_say) {
  results_file file = fixtures::file_of(visits_of(line_of_64));
  file.campaign["options"] = {{"study", "false-sharing"}};
  file.campaign["machine"] = {
      {"caches", nlohmann::json::array({{{"level", 1}, {"line_bytes", 32}}})},
      {"line_bytes_sysconf", "unknown"},
      {"destructive_interference_size", 256}};
  EXPECT_THAT(false_sharing_text(file, summarize(file)),
              AllOf(HasSubstr("hwloc (L1 cache line) 32 B"),
                    HasSubstr("sysconf(_SC_LEVEL1_DCACHE_LINESIZE) unknown"),
                    HasSubstr("std::hardware_destructive_interference_size 256 B"),
                    HasSubstr("left out by the study: uint32")));
}

}  // namespace
}  // namespace syncmeter::false_sharing_test
