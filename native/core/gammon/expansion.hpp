// The boards after every move of many positions, listed on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "backgammon/men_plays.hpp"
#include "backgammon/plays.hpp"
#include "solver/workers.hpp"

namespace ludus::gammon {

inline constexpr std::size_t kRowSize = 52;

inline backgammon::View read_row(const std::int8_t* row) {
    backgammon::View view;
    std::copy_n(row, 26, view.own.begin());
    std::copy_n(row + 26, 26, view.their.begin());
    return view;
}

// Positions are those of the side to move, with one roll each or, where `dice` is nullptr, all 21
// rolls. Boards are as the mover sees them.
class Expansion {
public:
    Expansion(const std::int8_t* positions, const std::int8_t* dice, std::size_t count, int threads)
        : workers_(threads) {
        const std::size_t rolls = dice == nullptr ? backgammon::kWeightedRolls.size() : 1;
        pieces_.resize((count + kPiece - 1) / kPiece);
        workers_.share(pieces_.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
            const auto plays = std::make_unique<backgammon::Plays>();
            for (std::uint64_t number = first; number < last; ++number) {
                Piece& piece = pieces_[number];
                piece.rows.reserve(kPiece * rolls * 20 * kRowSize);
                for (std::size_t i = number * kPiece; i < std::min(count, (number + 1) * kPiece);
                     ++i) {
                    const backgammon::View view = read_row(positions + i * kRowSize);
                    for (std::size_t roll = 0; roll < rolls; ++roll) {
                        plays->find(view, dice == nullptr
                                              ? backgammon::kWeightedRolls[roll].dice
                                              : backgammon::Dice{dice[2 * i], dice[2 * i + 1]});
                        piece.add(*plays);
                    }
                }
            }
        });
        offsets_.reserve(count * rolls + 1);
        offsets_.push_back(0);
        for (Piece& piece : pieces_) {
            piece.begin = offsets_.back();
            for (const std::int64_t size : piece.sizes) offsets_.push_back(offsets_.back() + size);
        }
    }

    // The first board of every position and roll; the last number is that of all boards.
    const std::vector<std::int64_t>& offsets() const { return offsets_; }

    void copy_rows(std::int8_t* into) {
        workers_.share(pieces_.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t number = first; number < last; ++number) {
                const Piece& piece = pieces_[number];
                std::copy(piece.rows.begin(), piece.rows.end(),
                          into + static_cast<std::size_t>(piece.begin) * kRowSize);
            }
        });
    }

private:
    static constexpr std::size_t kPiece = 64;

    struct Piece {
        std::vector<std::int8_t> rows;
        std::vector<std::int64_t> sizes;
        std::int64_t begin = 0;

        void add(const backgammon::Plays& plays) {
            for (int i = 0; i < plays.size(); ++i) {
                const backgammon::View& end = plays[i].end;
                rows.insert(rows.end(), end.own.begin(), end.own.end());
                rows.insert(rows.end(), end.their.begin(), end.their.end());
            }
            sizes.push_back(plays.size());
        }
    };

    solver::Workers workers_;
    std::vector<Piece> pieces_;
    std::vector<std::int64_t> offsets_;
};

}  // namespace ludus::gammon
