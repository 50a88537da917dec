// Exact equities of two sides that bear off without contact, with the cube and without.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "backgammon/men.hpp"
#include "backgammon/men_plays.hpp"
#include "common/device.hpp"
#include "solver/workers.hpp"

namespace ludus::backgammon {

using solver::Workers;

// Where the cube is, seen by the side to move.
enum Cube { kNoCube, kOwnCube, kCentredCube, kTheirCube };
inline constexpr std::size_t kCubes = 4;

// Equities of the side to move, in points of the present cube, for money; gammons count with a
// centred cube, too. Tables hold those of not doubling now, as GNU Backgammon's do.
struct alignas(16) CubeEquities {
    float of[kCubes];
};

// Equities before the decision about doubling from those of not doubling.
LUDUS_HD inline CubeEquities decide_cube(const CubeEquities& roll) {
    const float taken = 2 * roll.of[kTheirCube];
    const float doubled = taken < 1 ? taken : 1;
    const float own = roll.of[kOwnCube], centred = roll.of[kCentredCube];
    return {{roll.of[kNoCube], own < doubled ? doubled : own, centred < doubled ? doubled : centred,
             roll.of[kTheirCube]}};
}

// Equities of rolling from the means over the rolls of what the best moves leave to the other side,
// each as the other side sees it.
LUDUS_HD inline CubeEquities flip_means(const CubeEquities& left) {
    return {{-left.of[kNoCube], -left.of[kTheirCube], -left.of[kCentredCube], -left.of[kOwnCube]}};
}

// A game that is over, seen by the side that has lost these points if they are positive.
LUDUS_HD inline CubeEquities lost_game(float points) {
    return {{-points, -points, -points, -points}};
}

// Placements numbered by pips, and every placement that each roll can lead to. Moves lower the
// pips, so of two sides all positions with one sum of pips follow from those with lower sums.
class BearoffMoves {
public:
    // With `are_all` the men are all that a side has, and who has none off loses a gammon.
    BearoffMoves(int men, int points, bool are_all)
        : index_(men, points), are_all_(are_all), numbers_(index_.size()) {
        std::vector<std::vector<std::uint32_t>> groups(static_cast<std::size_t>(men * points + 1));
        for (std::uint32_t rank = 0; rank < index_.size(); ++rank) {
            groups[static_cast<std::size_t>(count_pips(index_.unrank(rank)))].push_back(rank);
        }
        for (const auto& group : groups) {
            firsts_.push_back(static_cast<std::uint32_t>(ranks_.size()));
            for (const std::uint32_t rank : group) {
                numbers_[rank] = static_cast<std::uint32_t>(ranks_.size());
                ranks_.push_back(rank);
            }
        }
        firsts_.push_back(static_cast<std::uint32_t>(ranks_.size()));
        list_moves();
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
    int most_pips() const { return index_.men() * index_.points(); }

    // Numbers of the placements with these pips are from first(pips) to first(pips + 1).
    std::uint32_t first(int pips) const { return firsts_[static_cast<std::size_t>(pips)]; }

    const std::vector<std::uint32_t>& ranks() const { return ranks_; }
    const std::vector<std::uint32_t>& numbers() const { return numbers_; }

    // The moves of a placement's roll: starts()[kRolls * number + roll] and the next one bound
    // them.
    const std::vector<std::uint32_t>& starts() const { return starts_; }
    const std::vector<std::uint32_t>& ends() const { return ends_; }

    // Points that a side with men left loses when the other side has none left.
    float points_lost(std::uint32_t number) const {
        return are_all_ && index_.unrank(ranks_[number])[kOff] == 0 ? 2.0F : 1.0F;
    }

private:
    void list_moves() {
        MenPlays plays(index_);
        starts_.reserve(std::size_t{size()} * kRolls + 1);
        for (const std::uint32_t rank : ranks_) {
            const Side men = index_.unrank(rank);
            for (const auto& roll : kWeightedRolls) {
                starts_.push_back(static_cast<std::uint32_t>(ends_.size()));
                for (const MenPlay& play : plays.find(men, roll.dice)) {
                    ends_.push_back(numbers_[play.to]);
                }
            }
        }
        starts_.push_back(static_cast<std::uint32_t>(ends_.size()));
    }

    MenIndex index_;
    bool are_all_;
    std::vector<std::uint32_t> ranks_, numbers_;  // by number, and by rank
    std::vector<std::uint32_t> firsts_, starts_, ends_;
};

// All equities in memory. `left_` has a row for each placement of the side that has moved, and in
// it what each placement of the side to move is worth before it decides about doubling. So a move
// is a row, and the rows that the moves of one roll lead to are compared element by element.
class TwoSidedBearoff {
public:
    TwoSidedBearoff(int men, int points, bool are_all)
        : moves_(men, points, are_all),
          left_(std::size_t{size()} * size()),
          equities_(kCubes * left_.size()) {
        for (std::uint32_t number = 1; number < size(); ++number) {
            const float points_lost = moves_.points_lost(number);
            store(number, 0, lost_game(points_lost));
            store(0, number, lost_game(-points_lost));
            left(0)[number] = lost_game(points_lost);
        }
    }

    std::uint32_t size() const { return moves_.size(); }

    // Those of not doubling, by ranks of the side to move and of the other side, one cube after the
    // other.
    std::vector<float>& equities() { return equities_; }

