// The rigs of warp handoffs, and the expected machine code of a handoff. Each rig has a
// message-passing litmus, counts failed polls, and ends the wait for a lost token.
#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/handoff/gpc_map.hpp"
#include "backends/cuda/handoff/handoff.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// For each multiprocessor.
constexpr unsigned blocks_on_one = 2;
// A pair's flags, followed by the data lines for a litmus.
constexpr std::size_t pair_bytes = 4 * mailbox_bytes;

// The results copied back from the device.
struct pair_found {
  pair_record ends[2];
  std::uint64_t tokens[2];
};

// Words common to all warps of a chain, each on its own line, because thousands poll the flag.
struct chain_words {
  alignas(128) unsigned flag;
  alignas(128) unsigned timed_out;
  alignas(128) unsigned long long stale;
};

// A chain too long for the memory of its polls would take minutes.
constexpr std::uint64_t longest_chain = 1U << 22U;

// A handoff should compile to one wait and one pass. A poll is one load and the branch back, and
// register arithmetic counts it. A cluster has no level: its accesses and fences equal the
// device's.
std::string_view level(scope s) {
  if (s == scope::block) return "CTA";
  return s == scope::system ? "SYS" : "GPU";
}

// Returns the reach of an access. Volatile always reaches the system, whatever its fence.
std::string_view reach(const form& f) {
  if (f.flavour == flavour::volatile_access) return "SYS";
  return f.scope == scope::block ? "SM" : level(f.scope);
}

std::string sass(const form& f) {
  // libcu++ does not declare its address as global memory.
  const std::string_view space = f.flavour == flavour::atomic_ref ? "" : "G";
  auto text =
      fmt::format("LD{0}.STRONG.{1} 1, ST{0}.STRONG.{1} 1, YIELD 1, branch 1", space, reach(f));
  if (f.order == order::relaxed) return text;
  // CUDA's fence is seq_cst, and a handoff has two: after the wait and before the pass.
  const bool by_fence = f.flavour == flavour::volatile_access;
  text += fmt::format(", MEMBAR.{}.{} {}", by_fence ? "SC" : "ALL", level(f.scope), by_fence + 1);
  if (f.scope == scope::block) return text;
  return text + fmt::format(", ERRBAR {0}, CGAERRBAR {0}, CCTL.IVALL {0}", by_fence + 1);
}

// Objects in shared memory. The library polls a word in an unrolled loop with growing pauses.
// Before Hopper an mbarrier consists of words there.
sass_text of_object(std::string_view op) {
  const std::string pauses = "MEMBAR.ALL.CTA 1, ST.STRONG.SM 1, NANOSLEEP 2, ";
  if (op == "semaphore_handoff")
    return {.hopper = pauses + "ATOM.EXCH.SM 2, LD.STRONG.SM 20, YIELD 3, branch 25",
            .behind = pauses + "ATOM.EXCH.SM 1, LD.STRONG.SM 18, YIELD 2, branch 22"};
  if (op == "atomic_wait_handoff")
    return {.hopper = pauses + "LD.STRONG.SM 20, YIELD 2, branch 23",
            .behind = pauses + "LD.STRONG.SM 18, YIELD 2, branch 21"};
  // Older GPUs cannot carry a token: the rig refuses these ops, and they compile to the rest.
  if (op == "bulk_handoff")
    return {.hopper = "SYNCS.ARRIVE 1, SYNCS.PHASECHK 1, STS 1, LDS 1, MEMBAR.ALL.CTA 1, "
                      "FENCE.VIEW.ASYNC.S 1, ELECT 1, UBLKCP.S.S 1, YIELD 1, branch 2",
            .before = "LDS 2, STS 1, YIELD 1, branch 1"};
  if (op == "red_async_handoff")
    return {.hopper = "SYNCS.ARRIVE 1, SYNCS.PHASECHK 1, LDS 1, REDAS.ADD 1, YIELD 1, branch 1",
            .before = "LDS 2, YIELD 1, branch 1"};
  return {.hopper = "SYNCS.ARRIVE 1, SYNCS.PHASECHK 1, YIELD 1, branch 1",
          .before = "ATOMS.ARRIVE 1, LDS 1, MEMBAR.ALL.CTA 1, YIELD 1, branch 1"};
}

}  // namespace

nlohmann::json declared_handoff(const measurable& row) {
  if (row.code == nullptr) return nlohmann::json::object();
  if (row.form.flavour == flavour::none) return declared_sass(of_object(row.info.name));
  return declared_sass({sass(row.form)});
}

void handoff_notes::describe(nlohmann::json& visit) const {
  if (handoffs_ > 0)
    visit["polls_per_handoff"] = static_cast<double>(polls_) / static_cast<double>(handoffs_);
  if (!violations_) return;
  visit["litmus_handoffs"] = looked_at_;
  visit["violations_seen"] = *violations_;
}

