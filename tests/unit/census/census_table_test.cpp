// The census on a terminal: a line for each code of an op; elsewhere a row for each loop.
#include "driver/census/rule/census_text.hpp"

#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/commands/commands.hpp"

namespace syncmeter::census_table_test {
namespace {

using testing::HasSubstr;
using testing::Not;

census_entry entry(std::string op, std::string type, std::string order, std::string code) {
  census_entry made;
  made.backend = "test";
  made.op = std::move(op);
  made.type = std::move(type);
  made.order = std::move(order);
  made.placements = "shared,strided";
  made.loops[0].inside = made.loops[1].inside = {{code, 1}};
  made.per_op = {{std::move(code), 1}};
  made.verdict = verdict::proven;
  return made;
}

TEST(CensusByOp, HasALineForEachCodeAndSaysWhatSetsItApart) {
  const std::string text = census_by_op(
      {entry("add", "int32", "relaxed", "lock_add"), entry("add", "int32", "seq_cst", "lock_add"),
       entry("add", "float", "relaxed", "lock_cmpxchg"),
       entry("add", "float", "seq_cst", "lock_cmpxchg"),
       entry("write", "int32", "relaxed", "store"), entry("write", "int32", "seq_cst", "xchg_mem"),
       entry("read", "int32", "relaxed", "load")});
  EXPECT_EQ(text, "add    proven  lock_add 1 (int32)\n"
                  "       proven  lock_cmpxchg 1 (float)\n"
                  "write  proven  store 1 (relaxed)\n"
                  "       proven  xchg_mem 1 (seq_cst)\n"
                  "read   proven  load 1\n"
                  "\n7 entries: 7 proven\n"
                  "--wide shows each loop with its length, and equal code\n");
}

TEST(CensusByOp, WrapsLongNamesBehindTheirParts) {
  const std::string text = census_by_op(
      {entry("shared_mutex_held", "", "unordered",
             "call:syncmeter::ops::held_op<syncmeter::standard::ops::under_shared_mutex>::step")});
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "shared_mutex_held  proven  call:syncmeter::ops::held_op<syncmeter::standard::\n"
            "                           ops::under_shared_mutex>::step 1");
}

TEST(CensusByOp, KeepsVerdictsAndReasonsApart) {
  census_entry wrong = entry("add", "int32", "relaxed", "lock_add");
  wrong.verdict = verdict::wrong;
  wrong.reason = "expected lock_add 1, seen load 1";
  census_entry unread = entry("add", "float", "relaxed", "");
  unread.loops = {};
  unread.verdict = verdict::not_proven;
  unread.reason = "objdump not found, install binutils";
  const std::string text =
      census_by_op({entry("add", "uint64", "relaxed", "lock_add"), wrong, unread});
  EXPECT_THAT(text,
              HasSubstr("wrong       lock_add 1; expected lock_add 1, seen load 1 (int32)\n"));
  EXPECT_THAT(text, HasSubstr("not proven  objdump not found, install binutils (float)\n"));
  EXPECT_THAT(text, HasSubstr("proven      lock_add 1 (uint64)\n"));
  EXPECT_THAT(text, HasSubstr("3 entries: 1 not proven, 1 proven, 1 wrong\n"));
}

/// What the census of one entry without symbols prints on a terminal.
std::string on_a_terminal(const census_options& options) {
  int here = -1, there = -1;
  if (openpty(&here, &there, nullptr, nullptr, nullptr) != 0) return "no terminal";
  std::FILE* const out = ::fdopen(there, "w");
  capability what;
  what.backend = "test";
  what.op = "add";
  what.supported = true;
  const worker_info worker{.name = "test",
                           .path = "/bin/true",
                           .problem = {},
                           .backends = {"test"},
                           .build = {},
                           .capabilities = {what}};
  EXPECT_EQ(census_of_workers(options, {worker}, out), 0);
  std::fclose(out);
  // A terminal hands over what was written in pieces, and fails behind the last.
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t size = 0; (size = ::read(here, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(size));
  ::close(here);
  return text;
}

TEST(CensusOnATerminal, IsByOpUnlessWideIsAskedFor) {
  census_options options;
  EXPECT_THAT(on_a_terminal(options), HasSubstr("--wide shows each loop"));
  options.wide = true;
  EXPECT_THAT(on_a_terminal(options), HasSubstr("one measured operation compiled to"));
  EXPECT_THAT(on_a_terminal(options), Not(HasSubstr("--wide")));
}

}  // namespace
}  // namespace syncmeter::census_table_test
