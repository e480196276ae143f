// SPDX-License-Identifier: Apache-2.0
#include "machine/task_graph.h"

#include <gtest/gtest.h>

namespace teff::machine {
namespace {

const std::string kHead = "teff-taskgraph 1\nthreads 2\ncounts tasks 2 regions 1 loops 1 joins 1 locks 1 signals 1\n";
const std::string kRest = "program w5 r0\n"
                          "region 0 thread 0 : l0 c0 b j0 s0 # a comment\n"
                          "region 0 thread 1 : l0 b\n"
                          "task 0 join 0 : h0 w3 u0 i1\n"
                          "task 1 event : p0 e1\n"
                          "loop 0 : w1 | w2 h0 u0 | \n";

std::string error_of(const std::string& text) { return parse_task_graph(text, "g").error; }

// The error for kHead and kRest with one word replaced.
std::string error_with(const std::string& word, const std::string& other) {
    std::string text = kHead + kRest;
    const auto at = text.find(word);
    EXPECT_NE(at, text.npos) << word;
    return error_of(text.replace(at, word.size(), other));
}

TEST(TaskGraph, IsReadAsItIsWritten) {
    const ParsedGraph parsed = parse_task_graph(kHead + kRest, "g");
    ASSERT_TRUE(parsed.graph) << parsed.error;
    const TaskGraph& graph = *parsed.graph;
    EXPECT_EQ(graph.threads, 2u);
    EXPECT_EQ(graph.work_ns(), 5u + 3 + 1 + 2);
    ASSERT_EQ(graph.loops.size(), 1u);
    EXPECT_EQ(graph.loops[0].size(), 3u);
    EXPECT_EQ(graph.part(0, 0).end - graph.part(0, 0).begin, 5u);
    EXPECT_EQ(graph.tasks[0].join, 0u);
    EXPECT_EQ(graph.tasks[1].join, kNoJoin);
    EXPECT_TRUE(graph.tasks[1].has_event && !graph.tasks[0].has_event);
}

TEST(TaskGraph, AMistakeIsToldWithItsLine) {
    const struct {
        const char *word, *other, *message;
    } cases[] = {
        {"teff-taskgraph 1", "teff-taskgraph 2", "g:1: is no task graph of version 1"},
        {"threads 2", "threads 0", "g:2: the second line says"},
        {"threads 2", "threads 257", "g:2: the second line says"},
        {"tasks 2", "tasks 4000000000", "g:3: '4000000000' is no number of tasks"},
        {"joins 1", "gnus 1", "g:3: 'gnus' cannot be counted"},
        {"program w5", "program x5", "g:4: 'x5' is no step"},
        {"program w5", "program w-5", "g:4: 'w-5' is no work"},
        {"program w5", "program w9999999999999999999", "is no work in ns"},
        {"program w5", "program c2", "'c2': '2' is none of the 2 tasks"},
        {"program w5", "program b", "'b' cannot stand on a line of this kind"},
        {"program w5", "program r0", "region 0 begins twice"},
        {"l0 c0 b", "l0 r0 b", "'r0' cannot stand"},
        {"l0 c0 b", "l0 c0", "g:9: the threads of region 0 do not come to the same number of barriers"},
        {"l0 c0 b", "c0 c0 b", "task 0 is created twice"},
        {"thread 1", "thread 2", "comes one of its threads"},
        {"region 0 thread 1", "region 0 thread 0", "there is a line for it already"},
        {"task 1 event", "task 0 event", "there is a line for it already"},
        {"task 1 event", "task 1 after 0 event", "g:9: task 1 runs inside its creator"},
        {"task 1 event", "tusk 1 event", "g:8: 'tusk' begins no line"},
        {"task 1 event", "task 1 events", "'events' is none of join, after, event"},
        {"loop 0", "loop 1", "'1' is none of the 1 loops"},
        {"loops 1", "loops 2", "g:9: there is no line for loop 1"},
        {"tasks 2", "tasks 3", "there is no line for task 2"},
        {"u0 i1", "u0", "g:9: task 1 is never created; add c1 to some line"},
        {"l0 c0 b", "l0 b", "g:9: task 0 is never created"},
        {"program w5 r0", "program w5", "g:9: region 0 never begins; add r0 to the program"},
        {"program w5", "program u0", "g:9: lock 0 is given back more often than it is taken"},
        {"h0 w3 u0", "h0 w3 u0 u0", "g:9: lock 0 is given back more often"},
        {"h0 w3 u0", "w3 u0", "g:9: lock 0 is given back more often"},
        {"counts tasks 2 regions 1 loops 1 joins 1 locks 1 signals 1\n", "", "g:3: the third line says how many"},
        {" joins 1", "", "'0' is none of the 0 joins"},
        {"regions 1", "regions 2", "there is no line for region 1 thread 0"},
    };
    for (const auto& each : cases) {
        const std::string error = error_with(each.word, each.other);
        EXPECT_NE(error.find(each.message), error.npos) << each.word << " -> " << each.other << ": " << error;
        EXPECT_EQ(error.empty(), *each.message == 0) << each.other;
    }
}

TEST(TaskGraph, WhatRunsInsideItsCreatorWaitsForNothing) {
    const std::string head = "teff-taskgraph 1\nthreads 1\ncounts tasks 2\nprogram c0\n";
    EXPECT_EQ(error_of(head + "task 0 : i1\ntask 1 :\n"), "");
    for (const char* tasks : {"task 1 after 0 :\ntask 0 : i1\n", "task 0 : i1\ntask 1 after 0 :\n"})
        EXPECT_NE(error_of(head + tasks).find("runs inside its creator"), std::string::npos);
}

// Every prefix of the text, and every text with one byte replaced, is either read or refused.
TEST(TaskGraph, NoTextBringsTheParserDown) {
    const std::string whole = kHead + kRest;
    unsigned refused = 0;
    for (std::size_t size = 0; size < whole.size(); ++size)
        refused += !parse_task_graph(whole.substr(0, size), "g").graph;
    EXPECT_GT(refused, whole.size() - 20);
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const char byte : {'\0', '\n', ' ', '9', 'c', ':', '\xff'}) {
            std::string text = whole;
            text[at] = byte;
            const ParsedGraph parsed = parse_task_graph(text, "g");
            EXPECT_NE(parsed.graph.has_value(), !parsed.error.empty());
        }
}

} // namespace
} // namespace teff::machine
