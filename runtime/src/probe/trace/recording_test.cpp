// SPDX-License-Identifier: Apache-2.0
// A process records once in its life, so each test does so in a child.
#include "probe/trace/recording.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/standard_error.h"
#include "icv/icv.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

// Runs `body` in a child process, with standard error going to a file of the folder. Returns its
// exit status.
template <class Body> int in_child(const ScratchFolder& folder, Body body) {
    const pid_t child = fork();
    if (child == 0) {
        if (std::freopen(folder.file("stderr").c_str(), "w", stderr) == nullptr) _exit(100);
        body();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void start(const std::string& directory) {
    const std::string variable = "TEFF_TRACE=" + directory;
    const char* const environment[] = {variable.c_str(), nullptr};
    icv::initialise(environment, 2);
    base::note_standard_error();
    announce_recording(2);
}

std::uint64_t number(const std::string& json, const std::string& key) {
    const std::size_t at = json.find('"' + key + "\": ");
    return at == std::string::npos ? ~std::uint64_t{0} : std::stoull(json.substr(at + key.size() + 4));
}

TEST(Recording, WithoutADirectoryNothingIsRecorded) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [] {
                           const char* const environment[] = {nullptr};
                           icv::initialise(environment, 2);
                           announce_recording(2);
                           if (open_stream(0) != nullptr) _exit(1);
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_EQ(contents(folder.file("stderr")), "");
}

TEST(Recording, StartsAndEndsInOrder) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           setenv("OMP_NUM_THREADS", "3\"", 1);
                           start(directory);
                           Stream* own = open_stream(0);
                           Stream* other = open_stream(7);
                           if (own == nullptr || other == nullptr || own == other || open_stream(7) != other) _exit(1);
                           own->start(base::ticks(), 1, 0);
                           other->start(base::ticks(), 2, 0);
                           other->note_turns({.turns = 5000, .in_place = 4711});
                           finish_recording(own);
                           finish_recording(own); // only the first call counts
                           if (open_stream(8) != nullptr) _exit(2);
                       }),
              0);
    EXPECT_EQ(contents(folder.file("stderr")), "");
    const std::string meta = contents(directory + "/meta.json"), end = contents(directory + "/end.json");
    EXPECT_NE(meta.find("\"format\": \"teff-trace\""), std::string::npos);
    EXPECT_NE(meta.find("\"OMP_NUM_THREADS\": \"3\\\"\""), std::string::npos);
    EXPECT_NE(meta.find("test_probe"), std::string::npos) << "the command";
    EXPECT_EQ(number(meta, "version"), TEFF_TRACE_VERSION);
    EXPECT_EQ(number(meta, "processors"), 2u);
    EXPECT_GT(number(meta, "ticks_per_second"), 100'000'000u);
    EXPECT_LT(number(meta, "ticks_per_second"), 10'000'000'000u);
    EXPECT_GT(number(end, "end_ticks"), number(meta, "start_ticks"));
    EXPECT_GT(number(end, "end_monotonic_ns"), number(meta, "start_monotonic_ns"));
    EXPECT_EQ(number(end, "streams"), 2u);
    EXPECT_EQ(number(end, "lost_records"), 0u);
    EXPECT_GT(number(end, "cpu_ns"), 0u);
    const std::string none = "\n  0", times = end.substr(end.find("thread_cpu_ns"));
    EXPECT_EQ(std::count(times.begin(), times.end(), ','), 7) << "one for each number up to the highest";
    EXPECT_EQ(times.find(none + ","), times.find('[') + 1) << "the caller's has ended";
    EXPECT_EQ(times.find(none + "]"), std::string::npos) << "the other one's has not";
    for (const char* key : {"turns", "turns_in_place", "hasty_turns", "hasty_ticks"})
        EXPECT_NE(end.find('"' + std::string(key) + "\": ["), std::string::npos) << key;
    EXPECT_NE(end.find("\n  4711"), std::string::npos) << "noted of a stream";
    EXPECT_EQ(read_stream(directory + "/stream-0000.bin").of_type(TEFF_REC_CLOCK).size(), 2u)
        << "the caller's own stream is closed";
    EXPECT_EQ(read_stream(directory + "/stream-0007.bin").of_type(TEFF_REC_START).size(), 1u);
}

TEST(Recording, ADirectoryWithSomethingInItIsRefused) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.path()); // it holds the file for standard error
                           if (open_stream(0) != nullptr) _exit(1);
                       }),
              0);
    EXPECT_NE(contents(folder.file("stderr")).find("is not an empty directory: nothing is recorded"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder.file("meta.json")));
}

TEST(Recording, AProgramWithoutOpenMPLeavesNothing) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.file("r.teff"));
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.teff"))) << "a wrapper must not stand in the program's way";
}

TEST(Recording, AnEmptyDirectoryIsUsed) {
    const ScratchFolder folder;
    std::filesystem::create_directory(folder.file("empty"));
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.file("empty"));
                           if (open_stream(0) == nullptr) _exit(1);
                       }),
              0);
    EXPECT_TRUE(std::filesystem::exists(folder.file("empty/meta.json")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("empty/end.json"))) << "it did not end in order";
}

