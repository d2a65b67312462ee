// The ops for atomic widths, their rows, and the kernels that set and check cells.
#include "backends/cuda/rig/cuda_backend.cuh"
#include "backends/cuda/widths/width_lane.cuh"
#include "backends/cuda/widths/widths.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_width_words = requires(L& l) {
  l.add();
  l.fetch_add();
  l.exchange();
  l.compare_exchange();
};

consteval unsigned shape_number(std::string_view name) {
  unsigned number = 0;
  while (cell_shapes.at(number).name != name) ++number;
  return number;
}

consteval op_info width_info(std::string_view name, width_action action, unsigned shape,
                             unsigned unroll, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::atomic,
          .unroll = unroll,
          .note = note,
          .kind = width_kind(action, shape)};
}

consteval form width_form(scope s, flavour v = flavour::function, space where = space::global) {
  return {.order = order::relaxed,
          .placement = placement::strided,
          .scope = s,
          .flavour = v,
          .space = where};
}

inline constexpr form of_device = width_form(scope::device);
inline constexpr form of_block = width_form(scope::block);
inline constexpr form of_system = width_form(scope::system);
inline constexpr form in_shared =
    width_form(scope::device, flavour::function, space::shared_memory);
inline constexpr form ptx_of_device = width_form(scope::device, flavour::ptx);
inline constexpr form ptx_of_block = width_form(scope::block, flavour::ptx);
inline constexpr form ptx_of_system = width_form(scope::system, flavour::ptx);

namespace ops {

// Defines one atomic update of a cell: test - baseline == one more. Compare-and-swap loops have
// short trips because their code is long. Wide results have short trips because the compiler keeps
// them for a whole trip, and spills on sm_100 and sm_120. All trips have an even number of steps,
// to balance float addends. The forms follow the note.
#define SM_WIDTH(ACTION, SHAPE, UNROLL, NOTE, ...)                                                 \
  struct ACTION##_##SHAPE {                                                                        \
    static constexpr unsigned shape = shape_number(#SHAPE);                                        \
    static constexpr op_info info =                                                                \
        width_info(#ACTION "_" #SHAPE, width_action::ACTION, shape, UNROLL, NOTE);                 \
    static constexpr std::array forms{__VA_ARGS__};                                                \
    static constexpr bool without_additivity = true;                                               \
    static_assert(UNROLL % 2 == 0);                                                                \
    SM_FN static void common(has_width_words auto& lane) { lane.ACTION(); }                        \
    SM_FN static void measured(has_width_words auto& lane) { lane.ACTION(); }                      \
  };
#define SM_WIDTH_ADD(ADD, USED)                                                                    \
  SM_WIDTH(ADD, f16, 4, "one half" USED, of_device, in_shared)                                     \
  SM_WIDTH(ADD, bf16, 4, "one bfloat16" USED, of_device, in_shared)

SM_WIDTH_ADD(add, "")
SM_WIDTH(add, f16x2, 32, "two halves at once", of_device, ptx_of_device, ptx_of_block,
         ptx_of_system, in_shared)
SM_WIDTH(add, bf16x2, 32, "two bfloat16 at once", of_device, ptx_of_device, ptx_of_block,
         ptx_of_system, in_shared)
SM_WIDTH(add, f16x8, 32, "eight halves at once", ptx_of_device, ptx_of_block, ptx_of_system)
SM_WIDTH(add, bf16x8, 32, "eight bfloat16 at once", ptx_of_device, ptx_of_block, ptx_of_system)
SM_WIDTH(add, f32, 32, "one float", of_device, of_block, of_system, in_shared)
SM_WIDTH(add, f32x2, 32, "two floats at once", of_device, of_block, of_system)
SM_WIDTH(add, f32x4, 32, "four floats at once", of_device, of_block, of_system)
SM_WIDTH(add, u8, 4, "8 bits, by a compare-and-swap of 32", of_device, in_shared)
SM_WIDTH(add, u16, 4, "16 bits, by a compare-and-swap of 32", of_device, in_shared)
SM_WIDTH(add, u32, 32, "32 bits", of_device, of_block, of_system, in_shared)

SM_WIDTH_ADD(fetch_add, ", the result is used")
SM_WIDTH(fetch_add, f16x2, 8, "two halves at once, the result is used", of_device, ptx_of_device,
         in_shared)
SM_WIDTH(fetch_add, bf16x2, 8, "two bfloat16 at once, the result is used", of_device, ptx_of_device,
         in_shared)
SM_WIDTH(fetch_add, f16x8, 4, "eight halves at once, the result is used", ptx_of_device)
SM_WIDTH(fetch_add, bf16x8, 4, "eight bfloat16 at once, the result is used", ptx_of_device)
SM_WIDTH(fetch_add, f32, 32, "one float, the result is used", of_device, in_shared)
SM_WIDTH(fetch_add, f32x2, 4, "two floats at once, the result is used", of_device)
SM_WIDTH(fetch_add, f32x4, 4, "four floats at once, the result is used", of_device)
SM_WIDTH(fetch_add, u32, 32, "32 bits, the result is used", of_device, in_shared)

SM_WIDTH(exchange, b32, 16, "of 32 bits", of_device, of_block, of_system, in_shared)
SM_WIDTH(exchange, b64, 8, "of 64 bits", of_device, of_block, of_system, in_shared)
SM_WIDTH(exchange, b128, 4, "of 128 bits", of_device)
SM_WIDTH(compare_exchange, b32, 32, "of 32 bits, which always passes", of_device, of_block,
         of_system, in_shared)
SM_WIDTH(compare_exchange, b64, 4, "of 64 bits, which always passes", of_device, of_block,
         of_system, in_shared)
SM_WIDTH(compare_exchange, b128, 4, "of 128 bits, which always passes", of_device)

#undef SM_WIDTH_ADD
#undef SM_WIDTH

}  // namespace ops

template <unsigned Shape> struct lanes_of_shape {
  template <class, class Form> using lane = width_lane<Shape, Form>;
};

namespace {

constexpr unsigned side_block = 256;

SM_FN cell_bits read_cell(const std::byte* at, unsigned bytes) {
  if (bytes == 1) return {*reinterpret_cast<const std::uint8_t*>(at), 0};
  if (bytes == 2) return {*reinterpret_cast<const std::uint16_t*>(at), 0};
  if (bytes == 4) return {*reinterpret_cast<const std::uint32_t*>(at), 0};
  const auto* const halves = reinterpret_cast<const std::uint64_t*>(at);
  return {halves[0], bytes == 8 ? 0 : halves[1]};
}

SM_FN void write_cell(std::byte* at, unsigned bytes, const cell_bits& value) {
  for (unsigned i = 0; i < bytes; ++i)
    at[i] = static_cast<std::byte>((i < 8 ? value.low : value.high) >> (i % 8 * 8));
}

/// The parameters of a cell check, for the device.
struct width_check {
  width_action action;
  cell_shape shape;
  cell_layout layout;
  cell_places places;
};

__global__ void reset(width_check what, std::byte* array) {
  array += what.places.offset[blockIdx.y];
  const cell_bits first = first_bits(what.shape);
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < what.layout.cells;
       i += std::size_t{gridDim.x} * blockDim.x)
    write_cell(array + i * what.layout.pitch, what.shape.bytes, first);
}

/// Uses a thread for each cell with a single lane, else a block for each cell.
__global__ void check(width_check what, const std::byte* array, const lane_outcome* outcomes,
                      own_outcome* found) {
  __shared__ unsigned long long balance, flaws;
  const cell_layout& layout = what.layout;
  array += what.places.offset[blockIdx.y];
  outcomes += blockIdx.y * layout.cells * layout.group;
  const bool own = layout.group == 1;
  const std::size_t first = own ? std::size_t{blockIdx.x} * blockDim.x + threadIdx.x : blockIdx.x;
  const std::size_t step = own ? std::size_t{gridDim.x} * blockDim.x : gridDim.x;
  for (std::size_t cell = first; cell < layout.cells; cell += step) {
    lane_outcome all = outcomes[cell * layout.group];
    if (!own) {
      __syncthreads();
      if (threadIdx.x == 0) balance = flaws = 0;
      __syncthreads();
      for (std::size_t i = threadIdx.x; i < layout.group; i += blockDim.x) {
        const lane_outcome& lane = outcomes[cell * layout.group + i];
        atomicAdd(&balance, static_cast<unsigned long long>(lane.tally));
        atomicOr(&flaws, static_cast<unsigned long long>(lane.operand));
      }
      __syncthreads();
      if (threadIdx.x != 0) continue;
      all = {.tally = balance, .operand = flaws};
    }
    const cell_bits held = read_cell(array + cell * layout.pitch, what.shape.bytes);
    const std::uint64_t ops = what.places.ops[blockIdx.y] * layout.group;
    const cell_bits expected = last_bits(what.action, what.shape, ops, all.tally);
    if (held == expected && all.operand == 0) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = cell;
    found->held = expected.low;
    found->lane = {.tally = all.tally, .operand = held.low};
  }
}

template <unsigned Shape, class... Ops>
void append(std::vector<measurable>& rows, op_list<Ops...>) {
  static constexpr auto of_shape =
      bind_untyped<backend_of<lanes_of_shape<Shape>::template lane>>(op_list<Ops...>{});
  rows.insert(rows.end(), of_shape.begin(), of_shape.end());
}

/// Returns the rows for ops, each with lanes of its shape.
template <class... Ops> std::vector<measurable> rows_of(op_list<Ops...>) {
  std::vector<measurable> rows;
  (append<Ops::shape>(rows, op_list<Ops>{}), ...);
  return rows;
}

}  // namespace

