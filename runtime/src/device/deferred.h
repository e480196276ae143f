// SPDX-License-Identifier: Apache-2.0
//
// Constructs with nowait: a queue for each device, and a thread that carries out what is in it, one
// after another. So a deferred construct holds no thread of a team, also outside of parallel
// regions. The threads sleep while their queue is empty, and while they wait for their device.
//
// The creator of a construct owns its record, and keeps it until the record's function has run. A
// device's thread begins with the first construct and lives as long as the process.
//
// A second thread of each device sends data ahead (ahead.h) of the first construct in the queue,
// while the device's thread carries out the one before. It begins when there is a line for this
// data. The device's thread takes a construct when this thread has done with it.
#pragma once

namespace teff::device {

struct Deferred {
    Deferred* next;
    void (*carry_out)(Deferred&);            // may free the record
    void (*send_ahead)(Deferred&) = nullptr; // null: there is nothing to send ahead
    bool was_offered = false;                // to the thread that sends
};

// Called once, by take_role.
void make_queues(unsigned devices);
void forget_queues(); // in a forked child, where their threads do not run

// Returns at once. If the device's thread cannot be started, returns when the construct has been
// carried out.
void carry_out_later(unsigned device, Deferred& construct);

// Called when there is a line for data sent ahead to the device, by its thread.
void begin_to_send_ahead(unsigned device);

// Waits until all constructs have been carried out, or `gives_up` returns true: a thread that ends
// the program may never carry out its construct. Returns at once in a device's thread.
void await_deferred(bool (*gives_up)());

} // namespace teff::device
