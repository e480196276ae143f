// SPDX-License-Identifier: Apache-2.0
#include "icv/environment.h"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "base/report.h"
#include "icv/escape.h"
#include "icv/knobs.h"
#include "icv/parse.h"

namespace teff::icv {

namespace {

// Not ends_with and substr: their range checks would need libstdc++ at run time.
bool remove_end(std::string_view& text, std::string_view end) {
    if (text.size() < end.size() || std::memcmp(text.data() + text.size() - end.size(), end.data(), end.size()) != 0)
        return false;
    text.remove_suffix(end.size());
    return true;
}

// Reads a device number as it would be printed: without a sign, a blank or a leading zero.
std::optional<std::uint64_t> device_number(std::string_view text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    if (text.back() < '0' || text.back() > '9') return std::nullopt;
    return parse::integer(text, 0, INT_MAX);
}

} // namespace

std::optional<VariantName> split_variant(std::string_view name) {
    if (remove_end(name, "_ALL")) return VariantName{name, Variant::all, 0};
    if (remove_end(name, "_DEV")) return VariantName{name, Variant::device, 0};
    const std::size_t last = name.rfind('_');
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view number(name.data() + last + 1, name.size() - last - 1);
    name.remove_suffix(number.size() + 1);
    if (!remove_end(name, "_DEV")) return std::nullopt;
    const auto device = device_number(number);
    if (!device) return VariantName{name, Variant::no_device_number, 0};
    return VariantName{name, Variant::one_device, static_cast<unsigned>(*device)};
}

// Not starts_with: its substr would need libstdc++ at run time.
bool is_ours(std::string_view name) {
    constexpr std::string_view kOurPrefix = "TEFF_";
    return name.size() >= kOurPrefix.size() && std::memcmp(name.data(), kOurPrefix.data(), kOurPrefix.size()) == 0;
}

namespace {

constexpr std::string_view kLibgompsAffinityFormat = "level %L thread %i affinity %A";
constexpr std::string_view kLibompsAffinityFormat = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
// libgomp's own estimate: 100,000 spins are a millisecond.
constexpr std::int64_t kSpinsPer_us = 100;

std::optional<std::size_t> index_of(std::string_view name) {
    const std::span<const Knob> table = knobs();
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].name == name) return i;
    return std::nullopt;
}

int width(std::string_view text) { return static_cast<int>(text.size()); }

// ", from 1 to 64 threads", or nothing.
struct RangeText {
    std::array<char, 128> text = {};
};
RangeText range_text(const Knob& knob) {
    RangeText result;
    const char* const space = knob.unit.empty() ? "" : " ";
    if (knob.range.high != 0)
        std::snprintf(result.text.data(), result.text.size(), ", from %" PRIu64 " to %" PRIu64 "%s%.*s", knob.range.low,
                      knob.range.high, space, width(knob.unit), knob.unit.data());
    return result;
}

// The name of a knob's variable, with its suffix.
struct FullName {
    std::array<char, 64> text = {};
};
FullName full_name(const Knob& knob, Variant variant, unsigned device) {
    FullName result;
    const char* const suffix = variant == Variant::all ? "_ALL" : variant == Variant::plain ? "" : "_DEV";
    char number[16] = "";
    if (variant == Variant::one_device) std::snprintf(number, sizeof number, "_%u", device);
    std::snprintf(result.text.data(), result.text.size(), "%.*s%s%s", width(knob.name), knob.name.data(), suffix,
                  number);
    return result;
}

[[gnu::cold]] void warn_bad_value(const Knob& knob, const Setting& setting) {
    const std::string_view fallback = knob.default_value.empty() ? knob.default_words : knob.default_value;
    base::warn("%s='%s' is not valid: expected %.*s%s; using the default (%.*s)",
               full_name(knob, setting.variant, setting.device).text.data(), excerpt(setting.value).text.data(),
               width(knob.form), knob.form.data(), range_text(knob).text.data(), width(fallback), fallback.data());
}

// Checks the value of a variant that has no effect here. Prints the warning that a process for
// which it counts would give for the value.
[[gnu::cold]] void check_without_effect(const Knob& knob, std::string_view name, const char* value) {
    GlobalIcvs nobodys{};
    if (knob.access.read(knob, value, nobodys)) return;
    base::warn("%s='%s' is not valid: expected %.*s%s; it is ignored", excerpt(name).text.data(),
               excerpt(value).text.data(), width(knob.form), knob.form.data(), range_text(knob).text.data());
}

// The variants of a knob that may count in this process, the one that comes first in front.
constexpr Variant kInOrder[] = {Variant::one_device, Variant::device, Variant::plain, Variant::all};
using Found = std::array<const char*, std::size(kInOrder)>;

