// The census rule on loops written for it: what is proven, and every kind of defect it must catch.
#include "driver/census/rule/census.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::census_test {
namespace {

using testing::HasSubstr;

/// A loop of `steps` steps, each with these classes, and the bookkeeping of a trip.
loop_code loop_with(int steps, const class_counts& step, const class_counts& extra = {}) {
  loop_code loop;
  loop.inside = {{"alu", 2}, {"branch", 1}};
  loop.has_loop = true;
  for (const auto& [name, count] : step) loop.inside[name] += steps * count;
  for (const auto& [name, count] : extra) loop.inside[name] += count;
  return loop;
}

capability op_with(std::string declared, std::string pairing = "self", unsigned unroll = 32) {
  capability what;
  what.backend = "omp";
  what.op = "some_op";
  what.pairing = std::move(pairing);
  what.supported = true;
  what.unroll = unroll;
  what.symbols = {"loop_0", "loop_1", "loop_2", "loop_4"};
  if (!declared.empty()) what.declares["x86-64"] = std::move(declared);
  return what;
}

/// The four loops of a self-paired op whose every step is 1 + k times `step`.
std::array<loop_code, 4> self_paired(const class_counts& step, int unroll = 32) {
  return {loop_with(unroll, step), loop_with(2 * unroll, step), loop_with(3 * unroll, step),
          loop_with(5 * unroll, step)};
}

census_entry judged(const capability& what, const std::array<loop_code, 4>& loops) {
  return judge(what, loops, machine::x86_64);
}

TEST(Census, ProvesWhatIsDeclared) {
  const census_entry add = judged(op_with("lock_add 1"), self_paired({{"lock_add", 1}}));
  EXPECT_EQ(add.verdict, verdict::proven) << add.reason;
  EXPECT_EQ(to_text(add.per_op), "lock_add 1");

  const census_entry cas = judged(op_with("lock_cmpxchg 1, branch 1, fp_add 1, load 1"),
                                  self_paired({{"lock_cmpxchg", 1},
                                               {"branch", 1},
                                               {"fp_add", 1},
                                               {"load", 1},
                                               {"move", 4},
                                               {"jump", 1}}));
  EXPECT_EQ(cas.verdict, verdict::proven) << cas.reason;
  EXPECT_EQ(to_text(cas.per_op), "branch 1, fp_add 1, jump 1, load 1, lock_cmpxchg 1, move 4");
}

TEST(Census, CatchesOneInstructionTooFewOrTooMany) {
  auto loops = self_paired({{"lock_or", 1}});
  --loops[1].inside["lock_or"];
  const census_entry missing = judged(op_with("lock_or 1"), loops);
  EXPECT_EQ(missing.verdict, verdict::wrong);
  EXPECT_THAT(missing.reason,
              HasSubstr("expected lock_or 1, seen lock_or 0.9688 (per operation, at 1 measured)"));

  for (const char* extra : {"load", "spill", "store", "branch", "call:memcpy", "other:rdtsc"}) {
    loops = self_paired({{"lock_or", 1}});
    ++loops[1].inside[extra];
    EXPECT_EQ(judged(op_with("lock_or 1"), loops).verdict, verdict::wrong) << extra;
  }
}

TEST(Census, CatchesAnotherInstructionThanTheDeclaredOne) {
  const census_entry entry = judged(op_with("mfence 1"), self_paired({{"lock_or", 1}}));
  EXPECT_EQ(entry.verdict, verdict::wrong);
  EXPECT_THAT(entry.reason, HasSubstr("expected mfence 1, seen lock_or 1"));
}

TEST(Census, CatchesSidesUnrolledDifferently) {
  auto loops = self_paired({{"lock_add", 1}});
  loops[1] = loop_with(4 * 32, {{"lock_add", 1}});
  EXPECT_EQ(judged(op_with("lock_add 1"), loops).verdict, verdict::wrong);
}

TEST(Census, CatchesCountsThatDoNotScale) {
  auto loops = self_paired({{"lock_add", 1}});
  loops[2] = loop_with(2 * 32, {{"lock_add", 1}});
  const census_entry two = judged(op_with("lock_add 1"), loops);
  EXPECT_EQ(two.verdict, verdict::wrong);
  EXPECT_THAT(two.reason, HasSubstr("seen lock_add 0.5 (per operation, at 2 measured)"));

  loops = self_paired({{"lock_add", 1}});
  loops[3] = loop_with(4 * 32, {{"lock_add", 1}});
  EXPECT_THAT(judged(op_with("lock_add 1"), loops).reason, HasSubstr("at 4 measured"));
}

TEST(Census, FindsWhatIsElided) {
  const auto same =
      std::array<loop_code, 4>{loop_with(32, {{"store", 2}}), loop_with(32, {{"store", 2}}),
                               loop_with(32, {{"store", 2}}), loop_with(32, {{"store", 2}})};
  EXPECT_EQ(judged(op_with(""), same).verdict, verdict::elided);
  EXPECT_EQ(judged(op_with("nothing"), same).verdict, verdict::elided);
  EXPECT_EQ(judged(op_with("lock_or 1"), same).verdict, verdict::wrong);

  capability control = op_with("");
  control.empty_on_purpose = true;
  EXPECT_EQ(judged(control, same).verdict, verdict::proven);
  auto loops = same;
  loops[1].inside["move"] += 32;
  EXPECT_EQ(judged(control, loops).verdict, verdict::wrong);
}

TEST(Census, IsElidedOnlyWhereNothingIsThereAtEveryNumberOfOps) {
  const loop_code same = loop_with(32, {{"store", 2}});
  for (const std::size_t index : {1U, 2U, 3U}) {
    std::array<loop_code, 4> loops{same, same, same, same};
    loops.at(index).inside["move"] += 32;
    EXPECT_EQ(judged(op_with(""), loops).verdict, verdict::not_declared) << index;
  }
}

TEST(Census, FindsLoopsThatTheCompilerRemovedOnBothSides) {
  loop_code straight;
  straight.outside = {{"frame", 1}};
  EXPECT_EQ(judged(op_with("nothing"), {straight, straight, straight, straight}).verdict,
            verdict::elided);
  const census_entry one_side =
      judged(op_with("lock_or 1"), {straight, loop_with(32, {{"lock_or", 1}}), straight, straight});
  EXPECT_EQ(one_side.verdict, verdict::not_proven);
  EXPECT_THAT(one_side.reason, HasSubstr("loop_0: there is no loop left"));
}

// With `insert` the whole step is repeated, so k baselines are taken off; the branch that closes a
// trip is there once all the same.
TEST(Census, TakesOffOneBaselineForEachInsertedOp) {
  std::array<loop_code, 4> loops{loop_with(32, {{"store", 2}}),
                                 loop_with(32, {{"store", 2}, {"lock_or", 1}}),
                                 loop_with(64, {{"store", 2}, {"lock_or", 1}}),
                                 loop_with(128, {{"store", 2}, {"lock_or", 1}})};
  const census_entry entry = judged(op_with("lock_or 1", "insert"), loops);
  EXPECT_EQ(entry.verdict, verdict::proven) << entry.reason;
  EXPECT_EQ(to_text(entry.per_op), "lock_or 1");
  --loops[3].inside["store"];
  EXPECT_EQ(judged(op_with("lock_or 1", "insert"), loops).verdict, verdict::wrong);
}

// Two instructions count the trips, whether a trip holds four steps or sixteen.
TEST(Census, TakesOffTheLoopsOwnCounterOnce) {
  std::array<loop_code, 4> loops{
      loop_with(4, {{"move", 1}}), loop_with(4, {{"move", 1}, {"lock_or", 1}}),
      loop_with(8, {{"move", 1}, {"lock_or", 1}}), loop_with(16, {{"move", 1}, {"lock_or", 1}})};
  for (loop_code& loop : loops) loop.inside["alu"] += 2;
  const census_entry entry = judged(op_with("lock_or 1", "insert", 4), loops);
  EXPECT_EQ(entry.verdict, verdict::proven) << entry.reason;
  EXPECT_EQ(to_text(entry.per_op), "lock_or 1");
  loops[2].inside["alu"] += 6;  // not of every step
  EXPECT_EQ(judged(op_with("lock_or 1", "insert", 4), loops).verdict, verdict::wrong);
}

TEST(Census, CountsPerOpWhereAStepHoldsTwo) {
  capability two = op_with("store 1", "self", 16);
  two.ops_per_step = 2;
  const census_entry entry = judged(two, self_paired({{"store", 2}, {"move", 1}}, 16));
  EXPECT_EQ(entry.verdict, verdict::proven) << entry.reason;
  EXPECT_EQ(to_text(entry.per_op), "move 0.5, store 1");
}

TEST(Census, AllowsBookkeepingOncePerLoopButNotUneven) {
  auto loops = self_paired({{"lock_add", 1}, {"move", 1}});
  loops[1].inside["move"] += 3;
  loops[1].inside["alu"] -= 1;
  const census_entry few = judged(op_with("lock_add 1"), loops);
  EXPECT_EQ(few.verdict, verdict::proven) << few.reason;
  EXPECT_EQ(few.once_per_loop, (std::map<std::string, int>{{"alu", -1}, {"move", 3}}));
  EXPECT_EQ(to_text(few.per_op), "lock_add 1, move 1");

  loops[1].inside["move"] += 9;
  const census_entry many = judged(op_with("lock_add 1"), loops);
  EXPECT_EQ(many.verdict, verdict::wrong);
  EXPECT_THAT(many.reason, HasSubstr("not the same in every step: move 44 in 32 steps"));
}

TEST(Census, NeverTakesAWholeInstructionPerStepForALeftOver) {
  for (unsigned unroll = 1; unroll <= 64; ++unroll) {
    EXPECT_LT(2 * bookkeeping_slack(unroll), static_cast<int>(unroll));
  }
  EXPECT_EQ(bookkeeping_slack(1), 0);
  EXPECT_EQ(bookkeeping_slack(32), 8);
}

TEST(Census, IgnoresAlignmentAndTheFrame) {
  auto loops = self_paired({{"lock_add", 1}});
  loops[1].inside["nop"] += 5;
  loops[1].outside["frame"] += 6;
  EXPECT_EQ(judged(op_with("lock_add 1"), loops).verdict, verdict::proven);
}

TEST(Census, RefusesWorkThatLeftTheLoop) {
  auto loops = self_paired({{"lock_add", 1}});
  loops[1].outside["lock_add"] = 1;
  const census_entry peeled = judged(op_with("lock_add 1"), loops);
  EXPECT_EQ(peeled.verdict, verdict::not_proven);
  EXPECT_THAT(peeled.reason, HasSubstr("loop_1: lock_add 1 outside the loop"));

  loops = self_paired({{"lock_add", 1}});
  loops[2].problem = "it jumps out to loop_2.cold";
  EXPECT_THAT(judged(op_with("lock_add 1"), loops).reason, HasSubstr("loop_2: it jumps out"));
}

TEST(Census, SaysWhatIsNotDeclaredForThisMachine) {
  capability what = op_with("lock_add 1");
  EXPECT_EQ(judge(what, self_paired({{"lse_ldadd", 1}}), machine::aarch64).verdict,
            verdict::not_declared);
}

TEST(Declaration, HasAlternatives) {
  const auto folded = self_paired({{"rmw", 1}});
  const auto apart = self_paired({{"load", 1}, {"store", 1}, {"alu", 1}});
  const capability what = op_with("rmw 1 | load 1, store 1");
  EXPECT_EQ(judged(what, folded).verdict, verdict::proven);
  EXPECT_EQ(judged(what, apart).verdict, verdict::proven);
  // Folded at one count and not at another is not one op.
  EXPECT_EQ(judged(what, {folded[0], folded[1], apart[2], apart[3]}).verdict, verdict::wrong);
  const loop_code two = loop_with(32, {{"rmw", 1}, {"load", 2}, {"store", 2}});
  const loop_code four = loop_with(32, {{"rmw", 1}, {"load", 4}, {"store", 4}});
  EXPECT_EQ(judged(what, {folded[0], folded[1], two, four}).verdict, verdict::wrong);
}

TEST(Declaration, BindsBookkeepingOnlyWhereItIsNamed) {
  const auto loops = self_paired({{"imul", 1}, {"move", 1}});
  EXPECT_EQ(judged(op_with("imul 1"), loops).verdict, verdict::proven);
  EXPECT_EQ(judged(op_with("imul 1, move 1"), loops).verdict, verdict::proven);
  EXPECT_EQ(judged(op_with("imul 1, move 2"), loops).verdict, verdict::wrong);
}

TEST(Declaration, IsReadExactly) {
  EXPECT_EQ(parse_declaration("call:f<int, 2> 1, load 12").front(),
            (class_counts{{"call:f<int, 2>", 1}, {"load", 12}}));
  EXPECT_TRUE(parse_declaration("nothing").front().empty());
  for (const char* text : {"", "lock_add", "lock_add 0", "lock_add -1", "lock_add 1x",
                           "lock_add 1,", "lock_add 1 |", "load 1, load 1"}) {
    EXPECT_THROW((void)parse_declaration(text), std::invalid_argument) << "'" << text << "'";
  }
  const census_entry entry = judged(op_with("lock_add one"), self_paired({{"lock_add", 1}}));
  EXPECT_EQ(entry.verdict, verdict::wrong);
  EXPECT_THAT(entry.reason, HasSubstr("'lock_add one' is not a class and a number"));
}

}  // namespace
}  // namespace syncmeter::census_test
