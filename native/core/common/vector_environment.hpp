// Many games at once for reinforcement learning: actions in, observations and rewards out, as
// arrays with a row for each game.
//
// An Environment is one game. It has kNumActions and kObservationSize, a Settings type, and
//   void start(const Settings&, Random& dice)   begin a new game
//   Progress act(const Settings&, int action, Random& dice)
//   void observe(const Settings&, float*) const
//   void mask(const Settings&, int8_t*) const   set 1 where an action is legal, nothing else
//   int sample(const Settings&, Random&) const  a legal action, all with the same probability
//   int mover() const, bool is_over() const, int points() const (of side 0, once it is over)
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/random.hpp"
#include "solver/workers.hpp"

namespace ludus {

// What an action did: nothing, because it is illegal; it began a move; it completed one.
enum class Progress : std::uint8_t { illegal, begun, moved };

// When the next game begins after an end: in the same step, or in the next one, whose action is
// then ignored. The words are those of Gymnasium's AutoresetMode.
enum class Autoreset : std::uint8_t { same_step, next_step };

// Where a step writes. `final_observations` has a row only where a game ended in this step and the
// next one has begun.
struct EnvironmentArrays {
    float* observations;
    std::int8_t* masks;
    float* rewards;
    std::uint8_t* terminated;
    std::uint8_t* truncated;
    std::int8_t* players;
    float* final_observations;
};

template <class Environment>
class VectorEnvironment {
public:
    using Settings = typename Environment::Settings;

    VectorEnvironment(Settings settings, std::size_t num_envs, int threads, Autoreset autoreset,
                      std::int64_t max_moves)
        : settings_(std::move(settings)),
          slots_(num_envs),
          workers_(threads),
          autoreset_(autoreset),
          max_moves_(max_moves) {}

    std::size_t size() const { return slots_.size(); }

    // Begins all games anew. Game i has the numbers of seed + i, whatever the number of games.
    void reset(std::uint64_t seed, const EnvironmentArrays& arrays) {
        for_each_slot(arrays, [&](std::size_t i) {
            Slot& slot = slots_[i];
            slot.dice = Random(Random(seed + i).next());
            slot.choices = Random(Random(~(seed + i)).next());
            begin(slot);
            clear_ends(i, arrays);
            write(slot, i, arrays);
        });
    }

    // One action in each game, below kNumActions; a negative one leaves a game as it is.
    void step(const std::int64_t* actions, const EnvironmentArrays& arrays) {
        for_each_slot(arrays, [&](std::size_t i) {
            Slot& slot = slots_[i];
            clear_ends(i, arrays);
            if (actions[i] < 0) {
                // Others play on.
            } else if (slot.is_over) {
                begin(slot);
            } else {
                act(slot, static_cast<int>(actions[i]), i, arrays);
            }
            write(slot, i, arrays);
        });
    }

    // A random legal action for each game, all with the same probability; 0 where there is none.
    void sample(std::int64_t* actions) {
        for_each_slot([&](std::size_t i) {
            Slot& slot = slots_[i];
            actions[i] = slot.is_over ? 0 : slot.game.sample(settings_, slot.choices);
        });
    }

private:
    struct Slot {
        Environment game;
        Random dice{0};
        Random choices{0};
        std::int64_t num_moves = 0;
        bool is_over = false;
    };

    static constexpr std::uint64_t kPiece = 32;  // games that a thread takes at a time

    template <class F>
    void for_each_slot(const F& f) {
        workers_.share(slots_.size(), kPiece, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t i = first; i < last; ++i) f(static_cast<std::size_t>(i));
        });
    }

    // The same where masks are written: to clear those of some games at once is much faster.
    template <class F>
    void for_each_slot(const EnvironmentArrays& arrays, const F& f) {
        workers_.share(slots_.size(), kPiece, [&](std::uint64_t first, std::uint64_t last) {
            std::memset(arrays.masks + first * Environment::kNumActions, 0,
                        (last - first) * Environment::kNumActions);
            for (std::uint64_t i = first; i < last; ++i) f(static_cast<std::size_t>(i));
        });
    }

    void begin(Slot& slot) {
        slot.num_moves = 0;
        slot.is_over = false;
        slot.game.start(settings_, slot.dice);
    }

    static void clear_ends(std::size_t i, const EnvironmentArrays& arrays) {
        arrays.rewards[2 * i] = arrays.rewards[2 * i + 1] = 0;
        arrays.terminated[i] = arrays.truncated[i] = 0;
    }

    void act(Slot& slot, int action, std::size_t i, const EnvironmentArrays& arrays) {
        const int mover = slot.game.mover();
        const Progress progress = slot.game.act(settings_, action, slot.dice);
        int points = 0;
        if (progress == Progress::illegal) {
            points = mover == 0 ? -1 : 1;  // an illegal action loses
        } else if (progress == Progress::begun) {
            return;
        } else if (slot.game.is_over()) {
            points = slot.game.points();
        } else {
            if (++slot.num_moves < max_moves_) return;
            arrays.truncated[i] = 1;
        }
        arrays.terminated[i] = arrays.truncated[i] == 0 ? 1 : 0;
        arrays.rewards[2 * i] = static_cast<float>(points);
        arrays.rewards[2 * i + 1] = static_cast<float>(-points);
        slot.is_over = true;
        if (autoreset_ == Autoreset::same_step) {
            slot.game.observe(settings_,
                              arrays.final_observations + i * Environment::kObservationSize);
            begin(slot);
        }
    }

    void write(const Slot& slot, std::size_t i, const EnvironmentArrays& arrays) const {
        arrays.players[i] = static_cast<std::int8_t>(slot.game.mover());
        slot.game.observe(settings_, arrays.observations + i * Environment::kObservationSize);
        if (!slot.is_over) slot.game.mask(settings_, arrays.masks + i * Environment::kNumActions);
    }

    Settings settings_;
    std::vector<Slot> slots_;
    solver::Workers workers_;
    Autoreset autoreset_;
    std::int64_t max_moves_;
};

}  // namespace ludus
