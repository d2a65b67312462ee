#include "backends/cuda/multi/multi_rig.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

bool needs_atomics(const op_info& info) {
  return info.is(across_devices::counter) || info.family == family::atomic;
}

// The expected code of the ops. Each wait has three branches: reached, given up earlier, and the
// timer check.

std::string fences(std::string_view membar, unsigned times) {
  return fmt::format("MEMBAR.{0} {1}, ERRBAR {1}, CGAERRBAR {1}", membar, times);
}

// Adds common instructions to `words`, which include a device's own arrivals: a fence, an add, and
// the drop of L1. A warp's lanes synchronize `meets` times. Before Hopper they do so in a compiler
// function, and once without.
sass_text barrier(std::string_view words, unsigned meets, unsigned branches, std::string behind) {
  const std::string alike = fmt::format("BAR.SYNC 2, SHFL.IDX 1, {}", words);
  return {.hopper = fmt::format("{}, WARPSYNC {}, branch {}", alike, meets, branches),
          .before = fmt::format("{0}, WARPSYNC 1, BRA.DIV {1}, call:(inside) {1}, branch {2}",
                                alike, meets, branches),
          .behind = fmt::format("{}, WARPSYNC {}, {}", alike, meets, behind)};
}

sass_text barrier(std::string_view op) {
  if (op == "multi_gpu_barrier_counter") {
    return barrier("ATOMG.ADD 1, ATOMG.ADD.SYS 1, LDG.STRONG.SYS 1, LDG.STRONG.GPU 1, "
                   "STG.STRONG.GPU 1, MEMBAR.ALL.GPU 2, MEMBAR.ALL.SYS 1, ERRBAR 3, CGAERRBAR 3, "
                   "CCTL.IVALL 4, "
                   "YIELD 2, imad 2",
                   2, 10, "VOTEU.ANY 1, branch 9");
  }
  if (op == "multi_gpu_barrier_flags") {
    return barrier("ATOMG.ADD 1, LDG.STRONG.SYS 1, STG.STRONG.SYS 1, MEMBAR.ALL.GPU 1, "
                   "MEMBAR.ALL.SYS 1, ERRBAR 2, CGAERRBAR 2, CCTL.IVALL 2, YIELD 1, imad 1",
                   2, 8, "branch 5");
  }
  return barrier("ATOMG.ADD 1, LDG.STRONG.SYS 1, LDG.STRONG.GPU 1, STG.STRONG.SYS 1, "
                 "STG.STRONG.GPU 1, MEMBAR.ALL.GPU 2, MEMBAR.ALL.SYS 1, ERRBAR 3, CGAERRBAR 3, "
                 "CCTL.IVALL 3, YIELD 2, imad 1",
                 3, 13, "branch 14");
}

// A volatile access has system scope. A fence function is sequentially consistent, before the store
// and after the load.
std::string token(const form& f) {
  const bool system = f.scope == scope::system;
  const std::string_view level = system ? "SYS" : "GPU";
  const std::string_view reach = system || f.flavour == flavour::volatile_access ? "SYS" : "GPU";
  std::string text = fmt::format("LDG.STRONG.{0} 1, STG.STRONG.{0} 1, branch 3", reach);
  if (f.order == order::relaxed) return text;
  if (f.flavour == flavour::ptx)
    return text + ", " + fences(fmt::format("ALL.{}", level), 1) + ", CCTL.IVALL 1";
  return text + ", " + fences(fmt::format("SC.{}", level), 2) + ", CCTL.IVALL 2";
}

}  // namespace

nlohmann::json multi_declares(const measurable& row) {
  if (row.info.family == family::barrier) return declared_sass(barrier(row.info.name));
  if (row.info.family == family::handoff) return declared_sass({token(row.form)});
  return declared_sass({"ATOMG.ADD.SYS 1"});
}

