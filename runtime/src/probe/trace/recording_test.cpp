// SPDX-License-Identifier: Apache-2.0
// A process can make only one recording in its life, so each test records in a child process.
#include "probe/trace/recording.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
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

void start(const std::string& directory, const std::string& session = "", const std::string& limit = "") {
    const std::string variables[] = {"TEFF_TRACE=" + directory, "TEFF_TRACE_SESSION=" + session,
                                     "TEFF_TRACE_LIMIT=" + limit};
    const char* const environment[] = {variables[0].c_str(), session.empty() ? nullptr : variables[1].c_str(),
                                       limit.empty() ? nullptr : variables[2].c_str(), nullptr};
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

TEST(Recording, SaysWhichThreadMetTheFirstConstruct) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(directory);
                           std::thread([] {
                               Stream* own = open_stream(0);
                               if (own == nullptr) _exit(1);
                               own->start(base::ticks(), 1, 0);
                               finish_recording(own);
                           }).join();
                       }),
              0);
    const std::string meta = contents(directory + "/meta.json");
    EXPECT_NE(meta.find("\"first_thread\": "), std::string::npos);
    EXPECT_NE(number(meta, "first_thread"), number(meta, "pid"));
    EXPECT_LE(number(meta, "start_cpu_ns"), number(meta, "met_cpu_ns")) << "of the process";
    EXPECT_NE(meta.find("\"met_delay_ns\": "), std::string::npos);
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
                           other->note_turns({.turns = 5000, .hasty_turns = 4711});
                           finish_recording(own);
                           finish_recording(own); // only the first call counts
                           if (open_stream(8) != nullptr) _exit(2);
                       }),
              0);
    EXPECT_EQ(contents(folder.file("stderr")), "");
    const std::string meta = contents(directory + "/meta.json");
    const std::string end = contents_before_checksum(directory + "/end.json");
    EXPECT_NE(meta.find("\"format\": \"teff-trace\""), std::string::npos);
    EXPECT_NE(meta.find("\"OMP_NUM_THREADS\": \"3\\\"\""), std::string::npos);
    EXPECT_NE(meta.find("test_probe"), std::string::npos) << "the command";
    EXPECT_EQ(number(meta, "version"), TEFF_TRACE_VERSION);
    EXPECT_EQ(number(meta, "processors"), 2u);
    EXPECT_GT(number(meta, "ticks_per_second"), 100'000'000u);
    EXPECT_LT(number(meta, "ticks_per_second"), 10'000'000'000u);
    EXPECT_LE(number(meta, "start_cpu_ns"), number(meta, "met_cpu_ns"));
    EXPECT_NE(meta.find("\"met_delay_ns\": "), std::string::npos);
    EXPECT_GT(number(end, "end_ticks"), number(meta, "start_ticks"));
    EXPECT_GT(number(end, "end_monotonic_ns"), number(meta, "start_monotonic_ns"));
    EXPECT_EQ(number(end, "streams"), 2u);
    EXPECT_EQ(number(end, "lost_records"), 0u);
    EXPECT_GT(number(end, "cpu_ns"), 0u);
    EXPECT_GT(number(end, "minor_faults"), 0u) << "of the streams' first pages, if of nothing else";
    EXPECT_GE(number(end, "most_resident_bytes"), 1u << 20);
    EXPECT_NE(end.find("\"system_ns\": "), std::string::npos);
    const std::string none = "\n  0", times = end.substr(end.find("thread_cpu_ns"));
    EXPECT_EQ(std::count(times.begin(), times.end(), ','), 7) << "one for each number up to the highest";
    EXPECT_EQ(times.find(none + ","), times.find('[') + 1) << "the caller's has ended";
    EXPECT_EQ(times.find(none + "]"), std::string::npos) << "the other one's has not";
    for (const char* key : {"turns", "hasty_turns", "hasty_ticks"})
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
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("r.teff")), {}), 4)
            << "meta.json, end.json, chunks and one stream";
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

// The only folder in it; empty: there is none, or there are several.
std::string further_process(const std::string& directory) {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        if (!entry.is_directory()) continue;
        if (!found.empty()) return "";
        found = entry.path().string();
    }
    return found;
}

TEST(Recording, AForkedChildRecordsBesideItsParentFromItsFirstRecordOn) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(directory);
                           if (open_stream(0) == nullptr) _exit(4);
                           const pid_t grandchild = fork();
                           if (grandchild == 0) {
                               Stream* own = begin_anew(0, 17);
                               if (own == nullptr || further_process(directory) != "") _exit(1);
                               const base::Ticks began = base::ticks();
                               own->wait(began, base::ticks(), TEFF_WAIT_TASKWAIT, 17, 0, 0);
                               if (open_stream(0) != own || open_stream(5) == nullptr) _exit(2);
                               finish_recording(own);
                               _exit(0);
                           }
                           if (status_of(grandchild) != 0 || std::filesystem::exists(directory + "/end.json")) _exit(3);
                           finish_recording(nullptr);
                       }),
              0);
    EXPECT_EQ(contents(folder.file("stderr")), "");
    const std::string further = further_process(directory);
    EXPECT_NE(further.find("/process-"), std::string::npos) << further;
    const ReadStream parents = read_stream(directory + "/stream-0000.bin"),
                     own = read_stream(further + "/stream-0000.bin");
    EXPECT_FALSE(std::filesystem::exists(directory + "/stream-0005.bin"));
    EXPECT_TRUE(std::filesystem::exists(further + "/stream-0005.bin"));
    EXPECT_TRUE(parents.of_type(TEFF_REC_WAIT).empty());
    ASSERT_EQ(own.of_type(TEFF_REC_CREATE).size(), 1u);
    EXPECT_EQ(own.of_type(TEFF_REC_CREATE)[0].as<teff_rec_create>().task, 17u) << "its initial task";
    EXPECT_EQ(own.of_type(TEFF_REC_START).size(), 1u);
    EXPECT_EQ(own.of_type(TEFF_REC_WAIT).size(), 1u);
    const std::string meta = contents(directory + "/meta.json"), childs = contents(further + "/meta.json");
    EXPECT_GT(number(childs, "start_ticks"), number(meta, "start_ticks")) << "it began at the fork";
    EXPECT_EQ("process-" + std::to_string(number(childs, "pid")), further.substr(further.rfind('/') + 1));
    EXPECT_EQ(contents(directory + "/chunks").size(), 3u) << "chunks of both";
}

