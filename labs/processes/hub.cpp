// SPDX-License-Identifier: Apache-2.0
#include "processes/hub.h"

#include <cstring>

#include "processes/report.h"
#include "processes/transport.h"

namespace teff::processes::hub {

namespace {

constinit Hub the_hub;
constinit List<std::byte> payload, changes, outgoing;

void send(unsigned rank, Answer& answer, const void* more, std::size_t more_bytes) {
    List<Event>& mailbox = hub().process[rank].mailbox;
    answer.events = static_cast<std::uint32_t>(mailbox.size());
    answer.change_bytes = outgoing.size();
    const iovec parts[] = {{&answer, sizeof answer},
                           {mailbox.data(), mailbox.size() * sizeof(Event)},
                           {const_cast<void*>(more), more_bytes},
                           {outgoing.data(), outgoing.size()}};
    if (answer.what != What::update) note_answer(rank);
    // If the process has ended, the hub notices this by the death of its child.
    (void)transport().hub_send(rank, parts, 4);
    account_message(0, sizeof answer + outgoing.size());
    mailbox.clear();
    outgoing.clear();
}

// Returns false if the process has ended.
bool receive(unsigned rank, Message& message) {
    message.rank = rank;
    Request& request = message.request;
    if (!transport().hub_receive(rank, &request, sizeof request)) return false;
    payload.clear();
    changes.clear();
    if (request.payload_bytes != 0 &&
        !transport().hub_receive(rank, payload.extend(request.payload_bytes), request.payload_bytes))
        return false;
    if (request.change_bytes != 0 &&
        !transport().hub_receive(rank, changes.extend(request.change_bytes), request.change_bytes))
        return false;
    message.payload = payload.data();
    account_message(sizeof request + payload.size() + changes.size(), 0);
    return true;
}

void handle(const Message& message) {
    const unsigned rank = message.rank;
    switch (message.request.op) {
    case Op::here:
        return learn_pid(rank, static_cast<pid_t>(message.request.a));
    case Op::hello:
        return join(rank, true);
    case Op::region:
        return begin_region(message);
    case Op::join:
        return join(rank, false);
    case Op::barrier:
        return arrive(rank, Waits::barrier, 0);
    case Op::wait:
        hub().process[rank].takes_descendants = message.request.flags != 0;
        return arrive(rank, Waits::events, message.request.a);
    case Op::flush:
        return answer(rank, go_on(), true);
    case Op::exported:
        return offer(message);
    case Op::done:
        return report_done(message);
    case Op::fulfil:
        return report_fulfilled(message);
    case Op::freed:
        return report_freed(message);
    case Op::lock:
        return lock(message);
    case Op::unlock:
        return unlock(message);
    case Op::loop:
        return hand_out(message);
    case Op::ordered:
        return await_turn(message);
    case Op::turn_over:
        return turn_over(message);
    case Op::single:
        return single(message);
    case Op::copy_out:
        return copy_out(message);
    case Op::copy_in:
        return copy_in(message);
    }
    say("a message of process %u makes no sense", rank);
    give_up();
}

} // namespace

Hub& hub() { return the_hub; }

void answer(unsigned rank, Answer answer, bool memory) {
    outgoing.clear();
    if (memory) append_unseen(rank, outgoing);
    send(rank, answer, nullptr, 0);
}

void answer_with(unsigned rank, Answer answer, const void* more, std::size_t bytes) {
    outgoing.clear();
    append_unseen(rank, outgoing);
    send(rank, answer, more, bytes);
}

void notify(unsigned rank) {
    const Answer notice = {What::notice, 0, 0, 0, 0, 0, 0};
    const iovec part = {const_cast<Answer*>(&notice), sizeof notice};
    (void)transport().hub_send(rank, &part, 1);
}

void serve(unsigned processes, pid_t first) {
    hub().processes = processes;
    hub().process[0].pid = first;
    transport().be_hub();
    receive_signals();
    for (;;) {
        const int rank = transport().hub_wait();
        look_for_deaths();
        Message message;
        if (rank < 0 || !receive(static_cast<unsigned>(rank), message)) continue;
        if (message.request.change_bytes != 0) add_changes(message.rank, changes.data(), changes.size());
        if (message.request.memory) take_lease_back(message.rank);
        note_request(message, changes);
        handle(message);
        settle();
        drop_seen();
        end_if_stuck();
    }
}

} // namespace teff::processes::hub
