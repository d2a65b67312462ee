// What is known of a program, for a reader.
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/grade.hpp"
#include "driver/advise/kernel_prices.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t sites_shown = 40, most_sites_of_run = 20;

std::string runs_text(const program_counts& of) {
  const auto range = [](std::vector<double> walls) {
    std::ranges::sort(walls);
    const double low = walls.front(), high = walls.back();
    return walls.size() == 1 ? fmt::format("{:.3g} s", low)
                             : fmt::format("{:.3g} to {:.3g} s", low, high);
  };
  std::string text;
  const auto add = [&](std::string_view arm, const char* one, const char* many) {
    const std::vector<double> walls = taken_by_arm(of.runs, arm, &program_run::wall_s);
    if (walls.empty()) return;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", count_text(walls.size(), one, many),
                        range(walls));
  };
  add("plain", "plain run", "plain runs");
  add("count", "counted run", "counted runs");
  add("sample", "sampled run", "sampled runs");
  add("time", "timed run", "timed runs");
  add("alone", "run without sharing (one thread or one CPU)",
      "runs without sharing (one thread or one CPU)");
  add("kernels", "run with patched kernels", "runs with patched kernels");
  add("span", "run from CUDA's first call on", "runs from CUDA's first call on");
  text += '.';
  if (const auto cost = cost_of_counting(of.runs)) {
    text += fmt::format(" Counted runs take {:.3f} times as long as plain ones", cost->ratio);
    if (cost->low < cost->high) text += fmt::format(" ({:.3f} to {:.3f})", cost->low, cost->high);
    text += cost->ratio * (1 + most_disturbance) < 1
                ? ": runs of the program differ by more than counting costs."
                : ".";
  }
  return text;
}

/// Which studies measure what stands behind the advice, each once, with the numbers of its advice.
std::string studies_text(const std::vector<advice>& advices) {
  std::vector<std::pair<std::string_view, std::string>> studies;
  for (std::size_t i = 0; i < advices.size(); ++i) {
    const std::string_view study = study_of(advices[i].rule);
    if (study.empty()) continue;
    const auto known = std::ranges::find(studies, study, &decltype(studies)::value_type::first);
    if (known == studies.end()) studies.emplace_back(study, fmt::to_string(i + 1));
    else known->second += fmt::format(", {}", i + 1);
  }
  if (studies.empty()) return "";
  std::string text = fmt::format("{} behind the advice: syncmeter run",
                                 studies.size() == 1 ? "The study" : "The studies");
  std::string_view before = " ";
  for (const auto& [study, numbers] : studies) {
    text += fmt::format("{}--study {}", before, study);
    if (advices.size() > 1) text += fmt::format(" ({})", numbers);
    before = ", ";
  }
  return text;
}

/// Returns the cause, the time before and after the change, and the grade, on one line if they fit.
std::string heading_of(std::size_t number, const advice& each, grade how, std::size_t width) {
  const std::string title = fmt::format("{}. {}", number, title_of(each.rule));
  const std::string expected = expected_text(each, how);
  const std::string right =
      expected.empty() ? std::string(name_of(how)) : fmt::format("{}  {}", expected, name_of(how));
  if (title.size() + right.size() + 2 > width) return fmt::format("{}\n   {}", title, right);
  return title + std::string(width - title.size() - right.size(), ' ') + right;
}

/// Returns the time share for a cause without a known gain.
std::string share_text(const advice& each, grade how) {
  if ((how != grade::rough && how != grade::undetermined) || each.seen_share < least_worth_saying)
    return "";
  return fmt::format("A thread spends {:.0f} % of the time there.", 100 * each.seen_share);
}

/// What may be gained, or that nothing is.
std::string advice_paragraphs(const program_counts& of, std::size_t width) {
  const std::string conclusion = conclusion_of(of);
  std::string text;
  if (!conclusion.empty()) text += wrapped(printable(conclusion), 0, width) + "\n";
  for (std::size_t i = 0; i < of.advices.size(); ++i) {
    const advice& each = of.advices[i];
    const grade how = grade_of(each, of);
    text += heading_of(i + 1, each, how, width) + "\n   " +
            wrapped(printable(each.cause), 3, width) + "\n";
    if (const std::string share = share_text(each, how); !share.empty())
      text += "   " + wrapped(share, 3, width) + "\n";
  }
  if (!of.advices.empty()) {
    for (const std::string& line : legend_of(of)) text += wrapped(line, 0, width) + "\n";
    text += wrapped("Reliability: " + reliability_text(of), 0, width) + "\n";
    if (const std::string next = next_text(of); !next.empty())
      text += wrapped("Next: " + next, 0, width) + "\n";
  }
  if (const std::string studies = studies_text(of.advices); !studies.empty())
    text += wrapped(studies, 0, width) + "\n";
  return text;
}

