// What a residual network does between two matrix products, on a GPU, in one pass over memory (see
// fused_residual.py): it adds a bias and, at the end of a block, the block's input, then
// applies ReLU and dropout. Batch normalisation takes a pass more each way. A thread works on eight
// neighbouring columns of one row, 16 bytes.
//
// Arrays are (networks, rows, columns) in bfloat16; what belongs to columns is (networks, columns)
// in single precision. Dropout is not stored: its random numbers are a hash of a seed, the layer
// and the place, and where a unit was dropped or not positive its result is zero, which is all that
// the backward pass needs to know. Sums over rows are made in two steps, without atomic additions,
// so that they are the same in every run. Results may overwrite inputs of the same shape.
// Everything runs on the caller's stream.
#include <cuda_bf16.h>

#include <cstdint>

namespace ludus::residual {

constexpr int kThreads = 256;
constexpr int kColumnsPerThread = 8;
constexpr int kRowsPerBlock = 64;
constexpr float kNormEpsilon = 1e-5f;
constexpr float kNormMomentum = 0.1f;

struct Shape {
    int networks;
    int rows;
    int columns;  // divisible by kColumnsPerThread, at most kThreads * kColumnsPerThread
};

// Neighbouring columns in memory.
struct alignas(16) Octet {
    __nv_bfloat162 pairs[kColumnsPerThread / 2];
};

// Neighbouring columns in single precision.
struct alignas(16) Columns {
    float at[kColumnsPerThread];
};

__device__ inline Columns to_columns(Octet octet) {
    Columns result;
#pragma unroll
    for (int pair = 0; pair < kColumnsPerThread / 2; ++pair) {
        const float2 both = __bfloat1622float2(octet.pairs[pair]);
        result.at[2 * pair] = both.x;
        result.at[2 * pair + 1] = both.y;
    }
    return result;
}

__device__ inline Octet to_octet(const Columns& columns) {
    Octet result;
#pragma unroll
    for (int pair = 0; pair < kColumnsPerThread / 2; ++pair) {
        result.pairs[pair] =
            __float22bfloat162_rn({columns.at[2 * pair], columns.at[2 * pair + 1]});
    }
    return result;
}

template <typename Function>
__device__ inline void for_columns(Function function) {
#pragma unroll
    for (int column = 0; column < kColumnsPerThread; ++column) function(column);
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

// `scale`, `skip`, `sum` and `result` may be null: nothing is multiplied or added, and the values
// before ReLU, or those after it, are not stored.
__global__ void forward(Shape shape, const Octet* input, const Columns* scale, const Columns* bias,
                        const Octet* skip, const float* kept, const int64_t* seed, uint32_t layer,
                        Octet* sum, Octet* result) {
    const uint32_t octets = shape.columns / kColumnsPerThread;
    const size_t place = size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (place >= size_t(shape.networks) * shape.rows * octets) return;
    const size_t network = place / octets / shape.rows;
    const size_t column = network * octets + place % octets;
    Columns values = to_columns(input[place]);
    if (scale != nullptr) {
        const Columns factors = scale[column];
        for_columns([&](int each) { values.at[each] *= factors.at[each]; });
    }
    const Columns added = bias[column];
    for_columns([&](int each) { values.at[each] += added.at[each]; });
    if (skip != nullptr) {
        const Columns before = to_columns(skip[place]);
        for_columns([&](int each) { values.at[each] += before.at[each]; });
    }
    if (sum != nullptr) sum[place] = to_octet(values);
    if (result == nullptr) return;
    const float proportion = kept[network];
    const uint32_t limit = static_cast<uint32_t>(proportion * 65536.0f);
    const float factor = 1.0f / proportion;
    for_columns([&](int each) { values.at[each] = fmaxf(values.at[each], 0.0f) * factor; });
    if (limit < 65536) {
        const uint32_t start = mix(static_cast<uint32_t>(*seed) ^ mix(layer + 1));
        const uint32_t counter = start + kColumnsPerThread / 2 * static_cast<uint32_t>(place);
#pragma unroll
        for (int pair = 0; pair < kColumnsPerThread / 2; ++pair) {
            const uint32_t random = mix(counter + pair);
            if ((random & 0xffffU) >= limit) values.at[2 * pair] = 0.0f;
            if (random >> 16 >= limit) values.at[2 * pair + 1] = 0.0f;
        }
    }
    result[place] = to_octet(values);
}

// The gradient before ReLU and dropout.
__device__ inline Columns get_gradient(Octet result, Octet result_gradient, float scale) {
    const Columns units = to_columns(result);
    Columns given = to_columns(result_gradient);
    for_columns(
        [&](int each) { given.at[each] = units.at[each] > 0.0f ? given.at[each] * scale : 0.0f; });
    return given;
}

// The rows that a block of threads works on. Blocks are (columns / 8, rows at a time).
struct RowRange {
    int first, end;
    __device__ explicit RowRange(const Shape& shape)
        : first(blockIdx.x * kRowsPerBlock + threadIdx.y),
          end(min(shape.rows, int(blockIdx.x + 1) * kRowsPerBlock)) {}
};

__device__ inline size_t find_place(const Shape& shape, int row) {
    return (size_t(blockIdx.y) * shape.rows + row) * blockDim.x + threadIdx.x;
}

// Adds up what all rows of a block of threads have, and stores it in row_sums, (networks, blocks,
// parts, columns).
__device__ inline void store_sum(const Columns& own, int part, int parts, Columns* row_sums) {
    __shared__ Columns sums[kThreads];
    __syncthreads();
    sums[threadIdx.y * blockDim.x + threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.y != 0) return;
    Columns sum = own;
    for (int other = 1; other < blockDim.y; ++other) {
        const Columns more = sums[other * blockDim.x + threadIdx.x];
        for_columns([&](int each) { sum.at[each] += more.at[each]; });
    }
    const size_t block = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
    row_sums[(block * parts + part) * blockDim.x + threadIdx.x] = sum;
}

// The gradient of all that was added; `sum_gradient` may be null. Sums of rows are what a bias
// gets.
__global__ void backward(Shape shape, const Octet* result, const Octet* result_gradient,
                         const Octet* sum_gradient, const float* kept, Octet* gradient,
                         Columns* row_sums) {
    const float scale = 1.0f / kept[blockIdx.y];
    const RowRange rows(shape);
    Columns sum = {};
    for (int row = rows.first; row < rows.end; row += blockDim.y) {
        const size_t place = find_place(shape, row);
        Columns found = get_gradient(result[place], result_gradient[place], scale);
        if (sum_gradient != nullptr) {
            const Columns more = to_columns(sum_gradient[place]);
            for_columns([&](int each) { found.at[each] += more.at[each]; });
        }
        gradient[place] = to_octet(found);
        for_columns([&](int each) { sum.at[each] += found.at[each]; });
    }
    store_sum(sum, 0, 1, row_sums);
}

// Adds a bias and a skip connection, which may be null together with `sum`, and returns the sums of
// the rows and of their squares, for a norm.
__global__ void sum_inputs(Shape shape, const Octet* input, const Columns* bias, const Octet* skip,
                           Octet* sum, Columns* row_sums) {
    const RowRange rows(shape);
    Columns first = {}, second = {}, added = {};
    if (bias != nullptr) added = bias[blockIdx.y * blockDim.x + threadIdx.x];
    for (int row = rows.first; row < rows.end; row += blockDim.y) {
        const size_t place = find_place(shape, row);
        Columns values = to_columns(input[place]);
        if (sum != nullptr) {
            for_columns([&](int each) { values.at[each] += added.at[each]; });
            if (skip != nullptr) {
                const Columns before = to_columns(skip[place]);
                for_columns([&](int each) { values.at[each] += before.at[each]; });
            }
            const Octet rounded = to_octet(values);
            sum[place] = rounded;
            values = to_columns(rounded);  // statistics of what the norm will read
        }
        for_columns([&](int each) {
            first.at[each] += values.at[each];
            second.at[each] += values.at[each] * values.at[each];
        });
    }
    store_sum(first, 0, 2, row_sums);
    store_sum(second, 1, 2, row_sums);
}

// Sums over rows of the gradients before ReLU and dropout, and of their products with the inputs.
__global__ void sum_gradients(Shape shape, const Octet* input, const Octet* result,
                              const Octet* result_gradient, const float* kept, Columns* row_sums) {
    const float scale = 1.0f / kept[blockIdx.y];
    const RowRange rows(shape);
    Columns first = {}, second = {};
    for (int row = rows.first; row < rows.end; row += blockDim.y) {
        const size_t place = find_place(shape, row);
        const Columns values = to_columns(input[place]);
        const Columns found = get_gradient(result[place], result_gradient[place], scale);
        for_columns([&](int each) {
            first.at[each] += found.at[each];
            second.at[each] += found.at[each] * values.at[each];
        });
    }
    store_sum(first, 0, 2, row_sums);
    store_sum(second, 1, 2, row_sums);
}

constexpr int kColumnsPerNormBlock = 32;
constexpr int kRowsPerNormBlock = 8;

// Adds up both parts of row_sums for the column of this thread, in double precision because a
// variance is a difference; returns whether this thread has a column to finish.
__device__ inline bool add_row_sums(const Shape& shape, const float* row_sums, int blocks,
                                    double& first, double& second) {
    __shared__ double sums[2][kRowsPerNormBlock][kColumnsPerNormBlock];
    const int column = blockIdx.x * kColumnsPerNormBlock + threadIdx.x;
    first = second = 0.0;
    if (column < shape.columns) {
        const float* own = row_sums + size_t(blockIdx.y) * blocks * 2 * shape.columns + column;
        for (int block = threadIdx.y; block < blocks; block += kRowsPerNormBlock) {
            first += own[size_t(block) * 2 * shape.columns];
            second += own[(size_t(block) * 2 + 1) * shape.columns];
        }
    }
    sums[0][threadIdx.y][threadIdx.x] = first;
    sums[1][threadIdx.y][threadIdx.x] = second;
    __syncthreads();
    if (threadIdx.y != 0 || column >= shape.columns) return false;
    for (int other = 1; other < kRowsPerNormBlock; ++other) {
        first += sums[0][other][threadIdx.x];
        second += sums[1][other][threadIdx.x];
    }
    return true;
}

// From the sums of inputs and squares: mean, 1 / deviation, and the factor and the constant that
// normalise. Running statistics have `width` columns, without padding; `bias` is what was not added
// to the inputs, because the norm would subtract it again, and may be null.
__global__ void finish_norm(Shape shape, const float* row_sums, int blocks, const float* weight,
                            const float* shift, const float* bias, int width, float* running_mean,
                            float* running_variance, float* mean, float* inverse, float* scale,
                            float* constant) {
    double sum, squares;
    if (!add_row_sums(shape, row_sums, blocks, sum, squares)) return;
    const int column = blockIdx.x * kColumnsPerNormBlock + threadIdx.x;
    const size_t place = size_t(blockIdx.y) * shape.columns + column;
    const double average = sum / shape.rows;
    const double variance = fmax(squares / shape.rows - average * average, 0.0);
    const float factor = rsqrtf(static_cast<float>(variance) + kNormEpsilon);
    mean[place] = static_cast<float>(average);
    inverse[place] = factor;
    scale[place] = weight[place] * factor;
    constant[place] = shift[place] - static_cast<float>(average) * weight[place] * factor;
    if (column >= width) return;
    const size_t kept = size_t(blockIdx.y) * width + column;
    const float real_mean = static_cast<float>(average) + (bias == nullptr ? 0.0f : bias[place]);
    const float unbiased = static_cast<float>(variance * shape.rows / (shape.rows - 1));
    running_mean[kept] += kNormMomentum * (real_mean - running_mean[kept]);
    running_variance[kept] += kNormMomentum * (unbiased - running_variance[kept]);
}

// From the sums of gradients and of their products with the inputs: the gradients of weight and
// shift, and what else norm_backward needs.
__global__ void finish_norm_gradient(Shape shape, const float* row_sums, int blocks,
                                     const float* mean, const float* inverse, const float* scale,
                                     float* weight_gradient, float* shift_gradient, float* slope,
                                     float* constant) {
    double gradients, products;
    if (!add_row_sums(shape, row_sums, blocks, gradients, products)) return;
    const int column = blockIdx.x * kColumnsPerNormBlock + threadIdx.x;
    const size_t place = size_t(blockIdx.y) * shape.columns + column;
    const float of_weight =
        static_cast<float>(products - double(mean[place]) * gradients) * inverse[place];
    const float of_shift = static_cast<float>(gradients);
    const float found = -scale[place] * inverse[place] * of_weight / shape.rows;
    weight_gradient[place] = of_weight;
    shift_gradient[place] = of_shift;
    slope[place] = found;
    constant[place] = -scale[place] * of_shift / shape.rows - found * mean[place];
}

// The gradient of a norm's inputs: scale * gradient before ReLU + slope * input + constant, by
// column; and what a skip connection adds to it, which may be null.
__global__ void norm_backward(Shape shape, const Octet* input, const Octet* result,
                              const Octet* result_gradient, const float* kept, const Columns* scale,
                              const Columns* slope, const Columns* constant,
                              const Octet* sum_gradient, Octet* gradient) {
    const uint32_t octets = shape.columns / kColumnsPerThread;
    const size_t place = size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (place >= size_t(shape.networks) * shape.rows * octets) return;
    const size_t network = place / octets / shape.rows;
    const size_t column = network * octets + place % octets;
    Columns found = get_gradient(result[place], result_gradient[place], 1.0f / kept[network]);
    const Columns values = to_columns(input[place]);
    const Columns a = scale[column], b = slope[column], c = constant[column];
    for_columns([&](int each) {
        found.at[each] = a.at[each] * found.at[each] + b.at[each] * values.at[each] + c.at[each];
    });
    if (sum_gradient != nullptr) {
        const Columns more = to_columns(sum_gradient[place]);
        for_columns([&](int each) { found.at[each] += more.at[each]; });
    }
    gradient[place] = to_octet(found);
}

unsigned count_blocks(const Shape& shape) {
    const size_t threads =
        size_t(shape.networks) * shape.rows * (shape.columns / kColumnsPerThread);
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

// Blocks that each work on some rows of one network.
struct RowBlocks {
    dim3 blocks, threads;
    explicit RowBlocks(const Shape& shape)
        : blocks((shape.rows + kRowsPerBlock - 1) / kRowsPerBlock, shape.networks),
          threads(shape.columns / kColumnsPerThread,
                  kThreads / (shape.columns / kColumnsPerThread)) {}
};

// Blocks that each work on some columns of one network.
struct ColumnBlocks {
    dim3 blocks, threads;
    explicit ColumnBlocks(const Shape& shape)
        : blocks((shape.columns + kColumnsPerNormBlock - 1) / kColumnsPerNormBlock, shape.networks),
          threads(kColumnsPerNormBlock, kRowsPerNormBlock) {}
};

}  // namespace ludus::residual

// Plain C entry points, loaded through ctypes. They return 0, or the number of a CUDA error.
using namespace ludus::residual;

extern "C" {

int ludus_residual_forward(const Shape* shape, cudaStream_t stream, const Octet* input,
                           const Columns* scale, const Columns* bias, const Octet* skip,
                           const float* kept, const int64_t* seed, uint32_t layer, Octet* sum,
                           Octet* result) {
    forward<<<count_blocks(*shape), kThreads, 0, stream>>>(*shape, input, scale, bias, skip, kept,
                                                           seed, layer, sum, result);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_backward(const Shape* shape, cudaStream_t stream, const Octet* result,
                            const Octet* result_gradient, const Octet* sum_gradient,
                            const float* kept, Octet* gradient, Columns* row_sums) {
    const RowBlocks grid(*shape);
    backward<<<grid.blocks, grid.threads, 0, stream>>>(*shape, result, result_gradient,
                                                       sum_gradient, kept, gradient, row_sums);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_sum_inputs(const Shape* shape, cudaStream_t stream, const Octet* input,
                              const Columns* bias, const Octet* skip, Octet* sum,
                              Columns* row_sums) {
    const RowBlocks grid(*shape);
    sum_inputs<<<grid.blocks, grid.threads, 0, stream>>>(*shape, input, bias, skip, sum, row_sums);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_sum_gradients(const Shape* shape, cudaStream_t stream, const Octet* input,
                                 const Octet* result, const Octet* result_gradient,
                                 const float* kept, Columns* row_sums) {
    const RowBlocks grid(*shape);
    sum_gradients<<<grid.blocks, grid.threads, 0, stream>>>(*shape, input, result, result_gradient,
                                                            kept, row_sums);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_finish_norm(const Shape* shape, cudaStream_t stream, const float* row_sums,
                               const float* weight, const float* shift, const float* bias,
                               int width, float* running_mean, float* running_variance, float* mean,
                               float* inverse, float* scale, float* constant) {
    const ColumnBlocks grid(*shape);
    finish_norm<<<grid.blocks, grid.threads, 0, stream>>>(
        *shape, row_sums, RowBlocks(*shape).blocks.x, weight, shift, bias, width, running_mean,
        running_variance, mean, inverse, scale, constant);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_finish_norm_gradient(const Shape* shape, cudaStream_t stream,
                                        const float* row_sums, const float* mean,
                                        const float* inverse, const float* scale,
                                        float* weight_gradient, float* shift_gradient, float* slope,
                                        float* constant) {
    const ColumnBlocks grid(*shape);
    finish_norm_gradient<<<grid.blocks, grid.threads, 0, stream>>>(
        *shape, row_sums, RowBlocks(*shape).blocks.x, mean, inverse, scale, weight_gradient,
        shift_gradient, slope, constant);
    return static_cast<int>(cudaGetLastError());
}

int ludus_residual_norm_backward(const Shape* shape, cudaStream_t stream, const Octet* input,
                                 const Octet* result, const Octet* result_gradient,
                                 const float* kept, const Columns* scale, const Columns* slope,
                                 const Columns* constant, const Octet* sum_gradient,
                                 Octet* gradient) {
    norm_backward<<<count_blocks(*shape), kThreads, 0, stream>>>(
        *shape, input, result, result_gradient, kept, scale, slope, constant, sum_gradient,
        gradient);
    return static_cast<int>(cudaGetLastError());
}
}
