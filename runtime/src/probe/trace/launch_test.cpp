// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/launch.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

std::string written(const Launch& launch) {
    const ScratchFolder folder;
    const int opened = open(folder.path().c_str(), O_PATH | O_DIRECTORY);
    JsonFile json(opened, "x.json");
    launch.write(json);
    EXPECT_EQ(json.commit(), 0);
    close(opened);
    return contents_before_checksum(folder.file("x.json"));
}

std::string with_environment(const std::vector<std::string>& variables) {
    std::vector<const char*> pointers;
    for (const std::string& variable : variables)
        pointers.push_back(variable.c_str());
    pointers.push_back(nullptr);
    const auto launch = std::make_unique<Launch>();
    launch->note_environment(pointers.data());
    return written(*launch);
}

TEST(Launch, VariablesOfOpenMPAreNoted) {
    EXPECT_EQ(with_environment({"OMP_A=1", "PATH=/x", "GOMP_B=", "TEFF_C=a=b", "OMP_NONE", "XOMP_D=4"}),
              "{\n  \"command\": [],\n  \"environment\": {\n  \"OMP_A\": \"1\",\n  \"GOMP_B\": \"\",\n"
              "  \"TEFF_C\": \"a=b\"}\n}\n");
}

TEST(Launch, AHostAndItsDevicesAreNoted) {
    const auto launch = std::make_unique<Launch>();
    launch->note_devices({.count = 2, .transport = "sockets"});
    EXPECT_EQ(written(*launch), "{\n  \"command\": [],\n  \"devices\": 2,\n  \"device_transport\": \"sockets\",\n"
                                "  \"environment\": {}\n}\n");
    launch->note_devices({.count = 2, .number = 0, .transport = "openmpi"});
    EXPECT_EQ(written(*launch), "{\n  \"command\": [],\n  \"devices\": 2,\n  \"device\": 0,\n"
                                "  \"device_transport\": \"openmpi\",\n  \"environment\": {}\n}\n");
    launch->forget_devices();
    EXPECT_EQ(written(*launch), "{\n  \"command\": [],\n  \"environment\": {}\n}\n");
}

TEST(Launch, WhatIsTooLongIsLeftOutAndCounted) {
    const std::string text = with_environment({"OMP_A=1", "OMP_LONG=" + std::string(Launch::kMostBytes, 'x'), "OMP_B=2",
                                               "OMP_ALSO_LONG=" + std::string(100'000, 'y')});
    EXPECT_EQ(text, "{\n  \"command\": [],\n  \"environment\": {\n  \"OMP_A\": \"1\",\n  \"OMP_B\": \"2\"},\n"
                    "  \"environment_left_out\": 2\n}\n");
}

// A file as the system's of a command line.
std::string with_command(const std::string& bytes) {
    const ScratchFolder folder;
    std::ofstream(folder.file("cmdline")) << bytes;
    const auto launch = std::make_unique<Launch>();
    launch->read_command(folder.file("cmdline").c_str());
    return written(*launch);
}

TEST(Launch, TheCommandIsWhatTheSystemKnows) {
    using namespace std::string_literals;
    EXPECT_EQ(with_command("cat\0-\0\0"s),
              "{\n  \"command\": [\n  \"cat\",\n  \"-\",\n  \"\"],\n  \"environment\": {}\n}\n");
    EXPECT_EQ(with_command("a title of the program's own"), // without a zero at its end
              "{\n  \"command\": [\n  \"a title of the program's own\"],\n  \"environment\": {}\n}\n");
    EXPECT_EQ(with_command(""), "{\n  \"command\": [],\n  \"environment\": {}\n}\n");
}

TEST(Launch, AHugeCommandIsCutAtAnArgument) {
    std::string bytes;
    for (int i = 0; i < 20'000; ++i)
        bytes += std::string("-") + '\0';
    for (int i = 0; i < 3; ++i)
        bytes += std::string(30'000, '-') + '\0';
    const std::string text = with_command(bytes);
    EXPECT_NE(text.find("\"command_left_out\": 3"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '-'), 20'000);
}

TEST(Launch, WithoutTheFileThereIsNoCommand) {
    const auto launch = std::make_unique<Launch>();
    launch->read_command("/nonexistent");
    EXPECT_EQ(written(*launch), "{\n  \"command\": [],\n  \"environment\": {}\n}\n");
}

} // namespace
} // namespace teff::probe::trace
