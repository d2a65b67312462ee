// What is known of a program, for a reader.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/cuda_rules.hpp"
#include "driver/advise/kernel_prices.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t sites_shown = 40;

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

/// What may be gained, or that nothing is.
std::string advice_paragraphs(const program_counts& of, std::size_t width) {
  const std::string conclusion = conclusion_of(of);
  std::string text;
  if (!conclusion.empty()) text += wrapped(conclusion, 0, width) + "\n";
  for (std::size_t i = 0; i < of.advices.size(); ++i) {
    const advice& each = of.advices[i];
    const bool withheld = is_withheld(each, of);
    const std::string saving = withheld ? "no saving is named" : saving_text(each);
    text += wrapped(fmt::format("{}. {}: {}.", i + 1, each.rule, saving), 3, width) + "\n   " +
            wrapped(printable(withheld ? each.cause : each.text), 3, width) + "\n";
  }
  return text;
}

/// Of one thread's path, and of synchronization: neither work under a lock nor a thread without
/// any, which waits for a signal or for another one's end.
double synchronizing_s(const site& of) {
  const site_cost cost = cost_of(of).value_or(site_cost{});
  const bool meets = of.times && of.times->threads > 0;
  constexpr std::array<std::string_view, 6> others{"cond_wait", "ordered", "yield",
                                                   "chunk",     "create",  "taskwait"};
  const bool synchronizes = meets || contains(others, std::string_view(of.kind)) ||
                            has_section(of) || waits_for_gpu(of.kind);
  return synchronizes ? cost.mechanism_s + (meets ? cost.lateness_s : 0) : 0;
}

/// The site that takes most of the time; none where that is little.
const site* site_that_takes_much(const program_counts& of) {
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, synchronizing_s);
  return most != of.of_last_run.sites.end() &&
                 synchronizing_s(*most) >= least_worth_saying * of.timed_run()->wall_s
             ? &*most
             : nullptr;
}

/// What threads wait for without any work there; empty of other kinds.
std::string_view awaited(std::string_view kind) {
  return kind == "cond_wait"  ? "a signal"
         : kind == "join"     ? "the end of others"
         : kind == "sem_wait" ? "a semaphore"
         : kind == "futex"    ? "another thread by futex"
                              : "";
}

/// That no site takes much, and where a thread waits longest, which is no cost of synchronization.
std::string no_site_takes_much(const program_counts& of, const std::string& besides = "",
                               std::string_view site_or_call = "site") {
  const double wall_s = of.timed_run()->wall_s;
  const auto waits_s = [](const site& each) {
    const site_cost cost = cost_of(each).value_or(site_cost{});
    if (awaited(each.kind).empty()) return 0.0;
    return each.kind == "cond_wait" ? cost.lateness_s : cost.mechanism_s;
  };
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, waits_s);
  if (most == of.of_last_run.sites.end() || waits_s(*most) < least_worth_saying * wall_s)
    return fmt::format("no {} takes 2 % of the time{}.", site_or_call, besides);
  return fmt::format("no {} but those where threads wait takes 2 % of the time{}. Threads wait "
                     "longest for {} ({:.0f} % of the time at {}): that is for what other threads "
                     "do, and no other call makes it shorter.",
                     site_or_call, besides, awaited(most->kind),
                     100 * std::min(1.0, waits_s(*most) / wall_s), where_text(*most));
}

/// A call of a kind that is not timed, so often that sleeping at each would take much of the time:
/// the site with most of them.
const site* site_of_unknown_time(const program_counts& of) {
  constexpr double sleep_s = 20e-6;
  const site* most = nullptr;
  for (const site& each : of.of_last_run.sites) {
    constexpr std::array<std::string_view, 3> untimed{"single", "reduce", "sem_post"};
    const double calls = static_cast<double>(each.count) / std::max(1U, each.threads);
    if (contains(untimed, std::string_view(each.kind)) &&
        calls * sleep_s >= least_worth_saying * of.timed_run()->wall_s &&
        (most == nullptr || each.count > most->count))
      most = &each;
  }
  return most;
}

