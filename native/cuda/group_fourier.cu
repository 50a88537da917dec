// Fourier transform over the symmetry group of the board (order 16) and ReLU in the group domain,
// on a GPU (see learn/equivariant/fourier_kernels.py). Group convolutions are small in the Fourier
// basis, but ReLU must be applied in the group domain; one kernel transforms, rectifies and
// transforms back, with one read and one write of memory. A thread works on two neighbouring
// channels of one position. Where ReLU was positive is kept in a mask of one bit for each value,
// all that its gradient needs: a sixteenth of the memory of its input.
//
// Units in the group domain are (experts, positions, 16, channels). Coefficients are two arrays:
// signs, of the one-dimensional irreps, (experts, 8, positions, channels), and planes, of the
// two-dimensional ones, (experts, plane, row, positions, column, channels), laid out to be
// multiplied as matrices of twice the rows and twice the columns. All are bfloat16, for training,
// or single precision, for certificates; sums are single precision. Everything runs on the caller's
// stream.
#include <cuda_bf16.h>

namespace ludus::fourier {

constexpr int kGroupOrder = 16;
constexpr int kNum1dIrreps = 8;
constexpr int kThreads = 256;
constexpr size_t kMaxThreads = size_t(1) << 31;
constexpr int kTooManyThreads = 1;  // cudaErrorInvalidValue

// Two neighbouring channels in memory: __nv_bfloat162 or float2.
__device__ inline float2 to_float2(__nv_bfloat162 pair) { return __bfloat1622float2(pair); }
__device__ inline float2 to_float2(float2 pair) { return pair; }
__device__ inline void store(__nv_bfloat162& to, float2 pair) { to = __float22bfloat162_rn(pair); }
__device__ inline void store(float2& to, float2 pair) { to = pair; }

using Values = float2[kGroupOrder];

struct Shape {
    int experts;
    int positions;
    int pairs;  // of channels
    int is_single;  // units and coefficients are single precision, not bfloat16
};

template <class Pair>
struct Coefficients {
    Pair* signs;
    Pair* planes;
};

// Offsets of the values of one thread.
struct Offsets {
    size_t units, mean, signs, planes, bias;  // masks have the offsets of means
    size_t unit_step, sign_step, plane_step;

    static __device__ bool find(const Shape& shape, Offsets& offsets) {
        // Divisions of 32 bits take a fraction of the time; `launch` checks that they suffice.
        const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
        if (thread >= unsigned(shape.experts) * shape.positions * shape.pairs) return false;
        const unsigned row = thread / shape.pairs;
        const size_t pair = thread - row * shape.pairs;
        const size_t expert = row / shape.positions;
        const size_t position = row - expert * shape.positions;
        const size_t pairs = shape.pairs, positions = shape.positions;
        offsets.units = (expert * positions + position) * kGroupOrder * pairs + pair;
        offsets.mean = thread;
        offsets.signs = (expert * kNum1dIrreps * positions + position) * pairs + pair;
        offsets.planes = (expert * 4 * positions + position) * 2 * pairs + pair;
        offsets.bias = expert * pairs + pair;
        offsets.unit_step = pairs;
        offsets.sign_step = positions * pairs;
        offsets.plane_step = positions * 2 * pairs;
        return true;
    }

    // Coefficients of the planes are numbered plane, row, column.
    __device__ size_t plane(int term) const {
        return planes + term / 2 * plane_step + term % 2 * unit_step;
    }
};

template <class Pair>
__device__ void read(const Coefficients<Pair>& from, const Offsets& offsets, Values& coefficients) {
#pragma unroll
    for (int i = 0; i < kNum1dIrreps; ++i) {
        coefficients[i] = to_float2(from.signs[offsets.signs + i * offsets.sign_step]);
        coefficients[kNum1dIrreps + i] = to_float2(from.planes[offsets.plane(i)]);
    }
}

template <class Pair>
__device__ void write(const Coefficients<Pair>& to, const Offsets& offsets,
                      const Values& coefficients) {
#pragma unroll
    for (int i = 0; i < kNum1dIrreps; ++i) {
        store(to.signs[offsets.signs + i * offsets.sign_step], coefficients[i]);
        store(to.planes[offsets.plane(i)], coefficients[kNum1dIrreps + i]);
    }
}

template <class Pair>
__device__ void read(const Pair* from, const Offsets& offsets, Values& values) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        values[g] = to_float2(from[offsets.units + g * offsets.unit_step]);
    }
}

template <class Pair>
__device__ void write(Pair* to, const Offsets& offsets, const Values& values) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        store(to[offsets.units + g * offsets.unit_step], values[g]);
    }
}

