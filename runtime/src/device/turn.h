// SPDX-License-Identifier: Apache-2.0
//
// Turn: a thread of the host has its turn at a device, from the plan of a construct to its answer.
//
// Each device has a mutex, which the thread that has the turn holds. So a device carries out one
// construct at a time, and its presence table never changes while a construct depends on it. The
// thread waits in the kernel and runs no tasks. A thread that needs two devices takes the one with
// the lower number first (between.h), and none needs more. The first turn at a device waits for its
// Hello and compares the modules of both processes.
//
// A second mutex of each device, `memory_mutex`, is held while the tables change. A thread that has
// its turn changes them, and one that sends data ahead (ahead.h); others may read them without
// waiting for a construct.
//
// A thread that calls exit during its turn, because the run cannot go on or in a handler of a
// signal, keeps the turn. If a function that exit runs begins another construct there, the thread
// ends the process: it would wait for itself.
//
// A device that is gone or silent, or a message that fails a check, ends the program with one line,
// which names the device, the construct and the place in the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "base/list.h"
#include "base/uncancelled.h"
#include "device/clock_comparison.h"
#include "device/events.h"
#include "device/message.h"
#include "device/plan.h"
#include "device/traffic.h"
#include "device/transport.h"
#include "device/where.h"
#include "sync/mutex.h"

namespace teff::device {

// Smaller pieces of released memory stay with the device, which would only have to ask the system
// for them again.
inline constexpr std::uint64_t kWorthDiscarding_bytes = 1 << 20;

enum class LaneState : std::uint8_t {
    none,
    open,
    closed, // it cannot be made, or has broken
};

struct Device {
    unsigned number = 0;
    Peer peer = -1;
    // The thread that has the turn; 0: none. Relaxed: each thread only looks for itself.
    std::atomic<pthread_t> user{0};
    sync::Mutex mutex; // guards what follows
    bool is_connected = false;
    std::int64_t process = 0;
    std::uint64_t module_changes = 0; // when `memory.modules` was read
    base::List<ModuleRecord> its_modules;
    base::List<Range> allocated; // by the program, and not released yet
    base::List<bool> lines;      // to devices with a higher number, by this number: whether there is one

    sync::Mutex memory_mutex; // held by who has `mutex` and changes what follows, or by who only reads it
    Memory memory;
    // Of `heap`, `memory.heap` has what is free.
    Range heap TEFF_GUARDED_BY(memory_mutex) = {};
    // Whether a data construct has changed a variable of the program.
    bool has_variables TEFF_GUARDED_BY(memory_mutex) = false;
    std::uint64_t sequence = 0;                     // of the construct that was sent last
    base::List<Range> discarded;                    // goes with the next message
    const base::List<Copy>* written_back = nullptr; // by the construct that is under way; null: nothing
    // Also changed by who sends data ahead (ahead.h).
    LaneState lane_state = LaneState::none;
    Peer lane = -1;
    std::uint64_t aheads = 0; // that have been sent as a whole

    Traffic traffic;
    ClockComparison clock_comparison;
};

// Called once, by take_role.
void set_peers(const Transport& transport, const Peer* peers, unsigned count);
void forget_peers();
unsigned device_count();
Device& device_at(unsigned number);
const Transport& transport_to_devices();

// Whether a device is gone, or hangs.
bool has_lost_a_device();

// Called by the thread that ends the process, before it ends the devices. Threads that have or want
// a turn then wait until the process is gone, as threads may go on while it ends.
void end_turns();

struct ConstructText {
    char text[320];
};
// The construct and its place in the program, for messages.
ConstructText describe(const Device& device, Where where);

// Ends the run: all processes must have the same files.
[[noreturn]] void refuse_version(const Device& device, const char* name);

// A construct with its lists. The numbers of their elements in `construct` are set when it is sent.
struct Outgoing {
    Construct construct = {};
    base::List<Range> copies, reads;
    const base::List<Store>* stores = nullptr;      // null: none
    const base::List<Copy>* data = nullptr;         // of the copies, from the host's memory; null: none
    const base::List<Copy>* written_back = nullptr; // of the reads, to the host's memory; null: none
    const char* path = nullptr;                     // of a library that the device is to load
};

class Turn {
  public:
    Turn(unsigned number, Where where);
    ~Turn();
    Device& device() { return device_; }
    const Where& where() const { return where_; }
    events::ConstructEvents& events() { return events_; }

    void send(Outgoing& outgoing);
    void receive(void* to, std::size_t bytes);
    // Receives the beginning of the next message. Returns false if the device only says that it
    // lives. Otherwise it is the Reply to the last construct, or a Cut if that passes data.
    [[nodiscard]] bool take_answer(Answer& answer);
    // The construct is over, and so is its use of this memory.
    void release(const base::List<Range>& released);
    // The device is gone or silent, as errno says.
    [[noreturn]] void lost() const;
    // Both devices live, but this one has lost its line to the other.
    [[noreturn]] void lost_line(unsigned other) const;
    // The device has sent a message that is not valid.
    [[noreturn]] void refuse(const char* reason) const;

  private:
    void connect();
    // Reads this process's modules again, and finds them among the device's.
    void match_modules();
    TEFF_COLD void compare_clocks();
    void begin_construct(Outgoing& outgoing, base::List<Range>& discarded);

    const base::Uncancelled uncancelled_;
    events::ConstructEvents events_; // recorded when the guard is gone
    Device& device_;
    const sync::MutexGuard<sync::Mutex> guard_;
    const Where where_;
    bool may_be_cut_ = false; // the answer to the last construct
};

} // namespace teff::device