void ring_rig::place_flags() {
  setup_.mailboxes = static_cast<std::byte*>(flags_.get()) + offset_of(draw_);
}

void ring_rig::prepare_more() {
  const bool in_cluster = what_->info.launching == launching::cluster;
  if (in_cluster && where_.blocks != where_.size) {
    throw point_refused(fmt::format(
        "--blocks {} with --size {}: the ring is one cluster, so that both must be equal",
        where_.blocks, where_.size));
  }
  if (in_cluster && what_->form.flavour == flavour::none && where_.blocks < 2) {
    throw point_refused(
        fmt::format("--blocks {}: {} carries a token to another block; a cluster of "
                    "two or more has one",
                    where_.blocks, what_->info.name));
  }
  if (where_.scope == scope::cluster && device_.largest_cluster == 0) {
    throw point_refused(fmt::format("--scope cluster needs compute capability 9.0; {} has {}",
                                    device_.name, device_.compute_capability));
  }
  if (where_.scope == scope::cluster && where_.blocks > 1 && !in_cluster)
    throw point_refused("--scope cluster orders within one cluster only, and this op is launched "
                        "without clusters; use device or system, or --blocks 1");
  notes_ = {};
  flags_.fit(roaming_bytes + warps() * mailbox_bytes);
  setup_.board = static_cast<std::byte*>(data_.fit(warps() * mailbox_bytes));
  place_flags();
}

void ring_rig::begin_round() {
  cuda_rig::begin_round();
  draw_ = next_draw(draw_);
  place_flags();
}

sample ring_rig::measure(std::size_t index) {
  sample taken = cuda_rig::measure(index);
  if (auto lost = count_polls(ops(index)); !lost.empty()) taken.failure = lost;
  return taken;
}

// Reads the lanes' results. Returns an empty text, or the reason if the token never arrived.
std::string ring_rig::count_polls(std::uint64_t rotations) {
  const std::size_t bytes = threads() * sizeof(lane_outcome);
  const auto* lanes = static_cast<const lane_outcome*>(outcomes_.fit(bytes));
  SM_CUDA(cudaMemcpyAsync(outcomes_.get(), setup_.outcomes, bytes, cudaMemcpyDeviceToHost,
                          stream_.get()));
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  constexpr unsigned named = 16;
  multiprocessors_.clear();
  std::uint64_t polls = 0;
  for (unsigned block = 0; block < where_.blocks; ++block) {
    const auto* first = lanes + std::size_t{block} * where_.lanes;
    if (block < named) multiprocessors_.push_back(static_cast<unsigned>(first->operand));
    for (unsigned lane = 0; lane < where_.lanes; lane += warp_size) {
      if (first[lane].tally >= most_polls) {
        return fmt::format("timeout: warp {} of block {} polled {} times without seeing its token",
                           lane / warp_size, block, most_polls);
      }
      polls += first[lane].tally;
    }
  }
  notes_.add(polls, rotations * warps());
  return {};
}

std::uint64_t ring_rig::litmus(const measurable& row) {
  const std::uint64_t stale = row.litmus(*this);
  const std::uint64_t rounds = std::max<std::uint64_t>(16, litmus_handoffs / warps());
  return notes_.judge(stale, rounds * warps(), promises_order(row.form, where_.blocks > 1));
}

std::uint64_t ring_rig::run_message_litmus(const void* stub) {
  SM_CUDA(cudaMemsetAsync(setup_.mailboxes, 0, warps() * mailbox_bytes, stream_.get()));
  SM_CUDA(cudaMemsetAsync(setup_.board, 0, warps() * mailbox_bytes, stream_.get()));
  const launch_shape here = shape();
  allow_clusters_of(here.cluster, stub);
  return run_litmus({stub}, here);
}

void ring_rig::describe(nlohmann::json& visit) const {
  cuda_rig::describe(visit);
  if (!multiprocessors_.empty()) visit["multiprocessors"] = multiprocessors_;
  notes_.describe(visit);
}

void pair_rig::prepare_point() {
  if (where_.blocks != 2 || where_.lanes != warp_size)
    throw point_refused(fmt::format(
        "--blocks {} --threads {}: a handoff between multiprocessors takes --blocks 2 --threads {}",
        where_.blocks, where_.lanes, warp_size));
  if (where_.size < 1 || where_.size > device_.multiprocessors) {
    throw point_refused(
        fmt::format("--size {}: the other multiprocessor is a number from 1 to {} on {}",
                    where_.size, device_.multiprocessors, device_.name));
  }
  threads_ = device_.max_threads_per_multiprocessor / blocks_on_one;
  if (threads_ > device_.max_threads_per_block) {
    throw point_refused(fmt::format("{} blocks of the largest size do not fill a multiprocessor of "
                                    "{}, so that a block cannot be pinned to one",
                                    blocks_on_one, device_.name));
  }
  for (const std::size_t index : {0U, 1U}) check_room(what_->code(index));
  notes_ = {};
  flags_.fit(roaming_bytes + pair_bytes);
  const std::size_t counters = 1 + device_.multiprocessors;
  setup_.arrived = static_cast<unsigned*>(counters_.fit(counters * sizeof(unsigned)));
  setup_.here = setup_.arrived + 1;
  setup_.multiprocessors = device_.multiprocessors;
  setup_.partner = where_.size - 1;
  setup_.ends = static_cast<pair_record*>(ends_there_.fit(2 * sizeof(pair_record)));
  begin_round();
}

