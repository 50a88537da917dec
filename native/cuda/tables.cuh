// What every kernel needs to know about sets of points (see solver/flat.hpp), in device memory.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "solver/flat.hpp"
#include "solver/orbits.hpp"
#include "solver/sector.hpp"
#include "solver/sides.hpp"

namespace ludus::cuda {

using morris::Bits;
using morris::kAll;
using solver::FlatTables;
using solver::Row;
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

class DeviceTables {
public:
    DeviceTables(const solver::Orbits& orbits, int max_men) {
        const solver::FlatVectors host(orbits, max_men);
        places_ = Array<std::uint32_t>(host.places);
        low_ = Array<std::uint32_t>(host.low);
        high_ = Array<std::uint32_t>(host.high);
        tables_.places = places_.get();
        tables_.low = low_.get();
        tables_.high = high_.get();
        for (std::size_t men = 0; men < host.rows.size(); ++men) {
            rows_.emplace_back(host.rows[men]);
            tables_.rows[men] = rows_.back().get();
        }
    }

    const FlatTables& get() const { return tables_; }

private:
    FlatTables tables_{};
    Array<std::uint32_t> places_, low_, high_;
    std::vector<Array<Row>> rows_;
};

}  // namespace ludus::cuda
