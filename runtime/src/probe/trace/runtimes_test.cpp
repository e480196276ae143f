// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/runtimes.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

std::string written(const Runtimes& runtimes) {
    const ScratchFolder folder;
    const int opened = open(folder.path().c_str(), O_PATH | O_DIRECTORY);
    JsonFile json(opened, "x.json");
    runtimes.write(json);
    EXPECT_EQ(json.commit(), 0);
    close(opened);
    return contents_before_checksum(folder.file("x.json"));
}

std::string with_mappings(const std::string& lines) {
    const ScratchFolder folder;
    std::ofstream(folder.file("maps")) << lines;
    const auto runtimes = std::make_unique<Runtimes>();
    runtimes->read(folder.file("maps").c_str());
    return written(*runtimes);
}

TEST(Runtimes, AreKnownByTheNamesOfTheirFiles) {
    for (const char* name : {"libgomp.so.1.0.0", "libgomp-e985bcbb.so.1.0.0", "libomp.so.5", "libomp5.so",
                             "libiomp5.so", "libomp-8a2b.so", "libnvomp.so"})
        EXPECT_TRUE(is_runtime(name)) << name;
    for (const char* name : {"", "libc.so.6", "libompt.so", "libgomp-plugin-nvptx.so.1", "libgomp.spec", "xlibomp.so"})
        EXPECT_FALSE(is_runtime(name)) << name;
}

TEST(Runtimes, EachOtherRuntimeIsNamedOnce) {
    const std::string omp = "1000-2000 r-xp 00000000 fe:00 11   /opt/a b/libomp.so.5\n";
    EXPECT_EQ(with_mappings(omp + "3000-4000 rw-p 00000000 00:00 0\n" + omp +
                            "5000-6000 r--p 00000000 fe:00 12 /x/libiomp5.so\n7000-8000 r--p 0 fe:00 13 /x/libm.so\n"),
              "{\n  \"other_runtimes\": [\n  \"/opt/a b/libomp.so.5\",\n  \"/x/libiomp5.so\"]\n}\n");
    EXPECT_EQ(with_mappings(""), "{\n  \"other_runtimes\": []\n}\n");
}

TEST(Runtimes, LongLinesAndManyPathsAreCut) {
    std::string lines = "1000-2000 r-xp 0 fe:00 1 /" + std::string(3 * Runtimes::kMostBytes, 'x') + "/libomp.so\n";
    for (int number = 0; number < 1000; ++number)
        lines += "1000-2000 r-xp 0 fe:00 1 /folder" + std::to_string(number) + "/libomp.so\n";
    const std::string text = with_mappings(lines);
    EXPECT_NE(text.find("/folder0/libomp.so"), std::string::npos);
    EXPECT_LT(text.size(), 2 * Runtimes::kMostBytes);
}

// In a test, the runtime is part of the program's file.
TEST(Runtimes, ItsOwnFileIsNamed) {
    const auto runtimes = std::make_unique<Runtimes>();
    runtimes->read();
    EXPECT_NE(written(*runtimes).find("\"runtime_file\": \"/"), std::string::npos);
}

} // namespace
} // namespace teff::probe::trace
