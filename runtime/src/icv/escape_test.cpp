// SPDX-License-Identifier: Apache-2.0
#include "icv/escape.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace teff::icv {
namespace {

std::string written(std::string_view text) {
    char* memory = nullptr;
    std::size_t size = 0;
    std::FILE* const out = open_memstream(&memory, &size);
    write_escaped(out, text);
    std::fclose(out);
    const std::string result(memory, size);
    std::free(memory);
    return result;
}

TEST(Escape, OnlyPrintableAsciiStays) {
    EXPECT_EQ(written("a b~{}'"), "a b~{}'");
    EXPECT_EQ(written("\x1b[31m\xff\n"), "\\x1b[31m\\xff\\x0a");
    EXPECT_EQ(written(std::string_view("\0x", 2)), "\\x00x");
}

TEST(Escape, ExcerptsAreCutAndSaySo) {
    EXPECT_STREQ(excerpt("").text.data(), "");
    EXPECT_EQ(excerpt(std::string(40, 'a')).text.data(), std::string(40, 'a'));
    EXPECT_EQ(excerpt(std::string(41, 'a')).text.data(), std::string(40, 'a') + "...");
}

TEST(Escape, TheLongestExcerptFits) {
    std::string expected;
    for (int i = 0; i < 40; ++i)
        expected += "\\xff";
    EXPECT_EQ(excerpt(std::string(100000, '\xff')).text.data(), expected + "...");
}

} // namespace
} // namespace teff::icv
