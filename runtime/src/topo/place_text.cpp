// SPDX-License-Identifier: Apache-2.0
#include "topo/place_text.h"

#include <optional>

#include "icv/parse.h"

namespace teff::topo {

namespace {

using icv::parse::Word;

constexpr Word<Level> kNames[] = {
    {"threads", Level::threads},           {"cores", Level::cores},
    {"ll_caches", Level::ll_caches},       {"sockets", Level::sockets},
    {"numa_domains", Level::numa_domains},
};

constexpr const char* kNumber = "the number of a processor, below 8192";
constexpr const char* kInRange = "only processors from 0 to 8191 in the interval";
constexpr const char* kCount = "a count from 1 to 8191";
constexpr const char* kFewerPlaces = "at most 8192 places";

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A number of elements, and the distance of each from the one before.
struct Repeat {
    unsigned count = 1;
    int stride = 1;
};

class Reader : public TextCursor {
  public:
    explicit Reader(std::string_view text) : TextCursor(text, " \t\n\v\f\r") {}

    using TextCursor::at_end;
    bool read_level(const ProcessorSet& allowed, const char* root, PlaceList& places);
    bool read_intervals(PlaceList& places);
    bool read_ranges(PlaceList& places);

  private:
    bool take_repeat(Repeat& repeat);
    bool take_item(ProcessorSet& place, ProcessorSet& excluded);
    bool take_place(ProcessorSet& place);
    bool take_interval(PlaceList& places);
    bool append_shifted(ProcessorSet place, Repeat repeat, PlaceList& places);
    bool take_range(PlaceList& places);
};

// [:count[:stride]]
bool Reader::take_repeat(Repeat& repeat) {
    if (!take_if(':')) return true;
    if (!take_number(repeat.count, kCount, 1)) return false;
    if (!take_if(':')) return true;
    const bool negative = take_if('-');
    if (!negative) take_if('+');
    unsigned stride = 0;
    if (!take_number(stride, "a stride from -8191 to 8191")) return false;
    repeat.stride = negative ? -static_cast<int>(stride) : static_cast<int>(stride);
    return true;
}

bool Reader::take_item(ProcessorSet& place, ProcessorSet& excluded) {
    const bool exclude = take_if('!');
    unsigned number = 0;
    Repeat repeat;
    peek();
    const std::size_t begin = at_;
    if (!take_number(number, kNumber)) return false;
    if (exclude) {
        excluded.add(number);
        return true;
    }
    if (!take_repeat(repeat)) return false;
    auto processor = static_cast<int>(number);
    for (; repeat.count > 0; --repeat.count, processor += repeat.stride) {
        if (processor < 0 || processor >= static_cast<int>(ProcessorSet::kCapacity)) return fail_at(begin, kInRange);
        place.add(static_cast<unsigned>(processor));
    }
    return true;
}

// An excluded number is removed from the place wherever it stands in the text of the place.
bool Reader::take_place(ProcessorSet& place) {
    ProcessorSet excluded;
    if (!take_if('{')) {
        unsigned number = 0;
        if (!take_number(number, "a place, as {0,1}, or the number of a processor, below 8192")) return false;
        place.add(number);
        return true;
    }
    do {
        if (!take_item(place, excluded)) return false;
    } while (take_if(','));
    place -= excluded;
    return take('}', "',' or '}'");
}

bool Reader::append_shifted(ProcessorSet place, Repeat repeat, PlaceList& places) {
    for (;;) {
        if (!places.append(place)) return fail(kFewerPlaces);
        if (--repeat.count == 0) return true;
        ProcessorSet shifted;
        for (unsigned from = place.next(0); from < ProcessorSet::kCapacity; from = place.next(from + 1)) {
            const int to = static_cast<int>(from) + repeat.stride;
            if (to < 0 || to >= static_cast<int>(ProcessorSet::kCapacity)) return fail(kInRange);
            shifted.add(static_cast<unsigned>(to));
        }
        place = shifted;
    }
}

bool Reader::take_interval(PlaceList& places) {
    const bool exclude = take_if('!');
    ProcessorSet place;
    Repeat repeat;
    peek();
    const std::size_t begin = at_;
    if (!take_place(place)) return false;
    if (exclude) return places.remove(place) || fail_at(begin, "after '!' a place that is in the list before it");
    if (!take_repeat(repeat)) return false;
    return append_shifted(place, repeat, places) || fail_at(begin, problem_.expected);
}

bool Reader::read_intervals(PlaceList& places) {
    do {
        if (!take_interval(places)) return false;
    } while (take_if(','));
    return at_end() || fail("',' or the end");
}

// Returns false without a noted problem if the text does not begin with a name.
bool Reader::read_level(const ProcessorSet& allowed, const char* root, PlaceList& places) {
    peek();
    const std::size_t begin = at_;
    while (is_of_name(here()))
        ++at_;
    if (at_ == begin) return false;
    const std::span<const Word<Level>> names = kNames;
    const auto level = icv::parse::word({text_.data() + begin, at_ - begin}, names);
    if (!level) return fail_at(begin, "threads, cores, ll_caches, sockets, numa_domains, or a list as {0,1},{2,3}");
    unsigned limit = PlaceList::kLimit;
    if (take_if('(')) {
        peek();
        const std::size_t number = at_;
        if (!take_number(limit, "a number of places from 1 to 8191")) return false;
        if (limit == 0) return fail_at(number, "a number of places from 1 to 8191");
        if (!take(')', "')'")) return false;
    }
    if (!at_end()) return fail("the end");
    append_level(*level, allowed, limit, root, places);
    return true;
}

// number[-number[:stride]]
bool Reader::take_range(PlaceList& places) {
    unsigned first = 0, stride = 1;
    if (!take_number(first, kNumber)) return false;
    unsigned last = first;
    if (here() == '-') {
        ++at_;
        const std::size_t begin = at_;
        if (!take_number(last, kNumber)) return false;
        if (last < first) return fail_at(begin, "a range that runs upwards");
        if (here() == ':') {
            const std::size_t colon = at_++;
            if (!take_number(stride, "a stride from 1 to 8191")) return false;
            if (stride == 0) return fail_at(colon + 1, "a stride from 1 to 8191");
        }
    }
    for (; first <= last; first += stride) {
        ProcessorSet place;
        place.add(first);
        if (!places.append(place)) return fail(kFewerPlaces);
    }
    return true;
}

bool Reader::read_ranges(PlaceList& places) {
    do {
        if (!take_range(places)) return false;
        if (!at_end() && here() != ',' && !is_blank(text_[at_ - 1])) return fail("a blank or ','");
        take_if(',');
    } while (!at_end());
    return true;
}

} // namespace

TextProblem read_places(std::string_view text, const ProcessorSet& allowed, const char* root, PlaceList& places) {
    Reader reader(text);
    if (!reader.read_level(allowed, root, places) && reader.problem().expected == nullptr)
        reader.read_intervals(places);
    return reader.problem();
}

TextProblem read_cpu_affinity(std::string_view text, PlaceList& places) {
    Reader reader(text);
    reader.read_ranges(places);
    return reader.problem();
}

} // namespace teff::topo