    void solve(int threads) {
        Workers workers(threads);
        for (int sum = 2; sum <= 2 * moves_.most_pips(); ++sum) {
            derive_all(sum, workers, [this](const Tile& tile, const CubeEquities* found) {
                for (std::uint32_t i = 0; i < tile.others; ++i) {
                    CubeEquities* into = left(tile.other + i) + tile.own;
                    for (std::uint32_t j = 0; j < tile.owns; ++j) {
                        into[j] = decide_cube(found[j * tile.others + i]);
                    }
                }
                for (std::uint32_t j = 0; j < tile.owns; ++j) {
                    for (std::uint32_t i = 0; i < tile.others; ++i) {
                        store(tile.own + j, tile.other + i, found[j * tile.others + i]);
                    }
                }
            });
        }
    }

    // The number of these equities that do not follow from those of their successors. Those with
    // the cube may be missing.
    std::uint64_t verify(std::span<const float> equities, int threads) {
        std::copy(equities.begin(), equities.end(), equities_.begin());
        const std::size_t cubes = equities.size() / left_.size();
        for (std::uint32_t own = 1; own < size(); ++own) {
            for (std::uint32_t other = 1; other < size(); ++other) {
                left(other)[own] = decide_cube(stored(own, other));
            }
        }
        Workers workers(threads);
        std::atomic<std::uint64_t> wrong{0};
        for (int sum = 2; sum <= 2 * moves_.most_pips(); ++sum) {
            derive_all(sum, workers, [&](const Tile& tile, const CubeEquities* found) {
                std::uint64_t here = 0;
                for (std::uint32_t j = 0; j < tile.owns; ++j) {
                    for (std::uint32_t i = 0; i < tile.others; ++i) {
                        here += count_errors(stored(tile.own + j, tile.other + i),
                                             found[j * tile.others + i], cubes);
                    }
                }
                wrong += here;
            });
        }
        return wrong;
    }

private:
    // Placements of the side to move that are stored at once, which fills cache lines.
    static constexpr std::uint32_t kTile = 16;

    static constexpr float kRounding = 2e-6F;

    struct Tile {
        std::uint32_t own, owns, other, others;
    };

    CubeEquities* left(std::uint32_t moved) { return left_.data() + std::size_t{moved} * size(); }
    const CubeEquities* left(std::uint32_t moved) const {
        return left_.data() + std::size_t{moved} * size();
    }

    std::size_t slot(std::uint32_t own, std::uint32_t other) const {
        return std::size_t{moves_.ranks()[own]} * size() + moves_.ranks()[other];
    }
    void store(std::uint32_t own, std::uint32_t other, const CubeEquities& found) {
        const std::size_t at = slot(own, other);
        for (std::size_t cube = 0; cube < kCubes; ++cube) {
            equities_[cube * left_.size() + at] = found.of[cube];
        }
    }
    CubeEquities stored(std::uint32_t own, std::uint32_t other) const {
        const std::size_t at = slot(own, other), plane = left_.size();
        return {{equities_[at], equities_[plane + at], equities_[2 * plane + at],
                 equities_[3 * plane + at]}};
    }

    // Derives the positions with this sum of pips; `use` gets those of a tile, own by own.
    template <typename Use>
    void derive_all(int sum, Workers& workers, const Use& use) {
        std::vector<Tile> tiles;
        const int most = moves_.most_pips();
        for (int pips = std::max(1, sum - most); pips <= std::min(most, sum - 1); ++pips) {
            const std::uint32_t other = moves_.first(sum - pips);
            const std::uint32_t others = moves_.first(sum - pips + 1) - other;
            const std::uint32_t end = moves_.first(pips + 1);
            for (std::uint32_t own = moves_.first(pips); own < end; own += kTile) {
                tiles.push_back({own, std::min(kTile, end - own), other, others});
            }
        }
        workers.share(tiles.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
            std::vector<CubeEquities> found;
            for (std::uint64_t number = first; number < last; ++number) {
                const Tile& tile = tiles[number];
                found.resize(std::size_t{tile.owns} * tile.others);
                for (std::uint32_t j = 0; j < tile.owns; ++j) {
                    derive(tile, tile.own + j, found.data() + std::size_t{j} * tile.others);
                }
                use(tile, found.data());
            }
        });
    }

    // (own, other) for all others of the tile.
    void derive(const Tile& tile, std::uint32_t own, CubeEquities* found) const {
        const std::size_t width = kCubes * tile.others;
        std::vector<float> total(width), least(width);
        const auto& starts = moves_.starts();
        for (std::size_t roll = 0; roll < kRolls; ++roll) {
            const std::size_t list = std::size_t{own} * kRolls + roll;
            std::uint32_t next = starts[list];
            const auto after = [&] { return left(moves_.ends()[next])[tile.other].of; };
            std::copy_n(after(), width, least.data());
            for (++next; next < starts[list + 1]; ++next) {
                const float* values = after();
                for (std::size_t i = 0; i < width; ++i) least[i] = std::min(least[i], values[i]);
            }
            const auto probability = static_cast<float>(kWeightedRolls[roll].probability);
            for (std::size_t i = 0; i < width; ++i) total[i] += probability * least[i];
        }
        for (std::size_t i = 0; i < tile.others; ++i) {
            const float* mean = total.data() + kCubes * i;
            found[i] = flip_means({{mean[0], mean[1], mean[2], mean[3]}});
        }
    }

    static std::uint64_t count_errors(const CubeEquities& stored, const CubeEquities& expected,
                                      std::size_t cubes) {
        std::uint64_t errors = 0;
        for (std::size_t cube = 0; cube < cubes; ++cube) {
            const float error = stored.of[cube] - expected.of[cube];
            errors += error > -kRounding && error < kRounding ? 0 : 1;
        }
        return errors;
    }

    BearoffMoves moves_;
    std::vector<CubeEquities> left_;
    std::vector<float> equities_;
};

}  // namespace ludus::backgammon