/// How the program ended, where a run has another end than exit status 0. A signal in a run with
/// the library alone is no end of the program itself, nor is the end of one that was interrupted.
std::string end_text(const program_counts& of) {
  const auto plain = std::ranges::find(of.runs, "plain", &program_run::arm);
  const auto killed_with_library = std::ranges::find_if(of.runs, [](const program_run& run) {
    return !run.interrupted && run.arm != "plain" && run.arm != "sample" &&
           WIFSIGNALED(run.wait_status);
  });
  if (plain != of.runs.end() && killed_with_library != of.runs.end() &&
      std::ranges::none_of(of.runs, [](const program_run& run) {
        return run.arm == "plain" && WIFSIGNALED(run.wait_status);
      }))
    return fmt::format("With the library that counts its calls the program ended with {}; as it is "
                       "it ends with {}.",
                       ending_text(killed_with_library->wait_status),
                       ending_text(plain->wait_status));
  const auto strange = std::ranges::find_if(
      of.runs, [](const program_run& run) { return !run.interrupted && run.wait_status != 0; });
  return strange == of.runs.end()
             ? ""
             : fmt::format("The program ended with {}.", ending_text(strange->wait_status));
}

/// As much of the command as a reader needs to know which it is; the file has all.
std::string title_of(const std::vector<std::string>& command) {
  constexpr std::size_t most_characters = 200;
  const std::string words = join(command, " ");
  if (words.size() <= most_characters) return printable(words);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(words[at]) & 0xC0U) == 0x80;
  };
  std::size_t end = most_characters;
  while (end > 0 && continues(end)) --end;
  return printable(words.substr(0, end)) + " ...";
}

/// What kernels update and where they wait, those with the most updates first; empty where no
/// kernel does.
std::string kernel_table(const std::vector<site>& sites, const std::vector<price>& prices,
                         page_style style) {
  constexpr std::size_t kernels_shown = 20;
  std::vector<const kernel_use*> kernels;
  for (const site& each : sites)
    for (const kernel_use& kernel : each.kernels)
      if (kernel.updates > 0 || shared_updates(kernel) > 0 || kernel.barriers > 0)
        kernels.push_back(&kernel);
  if (kernels.empty()) return "";
  std::ranges::stable_sort(kernels, std::ranges::greater{},
                           [](const kernel_use* each) { return each->updates; });
  using enum columns::align;
  columns table({{"kernel"},
                 {"launches", right},
                 {"updates", right},
                 {"addresses", right},
                 {"hottest", right},
                 {"shared", right},
                 {"barriers", right},
                 {"takes at least", right}});
  for (std::size_t i = 0; i < std::min(kernels.size(), kernels_shown); ++i) {
    const kernel_use& of = *kernels[i];
    const double least_s = floors_of(of, prices).least_s();
    const auto number = [&](std::uint64_t n) {
      if (n == 0) return std::string();
      return (of.is_at_least() ? ">= " : "") + grouped_digits(n);
    };
    table.row(
        {printable(of.name), grouped_digits(of.launches), number(of.updates), number(of.addresses),
         of.updates == 0 ? ""
                         : fmt::format("{:.1f} %", 100.0 * static_cast<double>(of.hottest) /
                                                       static_cast<double>(of.updates)),
         number(shared_updates(of)), number(static_cast<std::uint64_t>(std::llround(of.barriers))),
         least_s > 0 ? seconds_text(least_s) : ""});
  }
  std::string text = "\n" + table.text(style);
  if (kernels.size() > kernels_shown)
    text += fmt::format("  ... and {} with fewer updates; --json FILE has all.\n",
                        count_text(kernels.size() - kernels_shown, "kernel", "kernels"));
  return text;
}

/// Those first that take most of the time, by the thousandths that are shown, and then as they are.
std::vector<site> by_time(std::vector<site> sites, double wall_s) {
  std::ranges::stable_sort(sites, std::ranges::greater{}, [&](const site& each) {
    return std::floor(1000 * synchronizing_s(each) / wall_s);
  });
  return sites;
}

/// Whether the table has a column for how late threads are at this site.
bool shows_lateness(const site& of) { return of.times->threads > 0 || of.kind == "cond_wait"; }