TEST(Recording, ARelativePathIsTakenFromWhereTheProgramStarted) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           if (chdir(folder.path().c_str()) != 0) _exit(1);
                           start("here.teff");
                           if (chdir("/") != 0) _exit(1);
                           if (open_stream(0) == nullptr) _exit(2);
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_TRUE(std::filesystem::exists(folder.file("here.teff/stream-0000.bin")));
    EXPECT_TRUE(std::filesystem::exists(folder.file("here.teff/end.json")));
}

TEST(Recording, AMissingParentDirectoryIsSaid) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.file("no/such/place"));
                           if (open_stream(0) != nullptr) _exit(1);
                       }),
              0);
    EXPECT_NE(contents(folder.file("stderr")).find("(No such file or directory): nothing is recorded"),
              std::string::npos);
}

TEST(Recording, AFolderThatCannotBeNamedIsSaid) {
    const ScratchFolder folder;
    std::filesystem::create_directory(folder.file("gone"));
    EXPECT_EQ(in_child(folder,
                       [&] {
                           if (chdir(folder.file("gone").c_str()) != 0) _exit(1);
                           std::filesystem::remove(folder.file("gone"));
                           start("here.teff");
                           if (open_stream(0) != nullptr) _exit(2);
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_NE(contents(folder.file("stderr")).find("(No such file or directory): nothing is recorded"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists("/here.teff"));
}

// In a folder as deep as paths go.
TEST(Recording, ALongPathIsUsedOrRefusedButNeverCut) {
    const ScratchFolder folder;
    std::string deep = folder.path();
    while (deep.size() < PATH_MAX - 300)
        deep += "/" + std::string(200, 'd');
    std::filesystem::create_directories(deep);
    const auto record_into = [&](const std::string& name) {
        return in_child(folder, [&] {
            if (chdir(deep.c_str()) != 0) _exit(1);
            start(name);
            _exit(open_stream(0) != nullptr ? 2 : 3);
        });
    };
    EXPECT_EQ(record_into("fits.teff"), 2);
    EXPECT_EQ(record_into(std::string(250, 'x') + "/" + std::string(250, 'y')), 3);
    EXPECT_NE(contents(folder.file("stderr")).find("(File name too long): nothing is recorded"), std::string::npos);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(deep), {}), 1);
}

TEST(Recording, OfTwoThatShareAFolderOneIsMade) {
    constexpr int kRounds = 20;
    for (int round = 0; round < kRounds; ++round) {
        const ScratchFolder folder;
        std::filesystem::create_directory(folder.file("r.teff"));
        const auto record = [&] {
            start(folder.file("r.teff"));
            Stream* stream = open_stream(0);
            finish_recording(stream);
            _exit(stream != nullptr ? 2 : 3);
        };
        pid_t children[2];
        for (pid_t& child : children)
            if ((child = fork()) == 0) record();
        int sum = 0;
        for (const pid_t child : children) {
            int status = 0;
            waitpid(child, &status, 0);
            sum += WEXITSTATUS(status);
        }
        ASSERT_EQ(sum, 2 + 3);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("r.teff")), {}), 3)
            << "meta.json, end.json and one stream";
    }
}

TEST(Recording, ThreadsBeyondTheNumbersOfStreamsAreNotRecorded) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.file("r.teff"));
                           if (open_stream(TEFF_TRACE_STREAMS - 1) == nullptr) _exit(1);
                           for (std::uint32_t number : {TEFF_TRACE_STREAMS, TEFF_TRACE_STREAMS + 1, ~0u})
                               if (open_stream(number) != nullptr) _exit(2);
                       }),
              0);
    const std::string said = contents(folder.file("stderr"));
    EXPECT_NE(said.find("a thread is not recorded, for there are more than 32,768 of them"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "said once";
    EXPECT_TRUE(std::filesystem::exists(folder.file("r.teff/stream-32767.bin")));
}

int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

// However it was made: fork's handlers do not run here. It asks again for the stream of a worker
// that had one.
TEST(Recording, AForkedChildFindsNoRecording) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(directory);
                           if (open_stream(0) == nullptr) _exit(4);
                           const auto grandchild =
                               static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
                           if (grandchild == 0) {
                               const bool none = open_stream(0) == nullptr && open_stream(5) == nullptr;
                               finish_recording(nullptr);
                               _exit(none ? 0 : 1);
                           }
                           _exit(status_of(grandchild));
                       }),
              0);
    EXPECT_FALSE(std::filesystem::exists(directory + "/end.json"));
    EXPECT_FALSE(std::filesystem::exists(directory + "/stream-0005.bin"));
}

TEST(Recording, AForkedChildLeavesItsParentsFilesAlone) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(directory);
                           if (open_stream(0) == nullptr) _exit(4);
                           const pid_t grandchild = fork();
                           if (grandchild == 0) {
                               abandon_recording();
                               if (open_stream(5) != nullptr) _exit(1);
                               finish_recording(nullptr);
                               _exit(0);
                           }
                           if (status_of(grandchild) != 0 || std::filesystem::exists(directory + "/end.json")) _exit(3);
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_TRUE(std::filesystem::exists(directory + "/end.json"));
    EXPECT_FALSE(std::filesystem::exists(directory + "/stream-0005.bin"));
}

} // namespace
} // namespace teff::probe::trace
