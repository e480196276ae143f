// SPDX-License-Identifier: Apache-2.0
#include "topo/place_text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace teff::topo {
namespace {

std::string written(const PlaceList& list) {
    std::string result;
    for (unsigned i = 0; i < list.size(); ++i) {
        std::string place;
        for (unsigned at = list[i].next(0); at < ProcessorSet::kCapacity; at = list[i].next(at + 1))
            place += (place.empty() ? "" : ",") + std::to_string(at);
        result += "{" + place + "}";
    }
    return result;
}

std::string places(std::string_view text, const char* allowed = "0-3") {
    PlaceList list;
    const TextProblem problem = read_places(text, *parse_processor_list(allowed), "/nonexistent", list);
    if (problem.expected != nullptr) return std::to_string(problem.at) + ": " + problem.expected;
    return written(list);
}

std::string affinity(std::string_view text) {
    PlaceList list;
    const TextProblem problem = read_cpu_affinity(text, list);
    if (problem.expected != nullptr) return std::to_string(problem.at) + ": " + problem.expected;
    return written(list);
}

// The three ways in which the specification writes the same places.
TEST(PlaceText, TheSpecificationsExamplesMeanTheSame) {
    const std::string four = "{0,1,2,3}{4,5,6,7}{8,9,10,11}{12,13,14,15}";
    EXPECT_EQ(places("{0,1,2,3},{4,5,6,7},{8,9,10,11},{12,13,14,15}"), four);
    EXPECT_EQ(places("{0:4},{4:4},{8:4},{12:4}"), four);
    EXPECT_EQ(places("{0:4}:4:4"), four);
}

TEST(PlaceText, IntervalsHaveCountsAndStrides) {
    EXPECT_EQ(places("{0:3:2}"), "{0,2,4}");
    EXPECT_EQ(places("{6:3:-2}"), "{2,4,6}");
    EXPECT_EQ(places("{0}:3"), "{0}{1}{2}");
    EXPECT_EQ(places("{4,5}:3:-2"), "{4,5}{2,3}{0,1}");
    EXPECT_EQ(places("{1,3:2}:2:+10"), "{1,3,4}{11,13,14}");
    EXPECT_EQ(places("{1}:2:0"), "{1}{1}") << "equal places are as good as others";
    EXPECT_EQ(places(" { 0 , 1 : 2 : 3 } : 2 : 8 , { 7 } "), "{0,1,4}{8,9,12}{7}");
    EXPECT_EQ(places("0,3:2,{5}"), "{0}{3}{4}{5}") << "a number alone is a place";
}

TEST(PlaceText, ExclusionTakesOut) {
    EXPECT_EQ(places("{0:4,!2}"), "{0,1,3}");
    EXPECT_EQ(places("{!2,0:4}"), "{0,1,3}") << "wherever it stands";
    EXPECT_EQ(places("{0}:4,!{2}"), "{0}{1}{3}");
    EXPECT_EQ(places("{0,1},!{1:2:-1},{5}"), "{5}") << "equal places, however they are written";
}

TEST(PlaceText, NamesAskTheMachine) {
    EXPECT_EQ(places("threads"), "{0}{1}{2}{3}");
    EXPECT_EQ(places(" Threads ( 2 ) ", "1,5,7"), "{1}{5}");
    EXPECT_EQ(places("numa_domains"), "{0,1,2,3}");
    for (const char* name : {"cores", "LL_CACHES", "sockets"})
        EXPECT_EQ(places(name), "{0}{1}{2}{3}") << name;
}

struct Wrong {
    const char* text;
    std::size_t at;
};

TEST(PlaceText, SaysWhereItIsWrong) {
    for (const Wrong& wrong : std::initializer_list<Wrong>{{"", 0},
                                                           {"{", 1},
                                                           {"{}", 1},
                                                           {"{0", 2},
                                                           {"{0}}", 3},
                                                           {"{0},", 4},
                                                           {"{0} {1}", 4},
                                                           {"{0,}", 3},
                                                           {"{0:}", 3},
                                                           {"{0:0}", 3},
                                                           {"{0:x}", 3},
                                                           {"{0:2:}", 5},
                                                           {"{0:2:-x}", 6},
                                                           {"{-1}", 1},
                                                           {"{8192}", 1},
                                                           {"{8191:2}", 1},
                                                           {"{1:3:-1}", 1},
                                                           {"{0}:0", 4},
                                                           {"{0}:2:-1", 0},
                                                           {"{0},{1}:", 8},
                                                           {"!{0}", 1},
                                                           {"{0},!{1}", 5},
                                                           {"{0},!{0}:2", 8},
                                                           {"{0!1}", 2},
                                                           {"core", 0},
                                                           {"cores(", 6},
                                                           {"cores(0)", 6},
                                                           {"cores(2", 7},
                                                           {"cores(2)x", 8},
                                                           {"cores,threads", 5},
                                                           {"{0}:8191,{0}:8191", 9},
                                                           {"99999999999999999999", 0},
                                                           {"{0}:99999999999", 4},
                                                           {"\xff", 0}}) {
        const std::string result = places(wrong.text);
        EXPECT_EQ(result.substr(0, result.find(':')), std::to_string(wrong.at)) << wrong.text << " gave " << result;
    }
}

TEST(CpuAffinity, EachProcessorIsAPlace) {
    EXPECT_EQ(affinity("0 3 1-2 4-15:2"), "{0}{3}{1}{2}{4}{6}{8}{10}{12}{14}");
    EXPECT_EQ(affinity(" 1,0 , 5-5 "), "{1}{0}{5}");
    EXPECT_EQ(affinity("0-1\t7"), "{0}{1}{7}");
}

TEST(CpuAffinity, SaysWhereItIsWrong) {
    for (const Wrong& wrong : std::initializer_list<Wrong>{{"", 0},
                                                           {"x", 0},
                                                           {"0-", 2},
                                                           {"3-1", 2},
                                                           {"0-4:0", 4},
                                                           {"0-4:", 4},
                                                           {"0;1", 1},
                                                           {"0,,1", 2},
                                                           {"8192", 0}}) {
        const std::string result = affinity(wrong.text);
        EXPECT_EQ(result.substr(0, result.find(':')), std::to_string(wrong.at)) << wrong.text << " gave " << result;
    }
}

} // namespace
} // namespace teff::topo
