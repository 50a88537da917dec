// Arrays in the memory of a GPU, and kernels that call a function for each index. Without nvcc the
// arrays are in the memory of the machine and loops replace the kernels, so that a library can be
// tested where there is no GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace ludus::device {

#ifdef __CUDACC__

inline void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <typename Work>
__global__ void run_all(std::uint64_t count, Work work) {
    const std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (index < count) work(index);
}

template <typename Work>
void for_each(std::uint64_t count, const Work& work) {
    constexpr unsigned kThreads = 128;
    if (count == 0) return;
    run_all<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads>>>(count, work);
    check(cudaGetLastError());
}

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(std::uint64_t size = 0) { resize(size); }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    // New elements are 0; the old ones are lost.
    void resize(std::uint64_t size) {
        check(cudaFree(data_));
        data_ = nullptr;
        size_ = size;
        if (size == 0) return;
        check(cudaMalloc(&data_, size * sizeof(T)));
        check(cudaMemset(data_, 0, size * sizeof(T)));
    }
    void copy_from(const DeviceArray& other) {
        check(cudaMemcpy(data_, other.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice));
    }
    void read(T* into, std::uint64_t count) const {
        check(cudaMemcpy(into, data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    void write(const T* from, std::uint64_t count) {
        check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    T* data() const { return data_; }
    std::uint64_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::uint64_t size_ = 0;
};

#else

template <typename Work>
void for_each(std::uint64_t count, const Work& work) {
    for (std::uint64_t index = 0; index < count; ++index) work(index);
}

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(std::uint64_t size = 0) : values_(size) {}
    explicit DeviceArray(const std::vector<T>& values) : values_(values) {}

    void resize(std::uint64_t size) { values_.assign(size, T{}); }
    void copy_from(const DeviceArray& other) { values_ = other.values_; }
    void read(T* into, std::uint64_t count) const { std::copy_n(values_.data(), count, into); }
    void write(const T* from, std::uint64_t count) { std::copy_n(from, count, values_.data()); }
    T* data() const { return const_cast<T*>(values_.data()); }
    std::uint64_t size() const { return values_.size(); }

private:
    std::vector<T> values_;
};

#endif

}  // namespace ludus::device
