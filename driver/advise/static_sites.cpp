// What is known of a program that is not run: the sites in its machine code.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/device_code.hpp"
#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/machine_code.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {

program_counts sites_without_a_run(const std::string& path) {
  program_counts of{
      .command = {path},
      .file = look_at_code(path),
      .runs = {},
      .of_last_run = {},
      .advices = {},
      .notes = {"How often they run, in how many threads and at what cost is not in the code: "
                "syncmeter advise -- PROGRAM counts and samples them where it is linked "
                "dynamically. Not among them are the libraries that it loads, calls by a pointer "
                "and system calls."}};
  try {
    of.of_last_run.sites = sites_in_code(of.file.path);
    device_code of_gpus = device_code_of(of.file.path);
    std::ranges::move(of_gpus.notes, std::back_inserter(of.notes));
    std::ranges::move(sentences_on_device_code(of_gpus.sites), std::back_inserter(of.notes));
    std::ranges::move(of_gpus.sites, std::back_inserter(of.of_last_run.sites));
  } catch (const disassembly_error& error) {
    throw usage_error(fmt::format("advise --static: {}", error.what()));
  }
  return of;
}

}  // namespace syncmeter
