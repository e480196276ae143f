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

// This process, from now on.
void become(unsigned rank, unsigned processes);
unsigned rank();
unsigned processes();
// Whether there are other processes yet. Before that, no messages are sent.
bool is_connected();
void connect();
void disconnect(); // in a child that the program has forked

// Sends without an answer. `changes`: whether the memory's go with it.
void tell(const Request& request, Sync sync, Payload payload = {});
// Sends and waits for the answer. Events that came with it were handled. If some had come before,
// in an interruption, a request that waits is not sent: the answer is `events`.
Answer ask(const Request& request, Sync sync, Payload payload = {});

// Somebody would take tasks.
bool is_asked_for_tasks();
void forget_notice();

// Whether this process alone runs atomic instructions now: until it next sends changes.
bool has_lease();
// The hub's requests to give that back, and a regular beat, come as this signal.
int signal_number();
// The system sends this one when the hub has died.
int death_signal_number();
[[noreturn]] void die_without_hub();

// What a worker is told with a region.
const Settings& settings();
// The task of the last answer of that kind.
const TaskMessage& task();

// The receiver of events; called on the runtime's stack.
void on_event(void (*handler)(const Event&));

} // namespace teff::processes::link
