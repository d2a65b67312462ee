// Temporary folders after a signal, or after a kill, between two runs of a user's program.
#include "driver/workers/ending_signals.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::ending_signals_test {
namespace {

namespace fs = std::filesystem;

using TemporaryFolder = test::in_temporary_folder;

/// Returns the wait status of a process that ends while it has a folder with a file.
template <class End> int end_of_owner(const std::string& parent, const End& end) {
  const pid_t owner = ::fork();
  if (owner == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
    const ends_with_status ends_by_signal;
    const temporary_folder folder(parent, "counts"), second(parent, "counts");
    std::ofstream(folder.path() + "/1.counts") << "1";
    if (!fs::exists(folder.path() + "/1.counts")) ::_exit(1);
    end();
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(owner, &status, 0);
  return status;
}

TEST_F(TemporaryFolder, is_removed_by_a_signal_whose_status_a_shell_knows) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = end_of_owner(folder(), [&] { ::raise(number); });
    EXPECT_TRUE(WIFEXITED(status)) << number;
    EXPECT_EQ(WEXITSTATUS(status), 128 + number);
    EXPECT_TRUE(fs::is_empty(folder())) << number;
  }
}

TEST_F(TemporaryFolder, of_a_dead_owner_is_removed_by_the_next_and_that_of_a_living_one_stays) {
  const temporary_folder living(folder(), "counts");
  end_of_owner(folder(), [] { ::raise(SIGKILL); });
  write("other-file", "");
  const auto entries = [&] {
    return std::distance(fs::directory_iterator(folder()), fs::directory_iterator());
  };
  ASSERT_EQ(entries(), 4);
  {
    const temporary_folder next(folder(), "counts");
    EXPECT_EQ(entries(), 3);
    EXPECT_TRUE(fs::exists(living.path()) && fs::exists(next.path()));
  }
  EXPECT_EQ(entries(), 2);
}

TEST_F(TemporaryFolder, that_cannot_be_made_has_no_path) {
  EXPECT_EQ(temporary_folder(folder() + "/nowhere", "counts").path(), "");
}

}  // namespace
}  // namespace syncmeter::ending_signals_test
