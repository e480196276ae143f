// SPDX-License-Identifier: Apache-2.0
//! Tests `teff run` and `teff record`: how they start a program, how they end, and which files they
//! leave.

mod common;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use common::{command, copy_program, finish, mkfifo, teff, text, TIME_OUT};
use nix::libc;
use tempfile::TempDir;

/// A place whose libgomp.so.1 is an empty library.
fn place_with_library() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let library = place.path().join("libgomp.so.1");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-x", "c", "/dev/null", "-o"])
        .arg(&library)
        .status()
        .unwrap();
    assert!(built.success());
    (place, library)
}

/// A shell program that records as the runtime does.
const RECORDS: &str = r#"mkdir -p "$TEFF_TRACE" && printf '%s' '{"format":"teff-trace","version":1,
    "start_monotonic_ns":0,"start_ticks":0,"ticks_per_second":1000}' > "$TEFF_TRACE/meta.json"; "#;

fn record(place: &Path, program: &str) -> Output {
    teff(place, &["record", "-o", "out.teff", "--", "sh", "-c", &format!("{RECORDS}{program}")])
}

#[test]
fn what_is_not_built_for_study_is_said_with_its_remedy() {
    let (place, _) = place_with_library();
    let output = teff(place.path(), &["run", "--processes", "2", "--", "true"]);
    let message = text(&output.stderr);
    assert!(!output.status.success() && message.lines().count() == 1, "{message}");
    assert!(message.contains("processes/libgomp.so.1, is not built: ./run labs builds it"), "{message}");
}

#[test]
fn run_puts_the_library_under_the_program() {
    let (place, _) = place_with_library();
    let program = r#"echo "$LD_LIBRARY_PATH"; echo "$LD_PRELOAD"; exit 3"#;
    let output = teff(place.path(), &["run", "--", "sh", "-c", program]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with(place.path().to_str().unwrap()));
    assert_eq!(lines[1], env::var("LD_PRELOAD").unwrap_or_default(), "nothing of ours");
}

/// Prints LD_PRELOAD.
const PRELOADED: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(void) { const char *list = getenv("LD_PRELOAD"); puts(list ? list : ""); }
"#;

#[test]
fn the_library_is_preloaded_where_a_built_in_path_comes_before_ours() {
    let (place, library) = place_with_library();
    fs::write(place.path().join("p.c"), PRELOADED).unwrap();
    let library = library.to_str().unwrap();
    let none = &[][..];
    let rpath = &["-Wl,--disable-new-dtags,-rpath,/absent"][..];
    let runpath = &["-Wl,--enable-new-dtags,-rpath,/absent"][..];
    for (flags, is_preloaded) in [(none, false), (rpath, true), (runpath, false)] {
        let mut cc = Command::new("cc");
        cc.current_dir(place.path()).args(["-o", "p", "p.c"]).args(flags);
        assert!(cc.status().unwrap().success());
        let output = teff(place.path(), &["run", "./p"]);
        assert_eq!(text(&output.stdout).starts_with(library), is_preloaded, "{flags:?}");
        let path = format!("{}:/usr/bin", place.path().display());
        let output = finish(command(place.path(), &["run", "p"]).env("PATH", path));
        assert_eq!(text(&output.stdout).starts_with(library), is_preloaded, "{flags:?}");
    }
}

#[test]
fn a_runtime_whose_name_the_loader_would_split_is_refused() {
    let (place, library) = place_with_library();
    for name in ["a b", "a:b", "a;b"] {
        let directory = place.path().join(name);
        fs::create_dir(&directory).unwrap();
        fs::copy(&library, directory.join("libgomp.so.1")).unwrap();
        let mut command = command(place.path(), &["run", "true"]);
        let output = finish(command.env("TEFF_LIB", &directory));
        assert!(text(&output.stderr).contains("whose path has none"), "{}", text(&output.stderr));
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        assert!(finish(command.env("TEFF_LIB", &link)).status.success());
        fs::remove_file(&link).unwrap();
    }
}

