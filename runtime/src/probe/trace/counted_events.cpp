// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/counted_events.h"

#include <algorithm>
#include <charconv>

namespace teff::probe::trace {

namespace {

// Returns the part of `text` before `separator`, and removes both from the text.
std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
    return part;
}

template <class Number> bool is_number(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end;
}

} // namespace

CountedEvents CountedEvents::parse(std::string_view text) {
    CountedEvents events;
    while (!text.empty() && events.count < kMost) {
        std::string_view entry = take_until(text, ',');
        const std::string_view name = take_until(entry, '='), type = take_until(entry, ':');
        CountedEvent event{.name_bytes = static_cast<std::uint32_t>(name.size())};
        if (name.empty() || name.size() > CountedEvent::kLongestName) break;
        if (!is_number(type, event.type) || !is_number(entry, event.config)) break;
        std::ranges::copy(name, event.text);
        events.wanted[events.count++] = event;
    }
    return events;
}

} // namespace teff::probe::trace
