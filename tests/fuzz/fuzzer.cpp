// What libFuzzer calls with each input: the target that SM_FUZZ_TARGET names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

void (*chosen)(std::string_view) = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("SM_FUZZ_TARGET");
  const auto& all = syncmeter::fuzz::all_targets;
  const auto found = std::ranges::find(all, std::string_view(name == nullptr ? "" : name),
                                       &syncmeter::fuzz::named_target::name);
  if (found == all.end()) {
    std::fputs("fuzzer: SM_FUZZ_TARGET is to name a target of tests/fuzz\n", stderr);
    std::exit(2);
  }
  chosen = found->run;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