/// Returns whether a column of the table shows more than 0.0 % for this site; for calls that are
/// not timed, whether so many calls could take a thousandth of the run.
bool takes_a_share(const site& of, double wall_s) {
  constexpr double least_shown = 0.0005, least_untimed = 0.001, usual_call_s = 1e-6;
  if (of.samples && of.samples->share >= least_shown) return true;
  const auto cost = cost_of(of);
  if (cost)
    return std::max(cost->in_calls_s(), shows_lateness(of) ? cost->lateness_s : 0) >=
           least_shown * wall_s;
  return !of.samples && static_cast<double>(of.count) / std::max(1U, of.threads) * usual_call_s >=
                            least_untimed * wall_s;
}

/// The sites of a terminal's table: those of the advice, and those that take a share of the time
/// or, if shares are unknown, have the most calls.
struct shown_sites {
  std::vector<site> sites;
  std::size_t left_out = 0;
};
shown_sites sites_to_show(const program_counts& of, bool timed) {
  constexpr std::size_t most_untimed = 12;
  const std::vector<site>& all = of.of_last_run.sites;
  const double wall_s = of.timed_run() ? of.timed_run()->wall_s : 0;
  std::vector<site> in_order, others;
  for (std::size_t i = 0; i < all.size(); ++i)
    (is_in_advice(of.advices, i + 1) || (timed && takes_a_share(all[i], wall_s)) ? in_order
                                                                                 : others)
        .push_back(all[i]);
  if (timed) in_order = by_time(std::move(in_order), wall_s);
  for (std::size_t i = 0; !timed && i < others.size() && in_order.size() < most_untimed; ++i)
    in_order.push_back(std::move(others[i]));
  if (in_order.size() > most_sites_of_run) in_order.resize(most_sites_of_run);
  const std::size_t left_out = all.size() - in_order.size();
  return {.sites = std::move(in_order), .left_out = left_out};
}

}  // namespace

std::string ending_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("signal {} ({})", WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)));
  return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

std::vector<std::string> sentences_of(const program_counts& of) {
  std::vector<std::string> all = of.file.notes;
  all.insert(all.end(), of.notes.begin(), of.notes.end());
  if (const std::string end = end_text(of); !end.empty()) all.push_back(end);
  if (of.leaves_processes)
    all.emplace_back("The program left processes that went on after its end: what they called then "
                     "is not counted, and those that still run at the end of advise are ended.");
  if (of.of_last_run.lost_calls > 0)
    all.push_back(fmt::format("{} calls are of no site: the tables had no room for them.",
                              grouped_digits(of.of_last_run.lost_calls)));
  if (of.runs.empty()) return all;
  const bool is_rough = of.timed_run() == nullptr || !why_disturbed(of).empty();
  const bool is_one_timed = std::ranges::count(of.runs, "time", &program_run::arm) == 1;
  if (const double others = most_used_by_others(of); others > most_disturbance)
    all.push_back(fmt::format("Other programs used up to {:.0f} % of the CPUs {}.", others * 100,
                              is_rough       ? "while it ran: take the times for rough ones"
                              : is_one_timed ? "in other runs than the one that was timed"
                                             : "in some of the runs"));
  return all;
}

