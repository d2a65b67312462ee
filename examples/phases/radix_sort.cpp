// Keys are sorted by eight bits at a time: each thread counts the digits of its part, all meet, it
// finds its places from the counts of all and moves its keys there, and all meet again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "meeting.hpp"

#ifndef TIMES
#define TIMES 1
#endif
constexpr int rounds = TIMES * 500;
constexpr unsigned threads = 2;
constexpr std::size_t keys = 4'096;
constexpr unsigned digits = 256, bits = 8;

using key_list = std::vector<std::uint32_t>;
using counts = std::array<std::size_t, digits>;

struct sorter {
  key_list from = key_list(keys), to = key_list(keys);
  std::array<counts, threads> counted{};
  meeting all{threads};
  std::uint64_t sum = 0;  // of what the first thread saw

  static unsigned digit(std::uint32_t key, unsigned shift) { return key >> shift & (digits - 1); }

  void sort(unsigned me) {
    const std::size_t part = keys / threads, first = me * part;
    for (int round = 0; round < rounds; ++round) {
      auto state = static_cast<std::uint32_t>(round * 2 + 1);
      for (std::size_t i = 0; i < keys; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        if (i >= first && i < first + part) from[i] = state;
      }
      key_list *last = &from, *next = &to;
      for (unsigned shift = 0; shift < 32; shift += bits) {
        counted[me].fill(0);
        for (std::size_t i = first; i < first + part; ++i) ++counted[me][digit((*last)[i], shift)];
        all.wait();
        counts place{};
        for (std::size_t d = 0, before = 0; d < digits; ++d)
          for (unsigned t = 0; t < threads; ++t) {
            if (t == me) place[d] = before;
            before += counted[t][d];
          }
        for (std::size_t i = first; i < first + part; ++i)
          (*next)[place[digit((*last)[i], shift)]++] = (*last)[i];
        all.wait();
        std::swap(last, next);
      }
      if (me == 0)
        sum += std::is_sorted(from.begin(), from.end())
                   ? from[static_cast<std::size_t>(round) % keys]
                   : 1;
      all.wait();
    }
  }
};

int main() {
  sorter sorted;
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back([&, t] { sorted.sort(t); });
  sorted.sort(0);
  for (std::thread& other : others) other.join();
  std::printf("%llu\n", static_cast<unsigned long long>(sorted.sum));
}
