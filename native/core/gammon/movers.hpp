// Players of whole games without Python: the conventional program, a network, and random moves.
#pragma once

#include <memory>

#include "backgammon/plays.hpp"
#include "common/random.hpp"
#include "gammon/network.hpp"

namespace ludus::gammon {

using backgammon::Plays;

// Chooses among the plays of one roll. One per thread.
class Mover {
public:
    virtual ~Mover() = default;
    virtual int choose(const View& before, Dice dice, const Plays& plays, Random& random) = 0;
};

// The first of the plays with the highest score.
template <typename Score>
int best_play(const Plays& plays, Score score) {
    int best = 0;
    float highest = 0;
    for (int i = 0; i < plays.size(); ++i) {
        const float value = score(plays[i].end);
        if (i == 0 || value > highest) {
            highest = value;
            best = i;
        }
    }
    return best;
}

class ToolMover final : public Mover {
public:
    int choose(const View&, Dice, const Plays& plays, Random&) override {
        return best_play(plays, [](const View& end) { return tool_score(end); });
    }
};

class UniformMover final : public Mover {
public:
    int choose(const View&, Dice, const Plays& plays, Random& random) override {
        return static_cast<int>(random.fairly_below(static_cast<std::uint32_t>(plays.size())));
    }
};

class NetworkMover final : public Mover {
public:
    explicit NetworkMover(const Network& network)
        : network_(network), activities_(network.scratch()) {}

    int choose(const View& before, Dice dice, const Plays& plays, Random&) override {
        return best_play(plays, [&](const View& end) {
            encode(units_, before, dice, end, network_.encoding());
            return network_.score({units_.index(), units_.value(), units_.size()}, activities_);
        });
    }

private:
    const Network& network_;
    Activities activities_;
    Units units_;
};

}  // namespace ludus::gammon
