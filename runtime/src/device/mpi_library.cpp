// SPDX-License-Identifier: Apache-2.0
#include "device/mpi_library.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "base/list.h"
#include "device/mpi_launcher.h"

namespace teff::device::mpi {

namespace {

// Open MPI 2 to 5. Handles are addresses of objects in the library.
struct OpenMpi {
    using Handle = void*;
    struct Status {
        int source, tag, error, cancelled;
        std::size_t bytes;
    };
    static constexpr int kSerialized = 2; // the level of threads
    static constexpr const char* kNames[] = {"libmpi.so.40"};
    static constexpr const char* kMark = "ompi_mpi_comm_world"; // a symbol that only this one has
    static Handle world(void* library) { return dlsym(library, "ompi_mpi_comm_world"); }
    static Handle byte(void* library) { return dlsym(library, "ompi_mpi_byte"); }
    static Handle errors_return(void* library) { return dlsym(library, "ompi_mpi_errors_return"); }
    static Status* ignore() { return nullptr; }
};

// MPICH 3.1 to 4, Intel MPI, MVAPICH, Cray MPI: "the MPICH ABI". Debian has another name for it.
struct Mpich {
    using Handle = int;
    struct Status {
        int count_low, count_high, source, tag, error;
    };
    static constexpr int kSerialized = 2;
    static constexpr const char* kNames[] = {"libmpich.so.12", "libmpi.so.12"};
    static constexpr const char* kMark = "MPIR_Dup_fn";
    static Handle world(void*) { return 0x44000000; }
    static Handle byte(void*) { return 0x4c00010d; }
    static Handle errors_return(void*) { return 0x54000001; }
    static Status* ignore() { return reinterpret_cast<Status*>(1); }
};

// The binary interface that MPI 5.0 defines, which several implementations offer as a library
// beside their own: MPICH since 5.0, Open MPI since 6.0.
struct Standard {
    struct Handle {
        void* value;
        bool operator!=(Handle other) const { return value != other.value; }
    };
    struct Status {
        int source, tag, error, internal[5];
    };
    static constexpr int kSerialized = 2048;
    static constexpr int kMajor = 1; // of the interface's version
    static constexpr const char* kNames[] = {"libmpi_abi.so.1"};
    static constexpr std::string_view kNameStart = "libmpi_abi.so";
    static Handle world(void*) { return constant(0x101); }
    static Handle byte(void*) { return constant(0x247); }
    static Handle errors_return(void*) { return constant(0x143); }
    static Status* ignore() { return nullptr; }
    static Handle constant(std::uintptr_t value) { return {reinterpret_cast<void*>(value)}; }
};

// Whether this is MPICH over UCX, or a descendant, and speaks with its launcher in the usual
// protocol (mpi_launcher.h). Open MPI does not say what it uses.
bool is_over_ucx(void* library) {
    constexpr int kLongest = 8192; // of all implementations
    int (*get_version)(char*, int*) = nullptr;
    get_version = reinterpret_cast<decltype(get_version)>(dlsym(library, "MPI_Get_library_version"));
    static char text[kLongest];
    int length = 0;
    if (get_version == nullptr || get_version(text, &length) != 0) return false;
    return std::strstr(text, "ch4:ucx") != nullptr && std::strstr(text, "--with-pmi") == nullptr;
}

// One library is loaded at most, so its functions are static.
template <class Abi> struct Over {
    using Handle = typename Abi::Handle;
    using Status = typename Abi::Status;
    static_assert(sizeof(Handle) <= sizeof(Request::handle));

    struct Functions {
        int (*init_thread)(int*, char***, int, int*);
        int (*finalize)();
        int (*comm_dup)(Handle, Handle*);
        int (*comm_rank)(Handle, int*);
        int (*comm_size)(Handle, int*);
        int (*comm_set_errhandler)(Handle, Handle);
        int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
        int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
        int (*test)(Handle*, int*, Status*);
        int (*iprobe)(int, int, Handle, int*, Status*);
        int (*get_count)(const Status*, Handle, int*);
    };
    static inline Functions functions = {};
    static inline void* library = nullptr;
    static inline Handle byte = {}, communicator = {};
    static inline bool needs_barrier = false; // before MPI_Finalize

    static int begin(int& rank, int& size) {
        int provided = 0;
        const Functions& mpi = functions;
        if (const int error = mpi.init_thread(nullptr, nullptr, Abi::kSerialized, &provided)) return error;
        if (provided < Abi::kSerialized) return -1;
        byte = Abi::byte(library);
        if (const int error = mpi.comm_dup(Abi::world(library), &communicator)) return error;
        mpi.comm_set_errhandler(communicator, Abi::errors_return(library));
        if (const int error = mpi.comm_rank(communicator, &rank)) return error;
        return mpi.comm_size(communicator, &size);
    }

    static int start_send(const void* from, int bytes, int rank, int tag, Request& request) {
        return functions.isend(from, bytes, byte, rank, tag, communicator, handle(request));
    }

    static int start_receive(void* to, int bytes, int rank, int tag, Request& request) {
        return functions.irecv(to, bytes, byte, rank, tag, communicator, handle(request));
    }

    static int test(Request& request, bool& is_done) {
        int done = 0;
        const int error = functions.test(handle(request), &done, Abi::ignore());
        is_done = done != 0;
        return error;
    }

    static int probe(int rank, int tag, bool& has_come, int& bytes) {
        Status status;
        int come = 0;
        const int error = functions.iprobe(rank, tag, communicator, &come, &status);
        has_come = come != 0;
        if (error != 0 || !has_come) return error;
        return functions.get_count(&status, byte, &bytes);
    }

    static int finish() {
        if (needs_barrier && !wait_at_launcher()) return -1;
        return functions.finalize();
    }

    static Handle* handle(Request& request) { return reinterpret_cast<Handle*>(request.handle); }

    static inline Library table = {begin, start_send, start_receive, test, probe, finish, false};

    // Returns null if a function is missing.
    static const Library* use(void* loaded) {
        library = loaded;
        Functions& mpi = functions;
        const bool found =
            find(mpi.init_thread, "MPI_Init_thread") && find(mpi.finalize, "MPI_Finalize") &&
            find(mpi.comm_dup, "MPI_Comm_dup") && find(mpi.comm_rank, "MPI_Comm_rank") &&
            find(mpi.comm_size, "MPI_Comm_size") && find(mpi.comm_set_errhandler, "MPI_Comm_set_errhandler") &&
            find(mpi.isend, "MPI_Isend") && find(mpi.irecv, "MPI_Irecv") && find(mpi.test, "MPI_Test") &&
            find(mpi.iprobe, "MPI_Iprobe") && find(mpi.get_count, "MPI_Get_count") && Abi::world(library) != Handle{} &&
            Abi::byte(library) != Handle{} && Abi::errors_return(library) != Handle{};
        // MPICH takes leave of its launcher in an exit handler, in all versions with one of these:
        // the standard interface, and MPICH since 4.3 at the latest.
        table.has_exit_handlers =
            dlsym(library, "MPI_Abi_get_version") != nullptr || dlsym(library, "MPIX_Threadcomm_init") != nullptr;
        needs_barrier = !table.has_exit_handlers && is_over_ucx(library) && find_launcher();
        return found ? &table : nullptr;
    }

    template <class Function> static bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }
};

constexpr const char* kLacks = "it lacks a function of MPI that Teff needs";

void* open(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

// The name that the library itself gives for programs that are linked with it.
std::string_view name_of(void* library) {
    const link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
    const char* names = nullptr;
    std::uint64_t at = 0;
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr); // the loader's address
        if (entry->d_tag == DT_SONAME) at = entry->d_un.d_val;
    }
    return names != nullptr && at != 0 ? names + at : std::string_view();
}

