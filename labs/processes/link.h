// SPDX-License-Identifier: Apache-2.0
//
// Link: this process's connection to the hub. It transfers requests, answers, and the changes of
// shared memory that requests and answers contain.
//
// A release sends this process's changes with the request. An acquire waits for the answer, which
// contains the changes of the other processes. An acquire is always also a release, because no page
// may have unsent changes when other changes arrive. A request without `Sync` is neither: a request
// for a number, such as that of a chunk, sends no changes of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/message.h"

namespace teff::processes::link {

enum class Sync { none, memory };

struct Payload {
    const void* data = nullptr;
    std::size_t bytes = 0;
};

// Sets the rank of this process, and the number of processes.
void become(unsigned rank, unsigned processes);
unsigned rank();
unsigned processes();
// Whether there are other processes yet. Before that, no messages are sent.
bool is_connected();
void connect();
void disconnect(); // in a child that the program has forked

// Sends a request that gets no answer. `sync` says whether the memory's changes are sent with it.
void tell(const Request& request, Sync sync, Payload payload = {});
// Sends a request and waits for the answer. Events that come with the answer are handled before
// this returns. If events had arrived before, in an interruption, a request that waits is not sent,
// and the answer is `events`.
Answer ask(const Request& request, Sync sync, Payload payload = {});

// Whether another process would take tasks.
bool is_asked_for_tasks();
void forget_notice();

// Whether only this process may run atomic instructions now. The lease ends when the process next
// sends changes.
bool has_lease();
// The signal by which the hub asks for the lease, and the signal of the regular beat.
int signal_number();
// The signal that the system sends when the hub has died.
int death_signal_number();
[[noreturn]] void die_without_hub();

// The settings that a worker gets with a region.
const Settings& settings();
// The task in the last answer that contained a task.
const TaskMessage& task();

// The receiver of events; called on the runtime's stack.
void on_event(void (*handler)(const Event&));

} // namespace teff::processes::link