// Each multiprocessor has room for exactly two blocks: two blocks for each fill them all.
void pair_rig::check_room(const void* stub) const {
  const unsigned blocks = blocks_at_once(stub, threads_);
  if (blocks == blocks_on_one) return;
  throw point_refused(fmt::format("a multiprocessor of {} runs {} blocks of {} threads at once, "
                                  "not {}, so that a block cannot be pinned to one",
                                  device_.name, blocks, threads_, blocks_on_one));
}

void pair_rig::begin_round() {
  draw_ = next_draw(draw_);
  setup_.flags = static_cast<std::byte*>(flags_.get()) + offset_of(draw_);
  setup_.data = setup_.flags + 2 * mailbox_bytes;
}

void pair_rig::launch(const void* stub, std::uint32_t trips) {
  cudaStream_t in = stream_.get();
  SM_CUDA(cudaMemsetAsync(setup_.flags, 0, pair_bytes, in));
  SM_CUDA(
      cudaMemsetAsync(counters_.get(), 0, (1 + device_.multiprocessors) * sizeof(unsigned), in));
  SM_CUDA(cudaMemsetAsync(setup_.ends, 0, 2 * sizeof(pair_record), in));
  void* arguments[] = {&setup_, &trips};
  launch_stub(stub,
              {.blocks = blocks_on_one * device_.multiprocessors, .lanes = threads_, .stream = in},
              arguments);
  auto& found = *static_cast<pair_found*>(found_.fit(sizeof(pair_found)));
  SM_CUDA(cudaMemcpyAsync(found.ends, setup_.ends, sizeof found.ends, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaMemcpy2DAsync(found.tokens, sizeof found.tokens[0], setup_.flags, mailbox_bytes,
                            sizeof found.tokens[0], 2, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaStreamSynchronize(in));
  ran_on_ = {found.ends[0].multiprocessor, found.ends[1].multiprocessor};
}

std::string pair_rig::problem() const {
  const auto& ends = static_cast<const pair_found*>(found_.get())->ends;
  if (ends[0].ran == 0 || ends[1].ran == 0) {
    return fmt::format("no block ran on multiprocessor {}: another program uses the device, or it "
                       "has no multiprocessor of that number",
                       ends[0].ran == 0 ? 1 : setup_.partner + 1);
  }
  for (const pair_record& end : ends) {
    if (end.polls >= most_polls)
      return fmt::format("timeout: multiprocessor {} polled {} times without seeing its token",
                         end.multiprocessor + 1, most_polls);
  }
  return {};
}

// Returns the first end's time, by the clock of its own multiprocessor.
sample pair_rig::measure(std::size_t index) {
  launch(what_->code(index), trips_);
  sample taken;
  taken.failure = problem();
  if (!taken.failure.empty()) return taken;
  const auto& [ends, tokens] = *static_cast<const pair_found*>(found_.get());
  for (const std::size_t end : {0U, 1U}) {
    if (tokens[end] == ops(index)) continue;
    taken.failure = fmt::format("oracle: flag {} holds token {} after {} rotations", end,
                                tokens[end], ops(index));
    return taken;
  }
  notes_.add(ends[0].polls + ends[1].polls, 2 * ops(index));
  const auto ns = static_cast<double>(ends[0].lane_ns);
  if (ns >= shortest_clocked_ns(1))
    note_clock(taken, static_cast<double>(ends[0].lane_cycles) / ns);
  taken.cycles = static_cast<double>(ends[0].cycles);
  taken.span_ns = taken.cycles / last_ghz();
  return taken;
}

std::uint64_t pair_rig::litmus(const measurable& row) {
  const bool across = setup_.partner != 0;
  return notes_.judge(row.litmus(*this), litmus_handoffs, promises_order(row.form, across));
}

std::uint64_t pair_rig::run_message_litmus(const void* stub) {
  launch(stub, litmus_handoffs / 2);
  if (const std::string what = problem(); !what.empty()) throw std::runtime_error(what);
  const auto& ends = static_cast<const pair_found*>(found_.get())->ends;
  return ends[0].stale + ends[1].stale;
}

void pair_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  visit["multiprocessors"] = ran_on_;
  const auto& [gpcs, why_unknown] = gpcs_of(device_);
  if (const auto same = in_one_gpc(gpcs, ran_on_[0], ran_on_[1])) visit["same_gpc"] = *same;
  if (!gpcs.empty()) visit["gpcs_at_most"] = *std::ranges::max_element(gpcs) + 1;
  else visit["gpcs_unknown"] = why_unknown;
  notes_.describe(visit);
}

void chain_rig::prepare_point() {
  require_whole_warps("chain");
  waiting_warps_ = 0;
  notes_ = {};
}

void chain_rig::launch(const void* stub) {
  if (length_ > longest_chain)
    throw std::runtime_error(
        fmt::format("a chain of {} warps is too long: at most {} warps can be tracked", length_,
                    longest_chain));
  const unsigned waiting = blocks_at_once(stub, where_.lanes) * device_.multiprocessors;
  const std::uint64_t warps_of_block = warps_in(where_.lanes);
  const std::uint64_t blocks = (length_ + warps_of_block - 1) / warps_of_block + waiting;
  const std::size_t bytes = poll_bytes_ = blocks * warps_of_block * sizeof(unsigned);
  waiting_warps_ = waiting * warps_of_block;

  cudaStream_t in = stream_.get();
  auto* words = static_cast<chain_words*>(words_.fit(sizeof(chain_words)));
  setup_ = {.flag = &words->flag,
            .length = static_cast<unsigned>(length_),
            .polls = static_cast<unsigned*>(polls_.fit(bytes)),
            .data = static_cast<unsigned*>(data_.fit(bytes)),
            .stale = &words->stale,
            .timed_out = &words->timed_out};
  SM_CUDA(cudaMemsetAsync(words, 0, sizeof(chain_words), in));
  SM_CUDA(cudaMemsetAsync(setup_.data, 0, bytes, in));
  const launch_config config{
      {.blocks = static_cast<unsigned>(blocks), .lanes = where_.lanes, .stream = in}};
  void* arguments[] = {&setup_};
  SM_CUDA(cudaStreamSynchronize(in));
  SM_CUDA(cudaEventRecord(begin_.get(), in));
  SM_CUDA(cudaLaunchKernelExC(config.get(), stub, arguments));
  SM_CUDA(cudaEventRecord(end_.get(), in));
  auto* found = static_cast<chain_words*>(found_.fit(sizeof(chain_words)));
  SM_CUDA(cudaMemcpyAsync(found, words, sizeof(chain_words), cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaMemcpyAsync(polls_here_.fit(bytes), setup_.polls, bytes, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaStreamSynchronize(in));
}

std::string chain_rig::verdict() {
  const auto* const found = static_cast<const chain_words*>(found_.get());
  if (found->timed_out != 0) {
    return fmt::format("timeout: {} warps of the chain waited {} s for the flag without seeing it",
                       found->timed_out, static_cast<double>(chain_deadline_ns) / 1e9);
  }
  if (found->flag != chain_over) {
    return fmt::format("oracle: the flag holds {} at the end of a chain of {} warps", found->flag,
                       length_);
  }
  const auto* const polls = static_cast<const unsigned*>(polls_here_.get());
  notes_.add(std::accumulate(polls, polls + poll_bytes_ / sizeof(unsigned), std::uint64_t{0}),
             length_);
  return {};
}

// Runs a chain of count + 1 times `trips` trips.
sample chain_rig::measure(std::size_t index) {
  const std::uint64_t warps = std::uint64_t{where_.blocks} * warps_in(where_.lanes);
  length_ = warps * trips_ * (static_cast<unsigned>(counts.at(index)) + 1);
  what_->by_count.at(index)(*this, 0);
  sample taken;
  taken.failure = verdict();
  if (taken.failure.empty()) taken.span_ns = ns_between(begin_, end_);
  return taken;
}

// Chain neighbours are warps of one block, or of two blocks with a handoff at device scope.
std::uint64_t chain_rig::litmus(const measurable& row) {
  // Warps in a block share an L1: only a handoff from another block can reveal old data.
  const std::uint64_t between_blocks = litmus_handoffs / warps_in(where_.lanes) - 1;
  return notes_.judge(row.litmus(*this), between_blocks, promises_order(row.form, false));
}

std::uint64_t chain_rig::run_message_litmus(const void* stub) {
  length_ = litmus_handoffs;
  launch(stub);
  if (const std::string broke = verdict(); !broke.empty()) throw std::runtime_error(broke);
  return static_cast<const chain_words*>(found_.get())->stale;
}

void chain_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  if (waiting_warps_ > 0) visit["waiting_warps"] = waiting_warps_;
  notes_.describe(visit);
}

}  // namespace syncmeter::cuda
