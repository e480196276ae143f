// SPDX-License-Identifier: Apache-2.0
// Writes docs/knobs.md from the table of knobs, and checks that the committed file is what the
// table gives. After a change of the table, run this test once with UPDATE_DOCS=1 in its
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
    {"TEFF_", "Teff's own", "OMP_DISPLAY_ENV=VERBOSE shows them. Another name that begins with TEFF_ gets a warning."},
    {"OMP_", "OpenMP's",
     "As the specification and GCC 12's libgomp have them. A variable with device variants is also there with a "
     "suffix: _ALL "
     "counts where the variable without a suffix is not set; _DEV and _DEV_n (of device n) are checked and have no "
     "effect, "
     "because there is no device but the host."},
    {"GOMP_", "libgomp's", "Read so that scripts written for libgomp go on working."},
};

constexpr std::string_view kHead =
    R"(<!-- Generated from the table in runtime/src/icv/knobs.cpp by its test. Change the table, not this file. -->
# Knobs

Environment variables that Teff reads once, when the program starts. They take effect with its first
use of OpenMP: a process that never uses it, such as a shell under `teff run`, is neither bound nor
told anything. Blanks around values do not matter except in paths and formats, nor does the case of
words. A value that makes no sense gets one warning on standard error, and the default holds. Of a
variable that is set twice, the first setting counts.
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
