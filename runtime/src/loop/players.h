// SPDX-License-Identifier: Apache-2.0
//
// For tests: a team whose members are run by the test itself, in any order, or by threads that the
// test starts.
#pragma once

#include <memory>

#include "loop/ring.h"
#include "team/team.h"
#include "team/worker.h"

namespace teff::loop {

// The rest of the runtime does not know the team, so its members may meet constructs but no
// barrier.
class Players {
  public:
    explicit Players(unsigned size)
        : members_(new team::Member[size]), places_(new team::Member*[size]), workers_(new team::Worker[size]) {
        team_.size = team_.capacity = size;
        team_.members = places_.get();
        team_.region_serial = 1;
        for (unsigned i = 0; i < size; ++i) {
            places_[i] = &members_[i];
            members_[i].team = &team_;
            members_[i].number = i;
            workers_[i].member = &members_[i];
        }
    }
    ~Players() {
        if (team_.ring != nullptr) free_ring(team_.ring);
    }

    team::Worker& operator[](unsigned i) { return workers_[i]; }
    team::Team& team() { return team_; }

    void next_region() {
        ++team_.region_serial;
        for (unsigned i = 0; i < team_.size; ++i)
            members_[i].loop = {};
    }

  private:
    team::Team team_;
    std::unique_ptr<team::Member[]> members_;
    std::unique_ptr<team::Member*[]> places_;
    std::unique_ptr<team::Worker[]> workers_;
};

} // namespace teff::loop
