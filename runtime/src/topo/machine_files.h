// SPDX-License-Identifier: Apache-2.0
// For tests: makes the files below /sys/devices/system of an imaginary machine, in a temporary
// folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace teff::topo {

class MachineFiles {
  public:
    MachineFiles() {
        char name[] = "/tmp/teff_machine_XXXXXX";
        root_ = mkdtemp(name);
    }
    ~MachineFiles() { std::filesystem::remove_all(root_); }
    MachineFiles(const MachineFiles&) = delete;
    MachineFiles& operator=(const MachineFiles&) = delete;

    const char* root() const { return root_.c_str(); }

    // Writes a file with the line `text`. `path` is relative to /sys/devices/system.
    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = root_ + "/sys/devices/system/" + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << "\n";
    }

  private:
    std::string root_;
};

} // namespace teff::topo
