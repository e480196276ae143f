// SPDX-License-Identifier: Apache-2.0
#include "loop/combined.h"

namespace teff::loop {

namespace {

struct Preparation {
    team::Worker& worker;
    const LoopRequest& request;
};

// On the leader's thread, between the set-up of the team and the start of its members.
void prepare_loop(team::Team& team, void* argument) {
    auto& [worker, request] = *static_cast<Preparation*>(argument);
    WorkShare& share = claim_first(team);
    set_up(worker, team, share, request);
    open(share);
}

} // namespace

void begin_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request) {
    Preparation preparation{worker, request};
    construct.prepare = prepare_loop;
    construct.prepare_argument = &preparation;
    construct.program_calls_body = true;
    region::begin(worker, construct);
}

void run_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request) {
    Preparation preparation{worker, request};
    construct.prepare = prepare_loop;
    construct.prepare_argument = &preparation;
    region::run(worker, construct);
}

} // namespace teff::loop