/// In words, of a program whose threads are idle for most of the time and that no call keeps so;
/// empty of others. Threads that wait for others do not: it has none at work all the same.
std::string idle_text(const program_counts& of) {
  // What starts a program may wait for a disk.
  constexpr double least_idle_s = 0.05, most_work = 0.5;
  const program_run* busiest = nullptr;
  const auto works_s = [](const program_run& run) { return run.user_s + run.system_s; };
  for (const program_run& run : of.runs)
    if (run.arm == "plain" &&
        (busiest == nullptr || run.wall_s - works_s(run) < busiest->wall_s - works_s(*busiest)))
      busiest = &run;
  // The CPU time of a GPU, and of processes that nobody waits for, is not known.
  if (busiest == nullptr || works_s(*busiest) <= 0 || of.of_last_run.processes > 1 ||
      of.of_last_run.gpu_processes > 0 || of.leaves_processes)
    return "";
  const double idle_s = busiest->wall_s - works_s(*busiest);
  if (idle_s < least_idle_s || works_s(*busiest) >= most_work * busiest->wall_s) return "";
  const bool others_work = busiest->other_cpu_share.value_or(0) > most_disturbance;
  return fmt::format("for {} of {} no thread was at work, and it is not known why: threads sleep, "
                     "read or write, {}wait in a way that is not counted{}",
                     seconds_text(idle_s), seconds_text(busiest->wall_s), others_work ? "" : "or ",
                     others_work ? ", or have no processor beside other programs" : "");
}

/// Where the program has what is not counted: what that is.
std::string unless_all_is_counted(const program_counts& of) {
  std::vector<std::string> uncounted = of.file.uncounted;
  if (of.leaves_processes) uncounted.emplace_back("the processes that it left");
  return uncounted.empty()
             ? ""
             : fmt::format(" in what is counted, which is all but {}", join(uncounted, " and "));
}

/// Whether threads run tasks where they meet or wait for these, which is work.
bool runs_tasks(const site& of, const std::vector<site>& all) {
  const bool meets = of.kind == "barrier" || of.kind == "region";
  return of.kind == "taskwait" || (meets && tasks_in(all, of.team) >= of.count);
}

/// The verdict on undisturbed runs without advice.
std::string verdict_on_shares(const program_counts& of) {
  if (const std::string idle =
          idle_gpu_text(of.of_last_run.sites, of.prices, of.timed_run()->wall_s);
      !idle.empty() && of.of_last_run.gpu_processes <= 1)
    return fmt::format("No change is advised, but {}. A graph that has several steps (cudaGraph) "
                       "leaves out of that what the steps repeat.",
                       idle);
  const site* const much = site_that_takes_much(of);
  if (much != nullptr && runs_tasks(*much, of.of_last_run.sites))
    return fmt::format(
        "No change is advised: threads spend {:.1f} % of the time at {} ({}), where they run "
        "tasks. "
        "For how long they find none, as tasks wait for each other or are made one by one, is not "
        "known.",
        100 * std::min(1.0, synchronizing_s(*much) / of.timed_run()->wall_s), where_text(*much),
        much->kind);
  if (much != nullptr)
    return fmt::format(
        "No change is advised: {} ({}) takes {:.1f} % of the time, but no rule knows "
        "how it would take less.",
        where_text(*much), much->kind,
        100 * std::min(1.0, synchronizing_s(*much) / of.timed_run()->wall_s));
  if (const site* const unknown = site_of_unknown_time(of))
    return fmt::format("No change is advised: {} What {} calls of {} at {} take{} is not timed.",
                       no_site_takes_much(of), grouped_digits(unknown->count), unknown->kind,
                       where_text(*unknown),
                       unknown->kind == "sem_post" ? "" : ", and for what threads wait there,");
  if (const auto memory = std::ranges::find(of.of_last_run.sites, "memory", &site::kind);
      memory != of.of_last_run.sites.end())
    return fmt::format("No change is advised: {} Loads and stores of several threads take much of "
                       "the time ({}), and samples cannot tell why.",
                       no_site_takes_much(of, "", "call"), where_text(*memory));
  if (const std::string idle = idle_text(of); !idle.empty())
    return "No change is advised: " + no_site_takes_much(of, ", but " + idle);
  const bool has_threads = std::ranges::any_of(of.of_last_run.sites, [](const site& each) {
    return each.kind == "create" || each.team > 1 || each.threads > 1;
  });
  return fmt::format("Nothing to gain{}: {}{}", unless_all_is_counted(of), no_site_takes_much(of),
                     has_threads ? " A loop of the program's own that waits for another thread to "
                                   "change a variable is no call, and looks like work."
                                 : "");
}

