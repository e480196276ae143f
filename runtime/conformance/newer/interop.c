// SPDX-License-Identifier: Apache-2.0
// stock: fails, it has interoperability objects only from GCC 15 on
//
// Interoperability objects: without a device each object is omp_interop_none, and the routines
// report this. The interop construct obeys its dependences on tasks.
#include "newer.h"

enum { kSuccess = 0, kEmpty = -1, kOutOfRange = -2, kOther = -6, kNoValue = 1 };
enum { kFirst = -9, kFrId = -1, kDeviceNum = -5, kTargetsync = -9 };

typedef void interop(int, int, void***, const int*, const char**, int, void**, int, void***, unsigned, void**);
typedef const char* text_of(void*, int);

static void check_enquiries(void) {
    int (*properties)(void*) = newer_symbol("omp_get_num_interop_properties", "GOMP_5.1.3");
    intptr_t (*get_int)(void*, int, int*) = newer_symbol("omp_get_interop_int", "GOMP_5.1.3");
    void* (*get_ptr)(void*, int, int*) = newer_symbol("omp_get_interop_ptr", "GOMP_5.1.3");
    const char* (*get_str)(void*, int, int*) = newer_symbol("omp_get_interop_str", "GOMP_5.1.3");
    text_of* name = newer_symbol("omp_get_interop_name", "GOMP_5.1.3");
    text_of* type = newer_symbol("omp_get_interop_type_desc", "GOMP_5.1.3");
    text_of* meaning = newer_symbol("omp_get_interop_rc_desc", "GOMP_5.1.3");
    CHECK_EQ(properties(NULL), 0);
    for (int property = kFirst - 1; property <= 0; property++) {
        const int expected = property < kFirst || property == 0 ? kOutOfRange : kEmpty;
        int result = 77;
        CHECK_EQ(get_int(NULL, property, &result), 0);
        CHECK_EQ(result, expected);
        result = 77;
        CHECK(get_ptr(NULL, property, &result) == NULL);
        CHECK_EQ(result, expected);
        result = 77;
        CHECK(get_str(NULL, property, &result) == NULL);
        CHECK_EQ(result, expected);
        CHECK_EQ(get_int(NULL, property, NULL), 0);
        CHECK((name(NULL, property) == NULL) == (expected == kOutOfRange));
        CHECK(type(NULL, property) == NULL);
    }
    CHECK_EQ(strcmp(name(NULL, kFrId), "fr_id"), 0);
    CHECK_EQ(strcmp(name(NULL, kDeviceNum), "device_num"), 0);
    CHECK_EQ(strcmp(name(NULL, kTargetsync), "targetsync"), 0);
    for (int code = kOther; code <= kNoValue + 1; code++)
        CHECK((meaning(NULL, code) == NULL) == (code == kOther || code == kNoValue + 1));
}

static void check_fortran(void) {
    void (*get_str)(const char**, size_t*, void*, int, int*) = newer_symbol("omp_get_interop_str_", "GOMP_5.1.3");
    typedef void text_into(const char**, size_t*, void*, int);
    text_into* name = newer_symbol("omp_get_interop_name_", "GOMP_5.1.3");
    text_into* type = newer_symbol("omp_get_interop_type_desc_", "GOMP_5.1.3");
    text_into* meaning = newer_symbol("omp_get_interop_rc_desc_", "GOMP_5.1.3");
    const char* text;
    size_t length = 9;
    int result = 77;
    get_str(&text, &length, NULL, kFrId, &result);
    CHECK(text == NULL && length == 0 && result == kEmpty);
    name(&text, &length, NULL, kFrId);
    CHECK(length == 5 && memcmp(text, "fr_id", 5) == 0);
    type(&text, &length, NULL, kFrId);
    CHECK(text == NULL && length == 0);
    meaning(&text, &length, NULL, kSuccess);
    CHECK_EQ(length, strlen(text));
}

static void check_construct(void) {
    interop* construct = newer_symbol("GOMP_interop", "GOMP_5.1.3");
    void *object = &object, *none = NULL;
    void **to_make[] = {&object}, *to_use[] = {none}, **to_destroy[] = {&object};
    const int kind[] = {1};
    int value = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 100; round++) {
        void* depend[] = {(void*)1, (void*)1, &value};
        object = &object;
#pragma omp task depend(out : value) shared(value)
        value = round;
        construct(-2, 1, to_make, kind, NULL, 0, NULL, 0, NULL, 0, depend);
        CHECK_EQ(value, round); // it waited
        CHECK(object == NULL);
        construct(-2, 0, NULL, NULL, NULL, 1, to_use, 0, NULL, 1, NULL);
        construct(-2, 0, NULL, NULL, NULL, 0, NULL, 1, to_destroy, 0, NULL);
        CHECK(object == NULL);
    }
}

int main(void) {
    check_enquiries();
    check_fortran();
    check_construct();
}
