// GoogleTest's main(), in which a skipped test fails where CI=true unless its reason names
// something that a machine of CI need not have: what tests/skips.py does for pytest.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <gmock/gmock.h>

namespace {

constexpr std::array<std::string_view, 2> absent{
    "this machine has 12 PUs too",  // any other number of PUs
    "cuobjdump is there",           // no CUDA
};

bool may_be_skipped(std::string_view reason) {
  return std::ranges::any_of(absent, [&](auto text) { return reason.find(text) != reason.npos; });
}

class skips_fail : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const auto& part = test.result()->GetTestPartResult(i);
      if (part.skipped() && !may_be_skipped(part.message()))
        ADD_FAILURE() << "skipped, which fails where CI=true (tests/unit/main.cpp): "
                      << part.message();
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const char* const ci = std::getenv("CI");
  if (ci != nullptr && std::string_view{ci} == "true")
    testing::UnitTest::GetInstance()->listeners().Append(new skips_fail);  // which owns it
  return RUN_ALL_TESTS();
}