__device__ inline float2 operator+(float2 one, float2 other) {
    return {one.x + other.x, one.y + other.y};
}
__device__ inline float2 operator-(float2 one, float2 other) {
    return {one.x - other.x, one.y - other.y};
}
__device__ inline float2 operator*(float factor, float2 pair) {
    return {factor * pair.x, factor * pair.y};
}

// Entries of the orthogonal basis: 1/4 for one-dimensional irreps, and for two-dimensional ones,
// half of whose entries are zero, sqrt(2)/4.
constexpr float kSignScale = 0.25f;
constexpr float kPlaneScale = 0.35355339059327373f;

// The basis of orthogonal rows, or of the irreps themselves, whose entries are 0 and 1 or -1.
template <bool is_orthonormal>
struct Basis {
    static constexpr float sign = is_orthonormal ? kSignScale : 1.0f;
    static constexpr float plane = is_orthonormal ? kPlaneScale : 1.0f;
};

// The transform by sums and differences: 56 of them instead of 256 products. Elements are numbered
// 8 * inside_out + 4 * flip + quarter turns; signs and planes 4 for even and 4 for odd functions of
// inside_out, as in learn/equivariant/fourier.py.
template <bool is_orthonormal = true>
__device__ void to_fourier(const Values& values, Values& coefficients) {
    constexpr float sign_scale = Basis<is_orthonormal>::sign;
    constexpr float plane_scale = Basis<is_orthonormal>::plane;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
        float2 x[8];
#pragma unroll
        for (int g = 0; g < 8; ++g) {
            x[g] = odd ? values[g] - values[8 + g] : values[g] + values[8 + g];
        }
        // Half turns: sums for the signs, differences for the planes.
        const float2 even = x[0] + x[2], quarter = x[1] + x[3];
        const float2 flipped = x[4] + x[6], flipped_quarter = x[5] + x[7];
        const float2 all = even + quarter, alternating = even - quarter;
        const float2 flipped_all = flipped + flipped_quarter;
        const float2 flipped_alternating = flipped - flipped_quarter;
        const float2 p = x[0] - x[2], q = x[1] - x[3], r = x[4] - x[6], s = x[5] - x[7];
        float2* signs = coefficients + 4 * odd;
        signs[0] = sign_scale * (all + flipped_all);
        signs[1] = sign_scale * (all - flipped_all);
        signs[2] = sign_scale * (alternating + flipped_alternating);
        signs[3] = sign_scale * (alternating - flipped_alternating);
        float2* planes = coefficients + kNum1dIrreps + 4 * odd;
        planes[0] = plane_scale * (p - r);
        planes[1] = plane_scale * (q + s);
        planes[2] = plane_scale * (s - q);
        planes[3] = plane_scale * (p + r);
    }
}

// The transposed transform: the inverse one, if the basis is orthonormal.
template <bool is_orthonormal = true>
__device__ void to_group(const Values& coefficients, Values& values) {
    constexpr float sign_scale = Basis<is_orthonormal>::sign;
    constexpr float plane_scale = Basis<is_orthonormal>::plane;
    float2 x[2][8];
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
        const float2* signs = coefficients + 4 * odd;
        const float2* planes = coefficients + kNum1dIrreps + 4 * odd;
        const float2 all = sign_scale * (signs[0] + signs[1]);
        const float2 flipped_all = sign_scale * (signs[0] - signs[1]);
        const float2 alternating = sign_scale * (signs[2] + signs[3]);
        const float2 flipped_alternating = sign_scale * (signs[2] - signs[3]);
        const float2 even = all + alternating, quarter = all - alternating;
        const float2 flipped = flipped_all + flipped_alternating;
        const float2 flipped_quarter = flipped_all - flipped_alternating;
        const float2 p = plane_scale * (planes[3] + planes[0]);
        const float2 q = plane_scale * (planes[1] - planes[2]);
        const float2 r = plane_scale * (planes[3] - planes[0]);
        const float2 s = plane_scale * (planes[1] + planes[2]);
        x[odd][0] = even + p;
        x[odd][1] = quarter + q;
        x[odd][2] = even - p;
        x[odd][3] = quarter - q;
        x[odd][4] = flipped + r;
        x[odd][5] = flipped_quarter + s;
        x[odd][6] = flipped - r;
        x[odd][7] = flipped_quarter - s;
    }
#pragma unroll
    for (int g = 0; g < 8; ++g) {
        values[g] = x[0][g] + x[1][g];
        values[8 + g] = x[0][g] - x[1][g];
    }
}

