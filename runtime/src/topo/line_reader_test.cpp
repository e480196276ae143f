// SPDX-License-Identifier: Apache-2.0
#include "topo/line_reader.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace teff::topo {
namespace {

std::vector<std::string> lines_of(const std::string& content) {
    char path[] = "/tmp/line_reader_XXXXXX";
    const int file = mkstemp(path);
    EXPECT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    close(file);
    std::vector<std::string> lines;
    LineReader reader(path);
    while (const auto line = reader.next())
        lines.emplace_back(*line);
    unlink(path);
    return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, ReturnsEachLineWithoutItsEnd) {
    EXPECT_EQ(lines_of("one\ntwo\n\nfour\n"), (Lines{"one", "two", "", "four"}));
}

TEST(LineReader, ReturnsALastLineThatHasNoEnd) { EXPECT_EQ(lines_of("one\ntwo"), (Lines{"one", "two"})); }

TEST(LineReader, AnEmptyFileHasNoLines) { EXPECT_EQ(lines_of(""), Lines{}); }

TEST(LineReader, AFileThatIsNotThereHasNoLines) {
    LineReader reader("/nowhere/at/all");
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.next());
}

TEST(LineReader, AFolderHasNoLines) {
    LineReader reader("/");
    EXPECT_FALSE(reader.next());
}

TEST(LineReader, LinesAcrossTheBufferStayWhole) {
    std::string content;
    Lines expected;
    for (int i = 0; i < 1000; ++i) {
        expected.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), 'x'));
        content += expected.back() + "\n";
    }
    EXPECT_EQ(lines_of(content), expected);
}

// Sizes around the buffer's (4096) and its multiples, where an off-by-one would hide.
TEST(LineReader, LeavesOutLinesThatAreTooLongAndNothingElse) {
    for (const std::size_t size : {4090u, 4095u, 4096u, 4097u, 8191u, 8192u, 8193u, 100000u}) {
        const Lines lines = lines_of("before\n" + std::string(size, 'x') + "\nafter\n");
        ASSERT_GE(lines.size(), 2u) << size;
        EXPECT_EQ(lines.front(), "before") << size;
        EXPECT_EQ(lines.back(), "after") << size;
        if (size < 4096) {
            EXPECT_EQ(lines.size(), 3u) << size;
        } else {
            EXPECT_EQ(lines.size(), 2u) << size;
        }
    }
}

TEST(LineReader, LeavesOutALastLineThatIsTooLong) {
    EXPECT_EQ(lines_of("before\n" + std::string(10000, 'x')), Lines{"before"});
}

} // namespace
} // namespace teff::topo
