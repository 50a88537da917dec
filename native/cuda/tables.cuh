// What every kernel needs to know about sets of points, in device memory: the class of each set,
// the rows of each number of men, and the numbers of column sets.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "solver/orbits.hpp"
#include "solver/sector.hpp"
#include "solver/sides.hpp"
#include "solver/subsets.hpp"

namespace ludus::cuda {

using morris::Bits;
using morris::kAll;
using solver::Value;

inline void check(cudaError_t status) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
    }
}

// An array in device memory.
template <class T>
class Array {
public:
    Array() = default;
    explicit Array(std::size_t size) : size_(size) {
        if (size > 0) check(cudaMalloc(&data_, size * sizeof(T)));
    }
    explicit Array(const std::vector<T>& host) : Array(host.size()) {
        check(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    Array(Array&& other) noexcept { swap(other); }
    Array& operator=(Array&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Array() { cudaFree(data_); }

    T* get() const { return data_; }
    std::size_t size() const { return size_; }
    bool is_empty() const { return size_ == 0; }

private:
    void swap(Array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// A row's set of X, and how the points it leaves free are pushed together: four steps suffice,
// since no member moves by more places than X has men.
struct Row {
    Bits x = 0;
    Bits steps[4] = {};
    Bits stabiliser = 1;

    __device__ Bits squeezed(Bits set) const {
        for (int i = 0; i < 4; ++i) {
            const Bits moved = set & steps[i];
            set = (set ^ moved) | (moved >> (1 << i));
        }
        return set;
    }
    __device__ Bits spread(Bits set) const {
        for (int i = 3; i >= 0; --i) {
            set = (set & ~steps[i]) | ((set << (1 << i)) & steps[i]);
        }
        return set & kAll & ~x;
    }
};

// After Hacker's Delight, section 7-4: which bits move by 1, 2, 4 and 8 places.
inline Row make_row(Bits x, Bits stabiliser) {
    Row row;
    row.x = x;
    row.stabiliser = stabiliser;
    Bits mask = kAll & ~x, gaps = ~mask << 1;
    for (int i = 0; i < 4; ++i) {
        Bits prefix = gaps;
        for (int shift = 1; shift < 32; shift <<= 1) prefix ^= prefix << shift;
        const Bits moves = prefix & mask;
        row.steps[i] = moves;
        mask = (mask ^ moves) | (moves >> (1 << i));
        gaps &= ~prefix;
    }
    return row;
}

// Pointers into device memory, handed to kernels by value.
struct Tables {
    const std::uint32_t* places;              // set to orbit and symmetry, as solver::Place packs it
    const Row* rows[morris::kPoints + 1];     // by number of men
    const std::uint32_t* low;                 // numbers of sets, see solver::RankTable
    const std::uint32_t* high;

    __device__ std::uint32_t rank(Bits set) const {
        constexpr Bits kLow = (Bits{1} << solver::kLowBits) - 1;
        const Bits lower = set & kLow;
        return __ldg(low + lower) +
               __ldg(high + (morris::count(lower) << solver::kLowBits) + (set >> solver::kLowBits));
    }
};

class DeviceTables {
public:
    DeviceTables(const solver::Orbits& orbits, int max_men) {
        std::vector<std::uint32_t> places(std::size_t{1} << morris::kPoints);
        for (Bits set = 0; set < places.size(); ++set) places[set] = orbits.place(set).packed;
        places_ = Array<std::uint32_t>(places);
        tables_.places = places_.get();
        rows_.resize(static_cast<std::size_t>(morris::kPoints) + 1);
        for (int men = 0; men <= max_men; ++men) {
            std::vector<Row> rows;
            for (std::size_t i = 0; i < orbits.representatives(men).size(); ++i) {
                rows.push_back(make_row(orbits.representatives(men)[i], orbits.stabilisers(men)[i]));
            }
            const auto index = static_cast<std::size_t>(men);
            rows_[index] = Array<Row>(rows);
            tables_.rows[index] = rows_[index].get();
        }
        const solver::RankTable& ranks = solver::rank_table();
        low_ = Array<std::uint32_t>(std::vector<std::uint32_t>(ranks.low.begin(), ranks.low.end()));
        std::vector<std::uint32_t> high;
        for (const auto& part : ranks.high) high.insert(high.end(), part.begin(), part.end());
        high_ = Array<std::uint32_t>(high);
        tables_.low = low_.get();
        tables_.high = high_.get();
    }

    const Tables& get() const { return tables_; }

private:
    Tables tables_{};
    Array<std::uint32_t> places_, low_, high_;
    std::vector<Array<Row>> rows_;
};

}  // namespace ludus::cuda
