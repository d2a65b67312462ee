// A fixture with a folder of its own, which is gone afterwards: two runs of the tests at once do
// not meet in it. It may play the root of a file system.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace syncmeter::test {

class in_temporary_folder : public testing::Test {
 protected:
  in_temporary_folder() {
    folder_ = (std::filesystem::path(testing::TempDir()) / "syncmeter-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder " + folder_);
  }
  ~in_temporary_folder() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  /// A script that can be run.
  [[nodiscard]] std::string write_script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
    return path(name);
  }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string folder_;
};

}  // namespace syncmeter::test
