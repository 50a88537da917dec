// Fourier transform over the symmetry group of the board (order 16) and ReLU in the group domain,
// on a GPU (see learn/equivariant/fourier_torch.py). Group convolutions are small in the Fourier
// basis, but ReLU must be applied in the group domain; one kernel transforms, rectifies and
// transforms back, with one read and one write of memory. A thread works on two neighbouring
// channels of one position.
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

// Two neighbouring channels in memory: __nv_bfloat162 or float2.
__device__ inline float2 to_float2(__nv_bfloat162 pair) { return __bfloat1622float2(pair); }
__device__ inline float2 to_float2(float2 pair) { return pair; }
__device__ inline void store(__nv_bfloat162& to, float2 pair) { to = __float22bfloat162_rn(pair); }
__device__ inline void store(float2& to, float2 pair) { to = pair; }

using Values = float2[kGroupOrder];

// The Fourier basis, row by row. Passed by value, so it lies in constant memory.
struct Basis {
    float row[kGroupOrder][kGroupOrder];
};

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
    size_t units, mean, signs, planes, bias;
    size_t unit_step, sign_step, plane_step;

    static __device__ bool find(const Shape& shape, Offsets& offsets) {
        const size_t thread = size_t(blockIdx.x) * kThreads + threadIdx.x;
        const size_t pairs = shape.pairs, positions = shape.positions;
        if (thread >= shape.experts * positions * pairs) return false;
        const size_t pair = thread % pairs;
        const size_t position = thread / pairs % positions;
        const size_t expert = thread / pairs / positions;
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

__device__ void to_group(const Basis& basis, const Values& coefficients, Values& values) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        float2 sum = {0.0f, 0.0f};
#pragma unroll
        for (int i = 0; i < kGroupOrder; ++i) {
            sum.x += basis.row[i][g] * coefficients[i].x;
            sum.y += basis.row[i][g] * coefficients[i].y;
        }
        values[g] = sum;
    }
}

__device__ void to_fourier(const Basis& basis, const Values& values, Values& coefficients) {
#pragma unroll
    for (int i = 0; i < kGroupOrder; ++i) {
        float2 sum = {0.0f, 0.0f};
#pragma unroll
        for (int g = 0; g < kGroupOrder; ++g) {
            sum.x += basis.row[i][g] * values[g].x;
            sum.y += basis.row[i][g] * values[g].y;
        }
        coefficients[i] = sum;
    }
}

__device__ void apply_relu(Values& values, float2 bias) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        values[g] = {fmaxf(values[g].x + bias.x, 0.0f), fmaxf(values[g].y + bias.y, 0.0f)};
    }
}

// The gradient of ReLU: zero where its input was not positive.
__device__ void apply_relu_gradient(Values& gradients, const Values& values, float2 bias) {
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        if (values[g].x + bias.x <= 0.0f) gradients[g].x = 0.0f;
        if (values[g].y + bias.y <= 0.0f) gradients[g].y = 0.0f;
    }
}

template <class Pair>
__global__ void transform(Basis basis, Shape shape, const Pair* units, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(units, offsets, values);
    to_fourier(basis, values, coefficients);
    write(result, offsets, coefficients);
}

template <class Pair>
__global__ void transform_backward(Basis basis, Shape shape, Coefficients<Pair> gradients,
                                   Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(gradients, offsets, coefficients);
    to_group(basis, coefficients, values);
    write(result, offsets, values);
}

template <class Pair>
__global__ void relu(Basis basis, Shape shape, Coefficients<Pair> input, const float2* bias,
                     Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    apply_relu(values, bias[offsets.bias]);
    to_fourier(basis, values, coefficients);
    write(result, offsets, coefficients);
}

// `more` are gradients that the input gets elsewhere, by a skip connection; null for none. Then
// `trivial` is the coefficient of the trivial irrep without them, (experts, positions, channels),
// from which the gradient of the bias is computed.
template <class Pair>
__global__ void relu_backward(Basis basis, Shape shape, Coefficients<Pair> input,
                              const float2* bias, Coefficients<Pair> gradients,
                              Coefficients<Pair> more, Pair* trivial, Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients, gradient;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    read(gradients, offsets, coefficients);
    to_group(basis, coefficients, gradient);
    apply_relu_gradient(gradient, values, bias[offsets.bias]);
    to_fourier(basis, gradient, coefficients);
    if (more.signs != nullptr) {
        store(trivial[offsets.mean], coefficients[0]);
        read(more, offsets, values);
#pragma unroll
        for (int i = 0; i < kGroupOrder; ++i) {
            coefficients[i].x += values[i].x;
            coefficients[i].y += values[i].y;
        }
    }
    write(result, offsets, coefficients);
}

