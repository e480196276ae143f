// SPDX-License-Identifier: Apache-2.0
#include "processes/link.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "processes/aside.h"
#include "processes/files.h"
#include "processes/heap.h"
#include "processes/locks.h"
#include "processes/memory.h"
#include "processes/report.h"
#include "processes/transport.h"
#include "processes/without_signals.h"

namespace teff::processes::link {

namespace {

struct Link {
    unsigned rank = 0, processes = 1;
    bool connected = false, noticed = false, lease = false;
    Settings settings = {};
    TaskMessage task = {};
    void (*handler)(const Event&) = nullptr;
};
constinit Link link;
constinit List<std::byte> outgoing, incoming;
constinit List<Event> events, postponed;

constexpr std::size_t kFreedAtOnce = 64, kFreedBytesAtOnce = 1 << 20;

void send(Request request, Sync sync, Payload payload) {
    request.payload_bytes = payload.bytes;
    request.change_bytes = outgoing.size();
    request.memory = sync == Sync::memory;
    const iovec parts[] = {{&request, sizeof request},
                           {const_cast<void*>(payload.data), payload.bytes},
                           {outgoing.data(), outgoing.size()}};
    if (!transport().send(parts, 3)) die_without_hub();
    outgoing.clear();
}

void receive(void* to, std::size_t bytes) {
    if (bytes != 0 && !transport().receive(to, bytes)) die_without_hub();
}

// Sends the freed blocks together with the collected changes: what was written to a block before it
// was freed must not reach its owner after the block.
void send_freed() {
    heap::FreedOfOthers& freed = heap::freed_of_others();
    const bool are_many = freed.blocks.size() >= kFreedAtOnce || freed.bytes >= kFreedBytesAtOnce;
    if (!are_many || is_interrupted()) return;
    Request request = {};
    request.op = Op::freed;
    send(request, Sync::none, {freed.blocks.data(), freed.blocks.size() * sizeof(std::uint64_t)});
    freed.clear();
}

// The lists that this function changes may be in use by code that a signal has interrupted.
void handle(List<Event>& arrived) {
    for (const Event& event : arrived) {
        if (event.kind == EventKind::freed) heap::release(reinterpret_cast<void*>(event.value));
        else link.handler(event);
    }
    arrived.clear();
}

bool waits_for_events(Op op) { return op == Op::wait || op == Op::barrier || op == Op::join; }

void take_part(const Answer& answer) {
    events.clear();
    receive(events.extend(answer.events), answer.events * sizeof(Event));
    if (answer.what == What::start) receive(&link.settings, sizeof link.settings);
    if (answer.what == What::task) receive(&link.task, sizeof link.task);
    incoming.clear();
    receive(incoming.extend(answer.change_bytes), answer.change_bytes);
    memory::apply(incoming.data(), incoming.size());
    if (is_interrupted()) postponed.append(events.data(), events.size());
    else handle(events);
}

[[noreturn]] void end_as_told(int status) {
    std::fflush(nullptr);
    _exit(status);
}

// Changes that a handler has written meanwhile are sent with the next request, so that no page has
// unsent writes when changes arrive.
void await_answer(const WithoutSignals& quiet, Sync sync) {
    if (transport().await(&quiet.before()) && sync == Sync::memory) memory::collect(outgoing, left_stack());
}

Answer receive_answer(const WithoutSignals& quiet, Sync sync) {
    for (;;) {
        await_answer(quiet, sync);
        Answer answer;
        receive(&answer, sizeof answer);
        if (answer.what == What::exit) end_as_told(static_cast<int>(answer.a));
        if (answer.what == What::notice) {
            link.noticed = true;
            continue;
        }
        take_part(answer);
        if (answer.what != What::update) return answer;
    }
}

void send_with(const Request& request, Sync sync, Payload payload) {
    if (sync == Sync::memory) {
        memory::collect(outgoing, left_stack());
        link.lease = false; // the hub takes it back with the changes
        send_freed();
    }
    send(request, sync, payload);
}

} // namespace

void become(unsigned rank, unsigned processes) {
    link.rank = rank;
    link.processes = processes;
}
unsigned rank() { return link.rank; }
unsigned processes() { return link.processes; }
bool is_connected() { return link.connected; }
void connect() { link.connected = true; }
void disconnect() { link.connected = false; }

void die_without_hub() {
    if (link.rank == 0) say("the process that connects all others has died; ending");
    _exit(kFailedStatus);
}

void tell(const Request& request, Sync sync, Payload payload) {
    const int before = errno;
    if (sync == Sync::memory && !is_interrupted()) files::hand_over();
    aside([&] {
        const WithoutSignals quiet;
        send_with(request, sync, payload);
    });
    errno = before;
}

Answer ask(const Request& request, Sync sync, Payload payload) {
    const int before = errno;
    // The answer is not on the program's stack, whose pages are dropped meanwhile. Signal handlers
    // use a second answer, because a handler may interrupt before the first is returned.
    static Answer answers[2];
    Answer& answer = answers[is_interrupted() ? 1 : 0];
    if (sync == Sync::memory && !is_interrupted()) files::hand_over();
    aside([&] {
        const WithoutSignals quiet;
        if (!postponed.empty() && !is_interrupted()) {
            handle(postponed);
            if (waits_for_events(request.op)) {
                answer = {What::events, 0, 0, 0, 0, 0, 0};
                return;
            }
        }
        send_with(request, sync, payload);
        answer = receive_answer(quiet, sync);
        if (request.op == Op::lock && request.a == locks::kLease) link.lease = true;
    });
    errno = before;
    return answer;
}

bool is_asked_for_tasks() {
    if (!link.noticed && transport().has_arrived()) {
        aside([] {
            const WithoutSignals quiet;
            if (!transport().has_arrived()) return; // a beat's request has taken it meanwhile
            Answer answer;
            receive(&answer, sizeof answer);
            if (answer.what == What::exit) end_as_told(static_cast<int>(answer.a));
            link.noticed = true; // nothing else comes unasked
        });
    }
    return link.noticed;
}
bool has_lease() { return link.lease; }
int signal_number() { return SIGRTMIN + 7; }
int death_signal_number() { return SIGRTMIN + 6; }
void forget_notice() { link.noticed = false; }

const Settings& settings() { return link.settings; }
const TaskMessage& task() { return link.task; }
void on_event(void (*handler)(const Event&)) { link.handler = handler; }

} // namespace teff::processes::link