#[test]
fn the_program_needs_no_dashes_before_it() {
    let (place, _) = place_with_library();
    for words in [&["run", "--", "sh"][..], &["run", "sh"], &["record", "sh"], &["record", "--", "sh"]] {
        // What follows the program is the program's, also where it looks like ours.
        let words = [words, &["-c", "echo $0 $*", "-h", "--output", "--", "-x"]].concat();
        let output = teff(place.path(), &words);
        assert_eq!(text(&output.stdout), "-h --output -- -x\n", "{}", text(&output.stderr));
    }
    let output = teff(place.path(), &["run", "--typo", "sh"]);
    assert!(text(&output.stderr).contains("unexpected argument '--typo'"));
}

#[test]
fn record_passes_on_how_the_program_ended() {
    let (place, _) = place_with_library();
    let output = record(place.path(), "exit 7");
    assert_eq!(output.status.code(), Some(7));
    let message = text(&output.stderr);
    assert!(message.contains("0 grains in") && message.contains("teff report"), "{message}");
    let output = record(place.path(), "kill -TERM $$");
    assert_eq!(output.status.code(), Some(128 + 15));
    assert!(place.path().join("out.teff.old/meta.json").exists());
}

#[test]
fn record_passes_signals_on() {
    let (place, _) = place_with_library();
    // The program signals its recorder, and waits for the signal to come back.
    let output = record(
        place.path(),
        "trap 'exit 9' TERM; kill -TERM $PPID; for i in $(seq 500); do sleep 0.02; done",
    );
    assert_eq!(output.status.signal(), None);
    assert_eq!(output.status.code(), Some(9), "{}", text(&output.stderr));
}

#[test]
fn a_program_without_openmp_keeps_its_exit_status_and_leaves_nothing() {
    let (place, _) = place_with_library();
    for status in [0, 5] {
        let program = format!("exit {status}");
        let output = teff(place.path(), &["record", "-o", "none.teff", "--", "sh", "-c", &program]);
        assert_eq!(output.status.code(), Some(status));
        let message = text(&output.stderr);
        assert!(message.contains("nothing to record") && message.contains("teff doctor"), "{message}");
        assert!(!place.path().join("none.teff").exists());
    }
}

