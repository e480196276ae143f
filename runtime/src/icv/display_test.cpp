// SPDX-License-Identifier: Apache-2.0
#include "icv/display.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "icv/environment.h"

namespace teff::icv {
namespace {

std::string displayed(const std::vector<const char*>& variables, bool verbose) {
    std::vector<const char*> envp = variables;
    envp.push_back(nullptr);
    const GlobalIcvs icvs = read_settings(find_settings(envp.data()), 2, false);
    char* memory = nullptr;
    std::size_t size = 0;
    std::FILE* const out = open_memstream(&memory, &size);
    display(out, icvs, verbose);
    std::fclose(out);
    const std::string text(memory, size);
    std::free(memory);
    return text;
}

std::string line_of(const std::string& text, const std::string& name) {
    const std::size_t begin = text.find("  " + name + " = ");
    if (begin == std::string::npos) return "";
    return text.substr(begin + 2, text.find('\n', begin) - begin - 2);
}

std::string shown(const char* variable) {
    const std::string text = variable;
    return line_of(displayed({variable}, true), text.substr(0, text.find('=')));
}

// As GCC 12's libgomp prints it on a machine with two processors.
TEST(Display, IsLibgompsLineForLine) {
    EXPECT_EQ(displayed({}, false), R"(
OPENMP DISPLAY ENVIRONMENT BEGIN
  _OPENMP = '201511'
  OMP_DYNAMIC = 'FALSE'
  OMP_NESTED = 'FALSE'
  OMP_NUM_THREADS = '2'
  OMP_SCHEDULE = 'DYNAMIC'
  OMP_PROC_BIND = 'FALSE'
  OMP_PLACES = ''
  OMP_STACKSIZE = '0'
  OMP_WAIT_POLICY = 'PASSIVE'
  OMP_THREAD_LIMIT = '4294967295'
  OMP_MAX_ACTIVE_LEVELS = '1'
  OMP_NUM_TEAMS = '0'
  OMP_TEAMS_THREAD_LIMIT = '0'
  OMP_CANCELLATION = 'FALSE'
  OMP_DEFAULT_DEVICE = '0'
  OMP_MAX_TASK_PRIORITY = '0'
  OMP_DISPLAY_AFFINITY = 'FALSE'
  OMP_AFFINITY_FORMAT = 'level %L thread %i affinity %A'
  OMP_ALLOCATOR = 'omp_default_mem_alloc'
  OMP_TARGET_OFFLOAD = 'DEFAULT'
OPENMP DISPLAY ENVIRONMENT END
)");
}

TEST(Display, VerboseAddsTheKnobsOfLibgompAndTeff) {
    const std::string text = displayed({"TEFF_SPIN=50"}, true);
    EXPECT_EQ(line_of(text, "GOMP_STACKSIZE"), "GOMP_STACKSIZE = '0'");
    EXPECT_EQ(line_of(text, "TEFF_SCHEDULE"), "TEFF_SCHEDULE = 'work_stealing'");
    EXPECT_EQ(line_of(text, "TEFF_BARRIER"), "TEFF_BARRIER = 'central'");
    EXPECT_EQ(line_of(text, "TEFF_SPIN"), "TEFF_SPIN = '50'");
    EXPECT_EQ(line_of(text, "OMP_DISPLAY_ENV"), "");
}

TEST(Display, ValuesAreWrittenAsLibgompWritesThem) {
    EXPECT_EQ(shown("OMP_NUM_THREADS=4, 3,2"), "OMP_NUM_THREADS = '4,3,2'");
    EXPECT_EQ(shown("OMP_SCHEDULE=static"), "OMP_SCHEDULE = 'STATIC'");
    EXPECT_EQ(shown("OMP_SCHEDULE=nonmonotonic:static,4"), "OMP_SCHEDULE = 'NONMONOTONIC:STATIC,4'");
    EXPECT_EQ(shown("OMP_SCHEDULE=monotonic:dynamic,0"), "OMP_SCHEDULE = 'MONOTONIC:DYNAMIC'");
    EXPECT_EQ(shown("OMP_SCHEDULE=guided,5"), "OMP_SCHEDULE = 'GUIDED,5'");
    EXPECT_EQ(shown("OMP_SCHEDULE=auto,5"), "OMP_SCHEDULE = 'AUTO'");
    EXPECT_EQ(shown("OMP_PROC_BIND=primary,close,spread"), "OMP_PROC_BIND = 'MASTER,CLOSE,SPREAD'");
    EXPECT_EQ(shown("OMP_STACKSIZE=2 M"), "OMP_STACKSIZE = '2097152'");
    EXPECT_EQ(shown("OMP_NESTED=true"), "OMP_NESTED = 'TRUE'");
    EXPECT_EQ(shown("OMP_WAIT_POLICY=active"), "OMP_WAIT_POLICY = 'ACTIVE'");
    EXPECT_EQ(shown("OMP_ALLOCATOR=OMP_HIGH_BW_MEM_ALLOC"), "OMP_ALLOCATOR = 'omp_high_bw_mem_alloc'");
    EXPECT_EQ(shown("GOMP_SPINCOUNT=10k"), "GOMP_SPINCOUNT = '10000'");
}

TEST(Display, TextIsEscaped) {
    EXPECT_EQ(shown("OMP_AFFINITY_FORMAT=\x1b[1m\xff"), "OMP_AFFINITY_FORMAT = '\\x1b[1m\\xff'");
}

TEST(Display, StandardErrorGetsTheSame) {
    const GlobalIcvs icvs = read_settings(find_settings(nullptr), 2, false);
    testing::internal::CaptureStderr();
    display_on_stderr(icvs, false);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), displayed({}, false));
}

} // namespace
} // namespace teff::icv
