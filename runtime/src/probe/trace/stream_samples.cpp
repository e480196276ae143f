// SPDX-License-Identifier: Apache-2.0
// Stream's methods that record where its thread was, from the samples that the kernel has taken.
#include <cstring>
#include <utility>

#include "probe/trace/guest.h"
#include "probe/trace/sample_signal.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint32_t kOfPython = 1, kCalledByC = 2; // flags of teff_stack_frame

} // namespace

// Says so, too, if the kernel refuses.
void Stream::open_samples(const Guest& guest) {
    const std::uint32_t thread = os_thread_.load(std::memory_order_relaxed);
    if (stacks_ != nullptr && sample_signal::can_come()) {
        stacks_->clear();
        takes_stacks_ = true;
        samples_.open_with_signal(guest, thread, sample_period_ns_, sample_pages_);
    } else {
        samples_.open(guest, thread, sample_period_ns_, sample_pages_);
    }
    const auto flag = samples_.is_open() ? TEFF_SAMPLES_BEGIN : TEFF_SAMPLES_REFUSED;
    append<TEFF_REC_SAMPLES>(flag, base::ticks(), teff_rec_samples{0, 0, sample_period_ns_, 0});
    if (stacks_ != nullptr) say_unread_python(guest);
}

// The program may have set a handler of its own, or a small alternate stack: then the samples go on
// without stacks.
void Stream::look_after_signal(const Guest& guest) {
    if (stacks_ == nullptr || !samples_.is_open() || sample_signal::can_come()) return;
    samples_.close();
    takes_stacks_ = false;
    stacks_ = nullptr; // its memory stays
    open_samples(guest);
}

// Once for the process.
void Stream::say_unread_python(const Guest& guest) const {
    const unsigned long version = unread_python();
    if (version == 0 || number_ != 0) return;
    constexpr unsigned long kByte = 0xff;
    if (version == 1) say(guest, "samples have no lines of Python: they are read in CPython 3.11 only");
    else
        say(guest, "samples have no lines of Python: they are read in CPython 3.11, and this is %lu.%lu",
            version >> 24 & kByte, version >> 16 & kByte);
}

// With signals blocked. The samples wait if a handler of a signal has interrupted the thread while
// it stores a record, or adds a site or an object.
void Stream::write_samples() {
    if (!samples_.is_open() || cursor_.at == nullptr || cursor_.is_storing) return;
    if (adds_site_.load(std::memory_order_relaxed)) return;
    const bool is_new_round = std::exchange(sampled_round_, sites_.round()) != sites_.round();
    const std::uint32_t loads = number_of_loads();
    if (std::exchange(sampled_loads_, loads) != loads || is_new_round)
        sampled_.begin = sampled_.end = 0; // the program may have unloaded it
    const std::uint64_t lost = samples_.drain([&](const SampleRing::Hit& hit) { write_sample(hit); });
    if (stacks_ != nullptr) stacks_->clear();
    if (lost != 0)
        append<TEFF_REC_SAMPLES>(TEFF_SAMPLES_LOST, base::ticks(), teff_rec_samples{0, lost, sample_period_ns_, 0});
}

void Stream::write_sample(const SampleRing::Hit& hit) {
    const unsigned flags = hit.in_kernel ? TEFF_SAMPLE_KERNEL : 0;
    const std::uint32_t module = module_of_sample(hit.address, hit.when);
    append<TEFF_REC_SAMPLE>(flags, hit.when, teff_rec_sample{0, hit.address, module, hit.unseen, sample_period_ns_});
    if (stacks_ != nullptr) write_stack_of(hit);
}

void Stream::write_stack_of(const SampleRing::Hit& hit) {
    const SampleStacks::Stack* const stack = stacks_->match(hit.when, hit.address);
    if (stack == nullptr) return;
    const SampleStacks::Number number = stacks_->number(*stack);
    if (number.is_new) {
        stacks_->write_codes([&](std::uint32_t code, const PythonFrames::Text& text) { write_code(code, text); });
        write_stack(*stack, number.id, hit.when);
    }
    append<TEFF_REC_SAMPLED>(0, hit.when, teff_rec_sampled{0, number.id, 0, {}});
}

void Stream::write_code(std::uint32_t number, const PythonFrames::Text& text) {
    char* const at = begin_record(sizeof(teff_rec_code) + (text.length + 15) / 16 * 16);
    if (at == nullptr) return;
    auto* record = reinterpret_cast<teff_rec_code*>(at);
    record->code = number;
    record->text_bytes = text.length;
    std::memcpy(at + sizeof *record, text.bytes, text.length);
    std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_CODE, std::memory_order_release); // [trace-1]
    end_record();
}

void Stream::write_stack(const SampleStacks::Stack& stack, std::uint32_t number, Ticks when) {
    teff_stack_frame* const frames = stacks_->frames_to_write();
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < stack.frames; ++i) {
        const std::uintptr_t address = SampleStacks::word(stack, i);
        frames[count++] = {address, module_of_sample(address - 1, when), 0};
    }
    for (std::uint32_t i = 0; i < stack.python; ++i) {
        const PythonFrames::Frame frame = SampleStacks::python(stack, i);
        frames[count++] = {frame.line, frame.code, kOfPython | (frame.is_entry ? kCalledByC : 0)};
    }
    const std::size_t tail = count * sizeof frames[0];
    char* const at = begin_record(sizeof(teff_rec_stack) + tail);
    if (at == nullptr) return;
    auto* record = reinterpret_cast<teff_rec_stack*>(at);
    record->stack = number;
    record->tail_bytes = static_cast<std::uint32_t>(tail);
    std::memcpy(at + sizeof *record, frames, tail);
    const std::uint64_t head = std::uint64_t{stack.flags} << 8 | TEFF_REC_STACK;
    std::atomic_ref<std::uint64_t>(record->head).store(head, std::memory_order_release); // [trace-1]
    end_record();
}

// Not by `loaded_`, which a caller further up may be using. Since the sample was taken, the program
// may have unloaded the object, or may be about to, or may have loaded another in its place.
std::uint32_t Stream::module_of_sample(std::uintptr_t address, Ticks when) {
    if (address == 0) return 0;
    const bool is_other = !sampled_.covers(address);
    if (is_other && !copy_loaded_module(address, sampled_, copy_of_sampled_)) {
        sampled_.begin = sampled_.end = 0;
        return 0;
    }
    const std::uint32_t number = number_of(sampled_);
    if (is_other) sampled_since_ = present_since(sampled_);
    return when >= sampled_since_ ? number : 0;
}

// Since when the object is known to be there. If nobody tells when it was loaded, it counts as
// there since the stream has recorded it.
Ticks Stream::present_since(const LoadedModule& module) const {
    const Ticks loaded = last_load(module.bias);
    return loaded != ObjectLoads::kUnknown ? loaded : modules_.added_at(module.identity, base::ticks());
}

} // namespace teff::probe::trace