/// Of a program without a site.
std::string verdict_without_sites(const program_counts& of) {
  if (of.of_last_run.processes == 0)
    return "Nothing is known of it: no process of the program loaded the library that counts; it "
           "may have been started with another environment.";
  const std::string calls = "the program calls nothing that synchronizes";
  if (const std::string idle = idle_text(of); !idle.empty())
    return fmt::format("No change is advised: {}, but {}.", calls, idle);
  return fmt::format("Nothing to gain{}: {}{}", unless_all_is_counted(of), calls,
                     of.sampled ? ", and none of its locked instructions takes 1 % of the CPU time."
                                : ". Atomic operations are no calls, and not counted.");
}

double most_used_by_others(const program_counts& of) {
  double share = 0;
  for (const program_run& run : of.runs) share = std::max(share, run.other_cpu_share.value_or(0));
  return share;
}

/// Where shares of the time are not known: which run may tell them.
std::string what_to_run_instead(const program_counts& of) {
  const auto cost = cost_of_counting(of.runs);
  if (!cost) return "Give it a file as standard input, so that it can run several times.";
  if (most_used_by_others(of) > most_disturbance) return "Run it again while the machine is idle.";
  const auto pairs = std::ranges::count(of.runs, "count", &program_run::arm);
  if (pairs == 1)
    return "A single pair of runs may differ by chance: a longer --budget compares more.";
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, &site::count);
  if (cost->low <= 1 + most_disturbance || most->count == 0)
    return "Its runs differ by more than calls can cost: give it more work, so that it runs "
           "longer.";
  return fmt::format("Most calls are at {} ({}): run it with more work between them, or fewer "
                     "threads.",
                     where_text(*most), grouped_digits(most->count));
}

/// How the program ended, where a run has another end than exit status 0. A signal in a run with
/// the library alone is no end of the program itself.
std::string end_text(const program_counts& of) {
  const auto plain = std::ranges::find(of.runs, "plain", &program_run::arm);
  const auto killed_with_library = std::ranges::find_if(of.runs, [](const program_run& run) {
    return run.arm != "plain" && run.arm != "sample" && WIFSIGNALED(run.wait_status);
  });
  if (plain != of.runs.end() && killed_with_library != of.runs.end() &&
      std::ranges::none_of(of.runs, [](const program_run& run) {
        return run.arm == "plain" && WIFSIGNALED(run.wait_status);
      }))
    return fmt::format("With the library that counts its calls the program ended with {}; as it is "
                       "it ends with {}.",
                       ending_text(killed_with_library->wait_status),
                       ending_text(plain->wait_status));
  const auto strange =
      std::ranges::find_if(of.runs, [](const program_run& r) { return r.wait_status != 0; });
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
    text += fmt::format("  ... and {} kernels with fewer updates; --json FILE has all.\n",
                        kernels.size() - kernels_shown);
  return text;
}

/// Those first that take most of the time, by the thousandths that are shown, and then as they are.
std::vector<site> by_time(std::vector<site> sites, double wall_s) {
  std::ranges::stable_sort(sites, std::ranges::greater{}, [&](const site& each) {
    return std::floor(1000 * synchronizing_s(each) / wall_s);
  });
  return sites;
}

bool is_in_advice(const std::vector<advice>& advices, std::size_t id) {
  return std::ranges::any_of(advices, [&](const advice& each) {
    return each.site_id == id || std::ranges::find(each.more_ids, id) != each.more_ids.end();
  });
}

