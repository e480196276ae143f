// SPDX-License-Identifier: Apache-2.0
//
// Cancellation (OpenMP 5.2, section 11.2) as the program asks for it, of whatever kind of
// construct. Only in processes with OMP_CANCELLATION=true. Each flag lies with what is cancelled,
// so that no other construct takes it for its own:
//
//     the region            Team::cancelled            region/region.h
//     a taskgroup           Taskgroup::cancelled       region/region.h
//     a loop or sections    WorkShare::cancelled       set by any member in it; cleared by who
//                                                      prepares the record for its next construct
//     a loop without one    Team::cancelled_position   set by any member in it; cleared by the
//                                                      leader when the next region begins
//
// The compiler divides plain static loops itself, and no WorkShare stands for such a loop. It is
// known by its position in the region: by how many constructs, singles and barriers a member has
// met when it is in it. All members meet the same ones in the same order, so the number is the same
// for all. Loops of that sort that follow each other with nothing but `nowait` between them share a
// position: the runtime hears nothing that tells them apart.
//
// The flags of loops and sections are hints, so relaxed: a member that sees one late does a little
// more work.
#pragma once

#include "base/call_site.h"
#include "region/region.h"
#include "team/worker.h"

namespace teff::loop {

// Is the innermost construct of this kind cancelled? A cancellation point.
bool cancellation_point(team::Worker& worker, int kind, base::CallSite site);

// Cancels it. True if the caller is to leave the construct.
bool cancel(team::Worker& worker, int kind, base::CallSite site);

} // namespace teff::loop
