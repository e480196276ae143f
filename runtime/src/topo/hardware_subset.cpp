// SPDX-License-Identifier: Apache-2.0
#include "topo/hardware_subset.h"

#include <algorithm>

namespace teff::topo {

namespace {

struct LayerName {
    std::string_view text;
    std::size_t least; // the letters that are enough
    Level level;
};
constexpr LayerName kLayerNames[] = {{"sockets", 1, Level::sockets},
                                     {"packages", 7, Level::sockets},
                                     {"dies", 1, Level::dies},
                                     {"dice", 3, Level::dies},
                                     {"numa_domains", 1, Level::numa_domains},
                                     {"ll_caches", 2, Level::ll_caches},
                                     {"cores", 1, Level::cores},
                                     {"threads", 1, Level::threads}};

constexpr const char* kLayerForm = "a layer that is known: socket, die, numa_domain, ll_cache, core or thread";

char small(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

class SubsetReader : public TextCursor {
  public:
    explicit SubsetReader(std::string_view text) : TextCursor(text, " ") {}

    bool read(HardwareSubset& subset) {
        subset.only_named = take_if(':');
        do {
            if (!take_units(subset)) return false;
        } while (take_if(',') || take_letter('x'));
        return peek() == '\0' ||
               fail(peek() == ':' ? "',' or the end (attributes are not known)" : "'@', ',' or the end");
    }

  private:
    bool take_letter(char wanted) {
        if (small(peek()) != wanted) return false;
        ++at_;
        return true;
    }

    bool starts_here(std::string_view name, std::size_t letters) const {
        if (letters > name.size()) return false;
        for (std::size_t i = 0; i < letters; ++i)
            if (small(text_[at_ + i]) != name[i]) return false;
        return true;
    }

    // The x between two units is no letter of a layer.
    std::optional<std::size_t> take_layer() {
        peek();
        std::size_t letters = 0;
        for (char next; at_ + letters < text_.size(); ++letters) {
            next = small(text_[at_ + letters]);
            if (next != '_' && (next < 'a' || next > 'z' || next == 'x')) break;
        }
        // "2c" and "o1": the letter o before a number is an old form of @
        if (letters > 1 && small(text_[at_ + letters - 1]) == 'o' && at_ + letters < text_.size() &&
            is_digit(text_[at_ + letters]))
            --letters;
        for (const LayerName& name : kLayerNames) {
            if (letters < name.least || !starts_here(name.text, letters)) continue;
            at_ += letters;
            return std::ranges::find(kLayers, name.level, &Layer::level) - kLayers.begin();
        }
        return std::nullopt;
    }

    bool take_units(HardwareSubset& subset) {
        Units units;
        if (!take_if('*') && is_digit(peek()) && !take_number(units.count, "a number from 1 to 8191", 1)) return false;
        const std::size_t begin = at_;
        const auto layer = take_layer();
        if (!layer) return fail(kLayerForm);
        if (subset.units[*layer]) {
            at_ = begin;
            return fail("each layer once");
        }
        if ((take_if('@') || take_letter('o')) && !take_number(units.skipped, "a number from 0 to 8191")) return false;
        subset.units[*layer] = units;
        return true;
    }
};

// Appends to `kept` those of the units around the processors of `parent` that are asked for.
// Returns how many units there are.
unsigned keep_units(Level level, Units units, const ProcessorSet& parent, const char* root, PlaceList& kept) {
    PlaceList present;
    append_level(level, parent, PlaceList::kLimit, root, present);
    unsigned left = units.count;
    for (unsigned unit = units.skipped; unit < present.size() && left != 0; ++unit, --left)
        if (!kept.append(present[unit])) break;
    return present.size();
}

} // namespace

TextProblem read_hardware_subset(std::string_view text, HardwareSubset& subset) {
    SubsetReader reader(text);
    reader.read(subset);
    return reader.problem();
}

std::optional<Shortage> keep_subset(const HardwareSubset& subset, const char* root, ProcessorSet& processors) {
    PlaceList lists[2];
    PlaceList *parents = &lists[0], *kept = &lists[1];
    if (!parents->append(processors)) return std::nullopt;
    for (std::size_t i = 0; i < kLayers.size(); ++i) {
        const Layer& layer = kLayers[i];
        if (!subset.units[i] && (subset.only_named || !layer.always)) continue;
        const Units units = subset.units[i].value_or(Units());
        unsigned most = 0;
        for (unsigned parent = 0; parent < parents->size(); ++parent)
            most = std::max(most, keep_units(layer.level, units, (*parents)[parent], root, *kept));
        const unsigned needed = units.count == Units::kAll ? 0 : units.count + units.skipped;
        if (!subset.only_named && needed > most) return Shortage{layer.name, needed, most};
        std::swap(parents, kept);
        kept->clear();
    }
    processors = {};
    for (unsigned i = 0; i < parents->size(); ++i)
        processors |= (*parents)[i];
    return std::nullopt;
}

} // namespace teff::topo
