// SPDX-License-Identifier: Apache-2.0
//
// Claims: what the paper claims about its barriers, and whether the modelled chip confirms these
// claims.
//
// An Experiment has the costs, and computes figures when they are requested. A claim has the
// paper's figure, the model's figure, and the figure that other evidence suggests. The model alone
// decides whether a claim holds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machines/scc/barriers.h"

namespace teff::machine::scc {

class Experiment {
  public:
    Experiment(Costs costs, unsigned seeds) : costs_(std::move(costs)), seeds_(seeds) {}

    const Costs& costs() const { return costs_; }
    const BarrierTimes& barrier(Barrier barrier, unsigned cores);
    // Figure 3: the time of the split loops, divided by that of the single loop.
    double alignment(unsigned cores, bool cached);

  private:
    Costs costs_;
    unsigned seeds_;
    std::map<std::pair<Barrier, unsigned>, BarrierTimes> barriers_;
    std::map<std::pair<unsigned, bool>, double> alignments_;
};

struct Claim {
    std::string id;
    std::string statement;
    std::string paper;   // its figure
    std::string ours;    // the model's
    std::string verdict; // what was to be expected, by others' measurements and by arithmetic
    bool holds = false;
};

std::vector<Claim> judge(Experiment& experiment);

// On which costs a claim depends: each cost is halved and doubled in turn.
struct Dependence {
    unsigned variations = 0;
    std::vector<std::string> flips; // with them the claim is judged otherwise
};
std::vector<Dependence> vary(const Costs& costs, unsigned seeds, const std::vector<Claim>& claims);

// Statements of the paper that contradict each other.
inline constexpr const char* kContradictions[] = {
    "CPB and C-LUTB are more than 97 % below S-MSB, but CPB's ASO 26 times smaller: that is 96.2 %.",
    "CPB-UC is \"worse by more than 96 %\" than before, but UC \"significantly improves\" CPB. With C-LUTB 25.6 % "
    "below "
    "CPB-UC, the former would make CPB the faster of the two. It fits as: 96 % below S-MSB.",
    "The number of cores has no impact on CPB-UC and C-LUTB, but both gather along a chain of all cores.",
    "UC gains 41 % in one place and 19.9 % in the other: different barriers, and different sides of them.",
    "MO and ASO are told apart by whole per cents, but of barriers that come back to back both are the period.",
    "LUT entries are said to be close to the core, but C-LUTB's slaves look at a neighbour's and at the last one's.",
};

} // namespace teff::machine::scc
