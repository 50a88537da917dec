// The best that placing and taking offer the mover of every position of a row. These moves lead
// into sectors that are solved already.
#pragma once

#include "solver/store.hpp"

namespace ludus::solver {

// The row being worked on: X's men, and Y's men in each column.
struct RowMen {
    Bits x = 0;
    std::vector<Bits> y;

    void set(Bits x_men, const std::vector<Bits>& columns) {
        x = x_men;
        y.resize(columns.size());
        const Bits free = kAll & ~x;
        for (std::size_t col = 0; col < columns.size(); ++col) y[col] = spread(columns[col], free);
    }
};

class Irreversible {
public:
    Irreversible(const Rules& rules, const Store& store, SectorId id)
        : rules_(rules),
          x_(side(rules, id.x, id.x_hand)),
          y_(side(rules, id.y, id.y_hand)),
          x_places_(rules, store, id.x + 1, id.y, id.x_hand - 1, id.y_hand, false),
          x_places_taking_(rules, store, id.x + 1, id.y - 1, id.x_hand - 1, id.y_hand, false),
          x_slides_taking_(rules, store, id.x, id.y - 1, id.x_hand, id.y_hand, false),
          y_places_(rules, store, id.x, id.y + 1, id.x_hand, id.y_hand - 1, true),
          y_places_taking_(rules, store, id.x - 1, id.y + 1, id.x_hand, id.y_hand - 1, true),
          y_slides_taking_(rules, store, id.x - 1, id.y, id.x_hand, id.y_hand, true) {}

    // Whether all sectors that a side's moves can lead to are solved. A side for which they are
    // not cannot be to move in any game.
    bool is_ready(SectorId id, bool x_to_move) const {
        const Exits out = x_to_move ? exits(x_, id.x, id.y) : exits(y_, id.y, id.x);
        const auto known = [](bool is_needed, const Target& target) {
            return !is_needed || target.is_known();
        };
        return known(out.places, x_to_move ? x_places_ : y_places_) &&
               known(out.places_taking, x_to_move ? x_places_taking_ : y_places_taking_) &&
               known(out.slides_taking, x_to_move ? x_slides_taking_ : y_slides_taking_);
    }

    // Offers to X, who is to move, for each column. Every move of X takes the row to one row.
    void offers_to_x(const RowMen& men, Value* offers) const {
        std::fill_n(offers, men.y.size(), kNothing);
        const Bits x_free = kAll & ~men.x;
        if (x_.places) {
            const Bits closing = morris::completes_mill(men.x, rules_.diagonals);
            morris::for_each_point(x_free, [&](int to) {
                const Bits after = men.x | morris::bit(to);
                const bool closes = (closing & morris::bit(to)) != 0;
                offer_row(men, offers, after, to, closes ? &x_places_taking_ : nullptr, &x_places_);
            });
        }
        if (!x_.slides) return;
        morris::for_each_point(men.x, [&](int from) {
            const Bits rest = men.x & ~morris::bit(from);
            const Bits closing = morris::completes_mill(rest, rules_.diagonals);
            morris::for_each_point(reach(rules_, x_, from) & x_free & closing, [&](int to) {
                offer_row(men, offers, rest | morris::bit(to), to, &x_slides_taking_, nullptr);
            });
        });
    }

