// SPDX-License-Identifier: Apache-2.0
#include "loop/ordered.h"

#include "icv/icv.h"
#include "loop/events.h"
#include "task/blocked_wait.h"
#include "task/events.h"
#include "task/waiting.h"

namespace teff::loop {

namespace {

using Turn = sync::OrderedTurn;

// The condition that the member's turn has come. No task runs on top of this wait, because it would
// keep the turn from all other members, perhaps for long.
struct TurnHasCome {
    static constexpr task::WaitKind kKind = task::WaitKind::kForLock;

    team::Worker& worker;
    Turn& turn;
    Turn::Name& name;

    bool over() const { return turn.has(name.number); }
    bool try_arm() const { return turn.enter(name); }
    void disarm() const { turn.withdraw(name); }
    static void ran_out() {}
    task::MayStart eligible() const { return task::MayStart(worker); }

    static void go_to_other(TurnHasCome& condition, const task::Other& other) {
        task::leave_until_notified(condition.worker, condition, other);
    }
};

void wait_beside_tasks(team::Worker& worker, Turn& turn, std::uint64_t number) {
    constexpr auto kTell = [](void* context) { static_cast<team::Context*>(context)->notify(); };
    Turn::Name name{.number = number, .tell = kTell, .whom = worker.context};
    task::wait_until(worker, TurnHasCome{worker, turn, name});
    if (TEFF_UNLIKELY(worker.probes != 0)) task::events::goes_on(worker);
}

// Returns false if the construct was given up during the wait; the turn may then never come.
bool wait_for_turn(team::Worker& worker, WorkShare& share, base::CallSite site) {
    const std::uint64_t first = worker.member->loop.ordered_first;
    if (share.turn.has(first)) return true;
    const team::Team& team = *worker.member->team;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::turn_wait_begins(worker, site) : 0;
    if (icv::global().cancellation || task::waits_in_place(worker))
        task::BlockedWait(worker).until([&] { return share.turn.has(first) || given_up(share, team); }, look_again_ns(),
                                        [&](std::uint64_t interval_ns, auto&& ready) {
                                            share.turn.wait_for(first, spins(team), interval_ns, ready);
                                        });
    else wait_beside_tasks(worker, share.turn, first);
    if (probed) events::turn_wait_ends(worker, site, began);
    return share.turn.has(first);
}

} // namespace

void ordered_begin(team::Worker& worker, base::CallSite site) {
    WorkShare* share = worker.member->loop.current;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    if (probed) events::ordered_begins(worker, site);
    if (share != nullptr && worker.member->loop.ordered_count != 0) wait_for_turn(worker, *share, site);
    if (probed) events::ordered_entered(worker, site);
}

void ordered_end(team::Worker& worker, base::CallSite site) {
    if (TEFF_UNLIKELY(worker.probes != 0)) events::ordered_ends(worker, site);
}

void pass_turn(team::Worker& worker, base::CallSite site) {
    team::LoopPlace& place = worker.member->loop;
    if (place.ordered_count == 0) return;
    const std::uint64_t behind = place.ordered_first + place.ordered_count;
    if (wait_for_turn(worker, *place.current, site)) place.current->turn.pass_to(behind);
    place.ordered_count = 0;
}

} // namespace teff::loop
