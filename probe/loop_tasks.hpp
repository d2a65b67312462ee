// How many tasks a runtime of OpenMP makes of a loop.
#pragma once

#include <cstdint>

namespace syncmeter::probe {

/// What a loop's tasks are by, as the program asks for.
struct task_split {
  bool by_size = false;      ///< of `number` iterations or more each; else `number` tasks
  bool is_strict = false;    ///< of that many, but for the last one
  std::uint64_t number = 0;  ///< 0: as many as `others`
  std::uint64_t others = 1;
};
[[nodiscard]] inline std::uint64_t tasks_of_loop(std::uint64_t iterations, const task_split& how) {
  if (iterations == 0) return 0;
  if (how.by_size && how.number != 0) {
    const std::uint64_t full = iterations / how.number;
    return full + (how.is_strict && iterations % how.number != 0) + (!how.is_strict && full == 0);
  }
  const std::uint64_t wanted = how.number == 0 ? how.others : how.number;
  return wanted < iterations ? wanted : iterations;
}

/// Iterations from `from` to `last`, up or down.
template <class Number>
[[nodiscard]] std::uint64_t iterations_to(Number from, Number last, Number step, bool up) {
  const auto distance = [](Number low, Number high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t each =
      up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  if (each == 0 || (up ? from > last : from < last)) return 0;
  return (up ? distance(from, last) : distance(last, from)) / each + 1;
}
/// To before `end`.
template <class Number>
[[nodiscard]] std::uint64_t iterations_between(Number from, Number end, Number step, bool up) {
  if (up ? from >= end : from <= end) return 0;
  return iterations_to(from, up ? end - 1 : end + 1, step, up);
}

}  // namespace syncmeter::probe
