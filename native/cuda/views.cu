// Units of symmetric networks on a GPU: in sixteen views, one for each symmetry of the board, and in
// terms of the group's harmonics, where the layers that mix views are small. A rectifier belongs
// into the views, so between two layers each unit goes there and back; here that costs one reading
// and one writing of memory. A thread works on two neighbouring channels of one position.
//
// Units are (experts, positions, 16, channels). Terms are two arrays: signs (experts, 8, positions,
// channels) and planes (experts, plane, row, positions, column, channels), the latter ready to be
// multiplied as matrices of twice the rows and twice the columns. All are bfloat16; sums are made
// in single precision. Everything runs on the caller's stream.
#include <cuda_bf16.h>

namespace ludus::views {

constexpr int kViews = 16;
constexpr int kSigns = 8;
constexpr int kThreads = 256;

using Two = __nv_bfloat162;
using Values = float2[kViews];

// The harmonics, row by row. Passed by value: so they lie where all threads can read them at once.
struct Waves {
    float row[kViews][kViews];
};

struct Shape {
    int experts;
    int positions;
    int pairs;  // of channels
};

struct Terms {
    Two* signs;
    Two* planes;
};

// Where the values of one thread lie.
struct Place {
    size_t units, signs, planes, bias;
    size_t unit_step, sign_step, plane_step;

    static __device__ bool find(const Shape& shape, Place& place) {
        const size_t thread = size_t(blockIdx.x) * kThreads + threadIdx.x;
        const size_t pairs = shape.pairs, positions = shape.positions;
        if (thread >= shape.experts * positions * pairs) return false;
        const size_t pair = thread % pairs;
        const size_t position = thread / pairs % positions;
        const size_t expert = thread / pairs / positions;
        place.units = (expert * positions + position) * kViews * pairs + pair;
        place.signs = (expert * kSigns * positions + position) * pairs + pair;
        place.planes = (expert * 4 * positions + position) * 2 * pairs + pair;
        place.bias = expert * pairs + pair;
        place.unit_step = pairs;
        place.sign_step = positions * pairs;
        place.plane_step = positions * 2 * pairs;
        return true;
    }

