"""A token of OpenMP's ring on a GPU that is lost ends the launch, and the rig finds its place empty."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
#: Two threads of a team, of which the second one keeps the token from the rotation that it is told.
LOST = """
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "backends/omp_target/target_lane.hpp"

using namespace syncmeter;
using lane = omp_target::lane<std::int32_t, order::unordered>;

int main(int, char** words) {
  constexpr unsigned rotations = 10;
  const unsigned lost_in = std::atoi(words[1]);
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
  setup.most_polls = 1 << 24;
  const auto run = [&](unsigned thread) {
    lane own{setup, thread};
    for (unsigned rotation = 1; rotation <= rotations; ++rotation) {
      own.await_token();
      if (thread == 1 && rotation >= lost_in) continue;
      own.pass_token();
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  std::printf("%d %d\\n", static_cast<int>(boxes[0].token), static_cast<int>(boxes[1].token));
}
"""


def test_a_lost_token_ends_the_wait(tmp_path):
    (tmp_path / "lost.cpp").write_text(LOST, encoding="utf-8")
    subprocess.run(["g++", "-std=c++20", "-O1", "-fopenmp", "-pthread", f"-I{ROOT}", tmp_path / "lost.cpp", "-o", tmp_path / "lost"],
                   check=True, timeout=120)
    # It begins at one; the rig expects what ten rotations leave.
    for lost_in, left in ((11, 11), (3, 3)):
        done = subprocess.run([tmp_path / "lost", str(lost_in)], capture_output=True, text=True, timeout=120, check=True)
        assert int(done.stdout.split()[0]) == left, f"lost in rotation {lost_in}"
