// SPDX-License-Identifier: Apache-2.0
#include "base/standard_error.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/listener.h"
#include "base/report.h"

namespace teff::base {
namespace {

void hold_some_words() {
    HeldWords held;
    warn("one");
    held.add("two\n", 4);
}

constexpr char kWords[] = "teff: warning: one\ntwo\n";

TEST(HeldWords, AreSaidOnceInTheirOrder) {
    Listener listener;
    hold_some_words();
    EXPECT_EQ(listener.heard(), "");
    say_held_words();
    say_held_words();
    EXPECT_EQ(listener.heard(), kWords);
    warn("three");
    EXPECT_EQ(listener.heard(), "teff: warning: three\n");
}

// The program continues after a warning, so a warning must not harm it.
TEST(Warnings, AreForStandardErrorAlone) {
    Listener first;
    hold_some_words(); // as at the start, where the identity of standard error is recorded
    say_held_words();
    EXPECT_EQ(first.heard(), kWords);
    {
        Listener second;
        warn("not for a file that the program has opened since");
        EXPECT_EQ(second.heard(), "");
    }
    first.fill();
    warn("not worth a wait");
}

TEST(Warnings, AreSaidByAProcessThatMayOpenNoFile) {
    Listener listener;
    note_standard_error();
    rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    warn("one");
    listener.fill();
    warn("not worth a wait");
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(listener.heard().rfind("teff: warning: one\n", 0), 0u);
}

TEST(HeldWords, AreNotForAnotherFile) {
    Listener first;
    hold_some_words();
    {
        Listener second;
        say_held_words();
        EXPECT_EQ(second.heard(), "");
    }
    say_held_words();
    EXPECT_EQ(first.heard(), "") << "what could not be said is dropped";
}

TEST(HeldWords, MoreAreKeptAgainButNoneTwice) {
    Listener listener;
    hold_some_words();
    {
        Listener second; // where standard error is now does not matter
        HeldWords held{HeldWords::Again{}};
        warn("one");
        warn("three");
        held.add("four\n", 5);
    }
    say_held_words();
    EXPECT_EQ(listener.heard(), "teff: warning: one\nteff: warning: three\nfour\n");
    hold_some_words();
    HeldWords{HeldWords::Again{}}.add("", 0);
    say_held_words();
    EXPECT_EQ(listener.heard(), "teff: warning: one\n");
}

TEST(HeldWords, DoNotWaitForAReader) {
    Listener listener;
    hold_some_words();
    listener.fill();
    say_held_words();
    EXPECT_EQ(listener.heard().find("teff"), std::string::npos);
}

TEST(HeldWords, OfAllChildrenOneSaysThem) {
    Listener listener;
    hold_some_words();
    for (int i = 0; i < 3; ++i) {
        const pid_t child = fork();
        if (child == 0) say_held_words(), _exit(0);
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    say_held_words();
    EXPECT_EQ(listener.heard(), kWords);
}

TEST(WriteAtOnce, WritesLongTexts) {
    Listener listener;
    note_standard_error();
    const std::string text(10'000, 'x');
    EXPECT_EQ(write_at_once(text.data(), text.size()), 0);
    EXPECT_EQ(listener.heard(), text);
}

TEST(StandardError, ThatWasClosedDoesNotListen) {
    const int before = dup(STDERR_FILENO);
    close(STDERR_FILENO);
    note_standard_error();
    const bool while_closed = standard_error_listens();
    dup2(before, STDERR_FILENO);
    EXPECT_FALSE(while_closed);
    EXPECT_FALSE(standard_error_listens()) << "what has come there since is the program's own";
    close(before);
}

} // namespace
} // namespace teff::base
