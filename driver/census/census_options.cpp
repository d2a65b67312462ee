// The command line of `syncmeter census`.
#include "driver/census/census_command.hpp"
#include "driver/census/census_diff_command.hpp"
#include "driver/census/census_read_command.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/known_backends.hpp"

namespace syncmeter {
namespace {

std::vector<option_row> rows_of(census_options& o) {
  return {
      help_row(o.help),
      value_row("backend", "LIST",
                "only these backends, or all of these workers (default: every worker found)",
                o.backends, open_list{known_backend_names()}),
      value_row("op", "LIST", "only these ops (default: all)", o.ops, open_list{shared_op_names()}),
      value_row("type", "LIST", "only these types, of those ops that have one (default: all)",
                o.types, names_of_axis<value_type>{"type"}),
      value_row("order", "LIST", "only these memory orders (default: all)", o.orders,
                names_of_axis<order>{"order"}),
      switch_row("wide",
                 "on a terminal, too, a row for each loop (default: there one for each op's code)",
                 o.wide),
      switch_row("json", "print one JSON object (default: a table)", o.json),
      switch_row(
          "check",
          "exit status 1 unless every loop is proven or elided (default: where one is wrong)",
          o.check),
      switch_row("save", "keep the census beside each worker, for `run` to store (default: off)",
                 o.save),
  };
}

}  // namespace

std::vector<option_row> census_rows() {
  static census_options unread;
  std::vector<option_row> rows = rows_of(unread);
  const std::vector<option_row> of_diff = census_diff_rows();
  rows.insert(rows.end(), of_diff.begin() + 1, of_diff.end());  // all but --help
  return rows;
}

census_options parse_census_options(const std::vector<std::string>& arguments) {
  census_options o;
  parse_command_line(arguments, rows_of(o));
  return o;
}

std::string census_notes() {
  return R"(Disassembles the timed loops of every worker and compares what one measured op
compiled to with what the op declares. Needs objdump (binutils); for workers
with GPU code also cuobjdump, from the CUDA toolkit or the Python packages
nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm, on PATH, in $CUDA_HOME/bin or in
/usr/local/cuda/bin.
)" + census_diff_notes() +
         census_read_notes();
}

std::string census_help() {
  census_options o;
  return "Usage: syncmeter census [options]\n" + census_notes() + "\n" + options_text(rows_of(o)) +
         "LIST is one value or several with commas between them.\n\n" +
         options_text(census_diff_rows(), "Options of diff");
}

}  // namespace syncmeter
