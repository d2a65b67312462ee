// Which workers a campaign measures with: those of the protocol and the build that it began with.
#include "driver/workers/worker_pool.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/worker/protocol.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::worker_pool_test {
namespace {

using kind = exchange_outcome::kind;
using testing::HasSubstr;

class worker_pool_test : public test::in_temporary_folder {
 protected:
  // Asks for a probe of a worker that introduces itself so, and answers as one asked so much later.
  exchange_outcome probe(int protocol, const std::string& build, int late_by = 0) {
    std::vector<worker_info> infos(1);
    infos[0].name = "test";
    infos[0].path = write_script("worker", fmt::format(R"sh(while read -r line; do
  id=${{line##*'"id":'}}
  id=${{id%%[!0-9]*}}
  case $line in
  *hello*) echo '{{"kind":"worker","protocol":{},"build":{{"id":"{}"}},"id":'"$id"'}}' ;;
  *) echo '{{"kind":"probe","hop_ns":[],"id":'"$((id + {}))"'}}' ;;
  esac
done)sh",
                                                       protocol, build, late_by));
    infos[0].backends = {"test"};
    infos[0].build = {{"id", "of this campaign"}};
    worker_pool pool(infos, {});
    exchange_outcome outcome =
        pool.probe("test", wait_policy::active, {{"pus", {-1}}, {"seconds", 0.01}});
    pool.close();
    return outcome;
  }
};

TEST_F(worker_pool_test, asks_a_worker_of_the_campaigns_build) {
  const exchange_outcome outcome = probe(protocol_version, "of this campaign");
  EXPECT_EQ(outcome.what, kind::answered) << outcome.reason;
}

TEST_F(worker_pool_test, refuses_another_build_another_protocol_and_another_answer) {
  struct refused {
    int protocol;
    const char* build;
    int late_by;
    const char* reason;
  };
  for (const auto& [protocol, build, late_by, reason] :
       {refused{protocol_version, "another", 0,
                "has build '\"another\"', but this campaign measures build '\"of this campaign\"'"},
        refused{protocol_version + 1, "of this campaign", 0, "has protocol"},
        refused{protocol_version, "of this campaign", 1, "answered request '4' instead of 3"}}) {
    const exchange_outcome outcome = probe(protocol, build, late_by);
    EXPECT_EQ(outcome.what, kind::crashed);
    EXPECT_THAT(outcome.reason, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace syncmeter::worker_pool_test
