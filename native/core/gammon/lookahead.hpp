// Moves ranked by a network of chances, with the replies to all rolls looked at to some depth.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "backgammon/men_plays.hpp"
#include "gammon/bearoff_races.hpp"
#include "gammon/chances_network.hpp"
#include "gammon/exact_races.hpp"
#include "gammon/movers.hpp"

namespace ludus::gammon {

// Which moves are looked at more deeply: the best by the network alone.
struct MoveFilter {
    int most = 8;
    float margin = 0.16f;  // equity behind the best move
};

struct RankedPlay {
    int index = 0;  // in the order of Plays
    int depth = 0;
    Chances chances;
};

// One per thread. The largest depth is 2: the own move, the other side's reply, the own next move.
class Lookahead {
public:
    // Positions that `exact` contains are taken from it.
    explicit Lookahead(const ChancesNetwork& network, const ExactRaces* exact = nullptr)
        : network_(network), exact_(exact), scratch_(network.scratch()) {
        for (auto& plays : plays_) plays = std::make_unique<Plays>();
    }

    // Chances of the side that has just moved. Bearing off is taken from tables.
    Chances evaluate(const View& end, int depth) {
        restart();
        return evaluate_next(end, depth);
    }

    void restart() { network_.restart(scratch_); }

    // The same, faster for one board after the other of the same position.
    Chances evaluate_next(const View& end, int depth) {
        if (has_won(end)) return won_chances(end);
        if (exact_ != nullptr && ExactRaces::contains(end)) {
            return exact_->evaluate(end.turned()).flipped();
        }
        if (BearoffRaces::contains(end)) return BearoffRaces::shared().evaluate(end);
        if (depth == 0) return network_.evaluate_next(end, scratch_);
        const View view = end.turned();
        Plays& plays = *plays_[static_cast<std::size_t>(depth - 1)];
        Chances mean;
        for (const auto& [dice, probability] : backgammon::kWeightedRolls) {
            plays.find(view, dice);
            int best = 0;
            Chances reply;
            for (int i = 0; i < plays.size(); ++i) {
                const Chances found = evaluate_next(plays[i].end, 0);
                if (i == 0 || found.equity() > reply.equity()) {
                    reply = found;
                    best = i;
                }
            }
            if (depth > 1) {
                const View chosen = plays[best].end;
                reply = evaluate_next(chosen, depth - 1);
            }
            mean.add(reply.flipped(), static_cast<float>(probability));
        }
        return mean;
    }

    // All plays, best first; those that pass the filter come before the others.
    std::vector<RankedPlay> rank(const Plays& plays, int depth, MoveFilter filter) {
        std::vector<RankedPlay> ranked;
        restart();
        for (int i = 0; i < plays.size(); ++i) {
            ranked.push_back({i, 0, evaluate_next(plays[i].end, 0)});
        }
        const auto sort = [](auto begin, auto end) {
            std::stable_sort(begin, end, [](const RankedPlay& a, const RankedPlay& b) {
                return a.chances.equity() > b.chances.equity();
            });
        };
        sort(ranked.begin(), ranked.end());
        if (depth == 0 || ranked.size() == 1) return ranked;
        const float least = ranked.front().chances.equity() - filter.margin;
        const auto most = std::min(ranked.size(), static_cast<std::size_t>(filter.most));
        std::size_t kept = 1;
        while (kept < most && ranked[kept].chances.equity() >= least) ++kept;
        for (std::size_t i = 0; i < kept; ++i) {
            ranked[i].depth = depth;
            ranked[i].chances = evaluate(plays[ranked[i].index].end, depth);
        }
        sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept));
        return ranked;
    }

private:
    const ChancesNetwork& network_;
    const ExactRaces* exact_;
    ChancesNetwork::Scratch scratch_;
    std::array<std::unique_ptr<Plays>, 2> plays_;
};

// A player of whole games.
class ChancesMover final : public Mover {
public:
    ChancesMover(const ChancesNetwork& network, int depth, MoveFilter filter)
        : lookahead_(network), depth_(depth), filter_(filter) {}

    int choose(const View&, Dice, const Plays& plays, Random&) override {
        return lookahead_.rank(plays, depth_, filter_).front().index;
    }

private:
    Lookahead lookahead_;
    int depth_;
    MoveFilter filter_;
};

}  // namespace ludus::gammon
