// SPDX-License-Identifier: Apache-2.0
//
// ChunkFile: the file of one stream, and the chunk of it that is in memory.
//
// Owned and used by the stream's own thread. Each chunk is had by one piece of work apart
// (apart.h): it opens the file, reserves the chunk on the disk, maps it and closes the file again.
// So a full disk shows as an error there, and not later as SIGBUS; a file that is no longer the
// stream's own (replaced, removed, in another root) is not touched.
//
// A fresh chunk takes the place of the one before in memory. A forked child does not get it, if the
// stream says so.
#pragma once

#include <cstdint>
#include <sys/stat.h>

#include "probe/trace/apart.h"
#include "probe/trace/folder.h"

namespace teff::probe::trace {

class ChunkFile {
  public:
    // What could not be done, and why: minus an errno value, or one of these.
    struct Failure {
        const char* doing;
        long reason;
    };
    static constexpr long kNone = 0, kLimit = 1;

    ChunkFile(Folder& folder, std::uint32_t number);

    // The chunk that follows, zero from end to end; null: `failure` has why.
    [[nodiscard]] char* next(const Guest& guest, bool keep_from_children, Failure& failure);

    // How many there are.
    std::uint64_t chunks() const { return chunks_; }
    Folder& folder() const { return folder_; }
    const char* name() const { return name_; }

  private:
    // These are done apart, and return minus an errno value where they fail.
    void open_and_map(bool keep_from_children, Failure& failure);
    long open(Failure& failure);
    long make(long folder);
    long open_again(long folder) const;
    long note_identity(long file);
    long map(long file, bool keep_from_children);

    Folder& folder_;
    char name_[24];
    bool made_ = false; // the file
    Identity identity_;
    std::uint64_t chunks_ = 0;
    char* place_ = nullptr; // of the chunk in memory
    ApartStack stack_;
};

} // namespace teff::probe::trace