std::size_t place_of(Variant variant) {
    return static_cast<std::size_t>(std::find(std::begin(kInOrder), std::end(kInOrder), variant) - kInOrder);
}

bool concerns(const VariantName& name, std::optional<unsigned> own_device) {
    if (name.variant == Variant::all) return true;
    return own_device && (name.variant == Variant::device || name.device == *own_device);
}

// Finds the values of variables, and keeps them until it is known which variants count.
class Search {
  public:
    explicit Search(std::optional<unsigned> own_device) : own_device_(own_device) {}

    // Returns false if the name is that of no knob.
    bool note(std::string_view name, const char* value) {
        if (const auto index = index_of(name)) return keep(*index, Variant::plain, value);
        const auto split = split_variant(name);
        if (!split) return false;
        const auto index = index_of(split->base);
        if (!index || knobs()[*index].variants == Variants::none) return false;
        if (split->variant == Variant::no_device_number)
            base::warn("%s is ignored: what follows _DEV_ is not the number of a device", excerpt(name).text.data());
        else if (concerns(*split, own_device_)) keep(*index, split->variant, value);
        else check_without_effect(knobs()[*index], name, value);
        return true;
    }

    Settings settings() const {
        Settings settings;
        for (std::size_t i = 0; i < knobs().size(); ++i)
            settings.values[i] = choose(knobs()[i], found_[i]);
        return settings;
    }

  private:
    bool keep(std::size_t index, Variant variant, const char* value) {
        const char*& kept = found_[index][place_of(variant)];
        if (kept == nullptr) kept = value;
        return true;
    }

    Setting choose(const Knob& knob, const Found& found) const {
        const unsigned device = own_device_.value_or(0);
        Setting chosen;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i] == nullptr) continue;
            if (chosen.value == nullptr) chosen = {found[i], kInOrder[i], device};
            else check_without_effect(knob, full_name(knob, kInOrder[i], device).text.data(), found[i]);
        }
        return chosen;
    }

    const std::optional<unsigned> own_device_;
    std::array<Found, kKnobCapacity> found_ = {};
};

void read_knob(const Knob& knob, Setting setting, bool privileged, GlobalIcvs& icvs) {
    const char*& value = setting.value;
    if (value != nullptr && privileged && knob.privileged == Privileged::ignored) {
        base::warn("%.*s is ignored: this program runs with raised privileges", width(knob.name), knob.name.data());
        value = nullptr;
    }
    if (value != nullptr) {
        if (knob.access.read(knob, value, icvs)) return;
        warn_bad_value(knob, setting);
    }
    if (!knob.default_value.empty()) knob.access.read(knob, knob.default_value, icvs);
}

constexpr RunSchedule kDefaultSchedule{
    .kind = ScheduleKind::dynamic, .monotonic = false, .chunk = 1, .is_default = true};

std::uint32_t settle_active_levels(const GlobalIcvs& icvs) {
    if (icvs.active_levels_asked) return *icvs.active_levels_asked;
    const bool lists_nest = icvs.num_threads.size > 1 || icvs.proc_bind.size > 1;
    return icvs.nested.value_or(lists_nest) ? kSupportedActiveLevels : 1;
}

std::int64_t settle_spin_us(const GlobalIcvs& icvs) {
    if (icvs.spin_asked_us) return *icvs.spin_asked_us;
    if (icvs.spin_count) return std::min(*icvs.spin_count / kSpinsPer_us, kSpinMax_us);
    if (icvs.kmp_blocktime_us) return std::min(*icvs.kmp_blocktime_us, kSpinMax_us);
    return kSpinAutomatic;
}

// The first size that was asked for.
std::uint64_t settle_stacksize(const GlobalIcvs& icvs, Precedence precedence) {
    const std::uint64_t sizes[] = {icvs.stacksize_bytes, icvs.gomp_stacksize_bytes, icvs.kmp_stacksize_bytes};
    std::uint64_t found = 0;
    for (const std::uint64_t size : sizes)
        if (size != 0 && (found == 0 || precedence == Precedence::of_libomp)) found = size;
    return found;
}

void settle_library(GlobalIcvs& icvs, bool is_first) {
    if (!icvs.kmp_library) return;
    if (*icvs.kmp_library == LibompLibrary::serial) {
        if (is_first || icvs.thread_limit == 0) icvs.thread_limit = 1;
    } else if (is_first || icvs.wait_policy == WaitPolicy::automatic) {
        const bool is_turnaround = *icvs.kmp_library == LibompLibrary::turnaround;
        icvs.wait_policy = is_turnaround ? WaitPolicy::active : WaitPolicy::passive;
    }
}

