// SPDX-License-Identifier: Apache-2.0
//
// The routines of openacc.h as GCC's module `openacc` for Fortran calls them: the name has `_h_` at
// its end, and most arguments are passed by reference. The routines for data exist three times: for
// data with a number of bytes of 4 or 8 bytes, and for an array, which is passed by its descriptor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/acc_routines.h"
#include "abi/export.h"

namespace {

// A descriptor of an array, as GCC lays it out. The arrays here are contiguous.
struct Dimension {
    std::ptrdiff_t stride, lower, upper;
};
struct Array {
    void* data;
    std::size_t offset;
    std::size_t element_bytes;
    std::int32_t version;
    std::int8_t rank, type;
    std::int16_t attribute;
    std::ptrdiff_t span;
    Dimension dimensions[15];

    std::size_t bytes() const {
        std::size_t bytes = element_bytes;
        for (int i = 0; i < rank; ++i)
            bytes *=
                static_cast<std::size_t>(std::max<std::ptrdiff_t>(dimensions[i].upper - dimensions[i].lower + 1, 0));
        return bytes;
    }
};
static_assert(offsetof(Array, rank) == 28 && offsetof(Array, dimensions) == 40);

} // namespace

TEFF_EXPORT std::int32_t acc_get_num_devices_h_(const std::int32_t* type) { return acc_get_num_devices(*type); }
TEFF_EXPORT void acc_set_device_type_h_(const std::int32_t* type) { acc_set_device_type(*type); }
TEFF_EXPORT std::int32_t acc_get_device_type_h_() { return acc_get_device_type(); }
TEFF_EXPORT void acc_set_device_num_h_(const std::int32_t* number, const std::int32_t* type) {
    acc_set_device_num(*number, *type);
}
TEFF_EXPORT std::int32_t acc_get_device_num_h_(const std::int32_t* type) { return acc_get_device_num(*type); }
TEFF_EXPORT std::size_t acc_get_property_h_(std::int32_t number, std::int32_t type, std::int32_t property) {
    return acc_get_property(number, type, property);
}
// The rest of the text is filled with blanks.
TEFF_EXPORT void acc_get_property_string_h_(std::int32_t number, std::int32_t type, std::int32_t property, char* text,
                                            std::size_t length) {
    const char* const value = acc_get_property_string(number, type, property);
    const std::size_t copied = value != nullptr ? std::min(std::strlen(value), length) : 0;
    std::memset(text, ' ', length);
    if (copied != 0) std::memcpy(text, value, copied);
}
TEFF_EXPORT std::int32_t acc_async_test_h_(const std::int32_t* async) { return acc_async_test(*async); }
TEFF_EXPORT std::int32_t acc_async_test_all_h_() { return acc_async_test_all(); }
TEFF_EXPORT void acc_wait_h_(const std::int32_t* async) { acc_wait(*async); }
TEFF_EXPORT void acc_wait_async_h_(const std::int32_t* async, const std::int32_t* other) {
    acc_wait_async(*async, *other);
}
TEFF_EXPORT void acc_wait_all_h_() { acc_wait_all(); }
TEFF_EXPORT void acc_wait_all_async_h_(const std::int32_t* async) { acc_wait_all_async(*async); }
TEFF_EXPORT void acc_init_h_(const std::int32_t* type) { acc_init(*type); }
TEFF_EXPORT void acc_shutdown_h_(const std::int32_t* type) { acc_shutdown(*type); }
TEFF_EXPORT std::int32_t acc_on_device_h_(const std::int32_t* type) { return acc_on_device(*type); }

TEFF_EXPORT std::int32_t acc_is_present_32_h_(void* data, const std::int32_t* bytes) {
    return acc_is_present(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT std::int32_t acc_is_present_64_h_(void* data, const std::int64_t* bytes) {
    return acc_is_present(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT std::int32_t acc_is_present_array_h_(const Array* array) {
    return acc_is_present(array->data, array->bytes());
}

TEFF_EXPORT void acc_copyin_32_h_(void* data, const std::int32_t* bytes) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_copyin_64_h_(void* data, const std::int64_t* bytes) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_copyin_array_h_(const Array* array) { acc_copyin(array->data, array->bytes()); }
TEFF_EXPORT void acc_present_or_copyin_32_h_(void* data, const std::int32_t* bytes) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_present_or_copyin_64_h_(void* data, const std::int64_t* bytes) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_present_or_copyin_array_h_(const Array* array) { acc_copyin(array->data, array->bytes()); }
TEFF_EXPORT void acc_create_32_h_(void* data, const std::int32_t* bytes) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_create_64_h_(void* data, const std::int64_t* bytes) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_create_array_h_(const Array* array) { acc_create(array->data, array->bytes()); }
TEFF_EXPORT void acc_present_or_create_32_h_(void* data, const std::int32_t* bytes) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_present_or_create_64_h_(void* data, const std::int64_t* bytes) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_present_or_create_array_h_(const Array* array) { acc_create(array->data, array->bytes()); }
TEFF_EXPORT void acc_copyout_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_copyout_array_h_(const Array*) {}
TEFF_EXPORT void acc_delete_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_delete_array_h_(const Array*) {}
TEFF_EXPORT void acc_update_device_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_device_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_update_device_array_h_(const Array*) {}
TEFF_EXPORT void acc_update_self_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_self_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_update_self_array_h_(const Array*) {}
TEFF_EXPORT void acc_copyin_async_32_h_(void* data, const std::int32_t* bytes, const std::int32_t*) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_copyin_async_64_h_(void* data, const std::int64_t* bytes, const std::int32_t*) {
    acc_copyin(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_copyin_async_array_h_(const Array* array, const std::int32_t*) {
    acc_copyin(array->data, array->bytes());
}
TEFF_EXPORT void acc_copyout_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_async_array_h_(const Array*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_finalize_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_finalize_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_copyout_finalize_array_h_(const Array*) {}
TEFF_EXPORT void acc_copyout_finalize_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_finalize_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_copyout_finalize_async_array_h_(const Array*, const std::int32_t*) {}
TEFF_EXPORT void acc_create_async_32_h_(void* data, const std::int32_t* bytes, const std::int32_t*) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_create_async_64_h_(void* data, const std::int64_t* bytes, const std::int32_t*) {
    acc_create(data, static_cast<std::size_t>(*bytes));
}
TEFF_EXPORT void acc_create_async_array_h_(const Array* array, const std::int32_t*) {
    acc_create(array->data, array->bytes());
}
TEFF_EXPORT void acc_delete_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_async_array_h_(const Array*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_finalize_32_h_(void*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_finalize_64_h_(void*, const std::int64_t*) {}
TEFF_EXPORT void acc_delete_finalize_array_h_(const Array*) {}
TEFF_EXPORT void acc_delete_finalize_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_finalize_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_delete_finalize_async_array_h_(const Array*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_device_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_device_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_device_async_array_h_(const Array*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_self_async_32_h_(void*, const std::int32_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_self_async_64_h_(void*, const std::int64_t*, const std::int32_t*) {}
TEFF_EXPORT void acc_update_self_async_array_h_(const Array*, const std::int32_t*) {}
