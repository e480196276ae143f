// SPDX-License-Identifier: Apache-2.0
#include "processes/files.h"

#include <cerrno>
#include <cstdint>
#include <dlfcn.h>
#include <iterator>
#include <unistd.h>

#include "processes/hooks.h"
#include "processes/link.h"
#include "processes/memory_list.h"
#include "processes/missing.h"
#include "processes/team.h"

extern "C" FILE* _IO_list_all; // of the C library: the first of its open files

namespace teff::processes::files {

namespace {

constexpr int kBeingWritten = 0x800; // of the C library's flags of a file

// The files that a worker has from its parent and that have no position, such as pipes.
constinit List<FILE*> not_for_workers;

bool is_seekable(const FILE* file) { return lseek(file->_fileno, 0, SEEK_CUR) >= 0; }

template <class Visit> void for_each_file(Visit visit) {
    for (FILE* file = _IO_list_all; file != nullptr; file = file->_chain)
        if (file->_fileno >= 0) visit(file);
}

// The C library may have stored an earlier position, which other processes have changed since.
void give_back(FILE* file) {
    if ((file->_flags & kBeingWritten) == 0 && (file->_mode > 0 || file->_IO_read_ptr != file->_IO_read_end))
        std::fflush(file);
    file->_offset = -1;
}

// Fortran.

// The first fields of a statement (libgfortran's st_parameter_common).
struct Statement {
    std::uint32_t flags;
    std::int32_t unit;
};
constexpr std::uint32_t kIsInternal = 1 << 14; // it reads from a variable

using OfStatement = void (*)(Statement*);
OfStatement real_read, real_read_done, real_write, real_write_done, real_open;
void (*flush_units)(const std::int32_t*);
unsigned in_statements = 0;                          // there its unit is locked
constinit List<std::int32_t> known_units, own_units; // own: opened since the process began

bool is_in(List<std::int32_t>& list, std::int32_t unit) {
    for (const std::int32_t one : list)
        if (one == unit) return true;
    return unit == 0 || unit == 5 || unit == 6;
}
void add(List<std::int32_t>& list, std::int32_t unit) {
    if (!is_in(list, unit)) list.push(unit);
}
bool is_workers(const Statement* statement) { return link::rank() != 0 && (statement->flags & kIsInternal) == 0; }

void read_statement(Statement* statement) {
    if (is_workers(statement) && (statement->unit == 5 || !is_in(own_units, statement->unit)))
        missing("a Fortran READ, by another thread than the first one, from a unit that was open before the region");
    ++in_statements;
    real_read(statement);
}
void read_is_done(Statement* statement) {
    --in_statements;
    real_read_done(statement);
}
// Otherwise a file with that unit's default name would be made.
void write_statement(Statement* statement) {
    if (is_workers(statement) && !is_in(known_units, statement->unit))
        missing("a Fortran WRITE to a unit that another thread has opened after the first region began");
    ++in_statements;
    real_write(statement);
    if ((statement->flags & kIsInternal) == 0) add(known_units, statement->unit);
}
void write_is_done(Statement* statement) {
    --in_statements;
    real_write_done(statement);
}
void open_statement(Statement* statement) {
    real_open(statement);
    add(known_units, statement->unit);
    add(own_units, statement->unit);
}

// Units that have no number from the program (NEWUNIT) are not among "all units".
void flush_all_units() {
    flush_units(nullptr);
    for (const std::int32_t unit : known_units)
        if (unit < 0) flush_units(&unit);
}

// C++.

bool stay_with_stdio(bool) { return true; }

} // namespace

void place_hooks() {
    const hooks::Hook all[] = {
        {"_gfortran_st_read", read_statement, &real_read},
        {"_gfortran_st_read_done", read_is_done, &real_read_done},
        {"_gfortran_st_write", write_statement, &real_write},
        {"_gfortran_st_write_done", write_is_done, &real_write_done},
        {"_gfortran_st_open", open_statement, &real_open},
        {"_ZNSt8ios_base15sync_with_stdioEb", stay_with_stdio},
    };
    hooks::place(all, std::size(all));
    flush_units = reinterpret_cast<void (*)(const std::int32_t*)>(dlsym(RTLD_DEFAULT, "_gfortran_flush_i4"));
}

void hand_over() {
    const int before = errno;
    std::fflush(nullptr);
    for_each_file(give_back);
    if (flush_units != nullptr && in_statements == 0) flush_all_units();
    errno = before;
}

void be_worker() {
    not_for_workers.clear();
    own_units.clear();
    for_each_file([](FILE* file) {
        if (is_seekable(file)) return;
        not_for_workers.push(file);
        if ((file->_flags & kBeingWritten) == 0) file->_IO_read_ptr = file->_IO_read_end;
    });
}

void about_to_read(FILE* file) {
    if (not_for_workers.empty() || !region::has_others()) return;
    for (const FILE* one : not_for_workers)
        if (one == file && file->_fileno >= 0 && !is_seekable(file))
            missing("input from a pipe or a terminal that another thread than the first one reads");
}

} // namespace teff::processes::files