void multi_rig::prepare_point() {
  const point& where = where_;
  devices_ = with_host() ? 1 : std::max(where.size, 1U);
  shares_.clear();
  litmus_ran_ = false;
  if (where.waves || where.active != 0)
    throw point_refused(
        fmt::format("{} is not supported across GPUs", where.waves ? "--waves" : "--active"));
  if (what_->info.family == family::handoff && (where.blocks != 1 || where.lanes != 1))
    throw point_refused(fmt::format(
        "--blocks {} --threads {}: a handoff between devices takes --blocks 1 --threads 1",
        where.blocks, where.lanes));
  if (what_->info.family == family::handoff && where.size != 2)
    throw point_refused(
        fmt::format("--size {}: a handoff has two sides; use --size 2", where.size));
  if (what_->info.family == family::barrier && where.lanes < warp_size)
    throw point_refused(fmt::format("--threads {}: a barrier across GPUs needs at least {}, since "
                                    "one warp of a block signals the other devices",
                                    where.lanes, warp_size));
  if (const auto known = unreached_.find(canonical(where)); known != unreached_.end())
    throw point_refused(known->second);
  if (where.home == home::other || (where.home == home::second && devices_ < 2))
    throw point_refused(fmt::format("--home {}: the shared cell lies on the first device, or with "
                                    "--size 2 or more on the second",
                                    to_text(where.home)));
  prepare_devices();
  for (const std::size_t index : {0U, 1U}) check_blocks(what_->code(index));
  gates_clear_ = false;
}

void multi_rig::prepare_devices() {
  const std::vector<int> indices = devices_of_point(device_.index, devices_);
  enable_peer_access(indices, needs_atomics(what_->info));
  while (device_states_.size() < indices.size()) {
    const scoped_device here{indices[device_states_.size()]};
    device_states_.push_back(std::make_unique<device_state>());
    device_states_.back()->index = indices[device_states_.size() - 1];
  }
  const std::size_t record_bytes = where_.blocks * sizeof(multi_record);
  std::vector<void*> boards;
  on_each_device([&](device_state& s) {
    boards.push_back(s.board.fit(whole_board_bytes + gate_bytes));
    s.boards.fit(most_devices * sizeof(std::byte*));
    s.records.fit(record_bytes);
    s.host_records.fit(record_bytes);
    s.host_board.fit(places_at);
  });
  on_each_device([&](device_state& s) {
    SM_CUDA(cudaMemcpy(s.boards.get(), boards.data(), boards.size() * sizeof boards[0],
                       cudaMemcpyHostToDevice));
  });
  host_board_.fit(board_bytes);
}

// Querying a kernel's attributes loads it. Loading it later would wait for kernels that wait for
// it.
void multi_rig::check_blocks(const void* stub) {
  on_each_device([&](device_state& s) {
    const device_facts& facts = find_devices().devices.at(static_cast<std::size_t>(s.index));
    cudaFuncAttributes attributes{};
    SM_CUDA(cudaFuncGetAttributes(&attributes, stub));
    const std::size_t fit = std::size_t{blocks_at_once(stub, where_.lanes)} * facts.multiprocessors;
    if (where_.blocks > fit || where_.blocks > most_places) {
      throw point_refused(fmt::format(
          "{} blocks of {} threads are not co-resident on device {} ({}): at most {} blocks are",
          where_.blocks, where_.lanes, s.index, facts.name,
          std::min<std::size_t>(fit, most_places)));
    }
  });
}

void multi_rig::clear_gates() {
  if (gates_clear_) return;
  on_each_device([](device_state& s) {
    SM_CUDA(cudaMemsetAsync(static_cast<std::byte*>(s.board.get()) + gate_at, 0, gate_bytes,
                            s.queue.get()));
  });
  round_ = 0;
  gates_clear_ = true;
}

// Clears everything before any kernel starts: no kernel may clear another kernel's writes.
void multi_rig::clear_boards(std::size_t bytes) {
  clear_gates();
  on_each_device([&](device_state& s) {
    SM_CUDA(cudaMemsetAsync(s.board.get(), 0, bytes, s.queue.get()));
    SM_CUDA(
        cudaMemsetAsync(s.records.get(), 0, where_.blocks * sizeof(multi_record), s.queue.get()));
  });
  std::memset(host_board_.get(), 0, board_bytes);
  host_timeout_.clear();
  host_wrong_ = 0;
  wait_for_all();
}

