// SPDX-License-Identifier: Apache-2.0
// Tests contexts in programs that throw exceptions. This file is built with exceptions enabled, as
// such programs are (tests.cmake).
#include <exception>
#include <gtest/gtest.h>
#include <thread>

#include "fiber/context.h"
#include "fiber/test_stack.h"

namespace teff::fiber {
namespace {

struct Two {
    Context own;
    TestStack other;
    int caught_there = 0;
    int uncaught_there = -1;
    int rethrown_there = 0;
    Context* host = &own;

    void go_on() { own.switch_to(other.context, do_nothing()); }
    void go_back() { other.context.switch_to(*host, do_nothing()); }
};

// Throws 1, leaves the context while 1 is caught, throws it again, and leaves the context while a
// destructor runs during unwinding.
void throw_and_wander(void* argument) {
    auto& two = *static_cast<Two*>(argument);
    struct Wanders {
        Two& two;
        ~Wanders() {
            two.go_back();
            two.uncaught_there = std::uncaught_exceptions();
        }
    };
    try {
        try {
            throw 1;
        } catch (int value) {
            two.caught_there = value;
            two.go_back();
            const Wanders wanders{two};
            throw;
        }
    } catch (int value) {
        two.rethrown_there = value;
    }
    two.other.context.leave_for(*two.host, do_nothing());
}

TEST(Exceptions, ThatAreCaughtBelongToTheirContext) {
    Two two;
    two.own.start(two.other.context, throw_and_wander, &two, do_nothing());
    EXPECT_EQ(two.caught_there, 1);
    EXPECT_EQ(std::current_exception(), nullptr) << "nothing is caught on this context";
    int rethrown = 0;
    try {
        throw 2;
    } catch (int) {
        two.go_on(); // into the middle of unwinding there
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        two.go_on(); // to the end
        try {
            throw;
        } catch (int value) {
            rethrown = value;
        }
    }
    EXPECT_EQ(rethrown, 2);
    EXPECT_EQ(two.rethrown_there, 1);
    EXPECT_EQ(two.uncaught_there, 1);
}

TEST(Exceptions, AreUnderWayFromTheThrowToTheEndOfTheCatch) {
    struct Looks {
        bool& seen;
        ~Looks() { seen = exceptions_are_under_way(); }
    };
    bool while_thrown = false;
    EXPECT_FALSE(exceptions_are_under_way());
    try {
        const Looks looks{while_thrown};
        throw 1;
    } catch (int) {
        EXPECT_TRUE(exceptions_are_under_way());
        try {
            throw 2;
        } catch (int) {
        }
        EXPECT_TRUE(exceptions_are_under_way());
    }
    EXPECT_TRUE(while_thrown);
    EXPECT_FALSE(exceptions_are_under_way());
}

TEST(Exceptions, GoAlongToAnotherThread) {
    Two two;
    two.own.start(two.other.context, throw_and_wander, &two, do_nothing());
    for (int i = 0; i < 2; ++i)
        std::thread([&] {
            Context here;
            two.host = &here;
            here.switch_to(two.other.context, do_nothing());
            EXPECT_EQ(std::uncaught_exceptions(), 0);
            EXPECT_EQ(std::current_exception(), nullptr);
        }).join();
    EXPECT_EQ(two.rethrown_there, 1);
    EXPECT_EQ(two.uncaught_there, 1);
}

TEST(ExceptionsDeathTest, NoneLeavesAContext) {
    EXPECT_DEATH(
        {
            Two two;
            try {
                two.own.start(two.other.context, [](void*) { throw 3; }, nullptr, do_nothing());
            } catch (...) {
            }
        },
        "terminate|uncaught");
}

} // namespace
} // namespace teff::fiber
