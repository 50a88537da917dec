// The rounds of retrograde analysis (see core/solver/retrograde.hpp) as kernels. Positions that
// were decided in a round, and candidates, are kept in lists of slots.
#pragma once

#include "cuda/moves.cuh"

namespace ludus::cuda {

// A list of slots that threads append to.
struct List {
    std::uint32_t* slots = nullptr;
    unsigned long long* size = nullptr;

    // Threads of a warp that append together reserve their places together.
    __device__ void append(std::uint32_t slot) const {
        const unsigned active = __activemask();
        const int lane = static_cast<int>(threadIdx.x & 31);
        const int leader = __ffs(static_cast<int>(active)) - 1;
        unsigned long long base = 0;
        if (lane == leader) base = atomicAdd(size, static_cast<unsigned long long>(__popc(active)));
        base = __shfl_sync(active, base, leader);
        slots[base + static_cast<unsigned>(__popc(active & ((1u << lane) - 1)))] = slot;
    }
};

// One side to move.
struct Half {
    Value* values;
    Value* offers;
    List fresh, next, candidates;
};

__device__ inline std::uint64_t first_index() {
    return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::uint64_t index_step() { return std::uint64_t{gridDim.x} * blockDim.x; }

// Changes a value that is not known yet; whether this thread was the one to do it. All threads of
// a round write the same value, so an AND with it cannot spoil what another one wrote.
__device__ inline bool claim(Value* values, std::uint64_t slot, Value value) {
    if (values[slot] != solver::kDraw) return false;
    auto* word = reinterpret_cast<unsigned*>(values + (slot & ~std::uint64_t{3}));
    const unsigned shift = static_cast<unsigned>(slot & 3) * 8;
    const unsigned mask = ~(0xFFu << shift) | (static_cast<unsigned>(value) << shift);
    return (atomicAnd(word, mask) >> shift & 0xFF) == solver::kDraw;
}

// In odd rounds a predecessor is won; in even rounds it becomes a candidate. Whether this thread
// was the one to do it, and the slot so belongs into the round's list.
__device__ inline bool reach_back(const Half& half, std::uint64_t slot, Value depth) {
    return claim(half.values, slot, (depth & 1) != 0 ? depth : solver::kCandidate);
}

__device__ inline const List& list_of_round(const Half& half, Value depth) {
    return (depth & 1) != 0 ? half.next : half.candidates;
}

constexpr unsigned kBuffer = 4096;

// Calls work(i, append) for i below size. What is appended is gathered by the block and goes to
// the list in one piece: counters in device memory that every thread increments would be the
// bottleneck.
template <class F>
__device__ inline void gather(std::uint64_t size, const List& list, F&& work) {
    __shared__ std::uint32_t items[kBuffer];
    __shared__ unsigned count;
    __shared__ unsigned long long base;
    for (std::uint64_t start = std::uint64_t{blockIdx.x} * blockDim.x; start < size;
         start += index_step()) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const std::uint64_t i = start + threadIdx.x;
        if (i < size) {
            work(i, [&](std::uint64_t slot) {
                const unsigned place = atomicAdd(&count, 1u);
                if (place < kBuffer) {
                    items[place] = static_cast<std::uint32_t>(slot);
                } else {
                    list.append(static_cast<std::uint32_t>(slot));
                }
            });
        }
        __syncthreads();
        const unsigned found = count < kBuffer ? count : kBuffer;
        if (threadIdx.x == 0 && found > 0) base = atomicAdd(list.size, found);
        __syncthreads();
        for (unsigned k = threadIdx.x; k < found; k += blockDim.x) list.slots[base + k] = items[k];
    }
}

// Offers of all positions, and blocked ones lost where they stand; a histogram tells at which
// depths there are offers at all.
static __global__ void find_offers(Sector s, Half half, bool x_to_move, unsigned* histogram) {
    const std::uint64_t slots = std::uint64_t{s.num_rows} * s.cols;
    for (std::uint64_t slot = first_index(); slot < slots; slot += index_step()) {
        const Men men = men_at(s, static_cast<std::uint32_t>(slot));
        const Value best = s.full_board_draws
                               ? solver::kSafe
                               : solver::preferred(best_offer(s, men.x, men.y, x_to_move));
        half.offers[slot] = best;
        if (best <= solver::kDeepest) {
            if (histogram[best] == 0) histogram[best] = 1;
        } else if (best == solver::kNothing) {
            const bool is_free = x_to_move ? can_slide(s, men.x, men.y, s.x_side)
                                           : can_slide(s, men.y, men.x, s.y_side);
            if (!is_free) {
                half.values[slot] = solver::kLost;
                half.next.append(static_cast<std::uint32_t>(slot));
            }
        }
    }
}

static __global__ void join_offers(std::uint64_t slots, Half half, Value depth) {
    const auto* words = reinterpret_cast<const unsigned*>(half.offers);
    gather((slots + 3) / 4, list_of_round(half, depth), [&](std::uint64_t word, auto append) {
        const unsigned four = words[word];
        if (__vcmpeq4(four, depth * 0x01010101u) == 0) return;
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint64_t slot = word * 4 + i;
            if ((four >> (8 * i) & 0xFF) == depth && slot < slots &&
                reach_back(half, slot, depth)) {
                append(slot);
            }
        }
    });
}