#[test]
fn of_a_program_that_a_signal_ended_only_that_is_said() {
    let (place, _) = place_with_library();
    let output = teff(place.path(), &["record", "-o", "none.teff", "--", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(output.status.code(), Some(128 + 15));
    let message = text(&output.stderr);
    assert!(message.contains("signal 15") && !message.contains("doctor"), "{message}");
}

#[test]
fn the_command_to_go_on_with_is_one_for_a_shell() {
    let (place, _) = place_with_library();
    let program = format!("{RECORDS}exit 0");
    let output = teff(place.path(), &["record", "-o", "it's mine", "--", "sh", "-c", &program]);
    assert!(text(&output.stderr).ends_with("/it'\\''s mine'\n"), "{}", text(&output.stderr));
}

#[test]
fn a_directory_that_is_no_recording_is_left_alone() {
    let (place, _) = place_with_library();
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(place.path().join("mine/file"), "data").unwrap();
    let output = teff(place.path(), &["record", "-o", "mine", "--", "true"]);
    assert!(text(&output.stderr).contains("is not a Teff recording"), "{}", text(&output.stderr));
    assert!(place.path().join("mine/file").exists());
}

#[test]
fn a_slash_at_the_end_of_the_name_changes_nothing() {
    let (place, _) = place_with_library();
    let program = format!("{RECORDS}exit 0");
    for _ in 0..3 {
        let output = teff(place.path(), &["record", "-o", "out.teff/", "--", "sh", "-c", &program]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(trace::is_recording(&place.path().join("out.teff")));
    }
    assert!(trace::is_recording(&place.path().join("out.teff.old")));
}

#[test]
fn of_two_recordings_with_one_name_the_second_is_refused_before_its_program_runs() {
    let (place, _) = place_with_library();
    mkfifo(&place.path().join("go-on"));
    // Open at both ends: the first program ends with this test, whatever happens.
    let go_on = fs::OpenOptions::new().read(true).write(true).open(place.path().join("go-on"));
    let mut go_on = go_on.unwrap();
    let first = format!("{RECORDS}echo started > started; read line < go-on; exit 4");
    let mut first = command(place.path(), &["record", "-o", "out.teff", "--", "sh", "-c", &first]);
    let mut first = first.stderr(Stdio::null()).spawn().unwrap();
    wait_for(&place.path().join("started"));
    let second = teff(place.path(), &["record", "-o", "out.teff", "--", "touch", "ran"]);
    assert_eq!(second.status.code(), Some(1));
    let message = text(&second.stderr);
    assert!(message.contains("another teff record is recording into"), "{message}");
    assert!(!place.path().join("ran").exists());
    go_on.write_all(b"now\n").unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(4));
    assert!(trace::is_recording(&place.path().join("out.teff")));
}

fn wait_for(file: &Path) {
    let begin = Instant::now();
    while !file.exists() {
        assert!(begin.elapsed() < TIME_OUT, "no {}", file.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn what_cannot_be_written_is_said_before_the_program_runs() {
    let (place, _) = place_with_library();
    fs::write(place.path().join("file"), "").unwrap();
    std::os::unix::fs::symlink("loop", place.path().join("loop")).unwrap();
    let long = "x".repeat(300);
    for (name, reason) in [
        ("absent/out.teff", "does not exist"),
        ("file/out.teff", "Not a directory"),
        ("loop", "symbolic links"),
        ("/", "no name"),
        ("", "value is required"),
        (&long, "too long"),
    ] {
        let output = teff(place.path(), &["record", "-o", name, "--", "touch", "ran"]);
        let message = text(&output.stderr);
        assert!(!output.status.success() && message.contains(reason), "{name}: {message}");
        assert!(!place.path().join("ran").exists());
    }
}

#[test]
fn a_program_that_cannot_start_leaves_nothing_and_loses_nothing() {
    let (place, _) = place_with_library();
    fs::write(place.path().join("script"), "").unwrap();
    for (program, advice) in [
        ("absent", "./absent"),
        ("./absent", "path"),
        ("./script", "chmod +x"),
        ("", "empty"),
        ("/tmp", "a directory"),
    ] {
        let output = teff(place.path(), &["record", "-o", "out.teff", "--", program]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(message.contains("cannot start") && message.contains(advice), "{message}");
        assert!(!place.path().join("out.teff").exists());
    }
}

#[test]
fn signals_that_we_were_started_to_ignore_stay_ignored() {
    let (place, _) = place_with_library();
    let program = "kill -HUP $$; kill -INT $$; kill -HUP $PPID; exit 6";
    let mut shell = Command::new("sh");
    shell.current_dir(place.path()).env("TEFF_LIB", place.path());
    shell.args(["-c", r#"trap "" HUP INT; exec "$@""#, "sh", env!("CARGO_BIN_EXE_teff")]);
    shell.args(["record", "-o", "out.teff", "--", "sh", "-c", program]);
    assert_eq!(finish(&mut shell).status.code(), Some(6));
}

/// Tells of itself what a program inherits, into the file `out`: with descriptors 0 to 2 closed
/// there is no other way. Its own opening of `out` comes after the look at the descriptors.
const TELLS: &str = r#"open=; for fd in 0 1 2; do if test -e /proc/$$/fd/$fd; then open="$open $fd"; fi; done
    exec 9> out; echo "open:$open" >&9; while read line; do case $line in Sig[BI]*) echo "$line" >&9;; esac
    done < /proc/$$/status"#;

/// What `words` and [`TELLS`] tell, started with signals ignored and blocked and descriptors
/// closed.
fn inherited(place: &Path, words: &[&str]) -> String {
    let words = [words, &["sh", "-c", TELLS]].concat();
    let mut program = Command::new(words[0]);
    program.current_dir(place).args(&words[1..]).env("TEFF_LIB", place);
    let restrict = || unsafe {
        for signal in [libc::SIGPIPE, libc::SIGCHLD, libc::SIGUSR1, libc::SIGBUS] {
            libc::signal(signal, libc::SIG_IGN);
        }
        let mut mask = std::mem::zeroed();
        libc::sigaddset(&raw mut mask, libc::SIGUSR2);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
        (0..3).for_each(|descriptor| _ = libc::close(descriptor));
        Ok(())
    };
    // SAFETY: the closure makes system calls alone.
    let mut child = unsafe { program.pre_exec(restrict) }.spawn().unwrap();
    assert!(child.wait().unwrap().success(), "{words:?}");
    let told = fs::read_to_string(place.join("out")).unwrap();
    fs::remove_file(place.join("out")).unwrap();
    told
}

#[test]
fn the_program_inherits_what_it_would_inherit_without_us() {
    let (place, _) = place_with_library();
    let teff = env!("CARGO_BIN_EXE_teff");
    let plain = inherited(place.path(), &["env"]);
    assert!(plain.starts_with("open:\nSigBlk:"), "{plain}");
    assert_eq!(inherited(place.path(), &[teff, "run", "--"]), plain);
    assert_eq!(inherited(place.path(), &[teff, "record", "-o", "a.teff", "--"]), plain);
}

#[test]
fn a_program_that_inherits_nothing_special_gets_the_default_actions() {
    let (place, _) = place_with_library();
    let words = ["grep", "Sig[BI]", "/proc/self/status"];
    let plain = finish(Command::new(words[0]).args(&words[1..]));
    for verb in ["run", "record"] {
        let output = teff(place.path(), &[&[verb], &words[..]].concat());
        assert_eq!(text(&output.stdout), text(&plain.stdout), "{verb}");
    }
}

#[test]
fn the_recorder_needs_no_second_thread() {
    let (place, _) = place_with_library();
    let program = "grep Threads: /proc/$PPID/status";
    let output = teff(place.path(), &["record", "-o", "out.teff", "--", "sh", "-c", program]);
    assert_eq!(text(&output.stdout), "Threads:\t1\n");
}

#[test]
fn nothing_that_we_cannot_say_changes_the_exit_status() {
    let (place, _) = place_with_library();
    let mut shell = Command::new("sh");
    shell.current_dir(place.path()).env("TEFF_LIB", place.path());
    shell.args(["-c", r#"exec "$@" 2>/dev/full"#, "sh", env!("CARGO_BIN_EXE_teff")]);
    shell.args(["record", "-o", "out.teff", "--", "sh", "-c", "exit 8"]);
    assert_eq!(finish(&mut shell).status.code(), Some(8));
    let output = record(place.path(), "printf damage > \"$TEFF_TRACE/stream-0000.bin\"; head -c 99 /dev/zero >> \"$TEFF_TRACE/stream-0000.bin\"; exit 9");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(9), "{message}");
    assert!(message.contains("stream-0000.bin, byte 0"), "{message}");
}

#[test]
fn names_with_escape_sequences_do_not_reach_the_terminal() {
    let (place, _) = place_with_library();
    let program = format!("{RECORDS}exit 0");
    let output = teff(place.path(), &["record", "-o", "a\x1b[31m\nb", "--", "sh", "-c", &program]);
    let message = text(&output.stderr);
    assert!(message.contains("a\\u{1b}[31m\\nb"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn a_program_with_raised_privileges_is_refused_before_it_runs() {
    let (place, _) = place_with_library();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = place.path().join("ran");
    copy_program("/usr/bin/echo", &program);
    if std::os::unix::fs::chown(&program, Some(65534), None).is_err() {
        return; // only root can make such a program
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let output = teff(place.path(), &["record", "-o", "out.teff", "--", "./ran", "file"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("set-user-ID") && message.contains("Use a copy"), "{message}");
    assert!(output.stdout.is_empty() && !place.path().join("out.teff").exists());
    let output = teff(place.path(), &["run", "--", "./ran", "file"]);
    assert!(text(&output.stderr).contains("keeps its own OpenMP runtime"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "file\n", "what is only run is run");
}

#[test]
fn a_path_that_the_runtime_would_not_take_is_refused_before_the_program_runs() {
    let (place, _) = place_with_library();
    let mut name = "x".repeat(200);
    while name.len() < 4010 {
        name += &format!("/{}", "x".repeat(200));
    }
    let output = teff(place.path(), &["record", "-o", &name, "--", "touch", "ran"]);
    let message = text(&output.stderr);
    assert!(!output.status.success() && message.contains("accepts at most 4000"), "{message}");
    assert!(!place.path().join("ran").exists());
}