// It may be linked with its implementation's other library, so symbols do not tell the two apart.
bool is_standard(void* library) {
    return name_of(library).substr(0, Standard::kNameStart.size()) == Standard::kNameStart;
}

// Returns null, and stores why, if the version of the interface is one that Teff does not know.
const Library* use_standard(void* library, const char*& why_not) {
    int (*get_version)(int*, int*) = nullptr;
    int major = 0, minor = 0;
    get_version = reinterpret_cast<decltype(get_version)>(dlsym(library, "MPI_Abi_get_version"));
    why_not = "it does not say which version of the standard binary interface of MPI it has";
    if (get_version == nullptr || get_version(&major, &minor) != 0) return nullptr;
    why_not = kLacks;
    if (major == Standard::kMajor) return Over<Standard>::use(library);
    static char text[96];
    std::snprintf(text, sizeof text, "it has version %d.%d of the standard binary interface of MPI, and Teff knows %d",
                  major, minor, Standard::kMajor);
    why_not = text;
    return nullptr;
}

template <class Abi> void* open_any_of() {
    for (const char* const name : Abi::kNames)
        if (void* const library = open(name)) return library;
    return nullptr;
}

void* open_for(const char* launcher) {
    void* library = nullptr;
    if (std::strcmp(launcher, "mpich") != 0) library = open_any_of<OpenMpi>();
    if (library == nullptr && std::strcmp(launcher, "openmpi") != 0) library = open_any_of<Mpich>();
    if (library == nullptr) library = open_any_of<Standard>();
    return library;
}

} // namespace

bool program_uses_mpi() { return dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr; }

const Library* load(const char* launcher, std::string_view path, const char*& why_not) {
    base::List<char> name;
    name.append(path.data(), path.size());
    name.push('\0');
    void* const library = path.empty() ? open_for(launcher) : open(name.data());
    if (library == nullptr) {
        why_not = dlerror();
        return nullptr;
    }
    if (is_standard(library)) return use_standard(library, why_not);
    why_not = kLacks;
    if (dlsym(library, OpenMpi::kMark) != nullptr) return Over<OpenMpi>::use(library);
    if (dlsym(library, Mpich::kMark) != nullptr) return Over<Mpich>::use(library);
    why_not = "its binary interface is neither that of Open MPI nor that of MPICH nor the standard one";
    return nullptr;
}

} // namespace teff::device::mpi
