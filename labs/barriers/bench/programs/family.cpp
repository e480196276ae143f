// SPDX-License-Identifier: Apache-2.0
//
// Measures one barrier of the family (labs/barriers/family.h) without a runtime: the members are
// threads that do nothing else. overhead.h says what is measured. The master's time is the time in
// wait() and release(); the others' time is the time in slave_enter().
#include "overhead.h"

#include <sched.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "barriers/family.h"
#include "base/atomics.h"

namespace {

using namespace teff;
using sync::barriers::Round;
using sync::barriers::Shape;

// A member polls for a while, and then yields its processor between two polls. The family does this
// if there are more members than processors. (The runtime's waits sleep instead.)
struct Patient : base::RealAtomics {
    static void cpu_relax() {
        static constexpr unsigned kLooks = 500;
        thread_local unsigned looks = 0;
        if (++looks % kLooks == 0 || crowded) sched_yield();
        else base::RealAtomics::cpu_relax();
    }
    static inline bool crowded = false;
};

template <class Barrier> struct Team {
    explicit Team(const Shape& shape)
        : lines(new typename Barrier::Line[Barrier::lines(shape)]), barrier(lines.get(), shape), rounds(shape.members) {
    }

    struct alignas(base::kCacheLine) Count {
        Round round = 0;
    };

    static void meet(void* self, long thread) {
        Team& team = *static_cast<Team*>(self);
        const Round round = ++team.rounds[static_cast<std::size_t>(thread)].round;
        if (thread != 0) return team.barrier.slave_enter(static_cast<unsigned>(thread), round);
        team.barrier.wait(round);
        team.barrier.release(round);
    }

    std::unique_ptr<typename Barrier::Line[]> lines;
    Barrier barrier;
    std::vector<Count> rounds;
};

template <class Barrier> void measure(account& times, const Shape& shape) {
    Team<Barrier> team(shape);
    std::vector<std::thread> slaves;
    for (long i = 1; i < times.asked.threads; ++i)
        slaves.emplace_back([&, i] { take_part(&times, i, Team<Barrier>::meet, &team); });
    take_part(&times, 0, Team<Barrier>::meet, &team);
    for (std::thread& slave : slaves)
        slave.join();
}

account times;

const char* word_after(int argc, char** argv, const char* name) {
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
    return "";
}

bool has(int argc, char** argv, const char* word) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], word) == 0) return true;
    return false;
}

constexpr const char* kDuties[] = {"none", "the leader", "relays", "all"};

} // namespace

int main(int argc, char** argv) {
    const bool lists = has(argc, argv, "--list");
    const char* const wanted = word_after(argc, argv, "--barrier");
    times.asked = read_settings(argc, argv);
    Patient::crowded = times.asked.threads > static_cast<long>(std::thread::hardware_concurrency());
    const Shape shape{static_cast<unsigned>(times.asked.threads),
                      static_cast<unsigned>(number_after(argc, argv, "--fan-in", 8, MOST_THREADS))};
    bool found = lists;
    sync::barriers::for_each_barrier<Patient>([&]<class Barrier>() {
        if (lists) std::printf("%s\t%s\n", Barrier::kName, kDuties[static_cast<unsigned>(Barrier::kDuties)]);
        if (lists || std::strcmp(Barrier::kName, wanted) != 0) return;
        found = true;
        measure<Barrier>(times, shape);
        print_account(&times);
    });
    if (!found) std::fprintf(stderr, "there is no barrier '%s'; --list names all\n", wanted);
    return found ? 0 : 2;
}
