// SPDX-License-Identifier: Apache-2.0
//
// The window: whether the process is being recorded at this moment. The program switches recording
// on and off (omp_control_tool, teff_record_start, teff_record_stop), and so does the clock
// (TEFF_TRACE_DELAY, TEFF_TRACE_DURATION). The stretches of time in which recording is on are the
// windows of the recording. They are numbered; number 0 begins with the recording, and does not
// exist if the recording begins with a delay.
//
// Cost. A worker that is not recorded has no kTrace in its set of sinks (probes.h), so that its
// event points cost what they cost without a recorder. No event point looks at the window. A
// worker joins the window at two points only: where an outermost parallel region begins, and where
// the program starts recording. Both points are rare, and test one byte (`may_move`).
//
// Beginning. The thread that begins a window changes `word`. Each thread of the program joins by
// itself: at once, if it is the thread that starts recording and is outside of all regions, else
// where it begins its next outermost region. Its current task, the initial task, counts as begun
// at that moment. The members of a region follow the region's leader (Team::recorded): a region is
// recorded from its beginning, by all of its members, or by none. So every task that a record names
// was created in the window, or is such an initial task, and no record spans the beginning.
//
//     [window-1] Beginning: a worker adds kTrace to its sinks (seq_cst), then loads `word`
//                (seq_cst), and removes kTrace if the window has ended. Ending: a thread changes
//                `word` (seq_cst), then removes kTrace from the sinks of all streams (seq_cst).
//                So either the worker finds that the window has ended, or the other thread removes
//                the sink after the worker has added it.
//
// Ending. A window ends everywhere at once, also in the middle of regions and tasks. The thread
// that ends it writes the record WINDOW into its own stream, and removes kTrace from all workers'
// sinks. Tasks that run on are unfinished in the recording, as those of a killed program are. A
// worker that is about to store a record may still store it: readers leave out what lies beyond the
// window. A wait that is under way is recorded up to the window's end, by its worker, when it is
// over (team::recorded_until, Stream::silenced_at). When a window begins again, all workers are
// outside of its regions by the rule above.
//
// The clock. A delay ends at the first outermost region that begins after it. A duration counts
// from the beginning of the window. Its end is found by a recorded worker when it reads its CPU
// time, once in a millisecond, or by an outermost region, or at the end of the program; the record
// has the time at which the duration was over. So no thread has to sleep until then.
//
// Some regions only. With TEFF_TRACE_EVERY=N, only each N-th outermost region of each construct is
// recorded (nth_regions.h). While the clock and the program want a recording, each such region
// begins a window, and the next outermost region that is not an N-th one ends it. So what the
// program does between two regions is recorded with the region before it, and every part of an
// iterative program is recorded with the same share. A thread does not end the window while another
// program thread has a region with several members under way.
//
// A forked child inherits the window: if recording is on, the child's recording begins at once,
// else with the child's next window. The clock goes on in the child.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace teff::probe::trace::window {

namespace detail {
constexpr std::uint32_t kOn = 1, kByRegion = 2, kNumber = 4, kForGood = 1u << 31;
// kOn: recording is on. kByRegion: regions begin and end windows (try_begin_by_region). kForGood:
// recording never goes on again. The rest: the window's number, times kNumber; while recording is
// off, that of the last window.
extern constinit std::atomic<std::uint32_t> word;
extern constinit std::atomic<bool> moves;
} // namespace detail

// Returns true if a worker has to look at the window where it begins an outermost region. Relaxed:
// a worker that misses the change joins at its next region.
inline bool may_move() { return detail::moves.load(std::memory_order_relaxed); }

inline bool is_on() { return (detail::word.load(std::memory_order_seq_cst) & detail::kOn) != 0; } // [window-1]
// Returns the number of the current window, or of the last one.
inline std::uint32_t number() {
    const std::uint32_t bits = detail::word.load(std::memory_order_relaxed);
    return (bits & ~detail::kForGood) / detail::kNumber;
}

// What the environment asks for; 0: nothing, and for `every`, also 1.
struct Plan {
    std::uint64_t delay_ms = 0, duration_ms = 0;
    std::uint32_t every = 0; // of each construct, only each region of such a number is recorded
};

// Notes the plan. `now_ns` is the present monotonic time. Called by the library's constructor, when
// there is no other thread.
void plan(std::uint64_t now_ns, const Plan& wanted);

// Begins the next window, which ends a delay. Returns false if recording is on already or was ended
// for good. Any thread may call it. If only some regions are recorded, no window begins: from now
// on regions may begin windows.
bool try_begin();
// Ends the window, and from now on regions begin none. Returns false if recording is off already.
// The caller removes kTrace from all sinks.
bool try_end();

// The plan's `every`.
std::uint32_t every();
// Returns true if regions begin and end windows at present.
bool is_by_region();
// The next window begins with a region, or the window ends where a region begins that is not to be
// recorded. Return false if nothing changes. The clock of the duration goes on in between.
bool try_begin_by_region();
bool try_end_by_region();
// From now on no window begins.
void end_for_good();
bool is_ended_for_good();

// Returns true if there is a delay, and it is over.
bool is_delay_over();
// Returns for how many nanoseconds the duration has been over; nothing if it is not, or if there is
// none.
std::optional<std::uint64_t> over_since();

// For tests only.
void reset();

} // namespace teff::probe::trace::window
