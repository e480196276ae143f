// SPDX-License-Identifier: Apache-2.0
//
// The hub: the process with which all other processes of a run communicate. It has the state that
// exists once per run: the log of changes, the locks, the state of work-sharing constructs, the
// tasks on offer, and the members that wait at a barrier. It runs no code of the program and has
// none of the program's memory.
//
// The hub is the run's first process, which the user started. It ends with the program's exit
// status, and ends all processes when one of them dies. It has one thread, which handles one
// request after the other. Each file implements a part:
//
//     hub.cpp            receives requests, and passes them to the parts below
//     hub_log.cpp        changes, from their arrival until all processes have them
//     hub_team.cpp       regions, barriers, tasks
//     hub_locks.cpp      locks and critical
//     hub_shares.cpp     work-sharing constructs
//     hub_stuck.cpp      notices that no process can continue, and ends the run
//     hub_children.cpp   starting, watching and ending the processes
#pragma once

#include <cstdint>
#include <sys/types.h>

#include "processes/layout.h"
#include "processes/memory_list.h"
#include "processes/message.h"

namespace teff::processes::hub {

enum class Waits : std::uint8_t { not_at_all, idle, barrier, join, events };

// The state of a process. Entries are never removed.
struct Process {
    pid_t pid = 0;
    std::uint64_t seen = 0; // all changes before have been sent to it
    Waits waits = Waits::not_at_all;
    // The request for whose answer it waits, and the subject of this request; see hub_stuck.cpp.
    bool asks = false;
    Op asked = Op::flush;
    std::uint64_t about = 0;
    std::uint64_t yields_since_ns = 0, yielded_ns = 0; // 0: something else came since
    std::uint64_t recent_changes[8] = {};              // marks of what the last yields brought
    unsigned next_recent = 0;
    bool told = false;               // that others would take tasks
    std::uint64_t least_ordinal = 0; // of own tasks that it may run while it waits for events
    bool takes_descendants = false;  // and of its implicit task's, whoever has them
    List<Event> mailbox = {};
};

struct Hub {
    unsigned processes = 0;
    Process process[kMostProcesses];
};
Hub& hub();

// A request that has arrived. Its payload and changes are valid until the next request.
struct Message {
    unsigned rank;
    Request request;
    const std::byte* payload;
};

// Sends an answer, together with the contents of the mailbox. `memory`: also with the changes that
// the process has not received.
void answer(unsigned rank, Answer answer, bool memory);
// Sends an answer with additional data.
void answer_with(unsigned rank, Answer answer, const void* more, std::size_t bytes);
inline Answer go_on(std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
    return {What::go_on, 0, a, b, c, 0, 0};
}
void notify(unsigned rank);

// Log.
void add_changes(unsigned rank, const std::byte* changes, std::size_t bytes);
void append_unseen(unsigned rank, List<std::byte>& changes);
void drop_seen();

// Team.
void begin_region(const Message& message);
void arrive(unsigned rank, Waits waits, std::uint64_t least_ordinal);
void offer(const Message& message);
void report_done(const Message& message);
void report_fulfilled(const Message& message);
void report_freed(const Message& message);
void join(unsigned rank, bool first_time);
void settle(); // answers whom something has come for
unsigned members();

// Locks.
void lock(const Message& message);
void unlock(const Message& message);
void take_lease_back(unsigned rank);
void ask_back(unsigned rank);     // by a signal
int holder_of(std::uint64_t key); // -1: nobody

// Work-sharing constructs.
void hand_out(const Message& message);
void single(const Message& message);
void copy_out(const Message& message);
void copy_in(const Message& message);
void await_turn(const Message& message);
void turn_over(const Message& message);
void forget_shares();

// Whether any process can continue.
void set_patience(unsigned seconds); // 0: for ever
void note_request(const Message& message, const List<std::byte>& changes);
void note_answer(unsigned rank);
void end_if_stuck();

// Processes. The caller becomes the hub; `first` is the process that runs main.
[[noreturn]] void serve(unsigned processes, pid_t first);
void want_figures();
void watch_signals();   // from now on they are taken note of,
void receive_signals(); // and from now on they arrive
void forget_signals();  // in the first process: what watch_signals has changed is as before
void look_for_deaths();
void learn_pid(unsigned rank, pid_t pid);
bool lives(unsigned rank); // as far as is known
[[noreturn]] void end_all(int status, int signal);
[[noreturn]] void give_up(); // what stands in the way has been said
void account_message(std::size_t bytes_in, std::size_t bytes_out);
void count_barrier();

} // namespace teff::processes::hub
