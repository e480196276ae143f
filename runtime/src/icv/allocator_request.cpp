// SPDX-License-Identifier: Apache-2.0
#include "icv/allocator_request.h"

#include <cstdint>
#include <span>

#include "icv/parse.h"

namespace teff::icv {

namespace {

using parse::Word;

constexpr Word<std::uint8_t> kPredefined[] = {
    {"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2}, {"omp_const_mem_alloc", 3},
    {"omp_high_bw_mem_alloc", 4}, {"omp_low_lat_mem_alloc", 5},   {"omp_cgroup_mem_alloc", 6},
    {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8},    {"ompx_gnu_pinned_mem_alloc", 200},
};

// The number of a space's predefined allocator is the number of the space plus 1.
constexpr Word<std::uint8_t> kSpaces[] = {
    {"omp_default_mem_space", 0}, {"omp_large_cap_mem_space", 1}, {"omp_const_mem_space", 2},
    {"omp_high_bw_mem_space", 3}, {"omp_low_lat_mem_space", 4},
};

constexpr Word<std::uintptr_t> kSyncHints[] = {{"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"private", 6}};
constexpr Word<std::uintptr_t> kAccesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr Word<std::uintptr_t> kFallbacks[] = {
    {"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};
constexpr Word<std::uintptr_t> kBooleans[] = {{"false", 0}, {"true", 1}};
constexpr Word<std::uintptr_t> kPartitions[] = {
    {"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};

// A trait's value is one of some words, or a positive number.
struct TraitForm {
    std::string_view name;
    std::int32_t key;
    std::span<const Word<std::uintptr_t>> words;
};
// The trait fb_data is missing, because its value would be the address of an allocator.
constexpr TraitForm kTraits[] = {
    {"sync_hint", 1, kSyncHints}, {"alignment", 2, {}},     {"access", 3, kAccesses},      {"pool_size", 4, {}},
    {"fallback", 5, kFallbacks},  {"pinned", 7, kBooleans}, {"partition", 8, kPartitions}, {"part_size", 14, {}},
};
constexpr std::int32_t kAlignment = 2;

// Removes the part before the first `separator`, and the separator, from the text, and returns the
// part; if there is no separator, the part is the whole text.
std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return taken;
}

std::optional<std::uintptr_t> read_value(const TraitForm& form, std::string_view text) {
    if (!form.words.empty()) return parse::word<std::uintptr_t>(text, form.words);
    return form.key == kAlignment ? parse::power_of_two(text, 1, INT64_MAX) : parse::integer(text, 1, INT64_MAX);
}

std::optional<AllocatorTrait> read_trait(std::string_view text) {
    const std::string_view name = parse::trim(take_until(text, '='));
    for (const TraitForm& form : kTraits)
        if (parse::equals_ignoring_case(name, form.name))
            if (const auto value = read_value(form, text)) return AllocatorTrait{form.key, *value};
    return std::nullopt;
}

} // namespace

std::optional<AllocatorRequest> read_allocator_request(std::string_view text) {
    AllocatorRequest request{.predefined = 0, .space = 0, .trait_count = 0, .traits = {}, .text = text};
    if (const auto predefined = parse::word<std::uint8_t>(text, kPredefined)) {
        request.predefined = *predefined;
        return request;
    }
    const bool has_traits = text.find(':') != std::string_view::npos;
    const auto space = parse::word<std::uint8_t>(take_until(text, ':'), kSpaces);
    if (!space) return std::nullopt;
    request.space = *space;
    if (!has_traits) {
        request.predefined = static_cast<std::uint8_t>(*space + 1);
        return request;
    }
    do {
        const bool more = text.find(',') != std::string_view::npos;
        const auto trait = read_trait(take_until(text, ','));
        if (!trait || request.trait_count == AllocatorRequest::kMaximumTraits || (more && text.empty()))
            return std::nullopt;
        request.traits[request.trait_count++] = *trait;
    } while (!text.empty());
    return request;
}

std::string_view spelling(const AllocatorRequest& request) {
    for (const auto& candidate : kPredefined)
        if (candidate.value == request.predefined) return candidate.spelling;
    return request.text;
}

} // namespace teff::icv
