// SPDX-License-Identifier: Apache-2.0
//
// Time lines: records the runs that Muddukrishna's thesis (2016, chapter 3) shows as thread
// timelines in its figures 3.8, 3.10 and 3.11, on modelled machines, with the thesis's programs and
// inputs.
#pragma once

#include <string>
#include <vector>

#include "machine/team.h"

namespace teff::machine {

struct TimeLine {
    std::string part; // FIGURE-PROGRAM: runs to be compared with each other
    std::string name; // FIGURE-PROGRAM-POLICY, for a file
    bool on_tiles = false;
    Program program;
    Trial trial;
};

std::vector<TimeLine> time_lines();

// A label such as "WS+coarse": the scheduler, as the thesis calls it, and the distribution of the
// data.
std::string label(const Trial& trial);

struct Recorded {
    std::string trouble;                    // empty: there is none
    std::uint64_t stall_ns = 0, end_ns = 0; // the longest wait of a task for memory; the run
};
// Runs the program on its machine, and records into the new folder `path`.
Recorded record(const TimeLine& line, const Description& machine, const std::string& path);

} // namespace teff::machine
