// SPDX-License-Identifier: Apache-2.0
#include "topo/processor_set.h"

namespace teff::topo {

namespace {

bool take_if(std::string_view& text, char wanted) {
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<unsigned> take_processor(std::string_view& text) {
    unsigned value = 0;
    const std::size_t before = text.size();
    while (!text.empty() && text.front() >= '0' && text.front() <= '9' && value < ProcessorSet::kCapacity) {
        value = value * 10 + static_cast<unsigned>(text.front() - '0');
        text.remove_prefix(1);
    }
    if (text.size() == before || value >= ProcessorSet::kCapacity) return std::nullopt;
    return value;
}

} // namespace

std::optional<ProcessorSet> parse_processor_list(std::string_view text) {
    ProcessorSet set;
    if (text.empty()) return set; // a node with memory and no processor
    do {
        const auto first = take_processor(text);
        const auto last = first && take_if(text, '-') ? take_processor(text) : first;
        if (!last || *last < *first) return std::nullopt;
        for (unsigned processor = *first; processor <= *last; ++processor)
            set.add(processor);
    } while (take_if(text, ','));
    if (!text.empty()) return std::nullopt;
    return set;
}

} // namespace teff::topo