// `mask` tells in which elements of both channels the values are positive; it may be null.
__device__ void apply_relu(Values& values, float2 bias, unsigned* mask) {
    unsigned bits = 0;
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        const float2 sum = values[g] + bias;
        bits |= unsigned(sum.x > 0.0f) << g | unsigned(sum.y > 0.0f) << (kGroupOrder + g);
        values[g] = {fmaxf(sum.x, 0.0f), fmaxf(sum.y, 0.0f)};
    }
    if (mask != nullptr) *mask = bits;
}

// The gradient of ReLU: zero where its input was not positive.
__device__ void apply_mask(Values& gradients, unsigned mask) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        if (!(mask >> g & 1)) gradients[g].x = 0.0f;
        if (!(mask >> (kGroupOrder + g) & 1)) gradients[g].y = 0.0f;
    }
}

__device__ inline unsigned* mask_of(unsigned* masks, const Offsets& offsets) {
    return masks == nullptr ? nullptr : masks + offsets.mean;
}

__device__ float2 sum_values(const Values& values) {
    float2 sum = {0.0f, 0.0f};
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) sum = sum + values[g];
    return sum;
}

template <class Pair>
__global__ void relu(Shape shape, Coefficients<Pair> input, const float2* bias, unsigned* masks,
                     Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(coefficients, values);
    apply_relu(values, bias[offsets.bias], mask_of(masks, offsets));
    to_fourier(values, coefficients);
    write(result, offsets, coefficients);
}

// `more` are gradients that the input gets elsewhere, by a skip connection; null for none. Then
// `trivial` is the coefficient of the trivial irrep without them, (experts, positions, channels),
// from which the gradient of the bias is computed.
template <class Pair>
__global__ void relu_backward(Shape shape, const unsigned* masks, Coefficients<Pair> gradients,
                              Coefficients<Pair> more, Pair* trivial, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(gradients, offsets, coefficients);
    to_group(coefficients, values);
    apply_mask(values, masks[offsets.mean]);
    to_fourier(values, coefficients);
    if (more.signs != nullptr) {
        store(trivial[offsets.mean], coefficients[0]);
        read(more, offsets, values);
#pragma unroll
        for (int i = 0; i < kGroupOrder; ++i) coefficients[i] = coefficients[i] + values[i];
    }
    write(result, offsets, coefficients);
}

// ReLU of units in the group domain; `skip` are their own coefficients.
template <class Pair>
__global__ void lift(Shape shape, const Pair* units, const float2* bias, unsigned* masks,
                     Coefficients<Pair> skip, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(units, offsets, values);
    to_fourier(values, coefficients);
    write(skip, offsets, coefficients);
    apply_relu(values, bias[offsets.bias], mask_of(masks, offsets));
    to_fourier(values, coefficients);
    write(result, offsets, coefficients);
}

// `more` are the gradients of `skip`; `trivial` as in relu_backward.
template <class Pair>
__global__ void lift_backward(Shape shape, const unsigned* masks, Coefficients<Pair> gradients,
                              Coefficients<Pair> more, Pair* trivial, Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients, skipped;
    read(gradients, offsets, coefficients);
    to_group(coefficients, values);
    apply_mask(values, masks[offsets.mean]);
    store(trivial[offsets.mean], kSignScale * sum_values(values));
    read(more, offsets, coefficients);
    to_group(coefficients, skipped);
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) values[g] = values[g] + skipped[g];
    write(result, offsets, values);
}

// The mean over the group of the units after ReLU, (experts, positions, channels).
template <class Pair>
__global__ void relu_to_mean(Shape shape, Coefficients<Pair> input, const float2* bias,
                             unsigned* masks, Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(coefficients, values);
    apply_relu(values, bias[offsets.bias], mask_of(masks, offsets));
    store(result[offsets.mean], (1.0f / kGroupOrder) * sum_values(values));
}

template <class Pair>
__global__ void relu_to_mean_backward(Shape shape, const unsigned* masks, const Pair* gradients,
                                      Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    const float2 given = (1.0f / kGroupOrder) * to_float2(gradients[offsets.mean]);
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) values[g] = given;
    apply_mask(values, masks[offsets.mean]);
    to_fourier(values, coefficients);
    write(result, offsets, coefficients);
}

template <class Pair>
__global__ void relu_to_group(Shape shape, Coefficients<Pair> input, const float2* bias,
                              unsigned* masks, Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(coefficients, values);
    apply_relu(values, bias[offsets.bias], mask_of(masks, offsets));
    write(result, offsets, values);
}

