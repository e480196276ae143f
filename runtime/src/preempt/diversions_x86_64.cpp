// SPDX-License-Identifier: Apache-2.0
#include "preempt/diversions.h"

#include <atomic>
#include <cstdlib>
#include <span>

#include "base/call_site.h"
#include "preempt/handler.h"
#include "preempt/tick_source.h"

extern "C" {
// The code at which a thread enters when a diverted call returns: return_entry_x86_64.S.
__attribute__((visibility("hidden"))) void return_entry();
__attribute__((visibility("hidden"))) void return_dispatch(tick_frame* frame, const void* extended);
}

namespace teff::preempt {

namespace {

using Note = DiversionNote;

// The notes of the calling thread; empty if it was never registered.
std::span<Note> own_notes() {
    Target* const self = detail::own.target.load(std::memory_order_relaxed);
    if (self == nullptr) return {};
    return self->notes;
}

constinit bool is_prepared = false;

std::uintptr_t entry() { return reinterpret_cast<std::uintptr_t>(&return_entry); }

// The note of this slot; else one that is free, or whose slot is in [low, high).
Note* note_for(std::uintptr_t slot, std::uintptr_t low, std::uintptr_t high) {
    Note* found = nullptr;
    for (Note& note : own_notes()) {
        const std::uintptr_t noted = note.slot.load(std::memory_order_relaxed);
        if (noted == slot) return &note;
        if (noted == 0 || (low <= noted && noted < high)) found = &note;
    }
    return found;
}

// Takes the note of a slot, through which the thread has returned.
std::uintptr_t take_note(std::uintptr_t slot) {
    for (Note& note : own_notes()) {
        if (note.slot.load(std::memory_order_relaxed) != slot) continue;
        const std::uintptr_t back = note.back.load(std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        note.slot.store(0, std::memory_order_relaxed);
        return back;
    }
    std::abort(); // the program has copied the return address, and goes on nowhere
}

// Returns the address that a diverted slot had before.
const void* undiverted(const void* slot) {
    for (const Note& note : own_notes())
        if (note.slot.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(slot))
            return reinterpret_cast<const void*>(note.back.load(std::memory_order_relaxed));
    return nullptr;
}

} // namespace

bool prepare_diversions() {
    is_prepared = tick_learn_state() == 0;
    base::diversion = {.at = reinterpret_cast<const void*>(&return_entry), .undiverted = undiverted};
    return is_prepared;
}

bool divert(std::uintptr_t* slot, const void* stack_low, const void* stack_pointer) {
    if (!is_prepared) return false;
    if (*slot == entry()) return true;
    const auto at = reinterpret_cast<std::uintptr_t>(slot);
    Note* const note =
        note_for(at, reinterpret_cast<std::uintptr_t>(stack_low), reinterpret_cast<std::uintptr_t>(stack_pointer));
    if (note == nullptr) return false;
    note->back.store(*slot, std::memory_order_relaxed);
    note->slot.store(at, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    *slot = entry();
    return true;
}

// A note may be older than the contents of its slot.
void undo_diversions(const void* low, const void* high) {
    for (Note& note : own_notes()) {
        const std::uintptr_t at = note.slot.load(std::memory_order_relaxed);
        if (at < reinterpret_cast<std::uintptr_t>(low) || at >= reinterpret_cast<std::uintptr_t>(high)) continue;
        auto* const slot = reinterpret_cast<std::uintptr_t*>(at);
        if (*slot == entry()) *slot = note.back.load(std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        note.slot.store(0, std::memory_order_relaxed);
    }
}

bool is_diverted(const void* return_address) { return return_address == reinterpret_cast<const void*>(&return_entry); }

} // namespace teff::preempt

void return_dispatch(tick_frame* frame, const void* extended) {
    using namespace teff;
    const void* const stack = tick_interrupted_stack(frame);
    const auto slot = reinterpret_cast<std::uintptr_t>(stack) - sizeof(std::uintptr_t);
    frame->ip = preempt::take_note(slot);
    preempt::on_return({reinterpret_cast<const void*>(frame->ip), stack}, base::arch::saved_float_modes(extended));
}
