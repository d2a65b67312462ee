// The identity of a point: text and JSON name the same point, and different points differ in both.
#include "core/point.hpp"

#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace syncmeter::point_test {
namespace {

using testing::HasSubstr;

point strided_add() {
  point p;
  p.backend = "omp";
  p.op = "atomic_add";
  p.type = value_type::float64;
  p.placement = placement::strided;
  p.stride = 8;
  p.lanes = 4;
  p.order = order::relaxed;
  p.affinity = affinity::spread;
  return p;
}

std::string error_of(const nlohmann::json& j) {
  try {
    (void)j.get<point>();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(point, canonical_text_names_the_axes_in_order_and_leaves_out_those_without_a_value) {
  EXPECT_EQ(
      canonical(strided_add()),
      "backend=omp op=atomic_add type=double placement=strided stride=8 lanes=4 order=relaxed "
      "affinity=spread wait=active");
  point barrier;
  barrier.backend = "omp";
  barrier.op = "barrier";
  EXPECT_EQ(canonical(barrier),
            "backend=omp op=barrier lanes=1 order=unordered affinity=none wait=active");
  point from_half = strided_add();
  from_half.base_offset = 32;
  EXPECT_THAT(canonical(from_half), HasSubstr(" stride=8 base_offset=32 lanes=4 "));
  EXPECT_EQ(nlohmann::json(from_half).at("base_offset"), 32);
  EXPECT_FALSE(nlohmann::json(strided_add()).contains("base_offset")) << "0 is left out";
  from_half.cells = 2;
  EXPECT_THAT(canonical(from_half), HasSubstr(" base_offset=32 cells=2 lanes=4 "));
  EXPECT_EQ(nlohmann::json(from_half).at("cells"), 2);
  EXPECT_FALSE(nlohmann::json(strided_add()).contains("cells")) << "one for each lane is left out";
  barrier.repeat = 7;
  EXPECT_THAT(canonical(barrier), HasSubstr(" repeat=7"));
  barrier.lanes = 2;
  barrier.pus = {3, 0};
  barrier.home = home::other;
  EXPECT_THAT(canonical(barrier), HasSubstr(" wait=active home=other pus=3,0 repeat=7"));
}

// One neighbour per member: a member that canonical() forgot makes two of them equal.
TEST(point, texts_differ_whenever_points_do) {
  std::vector<point> all(18, strided_add());
  all[1].backend = "cuda";
  all[2].op = "atomic_sub";
  all[3].type = value_type::uint64;
  all[4].placement = placement::shared;
  all[5].stride = 0;
  all[6].lanes = 2;
  all[7].blocks = 2;
  all[8].scope = scope::device;
  all[9].order = order::seq_cst;
  all[10].affinity = affinity::close;
  all[11].wait = wait_policy::passive;
  all[12].repeat = 1;
  all[13].base_offset = 32;
  all[14].home = home::second;
  all[15].pus = {0, 1, 2, 3};
  all[16].pus = {0, 1, 3, 2};
  all[17].cells = 2;
  std::set<std::string> texts, objects;
  for (const point& p : all) {
    texts.insert(canonical(p));
    objects.insert(nlohmann::json(p).dump());
    EXPECT_EQ(nlohmann::json(p).get<point>(), p) << canonical(p);
  }
  EXPECT_EQ(texts.size(), all.size());
  EXPECT_EQ(objects.size(), all.size());
}

TEST(point, bytes_of_a_stride_follow_the_type_and_are_0_without_strided_cells) {
  EXPECT_EQ(stride_bytes(strided_add()), 64U);
  point p = strided_add();
  p.type = value_type::int32;
  EXPECT_EQ(stride_bytes(p), 32U);
  EXPECT_EQ(nlohmann::json(p).at("stride_bytes"), 32);
  p.placement = placement::shared;
  EXPECT_EQ(stride_bytes(p), 0U);
}

TEST(point, cells_are_shared_out_among_neighbours) {
  point p = strided_add();
  EXPECT_EQ(cells_in_use(p), 4U) << "one for each lane";
  p.cells = 2;
  EXPECT_EQ(cells_in_use(p), 2U);
  std::vector<std::size_t> used;
  for (unsigned lane = 0; lane < 4; ++lane) used.push_back(cell_of(lane, 2, 4));
  EXPECT_THAT(used, testing::ElementsAre(0, 0, 1, 1));
  p.placement = placement::shared;
  EXPECT_EQ(cells_in_use(p), 1U);
  p.placement = placement::none;
  EXPECT_EQ(cells_in_use(p), 0U);
}

TEST(point, reading_ignores_members_of_a_newer_schema_and_derived_bytes) {
  nlohmann::json j = strided_add();
  j["stride_bytes"] = 999;
  j["colour"] = "blue";
  EXPECT_EQ(j.get<point>(), strided_add());
}

TEST(point, reading_names_the_member_and_the_text_that_are_wrong) {
  const nlohmann::json good = strided_add();
  nlohmann::json j = good;
  j["type"] = "int33";
  EXPECT_THAT(error_of(j),
              testing::AllOf(HasSubstr("type"), HasSubstr("'int33'"), HasSubstr("int32")));
  j = good;
  j["lanes"] = 0;
  EXPECT_THAT(error_of(j), testing::AllOf(HasSubstr("lanes"), HasSubstr("0")));
  j = good;
  j["stride"] = -1;
  EXPECT_THAT(error_of(j), testing::AllOf(HasSubstr("stride"), HasSubstr("-1")));
  j = good;
  j["base_offset"] = "half";
  EXPECT_THAT(error_of(j), testing::AllOf(HasSubstr("base_offset"), HasSubstr("half")));
  j = good;
  j["lanes"] = 4294967296;
  EXPECT_THAT(error_of(j), HasSubstr("4294967296"));
  j = good;
  j["home"] = "mine";
  EXPECT_THAT(error_of(j),
              testing::AllOf(HasSubstr("home"), HasSubstr("'mine'"), HasSubstr("other")));
  for (const auto& pus :
       {nlohmann::json{0, 1}, nlohmann::json{0, 1, 2, -1}, nlohmann::json("0,1")}) {
    j = good;
    j["pus"] = pus;
    EXPECT_THAT(error_of(j), testing::AllOf(HasSubstr("pus"), HasSubstr("each of 4 threads")));
  }
  j = good;
  j["order"] = 3;
  EXPECT_THAT(error_of(j), testing::AllOf(HasSubstr("order"), HasSubstr("3")));
  j = good;
  j.erase("op");
  EXPECT_THAT(error_of(j), HasSubstr("'op' is missing"));
  EXPECT_THAT(error_of(nlohmann::json::array()), HasSubstr("not an object"));
}

}  // namespace
}  // namespace syncmeter::point_test
