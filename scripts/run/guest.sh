# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Emulated machines that run Debian's kernel on a root of their own, for ./run kernel and ./run
# numa. The kernel of this machine does not change: the image is unpacked below build/, not
# installed.

GUEST_IMAGE=build/kernel/image

# The release of the newest installed kernel headers.
kernel_release() {
    local headers
    headers=$(find /usr/src -maxdepth 1 -name 'linux-headers-*-amd64' 2>/dev/null | sort -V | tail -n 1)
    [[ -n $headers ]] && echo "${headers#/usr/src/linux-headers-}"
}

# unpack_kernel_image RELEASE: Debian's kernel, to $GUEST_IMAGE.
unpack_kernel_image() {
    local package=linux-image-$1 image=$GUEST_IMAGE
    [[ -e $image/boot/vmlinuz-$1 ]] && return
    rm -rf "$image"
    mkdir -p "$image"
    # In a folder that is not readable by all, apt complains that its own user cannot write there.
    (cd "$image" && limited 300 apt-get -q download "$package") ||
        die "apt-get could not fetch $package, the kernel that belongs to the installed headers; try apt-get update"
    dpkg-deb --fsys-tarfile "$image/$package"_*.deb | tar -x -C "$image" "./boot/vmlinuz-$1" || die "$package has no kernel"
    rm -f "$image/$package"_*.deb
}

# make_guest_root ROOT INIT: an empty root with busybox's commands and INIT as its first process.
make_guest_root() {
    local root=$1 name
    rm -rf "$root"
    mkdir -p "$root"/{bin,proc,sys,dev,tmp}
    cp "$(command -v busybox)" "$root/bin/"
    for name in $("$root/bin/busybox" --list | grep -vx busybox); do ln -sf busybox "$root/bin/$name"; done
    ln -s bin "$root/sbin"
    cp "$2" "$root/init"
}

# copy_with_libraries ROOT PROGRAM...: to ROOT/openmp; the libraries are this machine's and Teff's.
copy_with_libraries() {
    local root=$1 library
    shift
    mkdir -p "$root/openmp" "$root/lib64"
    cp "$@" "$root/openmp/"
    LD_LIBRARY_PATH=$ROOT/build/lib ldd "$@" | grep -o '/[^ :]* (0x' | sed 's/ (0x//' | sort -u | while read -r library; do
        case $library in
            */ld-linux-x86-64.so.2) cp -L "$library" "$root/lib64/" ;;
            *) cp -L "$library" "$root/openmp/" ;;
        esac
    done
    [[ -e $root/lib64/ld-linux-x86-64.so.2 && -e $root/openmp/libgomp.so.1 ]]
}

# pack_initramfs ROOT FILE
pack_initramfs() { (cd "$1" && find . | cpio -o -H newc --quiet | gzip -1) >"$2"; }

# boot_guest FOLDER NAME LIMIT WORDS QEMU-OPTION...: runs FOLDER/initramfs.gz and leaves what the
# guest prints in FOLDER/NAME.log. WORDS: for its init.
boot_guest() {
    local folder=$1 name=$2 limit=$3 words=$4 release
    shift 4
    release=$(kernel_release)
    say "guest '$name': Linux $release, up to $limit s; follow it with: tail -f $folder/$name.log"
    # Five levels of page tables (la57), a search for disks (edd) and checks of timers only cost
    # time. The watchdogs allow for a host that is busy with other things.
    limited "$limit" nice -n 10 qemu-system-x86_64 -accel tcg -cpu max,la57=off "$@" \
        -nodefaults -nographic -serial stdio -no-reboot \
        -kernel "$GUEST_IMAGE/boot/vmlinuz-$release" -initrd "$folder/initramfs.gz" \
        -append "console=ttyS0 quiet panic=-1 oops=panic edd=off no_timer_check rcupdate.rcu_cpu_stall_timeout=120 \
watchdog_thresh=60 $words" >"$folder/$name.log" 2>&1 || true
}
