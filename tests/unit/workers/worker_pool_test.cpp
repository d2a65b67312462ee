// Which workers a campaign measures with: those of the protocol and the build that it began with.
#include "driver/workers/worker_pool.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/worker/protocol.hpp"

namespace syncmeter::worker_pool_test {
namespace {

using kind = exchange_outcome::kind;
using testing::HasSubstr;

class worker_pool_test : public testing::Test {
 protected:
  // A worker that introduces itself so, and answers any probe, as one asked so much later.
  void write_worker(int protocol, const std::string& build, int late_by = 0) {
    std::ofstream script(path_);
    script << fmt::format(R"sh(#!/bin/sh
while read -r line; do
  id=${{line##*'"id":'}}
  id=${{id%%[!0-9]*}}
  case $line in
  *hello*) echo '{{"kind":"worker","protocol":{},"build":{{"id":"{}"}},"id":'"$id"'}}' ;;
  *) echo '{{"kind":"probe","hop_ns":[],"id":'"$((id + {}))"'}}' ;;
  esac
done
)sh",
                          protocol, build, late_by);
    script.close();
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }

  exchange_outcome probe() {
    std::vector<worker_info> infos(1);
    infos[0].name = "test";
    infos[0].path = path_;
    infos[0].backends = {"test"};
    infos[0].build = {{"id", "of this campaign"}};
    worker_pool pool(infos, {});
    exchange_outcome outcome =
        pool.probe("test", wait_policy::active, {{"pus", {-1}}, {"seconds", 0.01}});
    pool.close();
    return outcome;
  }

  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "pool-worker-" + std::to_string(::getpid());
};

TEST_F(worker_pool_test, asks_a_worker_of_the_campaigns_build) {
  write_worker(protocol_version, "of this campaign");
  const exchange_outcome outcome = probe();
  EXPECT_EQ(outcome.what, kind::answered) << outcome.reason;
}

TEST_F(worker_pool_test, refuses_a_worker_of_another_build_and_names_both) {
  write_worker(protocol_version, "another");
  const exchange_outcome outcome = probe();
  EXPECT_EQ(outcome.what, kind::crashed);
  EXPECT_THAT(outcome.reason, HasSubstr("has build '\"another\"', but this campaign measures "
                                        "build '\"of this campaign\"'"));
}

TEST_F(worker_pool_test, refuses_a_worker_of_another_protocol) {
  write_worker(protocol_version + 1, "of this campaign");
  const exchange_outcome outcome = probe();
  EXPECT_EQ(outcome.what, kind::crashed);
  EXPECT_THAT(outcome.reason, HasSubstr("has protocol"));
}

TEST_F(worker_pool_test, takes_no_answer_to_another_request) {
  write_worker(protocol_version, "of this campaign", 1);
  const exchange_outcome outcome = probe();
  EXPECT_EQ(outcome.what, kind::crashed);
  EXPECT_THAT(outcome.reason, HasSubstr("answered request '4' instead of 3"));
}

}  // namespace
}  // namespace syncmeter::worker_pool_test
