// Proves goals of learned logic programs about boards of hexapawn (Muggleton and Hocquette 2019).
//
// The twin of Reasoner in ludus/learn/migo/inference.py: all clauses are about one move, and their
// conditions about the board after it, so a predicate is a property of a board. Answers are kept
// with each board; a board and its mirror image share them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ludus::migo {

using Squares = std::uint64_t;

// Pawns from the view of the side to move, which goes towards row 0.
struct Board {
    Squares own = 0;
    Squares other = 0;
    bool operator==(const Board&) const = default;
};

enum class Condition : std::uint8_t { won, drawn, negation, forcing };

struct Rule {
    int first;  // the concept of the first literal; 0 is any move
    Condition condition;
    int second;  // the concept of a negation; unused for won and drawn
};

class HexapawnProver {
public:
    static constexpr int kMaxConcepts = 64;

    HexapawnProver(int size, bool no_pawns_loses)
        : size_(size), no_pawns_loses_(no_pawns_loses), definitions_(1), slots_(1 << 12, kNone) {
        if (size < 3 || size > 8) throw std::invalid_argument("a board has 3 to 8 squares a side");
        first_row_ = (Squares{1} << size) - 1;
        last_row_ = first_row_ << size * (size - 1);
        for (int row = 0; row < size; ++row) left_column_ |= Squares{1} << row * size;
        right_column_ = left_column_ << (size - 1);
    }

    // Adds a concept and returns its number; rules may use earlier ones only.
    int define(std::vector<Rule> rules) {
        const int number = static_cast<int>(definitions_.size());
        if (number >= kMaxConcepts) throw std::invalid_argument("a program has too many concepts");
        for (const Rule& rule : rules) {
            if (rule.first < 0 || rule.first >= number || rule.second < 0 ||
                rule.second >= number) {
                throw std::invalid_argument("a rule uses a concept that is not defined");
            }
        }
        definitions_.push_back(std::move(rules));
        return number;
    }

    // Whether a move to this board has the property.
    bool holds(int concept_number, Board board) { return holds_at(concept_number, find(board)); }

    // Whether there is a move from this board with the property.
    bool has_solution(int concept_number, Board board) {
        return has_solution_at(concept_number, find(board));
    }

    std::size_t num_boards() const { return nodes_.size(); }
    int num_concepts() const { return static_cast<int>(definitions_.size()); }
    int size() const { return size_; }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    struct Node {
        Board board;
        std::uint64_t holds_known = 0, holds_value = 0;
        std::uint64_t solution_known = 0, solution_value = 0;
        std::uint32_t first_child = kNone;  // not generated yet
        std::uint16_t num_children = 0;
        bool is_won = false;
    };

    bool holds_at(int concept_number, std::uint32_t at) {
        if (concept_number == 0) return true;
        const std::uint64_t bit = std::uint64_t{1} << concept_number;
        if (nodes_[at].holds_known & bit) return (nodes_[at].holds_value & bit) != 0;
        bool found = false;
        for (std::size_t number = 0; number < definition(concept_number).size(); ++number) {
            const Rule rule = definition(concept_number)[number];
            if (holds_at(rule.first, at) && satisfies(rule, at)) {
                found = true;
                break;
            }
        }
        nodes_[at].holds_known |= bit;
        if (found) nodes_[at].holds_value |= bit;
        return found;
    }

    bool satisfies(const Rule& rule, std::uint32_t at) {
        if (rule.condition == Condition::won) return nodes_[at].is_won;
        if (rule.condition == Condition::drawn) {
            generate(at);
            return !nodes_[at].is_won && nodes_[at].num_children == 0;
        }
        if (rule.condition == Condition::forcing) {
            generate(at);
            if (nodes_[at].num_children == 0) return false;
        }
        return !has_solution_at(rule.second, at);
    }

    bool has_solution_at(int concept_number, std::uint32_t at) {
        const std::uint64_t bit = std::uint64_t{1} << concept_number;
        if (nodes_[at].solution_known & bit) return (nodes_[at].solution_value & bit) != 0;
        generate(at);
        bool found = false;
        const std::uint32_t first = nodes_[at].first_child;
        const int count = nodes_[at].num_children;
        for (int child = 0; child < count && !found; ++child) {
            found = holds_at(concept_number, children_[first + static_cast<std::uint32_t>(child)]);
        }
        nodes_[at].solution_known |= bit;
        if (found) nodes_[at].solution_value |= bit;
        return found;
    }

    const std::vector<Rule>& definition(int concept_number) const {
        return definitions_[static_cast<std::size_t>(concept_number)];
    }

    // Lists the boards after each move, once.
    void generate(std::uint32_t at) {
        if (nodes_[at].first_child != kNone) return;
        const Board board = nodes_[at].board;
        std::array<std::uint32_t, 3 * 64> found;
        std::size_t count = 0;
        if (!nodes_[at].is_won) {
            const Squares movable = board.own & ~first_row_;
            const Squares empty = ~(board.own | board.other);
            for (Squares left = movable; left != 0; left &= left - 1) {
                const Squares pawn = left & (~left + 1);
                const Squares front = pawn >> size_;
                std::array<Squares, 3> targets{
                    (pawn & left_column_) ? 0 : (front >> 1) & board.other, front & empty,
                    (pawn & right_column_) ? 0 : (front << 1) & board.other};
                for (const Squares target : targets) {
                    if (target == 0) continue;
                    const Board after{flip(board.other & ~target),
                                      flip((board.own ^ pawn) | target)};
                    found[count++] = find(after);
                }
            }
        }
        nodes_[at].first_child = static_cast<std::uint32_t>(children_.size());
        nodes_[at].num_children = static_cast<std::uint16_t>(count);
        children_.insert(children_.end(), found.begin(),
                         found.begin() + static_cast<std::ptrdiff_t>(count));
    }

    // The board as the other side sees it: rows in reverse.
    Squares flip(Squares board) const {
        Squares result = 0;
        for (int row = 0; row < size_; ++row) {
            result = result << size_ | (board & first_row_);
            board >>= size_;
        }
        return result;
    }

    Squares mirror(Squares board) const {
        Squares result = 0;
        for (int column = 0; column < size_; ++column) {
            result |= (board >> column & left_column_) << (size_ - 1 - column);
        }
        return result;
    }

    // The number of a board, a new one for a new board.
    std::uint32_t find(Board board) {
        const Board image{mirror(board.own), mirror(board.other)};
        if (image.own < board.own || (image.own == board.own && image.other < board.other)) {
            board = image;
        }
        std::size_t slot = hash(board) & (slots_.size() - 1);
        while (slots_[slot] != kNone) {
            if (nodes_[slots_[slot]].board == board) return slots_[slot];
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        slots_[slot] = number;
        Node node;
        node.board = board;
        node.is_won = (board.other & last_row_) != 0 || (no_pawns_loses_ && board.own == 0);
        nodes_.push_back(node);
        if (2 * nodes_.size() > slots_.size()) grow();
        return number;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), kNone);
        for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
            std::size_t slot = hash(nodes_[number].board) & (slots_.size() - 1);
            while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = number;
        }
    }

    static std::size_t hash(Board board) {
        std::uint64_t mixed = board.own * 0x9E3779B97F4A7C15U ^ std::rotl(board.other, 32);
        mixed *= 0xD6E8FEB86659FD93U;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }

    int size_;
    bool no_pawns_loses_;
    Squares first_row_ = 0, last_row_ = 0, left_column_ = 0, right_column_ = 0;
    std::vector<std::vector<Rule>> definitions_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> children_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace ludus::migo
