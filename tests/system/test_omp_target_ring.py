"""The ring of OpenMP's threads on a GPU: each waits for its turn, and a token that is lost ends the launch; the rig finds its place empty."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
#: Two threads of a team, of which the second one keeps the token from the rotation that the program is given. Prints how
#: often a thread did not wait for its turn before, and what is left in the first one's place.
LOST = """
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "backends/omp_target/target_lane.hpp"

using namespace syncmeter;
using lane = omp_target::lane<std::int32_t, order::unordered>;

int main(int, char** words) {
  constexpr unsigned rotations = 10;
  const unsigned lost_in = std::atoi(words[1]);
  std::atomic<unsigned> turns{0}, out_of_turn{0};
  omp_target::mailbox boxes[2] = {{1}, {0}};
  omp_target::cell_lock lock;
  std::int32_t cell = 0;
  const std::int32_t one = 1;
  omp_target::kernel_setup setup;
  setup.cells = reinterpret_cast<std::byte*>(&cell);
  setup.ones = &one;
  setup.locks = &lock;
  setup.mailboxes = boxes;
  setup.threads = 2;
  setup.most_polls = std::atoll(words[2]);
  const auto run = [&](unsigned thread) {
    lane own{setup, thread};
    for (unsigned rotation = 1; rotation <= rotations; ++rotation) {
      own.await_token();
      if (rotation <= lost_in && turns++ != 2 * (rotation - 1) + thread) ++out_of_turn;
      if (thread == 1 && rotation >= lost_in) continue;
      own.pass_token();
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  std::printf("%u %d\\n", out_of_turn.load(), static_cast<int>(boxes[0].token));
}
"""


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("ring")
    (tmp_path / "lost.cpp").write_text(LOST, encoding="utf-8")
    subprocess.run(["g++", "-std=c++20", "-O1", "-fopenmp", "-pthread", f"-I{ROOT}", tmp_path / "lost.cpp", "-o", tmp_path / "lost"],
                   check=True, timeout=120)
    return lambda *words: subprocess.run([tmp_path / "lost", *map(str, words)], capture_output=True, text=True, timeout=120,
                                         check=True).stdout.split()


def test_each_thread_waits_for_its_turn(ring):
    """It begins at one, and ten rotations leave eleven, also where nobody waits."""
    assert ring(11, 1 << 40) == ["0", "11"]


def test_a_lost_token_ends_the_wait(ring):
    assert ring(3, 1 << 24)[1] == "3"