multi_setup multi_rig::setup_of(unsigned place) const {
  const auto board = [this](unsigned i) {
    return static_cast<std::byte*>(device_states_[i]->board.get());
  };
  const auto word = [](std::byte* from, unsigned at) {
    return reinterpret_cast<unsigned*>(from + at);
  };
  multi_setup s{.self = place, .devices = devices_, .board = board(place)};
  s.boards = static_cast<std::byte* const*>(device_states_[place]->boards.get());
  s.home = board(where_.home == home::second ? 1 : 0);
  s.round = round_;
  s.records = static_cast<multi_record*>(device_states_[place]->records.get());
  if (with_host()) {
    auto* const host = static_cast<std::byte*>(host_board_.get());
    s.mailbox = word(host, device_mailbox_at);
    s.next_mailbox = word(host, host_mailbox_at);
    s.data = word(host, device_data_at);
    s.next_data = word(host, host_data_at);
  } else {
    const unsigned other = (place + 1) % devices_;
    s.mailbox = word(board(place), mailbox_at);
    s.next_mailbox = word(board(other), mailbox_at);
    s.data = word(board(place), data_at);
    s.next_data = word(board(other), data_at);
  }
  return s;
}

// If a launch fails, earlier kernels end when their wait times out.
void multi_rig::launch_all(const void* stub, std::uint32_t trips) {
  ++round_;
  for (unsigned i = 0; i < devices_; ++i) {
    const scoped_device here{device_states_[i]->index};
    multi_setup setup = setup_of(i);
    void* arguments[] = {&setup, &trips};
    const launch_config config{{.blocks = where_.blocks,
                                .lanes = where_.lanes,
                                .stream = device_states_[i]->queue.get(),
                                .cooperative = what_->info.launching == launching::cooperative}};
    const cudaError_t code = cudaLaunchKernelExC(config.get(), stub, arguments);
    if (code == cudaSuccess) continue;
    gates_clear_ = false;
    for (unsigned before = 0; before < i; ++before)
      SM_CUDA_NOEXCEPT(cudaStreamSynchronize(device_states_[before]->queue.get()));
    require_success(code, fmt::format("launch on device {}", device_states_[i]->index).c_str(),
                    __FILE__, __LINE__);
  }
}

void multi_rig::wait_for_all() {
  on_each_device([](device_state& s) {
    require_success(cudaStreamSynchronize(s.queue.get()),
                    fmt::format("wait for device {}", s.index).c_str(), __FILE__, __LINE__);
  });
}

// Copies after all kernels end, because a kernel may still write to another device.
void multi_rig::copy_results() {
  wait_for_all();
  on_each_device([&](device_state& s) {
    SM_CUDA(cudaMemcpyAsync(s.host_records.get(), s.records.get(),
                            where_.blocks * sizeof(multi_record), cudaMemcpyDeviceToHost,
                            s.queue.get()));
    SM_CUDA(cudaMemcpyAsync(s.host_board.get(), s.board.get(), places_at, cudaMemcpyDeviceToHost,
                            s.queue.get()));
  });
  wait_for_all();
}

void multi_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  std::vector<int> devices;
  bool equal = true;
  for (unsigned i = 0; i < devices_ && i < device_states_.size(); ++i) {
    devices.push_back(device_states_[i]->index);
    const auto& facts =
        find_devices().devices.at(static_cast<std::size_t>(device_states_[i]->index));
    equal = equal && facts.name == device_.name && facts.multiprocessors == device_.multiprocessors;
  }
  visit["devices"] = devices;
  if (!equal) visit["unequal_devices"] = true;
  for (const device_link& link : find_links()) {
    if (link.from == device_.index && std::ranges::find(devices, link.to) != devices.end())
      visit["links"].push_back(link);
  }
  if (devices_ > 1 && !shares_.empty()) visit["device_shares"] = shares_;
  if (litmus_ran_) {
    visit["litmus_seen"] = forbidden_;
    visit["litmus_rounds"] = litmus_rounds_over_devices;
  }
}

}  // namespace syncmeter::cuda