// The mean over the group of the units after ReLU, (experts, positions, channels).
template <class Pair>
__global__ void relu_to_mean(Basis basis, Shape shape, Coefficients<Pair> input, const float2* bias,
                             Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    apply_relu(values, bias[offsets.bias]);
    float2 sum = {0.0f, 0.0f};
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        sum.x += values[g].x;
        sum.y += values[g].y;
    }
    store(result[offsets.mean], {sum.x / kGroupOrder, sum.y / kGroupOrder});
}

template <class Pair>
__global__ void relu_to_mean_backward(Basis basis, Shape shape, Coefficients<Pair> input,
                                      const float2* bias, const Pair* gradients,
                                      Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients, gradient;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    const float2 given = to_float2(gradients[offsets.mean]);
#pragma unroll
    for (int g = 0; g < kGroupOrder; ++g) {
        gradient[g] = {given.x / kGroupOrder, given.y / kGroupOrder};
    }
    apply_relu_gradient(gradient, values, bias[offsets.bias]);
    to_fourier(basis, gradient, coefficients);
    write(result, offsets, coefficients);
}

template <class Pair>
__global__ void relu_to_group(Basis basis, Shape shape, Coefficients<Pair> input,
                              const float2* bias, Pair* result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    apply_relu(values, bias[offsets.bias]);
    write(result, offsets, values);
}

template <class Pair>
__global__ void relu_to_group_backward(Basis basis, Shape shape, Coefficients<Pair> input,
                                       const float2* bias, const Pair* gradients,
                                       Coefficients<Pair> result) {
    Offsets offsets;
    if (!Offsets::find(shape, offsets)) return;
    Values values, coefficients, gradient;
    read(input, offsets, coefficients);
    to_group(basis, coefficients, values);
    read(gradients, offsets, gradient);
    apply_relu_gradient(gradient, values, bias[offsets.bias]);
    to_fourier(basis, gradient, coefficients);
    write(result, offsets, coefficients);
}

template <class... Arguments>
int launch(void (*kernel)(Basis, Shape, Arguments...), const Basis* basis, const Shape* shape,
           void* stream, Arguments... arguments) {
    const size_t threads = size_t(shape->experts) * shape->positions * shape->pairs;
    const unsigned blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
    if (blocks == 0) return 0;
    kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(*basis, *shape,
                                                                       arguments...);
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

int ludus_fourier_transform(const Basis* basis, const Shape* shape, void* stream, const void* units,
                            void* signs, void* planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(transform<Pair>, basis, shape, stream, static_cast<const Pair*>(units),
                      coefficients_at<Pair>(signs, planes));
    });
}

int ludus_fourier_transform_backward(const Basis* basis, const Shape* shape, void* stream,
                                     void* signs, void* planes, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(transform_backward<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu(const Basis* basis, const Shape* shape, void* stream, void* signs,
                       void* planes, const float2* bias, void* result_signs, void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu<Pair>, basis, shape, stream, coefficients_at<Pair>(signs, planes), bias,
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_relu_backward(const Basis* basis, const Shape* shape, void* stream, void* signs,
                                void* planes, const float2* bias, void* gradient_signs,
                                void* gradient_planes, void* more_signs, void* more_planes,
                                void* trivial, void* result_signs, void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_backward<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), bias,
                      coefficients_at<Pair>(gradient_signs, gradient_planes),
                      coefficients_at<Pair>(more_signs, more_planes), static_cast<Pair*>(trivial),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_relu_to_mean(const Basis* basis, const Shape* shape, void* stream, void* signs,
                               void* planes, const float2* bias, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_mean<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), bias, static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu_to_mean_backward(const Basis* basis, const Shape* shape, void* stream,
                                        void* signs, void* planes, const float2* bias,
                                        const void* gradients, void* result_signs,
                                        void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_mean_backward<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), bias,
                      static_cast<const Pair*>(gradients),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}

int ludus_fourier_relu_to_group(const Basis* basis, const Shape* shape, void* stream, void* signs,
                                void* planes, const float2* bias, void* result) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_group<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), bias, static_cast<Pair*>(result));
    });
}

int ludus_fourier_relu_to_group_backward(const Basis* basis, const Shape* shape, void* stream,
                                         void* signs, void* planes, const float2* bias,
                                         const void* gradients, void* result_signs,
                                         void* result_planes) {
    return dispatch(shape, [&](auto pair) {
        using Pair = decltype(pair);
        return launch(relu_to_group_backward<Pair>, basis, shape, stream,
                      coefficients_at<Pair>(signs, planes), bias,
                      static_cast<const Pair*>(gradients),
                      coefficients_at<Pair>(result_signs, result_planes));
    });
}
}
