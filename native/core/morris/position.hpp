// A position as a value that remembers its road: each one shares its history with the one it
// came from, so playing a move costs one small allocation and no copy.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "morris/outcome.hpp"

namespace ludus::morris {

// The positions since the last irreversible move, newest first, as a shared list. Counts of
// references are not atomic: a Position belongs to one thread at a time.
class History {
public:
    History() = default;
    History(const History& other) : head_(other.head_) { hold(head_); }
    History(History&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
    History& operator=(History other) noexcept {
        std::swap(head_, other.head_);
        return *this;
    }
    ~History() { release(head_); }

    // This history with one more position in front.
    History with(std::uint64_t key) const {
        hold(head_);
        History longer;
        longer.head_ = new Node{key, head_, 1};
        return longer;
    }

    int count(std::uint64_t key) const {
        int found = 0;
        for (const Node* node = head_; node != nullptr; node = node->next) {
            found += node->key == key ? 1 : 0;
        }
        return found;
    }

    // The same history in nodes of its own.
    History unshared() const {
        History copy;
        for (const std::uint64_t key : keys()) copy = copy.with(key);
        return copy;
    }

    // All keys, oldest first.
    std::vector<std::uint64_t> keys() const {
        std::vector<std::uint64_t> all;
        for (const Node* node = head_; node != nullptr; node = node->next) {
            all.push_back(node->key);
        }
        std::reverse(all.begin(), all.end());
        return all;
    }

private:
    struct Node {
        std::uint64_t key;
        Node* next;
        std::uint32_t references;
    };

    static void hold(Node* node) {
        if (node != nullptr) ++node->references;
    }
    // A loop, not a recursion: histories can be long.
    static void release(Node* node) {
        while (node != nullptr && --node->references == 0) {
            delete std::exchange(node, node->next);
        }
    }

    Node* head_ = nullptr;
};

struct Position {
    State state;
    std::uint16_t occurrence = 1;
    std::uint16_t quiet = 0;
    History history;

    Outcome outcome(const Rules& rules) const {
        return morris::outcome(rules, state, occurrence, quiet);
    }

    bool must_pass(const Rules& rules) const { return !can_move(rules, state, state.mover); }

    bool is_legal(const Rules& rules, Move move) const {
        if (outcome(rules).is_over()) return false;
        return move == Move{} ? must_pass(rules) : is_move(rules, state, move);
    }

    // The same position for another thread: its history is shared with nobody.
    Position unshared() const { return {state, occurrence, quiet, history.unshared()}; }

    // The position after a legal move.
    Position play(const Rules& rules, Move move) const {
        Position next{after(state, move), 1, 0, {}};
        if (move.is_irreversible()) return next;
        if (rules.quiet_plies > 0) next.quiet = static_cast<std::uint16_t>(quiet + 1);
        if (rules.repetition > 0) {
            next.history = history.with(state.key());
            next.occurrence = static_cast<std::uint16_t>(1 + next.history.count(next.state.key()));
        }
        return next;
    }
};

}  // namespace ludus::morris
