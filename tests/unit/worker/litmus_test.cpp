// A worker's answer where an op's litmus saw what the op must prevent: no figure, whatever the
// samples would have given.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/worker/worker.hpp"
#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::litmus_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class scripted_backend final : public worker_backend {
 public:
  explicit scripted_backend(std::uint64_t forbidden) : forbidden_{forbidden} {
    measurable row;
    row.info = {.name = "barrier"};
    row.litmus = [](bench&) -> std::uint64_t { return 0; };
    rows_ = {row};
  }
  std::string name() const override { return "test"; }
  std::string clock() const override { return "host"; }
  const std::vector<measurable>& rows() const override { return rows_; }
  json declares(const measurable&) const override { return {}; }
  json runtime() const override { return {}; }
  bench& prepare(const measurable&, const point&, const lane_request&) override { return bench_; }
  std::uint64_t litmus(const measurable&) override {
    ++runs;
    return forbidden_;
  }
  void describe_visit(json&) const override {}
  void finish() override {}
  std::vector<double> probe(const std::vector<int>&, double) override { return {}; }

  static inline unsigned runs = 0;

 private:
  std::uint64_t forbidden_;
  std::vector<measurable> rows_;
  test::scripted_bench bench_{{}};
};

template <std::uint64_t Forbidden> worker_backends make() {
  auto backend = std::make_shared<scripted_backend>(Forbidden);
  return {.state = backend, .all = {backend.get()}};
}

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The visit line of a worker with these backends.
json visit_of(worker_backends (*backends)(), unsigned visit) {
  const json request{{"kind", "measure"},
                     {"id", 1},
                     {"visit", visit},
                     {"pus", {-1}},
                     {"point", {{"backend", "test"}, {"op", "barrier"}, {"order", "unordered"}}},
                     {"options", {{"max_time_ns", 1e6}, {"min_sample_ns", 1e4}}}};
  std::istringstream input{request.dump() + '\n'};
  const std::unique_ptr<std::FILE, file_closer> output{std::tmpfile()};
  auto* const real_input = std::cin.rdbuf(input.rdbuf());
  std::fflush(stdout);
  const int real_output = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(output.get()), STDOUT_FILENO);
  std::string program = "test";
  char* arguments[] = {program.data(), nullptr};
  const int status = worker_main({.name = "test", .compiler = "", .flags = ""}, backends, 1,
                                 static_cast<char**>(arguments));
  ::dup2(real_output, STDOUT_FILENO);
  ::close(real_output);
  std::cin.rdbuf(real_input);
  std::cin.clear();
  EXPECT_EQ(status, 0);
  std::rewind(output.get());
  std::string text(1U << 20, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), output.get()));
  std::istringstream lines{text};
  std::string line;
  while (std::getline(lines, line)) {
    if (const json answer = json::parse(line); answer.at("kind") == "visit") return answer;
  }
  ADD_FAILURE() << "no visit in: " << text;
  return {};
}

TEST(worker_litmus, what_an_op_must_prevent_fails_the_visit_with_how_often_it_was_seen) {
  const json visit = visit_of(&make<3>, 1);
  EXPECT_EQ(visit.at("status"), "failed");
  EXPECT_THAT(visit.at("reason").get<std::string>(),
              HasSubstr("an outcome that this operation must prevent was seen 3 times"));
  EXPECT_TRUE(visit.at("estimates").empty());
}

TEST(worker_litmus, runs_once_a_point_and_lets_the_sound_be_measured) {
  scripted_backend::runs = 0;
  EXPECT_EQ(visit_of(&make<0>, 1).at("status"), "ok");
  EXPECT_EQ(visit_of(&make<3>, 2).at("status"), "ok");
  EXPECT_EQ(scripted_backend::runs, 1U);
}

}  // namespace
}  // namespace syncmeter::litmus_test