TEST(Recording, AForkedChildThatDoesNotUseOpenMPLeavesNothing) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(directory);
                           if (open_stream(0) == nullptr) _exit(4);
                           const pid_t grandchild = fork();
                           if (grandchild == 0) {
                               finish_recording(begin_anew(0, 17));
                               _exit(0);
                           }
                           _exit(status_of(grandchild));
                       }),
              0);
    EXPECT_EQ(further_process(directory), "");
    EXPECT_FALSE(std::filesystem::exists(directory + "/end.json"));
}

TEST(Recording, AChildOfOneThatWasRefusedIsRefusedInSilence) {
    const ScratchFolder folder;
    EXPECT_EQ(in_child(folder,
                       [&] {
                           start(folder.path()); // it holds the file for standard error
                           if (open_stream(0) != nullptr) _exit(1);
                           const pid_t grandchild = fork();
                           if (grandchild == 0) _exit(begin_anew(0, 17) == nullptr ? 0 : 2);
                           _exit(status_of(grandchild));
                       }),
              0);
    const std::string said = contents(folder.file("stderr"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

std::string session_of(const std::string& directory) {
    struct stat status;
    EXPECT_EQ(stat(directory.c_str(), &status), 0);
    return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
}

// Records into the directory, as a program of the session.
int record_in(const ScratchFolder& folder, const std::string& session) {
    return in_child(folder, [&] {
        start(folder.file("r.teff"), session);
        Stream* const stream = open_stream(0);
        finish_recording(stream);
        _exit(stream != nullptr ? 2 : 3);
    });
}

TEST(Recording, ProgramsOfASessionShareItsFolder) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    std::filesystem::create_directory(directory);
    const std::string session = session_of(directory);
    EXPECT_EQ(record_in(folder, session), 2);
    EXPECT_EQ(further_process(directory), "") << "the first has the folder itself";
    EXPECT_EQ(record_in(folder, session), 2);
    EXPECT_TRUE(std::filesystem::exists(further_process(directory) + "/end.json"));
    EXPECT_EQ(record_in(folder, "1:2"), 3) << "another session's folder";
    EXPECT_NE(contents(folder.file("stderr")).find("is not an empty directory"), std::string::npos);
}

// Whether a child that is forked before the first use of OpenMP has a recording.
bool early_child_records(const ScratchFolder& folder, const std::string& session) {
    return in_child(folder, [&] {
               start(folder.file("r.teff"), session);
               const pid_t grandchild = fork();
               if (grandchild == 0) {
                   begin_anew();
                   _exit(open_stream(0) != nullptr ? 2 : 3);
               }
               _exit(status_of(grandchild) >> 8);
           }) == 2;
}

TEST(Recording, AChildForkedBeforeTheFirstUseIsRecordedInASession) {
    const ScratchFolder folder;
    EXPECT_FALSE(early_child_records(folder, "")) << "its parent may want the folder";
    std::filesystem::create_directory(folder.file("r.teff"));
    EXPECT_TRUE(early_child_records(folder, session_of(folder.file("r.teff"))));
    EXPECT_TRUE(std::filesystem::exists(folder.file("r.teff/stream-0000.bin")));
}

TEST(Recording, AProcessNumberThatIsUsedAgainGetsAnotherFolder) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    std::filesystem::create_directory(directory);
    const std::string session = session_of(directory);
    EXPECT_EQ(record_in(folder, session), 2);
    EXPECT_EQ(in_child(folder,
                       [&] {
                           const std::string own = directory + "/process-" + std::to_string(getpid());
                           std::filesystem::create_directory(own);
                           start(directory, session);
                           _exit(open_stream(0) != nullptr && std::filesystem::exists(own + "-2/meta.json") ? 0 : 1);
                       }),
              0);
}

TEST(Recording, TheLimitIsOneForAllProcesses) {
    const ScratchFolder folder;
    const std::string directory = folder.file("r.teff");
    std::filesystem::create_directory(directory);
    const std::string session = session_of(directory);
    const auto streams_had = [&] {
        return in_child(folder, [&] {
            start(directory, session, "3");
            for (std::uint32_t number : {0u, 1u})
                (void)open_stream(number);
            finish_recording(nullptr);
        });
    };
    EXPECT_EQ(streams_had(), 0);
    EXPECT_EQ(streams_had(), 0);
    EXPECT_NE(contents(folder.file("stderr")).find("limit of 3 MiB"), std::string::npos);
    EXPECT_EQ(contents(directory + "/chunks").size(), 3u);
    EXPECT_EQ(contents(further_process(directory) + "/stream-0001.bin"), "");
}

} // namespace
} // namespace teff::probe::trace