    // Offers to Y, who is to move. X's men stay, or one of them goes: few rows to look at.
    void offers_to_y(const RowMen& men, Value* offers) {
        const Bits booty = morris::takeable(rules_, men.x);
        prepare(men.x, booty);
        for (std::size_t col = 0; col < men.y.size(); ++col) {
            offers[col] = offer_to_y(men.x, men.y[col], booty);
        }
    }

private:
    // One move of X, for all columns in which its target is free. Where it closes a mill and there
    // is something to take, the man goes; otherwise, if the move is irreversible, nothing goes.
    void offer_row(const RowMen& men, Value* offers, Bits after, int to, const Target* taking,
                   const Target* plain) const {
        Target::Row taking_row{}, plain_row{};
        // Where Y has no man on the board there is nothing to take and no table to find.
        if (taking != nullptr && in_table(*taking)) taking_row = taking->row(after);
        if (plain != nullptr) plain_row = plain->row(after);
        for (std::size_t col = 0; col < men.y.size(); ++col) {
            const Bits y = men.y[col];
            if ((y & morris::bit(to)) != 0) continue;
            const Bits booty = taking == nullptr ? 0 : morris::takeable(rules_, y);
            if (booty == 0) {
                if (plain != nullptr) {
                    offers[col] = better(offers[col], after_move(plain_row.look_up(y)));
                }
                continue;
            }
            if (taking->is_lost()) {
                offers[col] = better(offers[col], 1);
                continue;
            }
            Value best = offers[col];
            morris::for_each_point(booty, [&](int take) {
                best = better(best, after_move(taking_row.look_up(y & ~morris::bit(take))));
            });
            offers[col] = best;
        }
    }

    // Finds the rows that Y's moves can lead to, where X still decides the row there.
    void prepare(Bits x, Bits booty) {
        if (y_.places && y_places_.a_is_x() && y_places_.is_known()) same_row_ = y_places_.row(x);
        num_taken_ = 0;
        morris::for_each_point(booty, [&](int take) {
            Taken& taken = taken_[num_taken_++];
            taken.x = x & ~morris::bit(take);
            if (y_.places && in_rows(y_places_taking_))
                taken.placing = y_places_taking_.row(taken.x);
            if (y_.slides && in_rows(y_slides_taking_))
                taken.sliding = y_slides_taking_.row(taken.x);
        });
    }

    static bool in_table(const Target& target) { return !target.is_lost() && target.is_known(); }
    static bool in_rows(const Target& target) { return in_table(target) && target.a_is_x(); }

    Value offer_to_y(Bits x, Bits y, Bits booty) const {
        Value best = kNothing;
        const Bits free = kAll & ~(x | y);
        if (y_.places) {
            const Bits closing = booty == 0 ? 0 : morris::completes_mill(y, rules_.diagonals);
            morris::for_each_point(free, [&](int to) {
                const Bits after = y | morris::bit(to);
                if ((closing & morris::bit(to)) != 0) {
                    best = better(best, best_taking(y_places_taking_, &Taken::placing, after));
                } else if (y_places_.a_is_x()) {
                    best = better(best, after_move(same_row_.look_up(after)));
                } else {
                    best = better(best, after_move(y_places_.look_up(x, after)));
                }
            });
        }
        if (!y_.slides || booty == 0) return best;
        if ((morris::completes_mill(y, rules_.diagonals) & free) == 0) return best;
        morris::for_each_point(y, [&](int from) {
            const Bits rest = y & ~morris::bit(from);
            const Bits closing = morris::completes_mill(rest, rules_.diagonals);
            morris::for_each_point(reach(rules_, y_, from) & free & closing, [&](int to) {
                const Bits after = rest | morris::bit(to);
                best = better(best, best_taking(y_slides_taking_, &Taken::sliding, after));
            });
        });
        return best;
    }

    struct Taken {
        Bits x;
        Target::Row placing, sliding;
    };

    Value best_taking(const Target& target, Target::Row Taken::* row, Bits after) const {
        if (target.is_lost()) return 1;
        Value best = kNothing;
        if (target.a_is_x()) {
            for (std::size_t i = 0; i < num_taken_; ++i) {
                best = better(best, after_move((taken_[i].*row).look_up(after)));
            }
            return best;
        }
        for (std::size_t i = 0; i < num_taken_; ++i) {
            best = better(best, after_move(target.look_up(taken_[i].x, after)));
        }
        return best;
    }

    Rules rules_;
    Side x_, y_;
    Target x_places_, x_places_taking_, x_slides_taking_;
    Target y_places_, y_places_taking_, y_slides_taking_;
    Target::Row same_row_{};
    std::array<Taken, morris::kPoints> taken_{};
    std::size_t num_taken_ = 0;
};

}  // namespace ludus::solver
