// Runs CUDA kernels on a CPU, for tests: included before a .cu file whose launches are calls of
// `emulate`. The blocks of a grid run one after another, the threads of a block as threads of the
// operating system, so that `__shared__` variables and `__syncthreads` work. Only what our kernels
// use is here.
#pragma once

#include <algorithm>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__ static

using cudaStream_t = void*;
using std::min;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

struct float2 {
    float x, y;
};

// Rounded to eight bits, to the nearest and if tied to the even one, as __float22bfloat162_rn does.
inline float round_to_bfloat16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7fffU + (bits >> 16 & 1)) & 0xffff0000U);
}

struct __nv_bfloat162 {
    uint16_t x, y;
};

inline __nv_bfloat162 __float22bfloat162_rn(float2 pair) {
    const auto convert = [](float value) {
        return static_cast<uint16_t>(std::bit_cast<uint32_t>(round_to_bfloat16(value)) >> 16);
    };
    return {convert(pair.x), convert(pair.y)};
}

inline float2 __bfloat1622float2(__nv_bfloat162 pair) {
    return {std::bit_cast<float>(uint32_t(pair.x) << 16),
            std::bit_cast<float>(uint32_t(pair.y) << 16)};
}

struct __nv_bfloat16 {
    uint16_t bits;
};

inline __nv_bfloat16 __float2bfloat16(float value) {
    return {static_cast<uint16_t>(std::bit_cast<uint32_t>(round_to_bfloat16(value)) >> 16)};
}

inline int __popc(unsigned bits) { return std::popcount(bits); }

inline float rsqrtf(float value) { return 1.0f / std::sqrt(value); }

inline int cudaGetLastError() { return 0; }

inline dim3 gridDim, blockDim, blockIdx;
inline thread_local dim3 threadIdx;
inline std::unique_ptr<std::barrier<>> block_barrier;

inline void __syncthreads() { block_barrier->arrive_and_wait(); }

template <class Kernel>
auto emulate(Kernel kernel, dim3 blocks, dim3 threads) {
    return [=](auto... arguments) {
        gridDim = blocks;
        blockDim = threads;
        const unsigned count = threads.x * threads.y * threads.z;
        for (unsigned block = 0; block < blocks.x * blocks.y * blocks.z; ++block) {
            blockIdx = {block % blocks.x, block / blocks.x % blocks.y, block / blocks.x / blocks.y};
            block_barrier = std::make_unique<std::barrier<>>(count);
            std::vector<std::jthread> running;
            for (unsigned number = 0; number < count; ++number) {
                running.emplace_back([=] {
                    threadIdx = {number % threads.x, number / threads.x % threads.y,
                                 number / threads.x / threads.y};
                    kernel(arguments...);
                    block_barrier->arrive_and_drop();  // threads that end do not hold up others
                });
            }
        }
    };
}