void reset_widths(const op_info& info, const cell_layout& layout, std::byte* array,
                  const cell_places& places, cudaStream_t stream) {
  const width_check what{action_of(info), shape_of(info), layout, places};
  const dim3 grid{sweeping_blocks(layout.cells, side_block), places.count};
  reset<<<grid, side_block, 0, stream>>>(what, array);
  SM_CUDA(cudaGetLastError());
}

void check_widths(const op_info& info, const cell_layout& layout, const std::byte* array,
                  const cell_places& places, const lane_outcome* outcomes, own_outcome* found,
                  cudaStream_t stream) {
  const width_check what{action_of(info), shape_of(info), layout, places};
  const dim3 grid{sweeping_blocks(layout.cells, layout.group == 1 ? side_block : 1), places.count};
  check<<<grid, side_block, 0, stream>>>(what, array, outcomes, found);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> width_rows() {
  return rows_of(
      op_list<ops::add_f16, ops::add_f16x2, ops::add_f16x8, ops::add_bf16, ops::add_bf16x2,
              ops::add_bf16x8, ops::add_f32, ops::add_f32x2, ops::add_f32x4, ops::add_u8,
              ops::add_u16, ops::add_u32, ops::fetch_add_f16, ops::fetch_add_f16x2,
              ops::fetch_add_f16x8, ops::fetch_add_bf16, ops::fetch_add_bf16x2,
              ops::fetch_add_bf16x8, ops::fetch_add_f32, ops::fetch_add_f32x2, ops::fetch_add_f32x4,
              ops::fetch_add_u32, ops::exchange_b32, ops::exchange_b64, ops::exchange_b128,
              ops::compare_exchange_b32, ops::compare_exchange_b64, ops::compare_exchange_b128>{});
}

}  // namespace syncmeter::cuda