// From positions with X to move: Y moved last, within the row.
static __global__ void unmove_y(Sector s, List from, Half y_half, Value depth) {
    gather(*from.size, list_of_round(y_half, depth), [&](std::uint64_t i, auto append) {
        const std::uint32_t slot = from.slots[i], row = slot / s.cols;
        const Row& r = s.rows[row];
        const Men men = men_at(s, slot);
        const std::uint64_t base = std::uint64_t{row} * s.cols;
        for_each_unslide(s, s.y_side, men.y, men.x, [&](Bits y) {
            const std::uint64_t before = base + s.tables.rank(r.squeezed(y));
            if (reach_back(y_half, before, depth)) append(before);
        });
    });
}

// From positions with Y to move: X moved last. Slots that a symmetry makes equal are all reached.
static __global__ void unmove_x(Sector s, List from, Half x_half, Value depth) {
    gather(*from.size, list_of_round(x_half, depth), [&](std::uint64_t i, auto append) {
        const Men men = men_at(s, from.slots[i]);
        for_each_unslide(s, s.x_side, men.x, men.y, [&](Bits x) {
            const std::uint32_t place = __ldg(s.tables.places + x), row = place & 0xFFFFF;
            const Row& r = s.rows[row];
            const Bits y = morris::transformed(men.y, static_cast<int>(place >> 20));
            const std::uint64_t base = std::uint64_t{row} * s.cols;
            const std::uint64_t before = base + s.tables.rank(r.squeezed(y));
            if (reach_back(x_half, before, depth)) append(before);
            for (Bits twins = r.stabiliser & ~1u; twins != 0; twins &= twins - 1) {
                const Bits twin_men = morris::transformed(y, morris::lowest(twins));
                const std::uint64_t twin = base + s.tables.rank(r.squeezed(twin_men));
                if (reach_back(x_half, twin, depth)) append(twin);
            }
        });
    });
}

// The candidates whose every move loses are lost at this depth; the others go back.
static __global__ void judge(Sector s, Half half, bool x_to_move, Value depth) {
    gather(*half.candidates.size, half.next, [&](std::uint64_t i, auto append) {
        const std::uint32_t slot = half.candidates.slots[i];
        const Value best = half.offers[slot];
        bool is_lost = best == solver::kNothing || (solver::is_loss(best) && best <= depth);
        if (is_lost) {
            const Men men = men_at(s, slot);
            if (x_to_move) {
                for_each_slide(s, s.x_side, men.x, men.y, [&](Bits x) {
                    return is_lost = solver::is_win(s.after_x.look_up(s.tables, x, men.y));
                });
            } else {
                const std::uint32_t row = slot / s.cols;
                const Value* after = s.after_y.values + std::uint64_t{row} * s.cols;
                const Row& r = s.rows[row];
                for_each_slide(s, s.y_side, men.y, men.x, [&](Bits y) {
                    return is_lost = solver::is_win(after[s.tables.rank(r.squeezed(y))]);
                });
            }
        }
        half.values[slot] = is_lost ? depth : solver::kDraw;
        if (is_lost) append(slot);
    });
}

// Where every move is irreversible the best offer is the value.
static __global__ void settle(Sector s, Value* values, bool x_to_move) {
    const std::uint64_t slots = std::uint64_t{s.num_rows} * s.cols;
    for (std::uint64_t slot = first_index(); slot < slots; slot += index_step()) {
        const Men men = men_at(s, static_cast<std::uint32_t>(slot));
        values[slot] = solver::value_of(solver::preferred(best_offer(s, men.x, men.y, x_to_move)));
    }
}

// Every value again from its successors, by the plain definition.
static __global__ void verify(Sector s, const Value* values, bool x_to_move, bool is_symmetric,
                              unsigned long long* wrong) {
    const std::uint64_t slots = std::uint64_t{s.num_rows} * s.cols;
    unsigned long long found = 0;
    for (std::uint64_t slot = first_index(); slot < slots; slot += index_step()) {
        const Men men = men_at(s, static_cast<std::uint32_t>(slot));
        int best = solver::preference(solver::kSafe);
        if (!s.full_board_draws) {
            best = best_offer(s, men.x, men.y, x_to_move);
            const Bits own = x_to_move ? men.x : men.y, other = x_to_move ? men.y : men.x;
            for_each_slide(s, x_to_move ? s.x_side : s.y_side, own, other, [&](Bits after) {
                // Of a symmetric sector only the half with X to move is kept.
                const Value v = x_to_move && !is_symmetric
                                    ? s.after_x.look_up(s.tables, after, other)
                                    : s.after_y.look_up(s.tables, other, after);
                best = max(best, solver::preference_after(v));
                return true;
            });
        }
        const Value value = solver::value_of(solver::preferred(best));
        found += value == values[slot] ? 0 : 1;
    }
    if (found > 0) atomicAdd(wrong, found);
}

// How often each value occurs, counted once per class of symmetric positions.
static __global__ void count_values(Sector s, const Value* values, unsigned long long* histogram) {
    __shared__ unsigned long long part[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) part[i] = 0;
    __syncthreads();
    const std::uint64_t slots = std::uint64_t{s.num_rows} * s.cols;
    for (std::uint64_t slot = first_index(); slot < slots; slot += index_step()) {
        const Row& r = s.rows[static_cast<std::uint32_t>(slot) / s.cols];
        bool stands = true;
        if (r.stabiliser != 1) {
            const Men men = men_at(s, static_cast<std::uint32_t>(slot));
            const Bits own = r.squeezed(men.y);
            for (Bits twins = r.stabiliser & ~1u; twins != 0 && stands; twins &= twins - 1) {
                stands = r.squeezed(morris::transformed(men.y, morris::lowest(twins))) >= own;
            }
        }
        if (stands) atomicAdd(part + values[slot], 1ull);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        if (part[i] > 0) atomicAdd(histogram + i, part[i]);
    }
}

}  // namespace ludus::cuda