template <class Pair>
__global__ void relu_to_group_backward(Shape shape, const unsigned* masks, const Pair* gradients,
                                       Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(gradients, offsets, values);
    apply_mask(values, masks[offsets.mean]);
    to_fourier(values, coefficients);
    write(result, offsets, coefficients);
}

// Networks of whole numbers (see learn/equivariant/integers.py, which defines every step). Sums of
// products are single precision, activations and their coefficients are exact in bfloat16.

constexpr float kTrivialScale = 1.0f / 128;
constexpr float kCoefficientScale = 1.0f / 32;
constexpr float kMaxCoefficient = 255.0f;
constexpr float kMaxTerm = 262143.0f;
constexpr float kMaxSum = 32767.0f;
constexpr float kMeanScale = 1.0f / 16;

// Sums of two neighbouring channels that are carried from block to block.
struct alignas(4) Sums {
    short x, y;
};

__device__ inline float2 to_float2(Sums pair) { return {float(pair.x), float(pair.y)}; }
__device__ inline void store(Sums& to, float2 pair) { to = {short(pair.x), short(pair.y)}; }

__device__ inline float clip(float value, float least, float most) {
    return fminf(fmaxf(value, least), most);
}

// Rounds half to even.
__device__ inline float2 round_and_clip(float2 pair, float least, float most) {
    return {clip(rintf(pair.x), least, most), clip(rintf(pair.y), least, most)};
}

__device__ void round_and_clip(Values& values, float most) {
#pragma unroll
    for (int i = 0; i < kGroupOrder; ++i) values[i] = round_and_clip(values[i], -most, most);
}

// ReLU of sums, with the mask of `apply_relu`.
__device__ void activate(Values& sums, float2 bias, unsigned* mask) {
    apply_relu(sums, bias, mask);
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        sums[g] = {fminf(sums[g].x, kMaxSum), fminf(sums[g].y, kMaxSum)};
    }
}

template <class Pair>
__device__ void write_rounded(const Coefficients<Pair>& to, const Offsets& offsets,
                              const Values& activations) {
    Values coefficients;
    to_fourier<false>(activations, coefficients);
    coefficients[0] = kTrivialScale * coefficients[0];
#pragma unroll
    for (int i = 1; i < kGroupOrder; ++i) coefficients[i] = kCoefficientScale * coefficients[i];
    round_and_clip(coefficients, kMaxCoefficient);
    write(to, offsets, coefficients);
}

__device__ void read_sums(const Coefficients<float2>& from, const Offsets& offsets, Values& sums) {
    Values coefficients;
    read(from, offsets, coefficients);
    round_and_clip(coefficients, kMaxTerm);
    to_group<false>(coefficients, sums);
}

// Adds what a block gives to the sums.
__device__ void add_to_sums(const Coefficients<float2>& from, const Sums* sums,
                            const Offsets& offsets, Values& values) {
    Values added;
    read_sums(from, offsets, added);
    read(sums, offsets, values);
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) values[g] = values[g] + added[g];
    round_and_clip(values, kMaxSum);
}

template <class Pair>
__global__ void integer_lift(Shape shape, const float2* units, const float2* bias, unsigned* masks,
                             Sums* sums, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values;
    read(units, offsets, values);
    round_and_clip(values, kMaxSum);
    write(sums, offsets, values);
    activate(values, bias[offsets.bias], mask_of(masks, offsets));
    write_rounded(result, offsets, values);
}

template <class Pair>
__global__ void integer_relu(Shape shape, Coefficients<float2> input, const float2* bias,
                             unsigned* masks, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values;
    read_sums(input, offsets, values);
    activate(values, bias[offsets.bias], mask_of(masks, offsets));
    write_rounded(result, offsets, values);
}

template <class Pair>
__global__ void integer_add(Shape shape, Coefficients<float2> input, const float2* bias,
                            unsigned* masks, Sums* sums, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values;
    add_to_sums(input, sums, offsets, values);
    write(sums, offsets, values);
    activate(values, bias[offsets.bias], mask_of(masks, offsets));
    write_rounded(result, offsets, values);
}

// The sums of the last activations over the group, rounded, (experts, positions, channels).
__global__ void integer_mean(Shape shape, Coefficients<float2> input, const float2* bias,
                             unsigned* masks, const Sums* sums, float2* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values;
    add_to_sums(input, sums, offsets, values);
    activate(values, bias[offsets.bias], mask_of(masks, offsets));
    const float2 mean = kMeanScale * sum_values(values);
    result[offsets.mean] = {rintf(mean.x), rintf(mean.y)};
}

