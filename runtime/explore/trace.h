// SPDX-License-Identifier: Apache-2.0
//
// The steps of one execution. They are recorded cheaply while the execution runs, and become text
// only when the execution has failed.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace teff::explore {

enum class EventKind : std::uint8_t {
    load,
    store,        // reached memory at once
    buffer_store, // entered the store buffer
    flush,        // left the store buffer, reached memory
    update,       // a read-modify-write, named by its verb
    failed_cas,
    fence,
    relax,
    sleep,    // futex wait: the word had the expected value
    no_sleep, // futex wait: it had not
    wake,     // futex wake: `after` threads were woken
    read_var,
    write_var,
};

struct Event {
    EventKind kind;
    std::uint8_t thread = 0;
    std::memory_order order = std::memory_order_relaxed;
    int object = -1;          // index of the object's name, -1 for none
    const char* verb = "";    // for update and fence
    std::uint64_t before = 0; // the value read
    std::uint64_t after = 0;  // the value written
};

class Trace {
  public:
    void clear();
    // Gives the object at `address` its number; objects are numbered in order of construction.
    int add_object(const void* address, const char* kind);
    void set_name(int object, const char* name) { objects_[static_cast<std::size_t>(object)].name = name; }
    // The number of the youngest object at that address, dead or alive, or -1.
    int find_object(const void* address) const;
    void add(const Event& event) { events_.push_back(event); }
    std::size_t size() const { return events_.size(); }
    void truncate(std::size_t size) { events_.resize(size); }

    std::string object_name(int object) const;
    std::string text() const;

  private:
    struct Object {
        const void* address;
        const char* kind;
        const char* name; // nullptr: kind and number serve as the name
    };
    std::string line(const Event& event) const;

    std::vector<Event> events_;
    std::vector<Object> objects_;
};

// "T1"; the code outside the threads is called "main".
std::string thread_name(int thread);

} // namespace teff::explore
