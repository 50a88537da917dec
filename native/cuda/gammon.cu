// Boards after moves for networks in training, with plain C entry points loaded through ctypes:
// moves are listed on all cores of the CPU, inputs are computed on the GPU.
//
// Without nvcc the same file compiles as C++, and inputs are computed in a loop: so it is tested
// where there is no GPU. A function that fails returns a negative number.
#include <algorithm>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#include "backgammon/one_sided_bearoff.hpp"
#include "backgammon/two_sided_bearoff.hpp"
#include "gammon/afterstate_inputs.hpp"
#include "gammon/expansion.hpp"

namespace ludus::gammon::device {

#ifdef __CUDACC__
using Input = __half;

__global__ void write_all_inputs(std::int64_t count, const std::int8_t* boards, Input* into,
                                 const std::uint8_t* escape_rolls) {
    const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (index < count) {
        write_inputs(boards + index * 52, into + index * kAfterstateInputs, escape_rolls);
    }
}

// The table in the GPU's memory; nullptr on failure.
inline const std::uint8_t* escape_rolls() {
    static const std::uint8_t* const table = [] {
        const EscapeTable made;
        void* memory = nullptr;
        if (cudaMalloc(&memory, EscapeTable::kSize) != cudaSuccess ||
            cudaMemcpy(memory, made.data(), EscapeTable::kSize, cudaMemcpyHostToDevice) !=
                cudaSuccess) {
            memory = nullptr;
        }
        return static_cast<const std::uint8_t*>(memory);
    }();
    return table;
}
#else
using Input = float;

inline const std::uint8_t* escape_rolls() {
    static const EscapeTable table;
    return table.data();
}
#endif

}  // namespace ludus::gammon::device

using namespace ludus::gammon;
using namespace ludus::gammon::device;

extern "C" {

// The number of inputs, and of bytes of each.
int ludus_gammon_inputs() { return kAfterstateInputs; }
int ludus_gammon_input_bytes() { return static_cast<int>(sizeof(Input)); }

// Inputs of boards after moves; both in the GPU's memory, where there is one, and on this stream.
int ludus_gammon_encode(const std::int8_t* boards, std::int64_t count, Input* into,
                        [[maybe_unused]] void* stream) {
    const std::uint8_t* table = escape_rolls();
    if (table == nullptr) return -1;
    if (count == 0) return 0;
#ifdef __CUDACC__
    constexpr unsigned kThreads = 128;
    const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    write_all_inputs<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(count, boards,
                                                                                 into, table);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
#else
    for (std::int64_t i = 0; i < count; ++i) {
        write_inputs(boards + i * 52, into + i * kAfterstateInputs, table);
    }
    return 0;
#endif
}

// Lists the boards after every move of positions, as the mover sees them, with one roll each or,
// where `dice` is nullptr, all 21 rolls. offsets[i] is the first board of the i-th position and
// roll. Returns the number of boards; what does not fit into `capacity` is not written.
std::int64_t ludus_gammon_expand(const std::int8_t* positions, const std::int8_t* dice,
                                 std::int64_t count, std::int8_t* into, std::int64_t capacity,
                                 std::int64_t* offsets, int threads) {
    Expansion found(positions, dice, static_cast<std::size_t>(count), threads);
    std::copy(found.offsets().begin(), found.offsets().end(), offsets);
    const std::int64_t total = found.offsets().back();
    if (total <= capacity) found.copy_rows(into);
    return total;
}

// The numbers of rolls until all of 15 men are off, and until the first one is, as rows of `width`
// probabilities, by the number of the men on points 1 to 6.
void ludus_gammon_one_sided(double* all, double* first, int width, int threads) {
    ludus::backgammon::OneSidedBearoff solver(ludus::backgammon::kMaxMen, ludus::backgammon::kHome,
                                              width);
    solver.solve(threads);
    solver.all().spread(static_cast<std::size_t>(width), all);
    solver.first().spread(static_cast<std::size_t>(width), first);
}

// Exact equities of the side to move, cubeless, where both sides bear off at most this number of
// men.
void ludus_gammon_two_sided(float* equities, int men, int threads) {
    ludus::backgammon::TwoSidedBearoff solver(men, ludus::backgammon::kHome, false);
    solver.solve(threads);
    std::copy_n(solver.equities().begin(), std::size_t{solver.size()} * solver.size(), equities);
}

}  // extern "C"
