// Workers that are found on PATH, of which one never answers. Shell scripts stand for workers.
#include "driver/workers/find_workers.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::find_workers_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class find_workers_test : public test::in_temporary_folder {
 protected:
  void SetUp() override { ::setenv("PATH", (folder() + ":" + before_).c_str(), 1); }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }
  void add(const std::string& name, const std::string& script) const {
    (void)write_script("syncmeter-" + name, script);
  }
  static const worker_info& named(const std::vector<worker_info>& all, const std::string& name) {
    for (const worker_info& info : all) {
      if (info.name == name) return info;
    }
    throw std::out_of_range(name);
  }

 private:
  std::string before_ = std::getenv("PATH");
};

const std::string capabilities =
    R"({"kind":"capabilities","protocol":1,"build":{"id":"b"},"backends":[{"name":"test"}],"ops":[]})";

TEST_F(find_workers_test, one_that_never_answers_costs_no_other) {
  add("aaa-hangs", "exec sleep 100");
  // More than a pipe holds: it is read while the other one is waited for.
  add("test-slow", "sleep 0.3; printf '%0200000d\\n' 0");
  add("test", "sleep 0.3; echo '" + capabilities + "'");
  const auto workers = find_workers({}, {.capabilities = 5s});
  EXPECT_THAT(named(workers, "aaa-hangs").problem, HasSubstr("did not answer within 5 s"));
  EXPECT_EQ(named(workers, "test").problem, "");
  EXPECT_THAT(named(workers, "test-slow").problem, HasSubstr("'0000"));
}

TEST_F(find_workers_test, the_worker_of_its_name_has_a_backend_that_two_claim) {
  add("aaa", "echo '" + capabilities + "'");
  add("test", "echo '" + capabilities + "'");
  const auto workers = find_workers({}, {.capabilities = 20s});
  EXPECT_THAT(named(workers, "test").backends, testing::ElementsAre("test"));
  EXPECT_THAT(named(workers, "aaa").backends, testing::IsEmpty());
  EXPECT_THAT(named(workers, "aaa").passed_over,
              testing::ElementsAre(HasSubstr("backend 'test' of worker 'aaa'")));
}

}  // namespace
}  // namespace syncmeter::find_workers_test