template <class... Arguments>
int launch(void (*kernel)(Shape, Arguments...), const Shape* shape, void* stream,
           Arguments... arguments) {
    const size_t threads = size_t(shape->experts) * shape->positions * shape->pairs;
    const unsigned blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
    if (blocks == 0) return 0;
    if (threads > kMaxThreads) return kTooManyThreads;
    kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(*shape, arguments...);
    return static_cast<int>(cudaGetLastError());
}

// Calls `run` with a pair of the type of units and coefficients.
template <class Run>
int dispatch(const Shape* shape, Run run) {
    return shape->is_single ? run(float2{}) : run(__nv_bfloat162{});
}

template <class Pair>
Coefficients<Pair> coefficients_at(void* signs, void* planes) {
    return {static_cast<Pair*>(signs), static_cast<Pair*>(planes)};
}

}  // namespace ludus::fourier

// Plain C entry points, loaded through ctypes. They return 0, or the number of a CUDA error.
using namespace ludus::fourier;

extern "C" {

int ludus_fourier_relu(const Shape* shape, void* stream, void* signs, void* planes,
                       const float2* bias, unsigned* masks, void* result_signs,
                       void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu<Pair>, shape, stream, coefficients_at<Pair>(signs, planes), bias, masks,
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_relu_backward(const Shape* shape, void* stream, const unsigned* masks,
                                void* gradient_signs, void* gradient_planes, void* more_signs,
                                void* more_planes, void* trivial, void* result_signs,
                                void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_backward<Pair>, shape, stream, masks,
                      coefficients_at<Pair>(gradient_signs, gradient_planes),
                      coefficients_at<Pair>(more_signs, more_planes), static_cast<Pair*>(trivial),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_lift(const Shape* shape, void* stream, const void* units, const float2* bias,
                       unsigned* masks, void* skip_signs, void* skip_planes, void* result_signs,
                       void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(lift<Pair>, shape, stream, static_cast<const Pair*>(units), bias, masks,
                      coefficients_at<Pair>(skip_signs, skip_planes),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_lift_backward(const Shape* shape, void* stream, const unsigned* masks,
                                void* gradient_signs, void* gradient_planes, void* more_signs,
                                void* more_planes, void* trivial, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(lift_backward<Pair>, shape, stream, masks,
                      coefficients_at<Pair>(gradient_signs, gradient_planes),
                      coefficients_at<Pair>(more_signs, more_planes), static_cast<Pair*>(trivial),
                      static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu_to_mean(const Shape* shape, void* stream, void* signs, void* planes,
                               const float2* bias, unsigned* masks, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_mean<Pair>, shape, stream, coefficients_at<Pair>(signs, planes), bias,
                      masks, static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu_to_mean_backward(const Shape* shape, void* stream, const unsigned* masks,
                                        const void* gradients, void* result_signs,
                                        void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_mean_backward<Pair>, shape, stream, masks,
                      static_cast<const Pair*>(gradients),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_relu_to_group(const Shape* shape, void* stream, void* signs, void* planes,
                                const float2* bias, unsigned* masks, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_group<Pair>, shape, stream, coefficients_at<Pair>(signs, planes),
                      bias, masks, static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu_to_group_backward(const Shape* shape, void* stream, const unsigned* masks,
                                         const void* gradients, void* result_signs,
                                         void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_group_backward<Pair>, shape, stream, masks,
                      static_cast<const Pair*>(gradients),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_integer_lift(const Shape* shape, void* stream, const float2* units,
                               const float2* bias, unsigned* masks, Sums* sums, void* result_signs,
                               void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(integer_lift<Pair>, shape, stream, units, bias, masks, sums,
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_integer_relu(const Shape* shape, void* stream, void* signs, void* planes,
                               const float2* bias, unsigned* masks, void* result_signs,
                               void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(integer_relu<Pair>, shape, stream, coefficients_at<float2>(signs, planes),
                      bias, masks, coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_integer_add(const Shape* shape, void* stream, void* signs, void* planes,
                              const float2* bias, unsigned* masks, Sums* sums, void* result_signs,
                              void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(integer_add<Pair>, shape, stream, coefficients_at<float2>(signs, planes),
                      bias, masks, sums, coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_integer_mean(const Shape* shape, void* stream, void* signs, void* planes,
                               const float2* bias, unsigned* masks, const Sums* sums,
                               float2* result) {
    return launch(integer_mean, shape, stream, coefficients_at<float2>(signs, planes), bias, masks,
                  sums, result);
}
}
