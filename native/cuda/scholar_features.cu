// Features of positions for the scholar's networks, on a GPU (see learn/scholar/encoding.py, which
// describes the columns and computes the same with dozens of array operations). A thread computes
// one column of one position. Features are bfloat16, for training, or single precision; all of them
// are exact in both.
#include <cuda_bf16.h>

namespace ludus::features {

constexpr int kPoints = 24;
constexpr int kLines = 16;
constexpr int kLineStates = 10;
constexpr int kCounts = 10;
constexpr int kFlyingMen = 3;
constexpr int kColumns = 6 * kPoints + kLines * kLineStates + 4 * kCounts;
constexpr int kThreads = 256;

// The board as bit sets of points. Passed by value, so it lies in constant memory.
struct Board {
    unsigned lines[kLines];
    unsigned partners[kPoints][2];  // the two other points of both lines through a point
    unsigned adjacent[kPoints][2];  // its neighbours from which a man could close that line
    unsigned neighbours[kPoints];
    int states[16];  // column of the state 4 * own + other men on a line
};

struct Shape {
    int positions;
    int is_single;  // features are single precision, not bfloat16
};

struct Position {
    unsigned own, other;
    int own_hand, other_hand;
};

__device__ inline void store(__nv_bfloat16& to, float value) { to = __float2bfloat16(value); }
__device__ inline void store(float& to, float value) { to = value; }

// Whether a side could close a mill at a point now.
__device__ inline bool can_close(const Board& board, unsigned men, unsigned free, int hand,
                                 int point) {
    if (!(free >> point & 1)) return false;
    const bool anywhere = hand > 0 || __popc(men) <= kFlyingMen;
    for (int line = 0; line < 2; ++line) {
        const unsigned partners = board.partners[point][line];
        const bool comes = anywhere || (men & board.adjacent[point][line]) != 0;
        if ((men & partners) == partners && comes) return true;
    }
    return false;
}

__device__ inline float compute_feature(const Board& board, const Position& at, int column) {
    const unsigned free = ~(at.own | at.other) & ((1U << kPoints) - 1);
    if (column < 2 * kPoints) {
        const unsigned men = column < kPoints ? at.own : at.other;
        return float(men >> column % kPoints & 1);
    }
    column -= 2 * kPoints;
    if (column < kLines * kLineStates) {
        const unsigned line = board.lines[column / kLineStates];
        const int state = 4 * __popc(at.own & line) + __popc(at.other & line);
        return board.states[state] == column % kLineStates ? 1.0f : 0.0f;
    }
    column -= kLines * kLineStates;
    if (column < 4 * kPoints) {
        const int kind = column / kPoints, point = column % kPoints;
        const unsigned men = kind % 2 == 0 ? at.own : at.other;
        const int hand = kind % 2 == 0 ? at.own_hand : at.other_hand;
        if (kind < 2) return can_close(board, men, free, hand, point) ? 1.0f : 0.0f;
        return men >> point & 1 ? 0.25f * __popc(free & board.neighbours[point]) : 0.0f;
    }
    column -= 4 * kPoints;
    const int counts[] = {at.own_hand, at.other_hand, __popc(at.own), __popc(at.other)};
    return counts[column / kCounts] == column % kCounts ? 1.0f : 0.0f;
}

template <class Feature>
__global__ void encode(Board board, Shape shape, const int* own, const int* other,
                       const unsigned char* own_hand, const unsigned char* other_hand,
                       Feature* features) {
    const size_t thread = size_t(blockIdx.x) * kThreads + threadIdx.x;
    const unsigned position = static_cast<unsigned>(thread / kColumns);
    if (position >= unsigned(shape.positions)) return;
    const int column = static_cast<int>(thread - size_t(position) * kColumns);
    const Position at = {unsigned(own[position]), unsigned(other[position]), own_hand[position],
                         other_hand[position]};
    store(features[thread], compute_feature(board, at, column));
}

template <class Feature>
int launch(const Board* board, const Shape* shape, void* stream, const int* own, const int* other,
           const unsigned char* own_hand, const unsigned char* other_hand, void* features) {
    const size_t threads = size_t(shape->positions) * kColumns;
    const unsigned blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
    if (blocks == 0) return 0;
    const auto kernel = encode<Feature>;
    kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
        *board, *shape, own, other, own_hand, other_hand, static_cast<Feature*>(features));
    return static_cast<int>(cudaGetLastError());
}

}  // namespace ludus::features

// Plain C entry point, loaded through ctypes. It returns 0, or the number of a CUDA error.
using namespace ludus::features;

extern "C" int ludus_scholar_encode(const Board* board, const Shape* shape, void* stream,
                                    const int* own, const int* other, const unsigned char* own_hand,
                                    const unsigned char* other_hand, void* features) {
    return shape->is_single
               ? launch<float>(board, shape, stream, own, other, own_hand, other_hand, features)
               : launch<__nv_bfloat16>(board, shape, stream, own, other, own_hand, other_hand,
                                       features);
}
