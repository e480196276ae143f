// SPDX-License-Identifier: Apache-2.0
#include "device/mpi_library.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>

#include "base/list.h"

namespace teff::device::mpi {

namespace {

constexpr int kThreadSerialized = 2; // in all implementations

// Open MPI 2 to 5. Handles are addresses of objects in the library.
struct OpenMpi {
    using Handle = void*;
    struct Status {
        int source, tag, error, cancelled;
        std::size_t bytes;
    };
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
    static constexpr const char* kNames[] = {"libmpich.so.12", "libmpi.so.12"};
    static constexpr const char* kMark = "MPIR_Dup_fn";
    static Handle world(void*) { return 0x44000000; }
    static Handle byte(void*) { return 0x4c00010d; }
    static Handle errors_return(void*) { return 0x54000001; }
    static Status* ignore() { return reinterpret_cast<Status*>(1); }
};

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

    static int begin(int& rank, int& size) {
        int provided = 0;
        const Functions& mpi = functions;
        if (const int error = mpi.init_thread(nullptr, nullptr, kThreadSerialized, &provided)) return error;
        if (provided < kThreadSerialized) return -1;
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

    static int finish() { return functions.finalize(); }

    static Handle* handle(Request& request) { return reinterpret_cast<Handle*>(request.handle); }

    static constexpr Library kLibrary = {begin, start_send, start_receive, test, probe, finish};

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
        return found ? &kLibrary : nullptr;
    }

    template <class Function> static bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }
};

void* open(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

template <class Abi> void* open_any_of() {
    for (const char* const name : Abi::kNames)
        if (void* const library = open(name)) return library;
    return nullptr;
}

void* open_for(const char* launcher) {
    void* library = nullptr;
    if (std::strcmp(launcher, "mpich") != 0) library = open_any_of<OpenMpi>();
    if (library == nullptr && std::strcmp(launcher, "openmpi") != 0) library = open_any_of<Mpich>();
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
    why_not = "its binary interface is neither that of Open MPI nor that of MPICH";
    if (dlsym(library, OpenMpi::kMark) != nullptr) return Over<OpenMpi>::use(library);
    if (dlsym(library, Mpich::kMark) != nullptr) return Over<Mpich>::use(library);
    return nullptr;
}

} // namespace teff::device::mpi
