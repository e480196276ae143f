// SPDX-License-Identifier: Apache-2.0
//
// Interoperability objects (OpenMP 5.2, chapter 14). Such an object represents another runtime's
// view of a device. The host has no other runtime, so every object is omp_interop_none, and the
// routines return what the specification demands for omp_interop_none.
#include <array>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "abi/first_use.h"
#include "abi/gomp_depend.h"
#include "abi/target_task.h"

using namespace teff;
using abi::first_use;

namespace {

using Object = void*; // omp_interop_t

constexpr int kFirstProperty = -9, kLastProperty = -1; // omp_ipr_targetsync to omp_ipr_fr_id

enum ReturnCode : int { kNoValue = 1, kReturned = 0, kEmpty = -1, kOutOfRange = -2, kTypeStr = -5 };

constexpr std::array<const char*, 9> kPropertyNames = {
    "fr_id", "fr_name", "vendor", "vendor_name", "device_num", "platform", "device", "device_context", "targetsync"};

// Indexed from kNoValue down to kTypeStr.
constexpr std::array<const char*, 7> kMeanings = {
    "the property has no value here",
    "the value was returned",
    "the object is omp_interop_none",
    "there is no property of this number",
    "the value is an integer: ask omp_get_interop_int",
    "the value is a pointer: ask omp_get_interop_ptr",
    "the value is a string: ask omp_get_interop_str",
};

bool is_property(int property) { return property >= kFirstProperty && property <= kLastProperty; }

void answer(int property, int* code) {
    first_use();
    if (code != nullptr) *code = is_property(property) ? kEmpty : kOutOfRange;
}

// Passes a text with its length to Fortran.
void give(const char* text, const char** to, std::size_t* length) {
    *to = text;
    *length = text != nullptr ? std::strlen(text) : 0;
}

constexpr unsigned kGccNowait = 1;

} // namespace

TEFF_EXPORT int omp_get_num_interop_properties(Object) {
    return first_use(), 0;
} // no properties beyond those of the specification

TEFF_EXPORT std::intptr_t omp_get_interop_int(Object, int property, int* code) {
    answer(property, code);
    return 0;
}

TEFF_EXPORT void* omp_get_interop_ptr(Object, int property, int* code) {
    answer(property, code);
    return nullptr;
}

TEFF_EXPORT const char* omp_get_interop_str(Object, int property, int* code) {
    answer(property, code);
    return nullptr;
}

TEFF_EXPORT const char* omp_get_interop_name(Object, int property) {
    return first_use(),
           is_property(property) ? kPropertyNames[static_cast<unsigned>(kLastProperty - property)] : nullptr;
}

TEFF_EXPORT const char* omp_get_interop_type_desc(Object, int) { return first_use(), nullptr; }

TEFF_EXPORT const char* omp_get_interop_rc_desc(Object, int code) {
    return first_use(),
           code <= kNoValue && code >= kTypeStr ? kMeanings[static_cast<unsigned>(kNoValue - code)] : nullptr;
}

TEFF_EXPORT void omp_get_interop_str_(const char** text, std::size_t* length, Object object, int property, int* code) {
    give(omp_get_interop_str(object, property, code), text, length);
}
TEFF_EXPORT void omp_get_interop_name_(const char** text, std::size_t* length, Object object, int property) {
    give(omp_get_interop_name(object, property), text, length);
}
TEFF_EXPORT void omp_get_interop_type_desc_(const char** text, std::size_t* length, Object object, int property) {
    give(omp_get_interop_type_desc(object, property), text, length);
}
TEFF_EXPORT void omp_get_interop_rc_desc_(const char** text, std::size_t* length, Object object, int code) {
    give(omp_get_interop_rc_desc(object, code), text, length);
}

TEFF_EXPORT void GOMP_interop(int, int init_count, Object** init, const int*, const char**, int, Object*,
                              int destroy_count, Object** destroy, unsigned flags, void** depend) {
    abi::keep_order(team::current_worker(), {(flags & kGccNowait) != 0, abi::DependList(depend).items(), TEFF_SITE});
    for (int i = 0; i < init_count; ++i)
        *init[i] = nullptr;
    for (int i = 0; i < destroy_count; ++i)
        *destroy[i] = nullptr;
}
