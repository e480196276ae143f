// SPDX-License-Identifier: Apache-2.0
// Stream's methods that record the named spans of the program.
#include <cstring>

#include "probe/trace/guest.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

// Null: there is no memory, or the thread must not make system calls.
Spans* Stream::own_spans() {
    if (spans_ != nullptr || !cursor_.is_ours) return spans_;
    const Guest guest;
    if (guest.may_call()) spans_ = Spans::make();
    return spans_;
}

// The name is recorded first, so that the recorder's work is not part of the span.
void Stream::span_begin(const char* name, std::uint64_t task) {
    Spans* const spans = own_spans();
    if (spans == nullptr) return;
    const std::uint32_t number = spans->number_of(name);
    if (!spans->open(number) || !is_heard()) return;
    write_name(*spans, number);
    write_span(base::ticks(), TEFF_SPAN_BEGINS, number, spans->depth() - 1, task);
}

void Stream::span_end(std::uint64_t task) {
    const Ticks now = base::ticks();
    std::uint32_t name = 0;
    if (spans_ == nullptr || !spans_->close(name) || !is_heard()) return;
    write_span(now, TEFF_SPAN_ENDS, name, spans_->depth(), task);
}

void Stream::write_span(Ticks when, unsigned flags, std::uint32_t name, std::uint32_t depth, std::uint64_t task) {
    append<TEFF_REC_SPAN>(flags, when, teff_rec_span{0, task, name, depth, 0});
}

void Stream::write_name(Spans& spans, std::uint32_t number) {
    if (number == 0 || spans.name(number).is_told) return;
    const Spans::Name& name = spans.name(number);
    const std::size_t bytes = sizeof(teff_rec_name) + (name.bytes + 15) / 16 * 16;
    char* const at = begin_record(bytes);
    if (at == nullptr) return;
    auto* record = reinterpret_cast<teff_rec_name*>(at);
    record->name = number;
    record->name_bytes = name.bytes;
    std::memcpy(at + sizeof *record, name.text, name.bytes);
    std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_NAME, std::memory_order_release); // [trace-1]
    end_record();
    spans.name(number).is_told = true;
}

void Stream::write_open_spans() {
    if (spans_ == nullptr) return;
    for (std::uint32_t depth = 0; depth < spans_->depth(); ++depth) {
        const std::uint32_t name = spans_->name_at(depth);
        write_name(*spans_, name);
        write_span(base::ticks(), TEFF_SPAN_BEGINS | TEFF_SPAN_GOES_ON, name, depth, 0);
    }
}

// In a ring, the chunks that define them are overwritten.
void Stream::forget_places() {
    sites_.forget_all();
    modules_.forget_all();
    if (paths_ != nullptr) paths_->forget_sites();
    if (spans_ != nullptr) spans_->forget_what_is_told();
    if (stacks_ != nullptr) stacks_->forget_what_is_written();
    are_counters_told_ = false;
}

} // namespace teff::probe::trace
