// SPDX-License-Identifier: Apache-2.0
//
// Cancellation (OpenMP 5.2, section 11.2) by the program, for all kinds of constructs. It works
// only in processes with OMP_CANCELLATION=true. Each flag is stored with the construct that it
// cancels, so that no other construct mistakes the flag for its own:
//
//     the region              Team::cancelled            handled in region/region.h
//     a taskgroup             Taskgroup::cancelled       handled in region/region.h
//     a loop or sections      WorkShare::cancelled       set by any member in the construct; cleared by
//                                                        the thread that prepares the record for its
//                                                        next construct
//     a loop without a        Team::cancelled_position   set by any member in the loop; cleared by the
//     WorkShare                                          leader when the next region begins
//
// The compiler divides plain static loops itself, so such a loop has no WorkShare. The runtime
// identifies the loop by its position in the region: the number of constructs, singles and barriers
// that a member has met when it is in the loop. All members meet the same constructs in the same
// order, so the number is the same for all. Successive loops of this kind that are separated only
// by `nowait` have the same position: the runtime is not called between them, so it cannot
// distinguish them.
//
// The flags of loops and sections are hints, and therefore relaxed: a member that sees a flag late
// only does a little more work.
#pragma once

#include "base/call_site.h"
#include "region/region.h"
#include "team/worker.h"

namespace teff::loop {

// A cancellation point. Returns true if the innermost construct of this kind is cancelled.
bool cancellation_point(team::Worker& worker, int kind, base::CallSite site);

// Cancels the innermost construct of this kind. Returns true if the caller must leave the
// construct.
bool cancel(team::Worker& worker, int kind, base::CallSite site);

} // namespace teff::loop
