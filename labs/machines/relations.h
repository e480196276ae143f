// SPDX-License-Identifier: Apache-2.0
//
// Relations: what Muddukrishna's thesis (2016, chapter 3) found by measuring, as inequalities, and
// whether modelled machines show it.
//
// O1 to O7 are of the eight-node Opteron, P1 to P4 of the TILEPro64. WS is the runtime's work
// stealing, LA the thesis's scheduler, whose steps on the Opteron are those of its published code;
// S1 compares these with the steps that the thesis writes, S2 the runtime's own locality with WS.
// Makespans are compared, each the median over some seeds; a run is the same each time, so they are
// exact.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/team.h"

namespace teff::machine {

// One of the comparisons that a relation is made of.
struct Clause {
    std::string text; // what is compared
    double ratio = 0; // of the first to the second
    bool holds = false;
};

struct Relation {
    std::string id, statement;
    std::string thesis; // its number, where it gives one
    std::vector<Clause> clauses;

    bool holds() const;
};

// A cost of the model, by a name, and how to scale it.
struct Cost {
    const char* name;
    void (*scale)(Description&, double factor);
};
const std::vector<Cost>& costs();

class Experiments {
  public:
    // `quick`: small inputs for what is large on the Opteron, and only relations that these still
    // decide.
    Experiments(Description opteron, Description tiles, unsigned seeds, bool quick);

    std::vector<Relation> judge();
    // The same machines, with one cost scaled.
    Experiments scaled(const Cost& cost, double factor) const;

    Time time(const std::string& program, const Trial& trial);

  private:
    struct Input {
        bool on_tiles;
        Program program;
        std::map<Spreading, Placed> placed = {};
    };
    void add(bool on_tiles, Program program);
    Clause compare(const std::string& program, const Trial& first, const Trial& second, double least, double most);
    std::vector<Relation> on_opteron();
    std::vector<Relation> on_tiles();

    Description opteron_, tiles_;
    unsigned seeds_;
    bool quick_;
    std::map<std::string, Input> inputs_;
    std::map<std::string, Time> times_;
};

} // namespace teff::machine
