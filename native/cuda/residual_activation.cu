// What a residual network does between two matrix products, on a GPU, in one pass over memory (see
// learn/nnmm/fused_residual.py): it adds a bias and, at the end of a block, the block's input, then
// applies ReLU and dropout. Batch normalisation takes a pass more each way. A thread works on four
// neighbouring columns of one row.
//
// Arrays are (networks, rows, columns) in bfloat16; biases are (networks, columns) in single
// precision. Dropout is not stored: its random numbers are a hash of a seed, the layer and the
// place, and where a unit was dropped or not positive its result is zero, which is all that the
// backward pass needs to know. That pass also adds up rows, for the gradient of the bias.
// Everything runs on the caller's stream.
#include <cuda_bf16.h>

#include <cstdint>

namespace ludus::residual {

constexpr int kThreads = 256;
constexpr int kColumnsPerThread = 4;
constexpr int kRowsPerBlock = 64;

struct Shape {
    int networks;
    int rows;
    int columns;  // divisible by kColumnsPerThread, at most kThreads * kColumnsPerThread
};

// Four neighbouring columns in memory.
struct alignas(8) Quad {
    __nv_bfloat162 first, second;
};

__device__ inline float4 to_float4(Quad quad) {
    const float2 first = __bfloat1622float2(quad.first);
    const float2 second = __bfloat1622float2(quad.second);
    return {first.x, first.y, second.x, second.y};
}

__device__ inline Quad to_quad(float4 values) {
    return {__float22bfloat162_rn({values.x, values.y}),
            __float22bfloat162_rn({values.z, values.w})};
}

__device__ inline float4 add(float4 a, float4 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__device__ inline float4 multiply(float4 a, float4 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}

// A bijection of 32-bit numbers whose outputs look random (lowbias32, Wellons 2018).
__device__ inline uint32_t mix(uint32_t number) {
    number ^= number >> 16;
    number *= 0x7feb352dU;
    number ^= number >> 15;
    number *= 0x846ca68bU;
    number ^= number >> 16;
    return number;
}

__device__ inline float drop(float value, uint32_t random, uint32_t limit, float scale) {
    return random < limit ? fmaxf(value, 0.0f) * scale : 0.0f;
}

// `scale`, `skip` and `sum` may be null: nothing is multiplied or added, and the values before ReLU
// are not stored.
__global__ void forward(Shape shape, const Quad* input, const float4* scale, const float4* bias,
                        const Quad* skip, const float* kept, const int64_t* seed, uint32_t layer,
                        Quad* sum, Quad* result) {
    const uint32_t quads = shape.columns / kColumnsPerThread;
    const size_t place = size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (place >= size_t(shape.networks) * shape.rows * quads) return;
    const size_t network = place / quads / shape.rows;
    const size_t column = network * quads + place % quads;
    float4 values = to_float4(input[place]);
    if (scale != nullptr) values = multiply(values, scale[column]);
    values = add(values, bias[column]);
    if (skip != nullptr) values = add(values, to_float4(skip[place]));
    if (sum != nullptr) sum[place] = to_quad(values);
    const float proportion = kept[network];
    const uint32_t limit = static_cast<uint32_t>(proportion * 65536.0f);
    const float factor = 1.0f / proportion;
    const uint32_t start = mix(static_cast<uint32_t>(*seed) ^ mix(layer + 1));
    const uint32_t counter = 2 * static_cast<uint32_t>(place);
    const uint32_t first = mix(start + counter), second = mix(start + counter + 1);
    result[place] = to_quad({drop(values.x, first & 0xffffU, limit, factor),
                             drop(values.y, first >> 16, limit, factor),
                             drop(values.z, second & 0xffffU, limit, factor),
                             drop(values.w, second >> 16, limit, factor)});
}

// The gradient before ReLU and dropout.
__device__ inline float4 get_gradient(Quad result, Quad result_gradient, float scale) {
    const float4 units = to_float4(result), given = to_float4(result_gradient);
    return {units.x > 0.0f ? given.x * scale : 0.0f, units.y > 0.0f ? given.y * scale : 0.0f,
            units.z > 0.0f ? given.z * scale : 0.0f, units.w > 0.0f ? given.w * scale : 0.0f};
}

// The gradient of all that was added; `sum_gradient` may be null. A block of threads works on some
// rows of one network, and also returns the sums of its rows, (networks, blocks, columns): to add
// up later what a bias gets, without reading everything again.
__global__ void backward(Shape shape, const Quad* result, const Quad* result_gradient,
                         const Quad* sum_gradient, const float* kept, Quad* gradient,
                         float4* row_sums) {
    __shared__ float4 sums[kThreads];
    const int quads = blockDim.x;
    const float scale = 1.0f / kept[blockIdx.y];
    const int end = min(shape.rows, int(blockIdx.x + 1) * kRowsPerBlock);
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int row = blockIdx.x * kRowsPerBlock + threadIdx.y; row < end; row += blockDim.y) {
        const size_t place = (size_t(blockIdx.y) * shape.rows + row) * quads + threadIdx.x;
        float4 found = get_gradient(result[place], result_gradient[place], scale);
        if (sum_gradient != nullptr) found = add(found, to_float4(sum_gradient[place]));
        gradient[place] = to_quad(found);
        sum = add(sum, found);
    }
    sums[threadIdx.y * quads + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0) return;
    for (int other = 1; other < blockDim.y; ++other) {
        sum = add(sum, sums[other * quads + threadIdx.x]);
    }
    row_sums[(size_t(blockIdx.y) * gridDim.x + blockIdx.x) * quads + threadIdx.x] = sum;
}

// What a norm needs to know of its columns, as sums over the rows of a block of threads, (networks,
// blocks, 2, columns): of the inputs and their squares; or, if gradients of the results are given,
// of the gradients before ReLU and of their products with the inputs.
__global__ void sum_columns(Shape shape, const Quad* input, const Quad* result,
                            const Quad* result_gradient, const float* kept, float4* row_sums) {
    __shared__ float4 first_sums[kThreads], second_sums[kThreads];
    const int quads = blockDim.x;
    const float scale = 1.0f / kept[blockIdx.y];
    const int end = min(shape.rows, int(blockIdx.x + 1) * kRowsPerBlock);
    float4 first = {0.0f, 0.0f, 0.0f, 0.0f}, second = first;
    for (int row = blockIdx.x * kRowsPerBlock + threadIdx.y; row < end; row += blockDim.y) {
        const size_t place = (size_t(blockIdx.y) * shape.rows + row) * quads + threadIdx.x;
        const float4 values = to_float4(input[place]);
        const float4 other = result_gradient == nullptr
                                 ? values
                                 : get_gradient(result[place], result_gradient[place], scale);
        first = add(first, other);
        second = add(second, multiply(other, values));
    }
    const int thread = threadIdx.y * quads + threadIdx.x;
    first_sums[thread] = first;
    second_sums[thread] = second;
    __syncthreads();
    if (threadIdx.y != 0) return;
    for (int other = 1; other < blockDim.y; ++other) {
        first = add(first, first_sums[other * quads + threadIdx.x]);
        second = add(second, second_sums[other * quads + threadIdx.x]);
    }
    const size_t block = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
    row_sums[2 * block * quads + threadIdx.x] = first;
    row_sums[(2 * block + 1) * quads + threadIdx.x] = second;
}

// The gradient of a norm's inputs: a * gradient before ReLU + b * input + c, by column.
__global__ void norm_backward(Shape shape, const Quad* input, const Quad* result,
                              const Quad* result_gradient, const float* kept, const float4* a,
                              const float4* b, const float4* c, Quad* gradient) {
    const uint32_t quads = shape.columns / kColumnsPerThread;
    const size_t place = size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (place >= size_t(shape.networks) * shape.rows * quads) return;
    const size_t network = place / quads / shape.rows;
    const size_t column = network * quads + place % quads;
    const float4 given = get_gradient(result[place], result_gradient[place], 1.0f / kept[network]);
    const float4 values = to_float4(input[place]);
    gradient[place] =
        to_quad(add(multiply(a[column], given), add(multiply(b[column], values), c[column])));
}

unsigned count_blocks(const Shape& shape) {
    const size_t threads =
        size_t(shape.networks) * shape.rows * (shape.columns / kColumnsPerThread);
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace ludus::residual

// Plain C entry points, loaded through ctypes. They return 0, or the number of a CUDA error.
using namespace ludus::residual;

extern "C" {

int ludus_residual_forward(const Shape* shape, void* stream, const void* input, const void* scale,
                           const void* bias, const void* skip, const void* kept, const void* seed,
                           uint32_t layer, void* sum, void* result) {
    const unsigned blocks = count_blocks(*shape);
    if (blocks == 0) return 0;
    forward<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
        *shape, static_cast<const Quad*>(input), static_cast<const float4*>(scale),
        static_cast<const float4*>(bias), static_cast<const Quad*>(skip),
        static_cast<const float*>(kept), static_cast<const int64_t*>(seed), layer,
        static_cast<Quad*>(sum), static_cast<Quad*>(result));
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_backward(const Shape* shape, void* stream, const void* result,
                            const void* result_gradient, const void* sum_gradient, const void* kept,
                            void* gradient, void* row_sums) {
    const int quads = shape->columns / kColumnsPerThread;
    if (shape->networks == 0 || shape->rows == 0) return 0;
    const dim3 blocks((shape->rows + kRowsPerBlock - 1) / kRowsPerBlock, shape->networks);
    const dim3 threads(quads, kThreads / quads);
    backward<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(
        *shape, static_cast<const Quad*>(result), static_cast<const Quad*>(result_gradient),
        static_cast<const Quad*>(sum_gradient), static_cast<const float*>(kept),
        static_cast<Quad*>(gradient), static_cast<float4*>(row_sums));
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_sum_columns(const Shape* shape, void* stream, const void* input,
                               const void* result, const void* result_gradient, const void* kept,
                               void* row_sums) {
    const int quads = shape->columns / kColumnsPerThread;
    if (shape->networks == 0 || shape->rows == 0) return 0;
    const dim3 blocks((shape->rows + kRowsPerBlock - 1) / kRowsPerBlock, shape->networks);
    const dim3 threads(quads, kThreads / quads);
    sum_columns<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(
        *shape, static_cast<const Quad*>(input), static_cast<const Quad*>(result),
        static_cast<const Quad*>(result_gradient), static_cast<const float*>(kept),
        static_cast<float4*>(row_sums));
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_norm_backward(const Shape* shape, void* stream, const void* input,
                                 const void* result, const void* result_gradient, const void* kept,
                                 const void* a, const void* b, const void* c, void* gradient) {
    const unsigned blocks = count_blocks(*shape);
    if (blocks == 0) return 0;
    norm_backward<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
        *shape, static_cast<const Quad*>(input), static_cast<const Quad*>(result),
        static_cast<const Quad*>(result_gradient), static_cast<const float*>(kept),
        static_cast<const float4*>(a), static_cast<const float4*>(b), static_cast<const float4*>(c),
        static_cast<Quad*>(gradient));
    return static_cast<int>(cudaGetLastError());
}
}