    // Terms of the planes are numbered plane, row, column.
    __device__ size_t plane(int term) const {
        return planes + term / 2 * plane_step + term % 2 * unit_step;
    }
};

__device__ void read(const Terms& from, const Place& place, Values& terms) {
#pragma unroll
    for (int i = 0; i < kSigns; ++i) {
        terms[i] = __bfloat1622float2(from.signs[place.signs + i * place.sign_step]);
        terms[kSigns + i] = __bfloat1622float2(from.planes[place.plane(i)]);
    }
}

__device__ void write(const Terms& to, const Place& place, const Values& terms) {
#pragma unroll
    for (int i = 0; i < kSigns; ++i) {
        to.signs[place.signs + i * place.sign_step] = __float22bfloat162_rn(terms[i]);
        to.planes[place.plane(i)] = __float22bfloat162_rn(terms[kSigns + i]);
    }
}

__device__ void read(const Two* from, const Place& place, Values& views) {
#pragma unroll
    for (int g = 0; g < kViews; ++g) {
        views[g] = __bfloat1622float2(from[place.units + g * place.unit_step]);
    }
}

__device__ void write(Two* to, const Place& place, const Values& views) {
#pragma unroll
    for (int g = 0; g < kViews; ++g) {
        to[place.units + g * place.unit_step] = __float22bfloat162_rn(views[g]);
    }
}

__device__ void to_views(const Waves& waves, const Values& terms, Values& views) {
#pragma unroll
    for (int g = 0; g < kViews; ++g) {
        float2 sum = {0.0f, 0.0f};
#pragma unroll
        for (int i = 0; i < kViews; ++i) {
            sum.x += waves.row[i][g] * terms[i].x;
            sum.y += waves.row[i][g] * terms[i].y;
        }
        views[g] = sum;
    }
}

__device__ void to_terms(const Waves& waves, const Values& views, Values& terms) {
#pragma unroll
    for (int i = 0; i < kViews; ++i) {
        float2 sum = {0.0f, 0.0f};
#pragma unroll
        for (int g = 0; g < kViews; ++g) {
            sum.x += waves.row[i][g] * views[g].x;
            sum.y += waves.row[i][g] * views[g].y;
        }
        terms[i] = sum;
    }
}

__device__ void rectify(Values& views, float2 bias) {
#pragma unroll
    for (int g = 0; g < kViews; ++g) {
        views[g] = {fmaxf(views[g].x + bias.x, 0.0f), fmaxf(views[g].y + bias.y, 0.0f)};
    }
}

// What comes back through a rectifier: nothing where it was silent.
__device__ void silence(Values& slopes, const Values& views, float2 bias) {
#pragma unroll
    for (int g = 0; g < kViews; ++g) {
        if (views[g].x + bias.x <= 0.0f) slopes[g].x = 0.0f;
        if (views[g].y + bias.y <= 0.0f) slopes[g].y = 0.0f;
    }
}

__global__ void enter(Waves waves, Shape shape, const Two* units, Terms found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms;
    read(units, place, views);
    to_terms(waves, views, terms);
    write(found, place, terms);
}

__global__ void enter_back(Waves waves, Shape shape, Terms slopes, Two* found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms;
    read(slopes, place, terms);
    to_views(waves, terms, views);
    write(found, place, views);
}

__global__ void pass(Waves waves, Shape shape, Terms given, const float2* bias, Terms found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms;
    read(given, place, terms);
    to_views(waves, terms, views);
    rectify(views, bias[place.bias]);
    to_terms(waves, views, terms);
    write(found, place, terms);
}

__global__ void pass_back(Waves waves, Shape shape, Terms given, const float2* bias, Terms slopes,
                          Terms found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms, back;
    read(given, place, terms);
    to_views(waves, terms, views);
    read(slopes, place, terms);
    to_views(waves, terms, back);
    silence(back, views, bias[place.bias]);
    to_terms(waves, back, terms);
    write(found, place, terms);
}

__global__ void leave(Waves waves, Shape shape, Terms given, const float2* bias, Two* found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms;
    read(given, place, terms);
    to_views(waves, terms, views);
    rectify(views, bias[place.bias]);
    write(found, place, views);
}

__global__ void leave_back(Waves waves, Shape shape, Terms given, const float2* bias,
                           const Two* slopes, Terms found) {
    Place place;
    if (!Place::find(shape, place)) return;
    Values views, terms, back;
    read(given, place, terms);
    to_views(waves, terms, views);
    read(slopes, place, back);
    silence(back, views, bias[place.bias]);
    to_terms(waves, back, terms);
    write(found, place, terms);
}

template <class... Arguments>
int launch(void (*kernel)(Waves, Shape, Arguments...), const Waves* waves, const Shape* shape,
           void* stream, Arguments... arguments) {
    const size_t threads = size_t(shape->experts) * shape->positions * shape->pairs;
    const unsigned blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
    if (blocks == 0) return 0;
    kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(*waves, *shape, arguments...);
    return static_cast<int>(cudaGetLastError());
}

}  // namespace ludus::views

// Plain C entry points, loaded through ctypes. They return 0, or the number of a CUDA error.
using namespace ludus::views;

extern "C" {

int ludus_views_enter(const Waves* waves, const Shape* shape, void* stream, const Two* units,
                      Two* signs, Two* planes) {
    return launch(enter, waves, shape, stream, units, Terms{signs, planes});
}

int ludus_views_enter_back(const Waves* waves, const Shape* shape, void* stream, Two* signs,
                           Two* planes, Two* found) {
    return launch(enter_back, waves, shape, stream, Terms{signs, planes}, found);
}

int ludus_views_pass(const Waves* waves, const Shape* shape, void* stream, Two* signs, Two* planes,
                     const float2* bias, Two* found_signs, Two* found_planes) {
    return launch(pass, waves, shape, stream, Terms{signs, planes}, bias,
                  Terms{found_signs, found_planes});
}

int ludus_views_pass_back(const Waves* waves, const Shape* shape, void* stream, Two* signs,
                          Two* planes, const float2* bias, Two* slope_signs, Two* slope_planes,
                          Two* found_signs, Two* found_planes) {
    return launch(pass_back, waves, shape, stream, Terms{signs, planes}, bias,
                  Terms{slope_signs, slope_planes}, Terms{found_signs, found_planes});
}

int ludus_views_leave(const Waves* waves, const Shape* shape, void* stream, Two* signs, Two* planes,
                      const float2* bias, Two* found) {
    return launch(leave, waves, shape, stream, Terms{signs, planes}, bias, found);
}

int ludus_views_leave_back(const Waves* waves, const Shape* shape, void* stream, Two* signs,
                           Two* planes, const float2* bias, const Two* slopes, Two* found_signs,
                           Two* found_planes) {
    return launch(leave_back, waves, shape, stream, Terms{signs, planes}, bias, slopes,
                  Terms{found_signs, found_planes});
}
}
