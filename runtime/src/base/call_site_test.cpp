// SPDX-License-Identifier: Apache-2.0
#include "base/call_site.h"

#include <gtest/gtest.h>

namespace teff::base {

namespace {

[[gnu::noinline]] CallSite site_here(const void*& code, const void*& frame) {
    const CallSite site = CallSite::of_call(__builtin_return_address(0), __builtin_dwarf_cfa());
    code = site.code();
    frame = site.frame();
    EXPECT_EQ(code, __builtin_return_address(0));
    EXPECT_GT(frame, __builtin_frame_address(0));
    return site;
}

TEST(CallSite, KnowsTheCallAndTheFrameOfAFunction) {
    const void *code, *frame;
    site_here(code, frame);
    EXPECT_LE(frame, __builtin_frame_address(0)) << "the called function's frame lies below its caller's";
}

TEST(CallSite, OfAnAddressHasNoFrame) {
    const int program = 0;
    const void* const address = &program;
    EXPECT_EQ(CallSite::of_address(address).code(), &program);
    EXPECT_EQ(CallSite::of_address(address).frame(), nullptr);
}

TEST(CallSite, OfNothingIsNull) {
    EXPECT_EQ(CallSite().code(), nullptr);
    EXPECT_EQ(CallSite().frame(), nullptr);
}

} // namespace

} // namespace teff::base
