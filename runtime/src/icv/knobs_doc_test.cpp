// SPDX-License-Identifier: Apache-2.0
// Writes docs/knobs.md from the table of knobs, and checks that the committed file is equal to what
// the table generates. After a change of the table, run this test once with UPDATE_DOCS=1 in its
// environment.
#include "icv/knobs.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace teff::icv {
namespace {

struct Group {
    std::string_view prefix;
    std::string_view title;
    std::string_view introduction;
};
constexpr Group kGroups[] = {
    {"TEFF_", "Teff's own",
     "OMP_DISPLAY_ENV=VERBOSE shows these variables. Any other name that begins with TEFF_ gets a warning."},
    {"OMP_", "OpenMP's",
     "These variables are those of the specification and of GCC 12's libgomp. A variable that has device variants can "
     "also be set with a suffix. The suffix _ALL takes effect if no other variant does. The suffixes _DEV and, with "
     "precedence over this, _DEV_n (for device n) take effect in the devices of `teff run --devices` and of MPI. A "
     "device for which none of them is set has the host's settings."},
    {"GOMP_", "libgomp's", "Teff reads these variables so that scripts written for libgomp continue to work."},
    {"KMP_", "libomp's and libiomp5's",
     "Teff reads these variables so that scripts written for LLVM's and Intel's runtimes continue to work. They also "
     "hold for programs that GCC compiled. If several variables ask for the same thing, the program decides which one "
     "counts. In a program that was linked with libomp or libiomp5, a variable of libomp takes precedence over "
     "libgomp's, and that over OpenMP's: KMP_AFFINITY, GOMP_CPU_AFFINITY, OMP_PLACES and OMP_PROC_BIND; KMP_STACKSIZE, "
     "GOMP_STACKSIZE, OMP_STACKSIZE; KMP_LIBRARY, OMP_WAIT_POLICY. In all other programs the variables of OpenMP come "
     "first, as with libgomp, and those of libomp last. If a program needs both runtimes, the first that it or one of "
     "its libraries names decides. A program that loads its runtime later, as Python does, is one of the others. All "
     "other variables that begin with KMP_ are accepted and have no effect: KMP_DUPLICATE_LIB_OK, because a process "
     "has one runtime; KMP_INIT_AT_FORK, because a forked child always starts its own threads; KMP_WARNINGS and the "
     "like."},
    {"ACC_", "OpenACC's", "These variables concern programs that were compiled with -fopenacc."},
};

constexpr std::string_view kHead =
    R"(<!-- Generated from the table in runtime/src/icv/knobs.cpp by its test. Change the table, not this file. -->
# Knobs

Teff reads these environment variables once, when the program starts. They take effect at the
program's first use of OpenMP. So a process that never uses OpenMP, such as a shell under
`teff run`, is not bound to any processors, and prints no messages. The case of words does not
matter. Blanks around values do not matter either, except in paths and formats. An invalid value
gets one warning on standard error, and the default is used. If a variable is set twice, the first
setting is used.
)";

void write_values(std::ostream& out, const Knob& knob) {
    out << "- Values: " << knob.form;
    if (knob.range.high != 0) out << ", from " << knob.range.low << " to " << knob.range.high;
    if (!knob.unit.empty()) out << (knob.range.high != 0 ? " " : "; unit: ") << knob.unit;
    out << "\n";
}

void write_knob(std::ostream& out, const Knob& knob) {
    out << "\n### " << knob.name << "\n\n" << knob.meaning << "\n\n";
    write_values(out, knob);
    out << "- Default: ";
    if (knob.default_value.empty()) {
        out << knob.default_words;
    } else {
        out << '`' << knob.default_value << '`';
    }
    out << "\n- Trade-off: " << knob.trade_off << "\n";
    if (knob.variants == Variants::by_device) out << "- Has device variants.\n";
}

std::string document() {
    std::ostringstream out;
    out << kHead;
    for (const Group& group : kGroups) {
        out << "\n## " << group.title << "\n\n" << group.introduction << "\n";
        for (const Knob& knob : knobs())
            if (knob.name.substr(0, group.prefix.size()) == group.prefix) write_knob(out, knob);
    }
    return out.str();
}

std::string document_path() {
    const std::string here = __FILE__;
    return here.substr(0, here.rfind("runtime/src/icv/")) + "docs/knobs.md";
}

TEST(KnobsDoc, TheCommittedFileIsWhatTheTableGives) {
    if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(document_path()) << document();
    std::ifstream file(document_path());
    const std::string committed{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_EQ(committed, document()) << "run this test with UPDATE_DOCS=1 to write it anew";
}

TEST(KnobsDoc, EveryKnobIsFullyDescribedAndNamedOnce) {
    std::set<std::string_view> names;
    for (const Knob& knob : knobs()) {
        EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
        EXPECT_FALSE(knob.form.empty() || knob.meaning.empty() || knob.trade_off.empty()) << knob.name;
        EXPECT_TRUE(knob.access.read != nullptr && knob.access.print != nullptr) << knob.name;
        EXPECT_NE(document().find("### " + std::string(knob.name) + "\n"), std::string::npos) << knob.name;
    }
}

} // namespace
} // namespace teff::icv
