// The score of a position for its mover: hundredths of a man, or how many plies
// away the end of the game is.
#pragma once

namespace ludus::search {

using Score = int;

constexpr Score kWin = 30'000;       // won where it stands; each ply before the end costs one
constexpr Score kDecided = 29'000;   // beyond this the end of the game has been seen
constexpr Score kInfinite = 32'000;

constexpr int kMaxPly = 120;    // no line is followed further from the root
constexpr int kMaxDepth = 100;  // asked for, without extensions

constexpr Score won_in(int plies) { return kWin - plies; }
constexpr Score lost_in(int plies) { return plies - kWin; }
constexpr bool is_decided(Score score) { return score >= kDecided || score <= -kDecided; }

// How many plies away the end is that a decided score promises.
constexpr int plies_to_end(Score score) { return kWin - (score < 0 ? -score : score); }

// Within the table distances are counted from the position itself, in the search from the root.
constexpr Score from_here(Score score, int ply) {
    return score >= kDecided ? score + ply : score <= -kDecided ? score - ply : score;
}
constexpr Score from_root(Score score, int ply) {
    return score >= kDecided ? score - ply : score <= -kDecided ? score + ply : score;
}

}  // namespace ludus::search