std::string advice_text(const program_counts& of, page_style style) {
  const std::size_t width = style.width == 0 ? usual_width : style.width;
  const std::string title = "syncmeter advise: ";
  std::string text = "\n" + title + wrapped(title_of(of.command), title.size(), width) + "\n";
  const std::string found = advice_paragraphs(of, width);
  if (!found.empty()) text += found + "\n";
  text += wrapped(runs_text(of), 0, width) + "\n";
  for (const std::string& sentence : sentences_of(of))
    text += wrapped(printable(sentence), 0, width) + "\n";
  if (of.of_last_run.sites.empty()) return text;
  using enum columns::align;
  const bool shares = may_show_shares(of);
  columns table({{"kind"},
                 {"count", right},
                 {"team", right},
                 {"threads", right},
                 {"late", right},
                 {"after", right},
                 {"samples", right},
                 {"where"}});
  const bool timed = shares && of.timed_run();
  const auto [sites, left_out] = sites_to_show(of, timed);
  for (const site& each : sites) {
    const auto cost = timed ? cost_of(each) : std::nullopt;
    // A few calls stand for many: what no thread can have is as much as it can have.
    const auto share = [&](double s) {
      return cost ? fmt::format("{:.1f} %", std::min(1.0, s / of.timed_run()->wall_s) * 100) : "";
    };
    table.row({each.kind, each.count == 0 ? "" : grouped_digits(each.count),
               each.team == 0 ? "" : fmt::to_string(each.team),
               each.threads == 0 ? "" : fmt::to_string(each.threads),
               cost && shows_lateness(each) ? share(cost->lateness_s) : "",
               cost ? share(cost->in_calls_s()) : "",
               each.samples ? fmt::format("{:.1f} %", each.samples->share * 100) : "",
               printable(where_text(each))});
  }
  if (!sites.empty()) text += "\n" + table.text(style);
  if (left_out > 0)
    text += fmt::format("  {}{} with {}; --json FILE has all.\n", sites.empty() ? "" : "... and ",
                        count_text(left_out, "site", "sites"),
                        !timed                             ? "fewer calls"
                        : sites.size() < most_sites_of_run ? "less than 0.05 % of the time"
                                                           : "less time");
  const bool has_times =
      std::ranges::any_of(sites, [](const site& s) { return cost_of(s).has_value(); });
  const bool has_samples =
      std::ranges::any_of(sites, [](const site& s) { return s.samples.has_value(); });
  const bool has_lateness = std::ranges::any_of(
      sites, [](const site& each) { return cost_of(each).has_value() && shows_lateness(each); });
  if (timed && has_times)
    text +=
        wrapped(fmt::format("{}after: {}share of a thread's time in the calls.{}",
                            has_lateness ? "late: share of a thread's time in which it waits for "
                                           "the last thread to arrive, or for a signal. "
                                         : "",
                            has_lateness ? "from then on until it goes on, or " : "",
                            has_samples ? " samples: share of the CPU time." : ""),
                0, width) +
        "\n";
  return text + kernel_table(of.of_last_run.sites, of.prices, style);
}

std::string static_text(const program_counts& of, page_style style) {
  const std::size_t width = style.width == 0 ? usual_width : style.width;
  std::vector<site> sites = of.of_last_run.sites;
  std::size_t instructions = 0, calls = 0, of_gpus = 0;
  for (const site& each : sites)
    (!each.architecture.empty() ? of_gpus
     : each.kind == "atomic"    ? instructions
                                : calls) += each.copies;
  const std::string of_kernels =
      of_gpus == 0 ? ""
                   : fmt::format(" Its code for GPUs has {} that {}.",
                                 count_text(of_gpus, "instruction", "instructions"),
                                 of_gpus == 1 ? "synchronizes" : "synchronize");
  const std::string title = "syncmeter advise --static: ";
  std::string text =
      title + wrapped(printable(of.command.front()), title.size(), width) + "\n" +
      wrapped(fmt::format("Its machine code has {} and {} that {}.{}",
                          count_text(instructions, "locked instruction", "locked instructions"),
                          count_text(calls, "call", "calls"),
                          calls == 1 ? "synchronizes" : "synchronize", of_kernels),
              0, width) +
      "\n";
  for (const std::string& sentence : sentences_of(of))
    text += wrapped(printable(sentence), 0, width) + "\n";
  if (sites.empty()) return text;
  // Those of the program's own source, by line, and then the others as they stand in the file,
  // those of kernels first.
  std::ranges::stable_sort(sites, {}, [](const site& each) {
    const source_frame* const shown = frame_to_show(each);
    const bool of_host = each.architecture.empty();
    return shown == nullptr ? std::tuple(true, of_host, std::string(), 0U, each.offset)
                            : std::tuple(false, true, shown->file, shown->line, each.offset);
  });
  using enum columns::align;
  columns table(
      {{"kind"}, {"operation"}, {"copies", right}, {"ns", right}, {"threads", right}, {"where"}});
  for (std::size_t i = 0; i < std::min(sites.size(), sites_shown); ++i) {
    const kernel_code code = sites[i].code.value_or(kernel_code{});
    table.row(
        {sites[i].kind, sites[i].operation, fmt::to_string(sites[i].copies),
         code.price_ns ? fmt::format("{:.{}f}", *code.price_ns, *code.price_ns < 100 ? 2 : 0) : "",
         code.priced_on, printable(where_text(sites[i]))});
  }
  text += "\n" + table.text(style);
  if (sites.size() > sites_shown)
    text +=
        fmt::format("  ... and {} more sites; --json FILE has all.\n", sites.size() - sites_shown);
  return text;
}

}  // namespace syncmeter