/// Whether the time at a site is a thousandth of the run or more, so that its share is not shown as
/// nothing; of calls that are not timed, whether so many could take that.
bool takes_a_share(const site& of, double wall_s) {
  constexpr double least_share = 0.001, usual_call_s = 1e-6;
  if (of.samples) return true;
  const auto cost = cost_of(of);
  const double takes_s =
      cost ? cost->lateness_s + cost->mechanism_s
           : static_cast<double>(of.count) / std::max(1U, of.threads) * usual_call_s;
  return takes_s >= least_share * wall_s;
}

/// What a terminal shows of the sites: those of the advice and those that take some of the time, or
/// have the most calls where that is not known.
struct shown_sites {
  std::vector<site> sites;
  std::size_t left_out = 0;
};
shown_sites sites_to_show(const program_counts& of, bool timed) {
  constexpr std::size_t most = 20, least_timed = 5, most_untimed = 12;
  const std::vector<site>& all = of.of_last_run.sites;
  const double wall_s = of.timed_run() ? of.timed_run()->wall_s : 0;
  std::vector<site> in_order, others;
  for (std::size_t i = 0; i < all.size(); ++i)
    (is_in_advice(of.advices, i + 1) || (timed && takes_a_share(all[i], wall_s)) ? in_order
                                                                                 : others)
        .push_back(all[i]);
  if (timed) in_order = by_time(std::move(in_order), wall_s);
  // A few of those that take no time, too: a reader sees what the program calls.
  const std::size_t enough = timed ? least_timed : most_untimed;
  for (std::size_t i = 0; i < others.size() && in_order.size() < enough; ++i)
    in_order.push_back(std::move(others[i]));
  if (in_order.size() > most) in_order.resize(most);
  const std::size_t left_out = all.size() - in_order.size();
  return {.sites = std::move(in_order), .left_out = left_out};
}

}  // namespace

std::string ending_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("signal {} ({})", WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)));
  return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

std::string conclusion_of(const program_counts& of) {
  if (of.timed_run() == nullptr) return "";
  if (of.of_last_run.sites.empty()) return verdict_without_sites(of);
  const std::string withheld = why_withheld(of);
  if (!of.advices.empty())
    return std::ranges::none_of(of.advices, [&](const advice& a) { return is_withheld(a, of); })
               ? ""
               : fmt::format("No saving is named, as {}. {}", withheld, what_to_run_instead(of));
  if (!may_show_shares(of))
    return fmt::format("Whether there is something to gain is not known, as {}. The counts are "
                       "exact, and which shares of the time they take is not known. {}",
                       withheld.empty() ? "the program ran once" : withheld,
                       what_to_run_instead(of));
  const bool has_atomic =
      std::ranges::find(of.of_last_run.sites, "atomic", &site::kind) != of.of_last_run.sites.end();
  return fmt::format("{} {}", verdict_on_shares(of),
                     !of.sampled ? "Atomic operations are no calls, and not timed."
                     : has_atomic
                         ? "Atomic operations are sampled; below a quarter of the time, a locked "
                           "instruction may cost nothing."
                         : "By samples, no atomic operation takes 1 % of the CPU time.");
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
               cost && (each.times->threads > 0 || each.kind == "cond_wait")
                   ? share(cost->lateness_s)
                   : "",
               cost ? share(cost->mechanism_s) : "",
               each.samples ? fmt::format("{:.1f} %", each.samples->share * 100) : "",
               printable(where_text(each))});
  }
  text += "\n" + table.text(style);
  if (left_out > 0)
    text += fmt::format("  ... and {} with {}; --json FILE has all.\n",
                        count_text(left_out, "site", "sites"), timed ? "less time" : "fewer calls");
  const bool has_times =
      std::ranges::any_of(sites, [](const site& s) { return cost_of(s).has_value(); });
  const bool has_samples =
      std::ranges::any_of(sites, [](const site& s) { return s.samples.has_value(); });
  if (timed && has_times)
    text += wrapped(fmt::format("late: share of a thread's time in which it waits for the last "
                                "thread to arrive, or for a signal. after: from then on until it "
                                "goes on, or in the calls.{}",
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
