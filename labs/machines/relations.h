// SPDX-License-Identifier: Apache-2.0
//
// Relations: expresses the measured results of Muddukrishna's thesis (2016, chapter 3) as
// inequalities, and checks whether modelled machines reproduce them.
//
// O1 to O7 concern the eight-node Opteron, P1 to P4 the TILEPro64. WS is the runtime's work
// stealing. LA is the thesis's scheduler; on the Opteron it takes the steps of the thesis's
// published code. S1 compares these steps with those that the thesis's text describes. S2 compares
// the runtime's own locality policy with WS. The compared values are makespans, each the median
// over some seeds. With the same seed a run is always the same, so the makespans are exact.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/team.h"

namespace teff::machine {

// One of the comparisons of a relation.
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

// A cost of the model, with its name and a function that scales it.
struct Cost {
    const char* name;
    void (*scale)(Description&, double factor);
};
const std::vector<Cost>& costs();

class Experiments {
  public:
    // `quick`: programs with large inputs on the Opteron get small inputs, and only relations that
    // can be decided with these are checked.
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
