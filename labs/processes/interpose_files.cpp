// SPDX-License-Identifier: Apache-2.0
//
// Intercepts the C library's functions that read from files, set their buffers, or truncate them:
// see files.h.
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <unistd.h>

#include "abi/export.h"
#include "processes/files.h"
#include "processes/interpose.h"
#include "processes/modules.h"
#include "processes/run.h"
#include "processes/team.h"

using namespace teff::processes;

// Uses the symbol's name, because <cstdio> may declare the function under another name.
#define TEFF_READER(result, symbol, parameters, stream, arguments)                                                     \
    TEFF_EXPORT result read_by_##symbol parameters __asm__(#symbol);                                                   \
    result read_by_##symbol parameters {                                                                               \
        static result(*real) parameters = nullptr;                                                                     \
        files::about_to_read(stream);                                                                                  \
        return next(real, #symbol) arguments;                                                                          \
    }

TEFF_READER(std::size_t, fread, (void* to, std::size_t bytes, std::size_t count, FILE* file), file,
            (to, bytes, count, file))
TEFF_READER(std::size_t, fread_unlocked, (void* to, std::size_t bytes, std::size_t count, FILE* file), file,
            (to, bytes, count, file))
TEFF_READER(std::size_t, __fread_chk, (void* to, std::size_t room, std::size_t bytes, std::size_t count, FILE* file),
            file, (to, room, bytes, count, file))
TEFF_READER(std::size_t, __fread_unlocked_chk,
            (void* to, std::size_t room, std::size_t bytes, std::size_t count, FILE* file), file,
            (to, room, bytes, count, file))
TEFF_READER(char*, fgets, (char* to, int bytes, FILE* file), file, (to, bytes, file))
TEFF_READER(char*, fgets_unlocked, (char* to, int bytes, FILE* file), file, (to, bytes, file))
TEFF_READER(char*, __fgets_chk, (char* to, std::size_t room, int bytes, FILE* file), file, (to, room, bytes, file))
TEFF_READER(int, fgetc, (FILE * file), file, (file))
TEFF_READER(int, getc, (FILE * file), file, (file))
TEFF_READER(int, _IO_getc, (FILE * file), file, (file))
TEFF_READER(int, fgetc_unlocked, (FILE * file), file, (file))
TEFF_READER(int, getc_unlocked, (FILE * file), file, (file))
TEFF_READER(int, getchar, (), stdin, ())
TEFF_READER(int, getchar_unlocked, (), stdin, ())
TEFF_READER(int, __uflow, (FILE * file), file, (file))
TEFF_READER(int, __underflow, (FILE * file), file, (file))
TEFF_READER(std::wint_t, fgetwc, (FILE * file), file, (file))
TEFF_READER(std::wint_t, getwc, (FILE * file), file, (file))
TEFF_READER(std::wint_t, getwchar, (), stdin, ())
TEFF_READER(wchar_t*, fgetws, (wchar_t * to, int count, FILE* file), file, (to, count, file))
TEFF_READER(int, vfscanf, (FILE * file, const char* format, std::va_list arguments), file, (file, format, arguments))
TEFF_READER(int, __isoc99_vfscanf, (FILE * file, const char* format, std::va_list arguments), file,
            (file, format, arguments))
TEFF_READER(int, __isoc23_vfscanf, (FILE * file, const char* format, std::va_list arguments), file,
            (file, format, arguments))
TEFF_READER(int, vscanf, (const char* format, std::va_list arguments), stdin, (format, arguments))
TEFF_READER(int, __isoc99_vscanf, (const char* format, std::va_list arguments), stdin, (format, arguments))
TEFF_READER(int, __isoc23_vscanf, (const char* format, std::va_list arguments), stdin, (format, arguments))

// The same for functions with a variable number of arguments.
#define TEFF_SCANNER(symbol, parameters, stream, with_list)                                                            \
    TEFF_EXPORT int read_by_##symbol parameters __asm__(#symbol);                                                      \
    int read_by_##symbol parameters {                                                                                  \
        std::va_list arguments;                                                                                        \
        va_start(arguments, format);                                                                                   \
        const int result = read_by_##with_list(stream, format, arguments);                                             \
        va_end(arguments);                                                                                             \
        return result;                                                                                                 \
    }

TEFF_SCANNER(fscanf, (FILE * file, const char* format, ...), file, vfscanf)
TEFF_SCANNER(__isoc99_fscanf, (FILE * file, const char* format, ...), file, __isoc99_vfscanf)
TEFF_SCANNER(__isoc23_fscanf, (FILE * file, const char* format, ...), file, __isoc23_vfscanf)
TEFF_SCANNER(scanf, (const char* format, ...), stdin, vfscanf)
TEFF_SCANNER(__isoc99_scanf, (const char* format, ...), stdin, __isoc99_vfscanf)
TEFF_SCANNER(__isoc23_scanf, (const char* format, ...), stdin, __isoc23_vfscanf)

TEFF_EXPORT int setvbuf(FILE* file, char* buffer, int mode, std::size_t bytes) {
    static int (*real)(FILE*, char*, int, std::size_t) = nullptr;
    return next(real, "setvbuf")(file, run::is_shared() ? nullptr : buffer, mode, bytes);
}
TEFF_EXPORT void setbuffer(FILE* file, char* buffer, std::size_t bytes) {
    (void)setvbuf(file, buffer, buffer == nullptr ? _IONBF : _IOFBF, bytes);
}
TEFF_EXPORT void setbuf(FILE* file, char* buffer) { setbuffer(file, buffer, BUFSIZ); }

// libgfortran truncates a file after the last byte that this process has written, but other
// processes may have written more.
TEFF_EXPORT int ftruncate(int file, off_t bytes) {
    static int (*real)(int, off_t) = nullptr;
    if (region::has_others() && modules::is_private_code(TEFF_CALLER)) bytes = lseek(file, 0, SEEK_CUR);
    return next(real, "ftruncate")(file, bytes);
}
