// Examples from the solved game while its tables lie in the GPU's memory: the functions of
// core/sampling, one thread for each position. All columns are device memory of the caller, and
// everything runs on the caller's stream.
#pragma once

#include "cuda/solver.cuh"
#include "sampling/children.hpp"
#include "sampling/directory.hpp"
#include "sampling/plies.hpp"
#include "sampling/random_positions.hpp"

namespace ludus::cuda {

using sampling::Directory;
using sampling::Kinds;
using sampling::Plies;
using sampling::Positions;
using sampling::Rows;

static __global__ void label_all(Directory directory, Positions positions, std::uint64_t size,
                                 Value* values) {
    for (std::uint64_t i = first_index(); i < size; i += index_step()) {
        values[i] = directory.value(positions.get(i));
    }
}

static __global__ void expand_all(Rules rules, Positions positions, std::uint64_t size, Rows rows,
                                  std::uint64_t seed) {
    for (std::uint64_t i = first_index(); i < size; i += index_step()) {
        sampling::expand(rules, positions, rows, seed, i);
    }
}

// One thread for each place of the rows: the lookup takes most of the time.
static __global__ void label_rows(Directory directory, Rows rows, std::uint64_t size,
                                  Value* values) {
    const std::uint64_t places = size * rows.length;
    for (std::uint64_t at = first_index(); at < places; at += index_step()) {
        const std::uint64_t i = at / rows.length;
        if (at - i * rows.length >= rows.num_shown(i)) continue;
        values[at] = directory.value(rows.child.get(at));
    }
}

static __global__ void draw_all(Rules rules, Kinds kinds, std::uint64_t seed, std::uint64_t size,
                                Positions positions) {
    for (std::uint64_t i = first_index(); i < size; i += index_step()) {
        positions.put(i, sampling::draw(rules, kinds, seed, i));
    }
}

static __global__ void advance_all(Rules rules, Plies plies, std::uint64_t seed,
                                   std::uint64_t size) {
    for (std::uint64_t i = first_index(); i < size; i += index_step()) {
        sampling::advance(rules, plies, seed, i);
    }
}

inline unsigned blocks_for(std::uint64_t threads) {
    const std::uint64_t blocks = (threads + kThreads - 1) / kThreads;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, 1u << 20));
}

inline void label(Solver& solver, cudaStream_t stream, std::uint64_t size, Positions positions,
                  Value* values) {
    label_all<<<blocks_for(size), kThreads, 0, stream>>>(solver.directory(), positions, size,
                                                         values);
    check(cudaGetLastError());
}

// Places without a move get the empty board and no value.
inline void children(Solver& solver, cudaStream_t stream, std::uint64_t size, Positions positions,
                     Rows rows, std::uint64_t seed, Value* values) {
    const std::uint64_t places = size * rows.length;
    check(cudaMemsetAsync(rows.child.own, 0, places * sizeof(Bits), stream));
    check(cudaMemsetAsync(rows.child.other, 0, places * sizeof(Bits), stream));
    check(cudaMemsetAsync(rows.child.own_hand, 0, places, stream));
    check(cudaMemsetAsync(rows.child.other_hand, 0, places, stream));
    check(cudaMemsetAsync(rows.move, 0, places * sizeof(std::uint32_t), stream));
    check(cudaMemsetAsync(values, sampling::kNoValue, places, stream));
    const Directory directory = solver.directory();
    expand_all<<<blocks_for(size), kThreads, 0, stream>>>(directory.rules, positions, size, rows,
                                                          seed);
    label_rows<<<blocks_for(places), kThreads, 0, stream>>>(directory, rows, size, values);
    check(cudaGetLastError());
}

inline void draw(Solver& solver, cudaStream_t stream, std::uint64_t size, Kinds kinds,
                 std::uint64_t seed, Positions positions) {
    draw_all<<<blocks_for(size), kThreads, 0, stream>>>(solver.rules(), kinds, seed, size,
                                                        positions);
    check(cudaGetLastError());
}

inline void advance(Solver& solver, cudaStream_t stream, std::uint64_t size, const Plies& plies,
                    std::uint64_t seed) {
    advance_all<<<blocks_for(size), kThreads, 0, stream>>>(solver.rules(), plies, seed, size);
    check(cudaGetLastError());
}

}  // namespace ludus::cuda