void settle_thread_limit(GlobalIcvs& icvs, int processors) {
    std::uint32_t threads = icvs.kmp_device_threads != 0 ? icvs.kmp_device_threads : icvs.kmp_all_threads;
    if (threads == kAllProcessors) threads = static_cast<std::uint32_t>(std::max(processors, 1));
    if (icvs.thread_limit == 0) icvs.thread_limit = kNoThreadLimit;
    if (threads != 0) icvs.thread_limit = std::min(icvs.thread_limit, threads);
}

void settle_binding(GlobalIcvs& icvs, bool is_first) {
    const bool is_asked = icvs.kmp_affinity && icvs.kmp_affinity->has_type;
    if (is_first && (is_asked || !icvs.cpu_affinity.empty())) {
        icvs.proc_bind = {};
        icvs.places = {};
        if (is_asked) icvs.cpu_affinity = {};
    }
    const bool binding_is_given = !icvs.proc_bind.empty() || !icvs.places.empty() || !icvs.cpu_affinity.empty();
    if (!is_asked || binding_is_given) return;
    icvs.places = icvs.kmp_affinity->places;
    icvs.cpu_affinity = icvs.kmp_affinity->processors;
    icvs.proc_bind.append(icvs.kmp_affinity->bind);
    icvs.binds_for_places = !icvs.kmp_affinity->processors.empty(); // if there are none of them, nothing is bound
}

// If devices are mandatory and there is none, the default device is omp_invalid_device (OpenMP 5.2,
// section 2.4).
std::int32_t settle_default_device(const GlobalIcvs& icvs) {
    return icvs.default_device_asked.value_or(icvs.target_offload == TargetOffload::mandatory ? kInvalidDevice : 0);
}

} // namespace

Settings find_settings(const char* const* envp, std::optional<unsigned> own_device) {
    Search search(own_device);
    for (; envp != nullptr && *envp != nullptr; ++envp) {
        const char* const equals = std::strchr(*envp, '=');
        if (equals == nullptr) continue;
        const std::string_view name(*envp, static_cast<std::size_t>(equals - *envp));
        if (!search.note(name, equals + 1) && is_ours(name))
            base::warn("%s is not a variable of Teff and has no effect; docs/knobs.md lists those that are",
                       excerpt(name).text.data());
    }
    return search.settings();
}

GlobalIcvs read_knobs(const Settings& settings, bool privileged) {
    GlobalIcvs icvs{};
    const std::span<const Knob> table = knobs();
    for (std::size_t i = 0; i < table.size(); ++i)
        read_knob(table[i], settings.values[i], privileged, icvs);
    return icvs;
}

void settle(GlobalIcvs& icvs, int processors, Precedence precedence) {
    const bool is_libomps = precedence == Precedence::of_libomp;
    icvs.default_team_size =
        icvs.num_threads.empty() ? static_cast<std::uint32_t>(std::max(processors, 1)) : *icvs.num_threads.begin();
    icvs.max_active_levels = settle_active_levels(icvs);
    if (icvs.schedule.kind == ScheduleKind{}) icvs.schedule = kDefaultSchedule;
    icvs.default_device = settle_default_device(icvs);
    icvs.spin_us = settle_spin_us(icvs);
    icvs.stacksize_bytes = settle_stacksize(icvs, precedence);
    if (icvs.affinity_format.data() == nullptr)
        icvs.affinity_format = is_libomps ? kLibompsAffinityFormat : kLibgompsAffinityFormat;
    if (icvs.kmp_settings && icvs.display_env == DisplayEnv::no) icvs.display_env = DisplayEnv::yes;
    settle_library(icvs, is_libomps);
    settle_thread_limit(icvs, processors);
    settle_binding(icvs, is_libomps);
    if (icvs.proc_bind.empty()) {
        icvs.binds_for_places = !icvs.places.empty() || !icvs.cpu_affinity.empty();
        icvs.proc_bind.append(icvs.binds_for_places ? ProcBind::true_ : ProcBind::false_);
    }
}

bool read_setting(std::string_view name, const char* value, GlobalIcvs& icvs) {
    const auto index = index_of(name);
    if (!index || is_ours(name)) return false;
    const Knob& knob = knobs()[*index];
    if (!knob.access.read(knob, value, icvs)) warn_bad_value(knob, {value});
    return true;
}

GlobalIcvs read_settings(const Settings& settings, int processors, bool privileged, Precedence precedence) {
    GlobalIcvs icvs = read_knobs(settings, privileged);
    settle(icvs, processors, precedence);
    return icvs;
}

} // namespace teff::icv
