//! `start.sh`, the main file of a package.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::fake_server::FakeServer;
use crate::common::transcripts;
use tempfile::TempDir;
use wabe_contest::protocol::{ClientMessage, GAME_TYPE, ReservationCode};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start.sh");

/// Copies a program, in a process of its own: a file that this one writes to could be inherited by a process that another
/// test starts, and a file that somebody can write to cannot be executed.
fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success());
}

/// A folder with a space in its name, with the script in it.
fn package() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("a package");
    fs::create_dir(&package).unwrap();
    copy_program(SCRIPT.as_ref(), &package.join("start.sh"));
    (folder, package)
}

/// Puts the binary there as unpacking an archive may leave it: not executable.
fn put_binary(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    copy_program(env!("CARGO_BIN_EXE_wabe").as_ref(), path);
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Runs the script from another folder.
fn run(package: &Path, arguments: &[&str]) -> Output {
    run_with(package, arguments, &[])
}

/// The same, with these environment variables and no other of the script's.
fn run_with(package: &Path, arguments: &[&str], environment: &[(&str, &Path)]) -> Output {
    Command::new(package.join("start.sh"))
        .args(arguments)
        .env_remove("WABE_CPU")
        .env_remove("WABE_CPUINFO")
        .envs(environment.iter().copied())
        .current_dir("/")
        .output()
        .unwrap()
}

/// What Linux says about a processor with these features, twice as for two cores.
fn cpuinfo(flags: &str) -> String {
    format!("processor\t: 0\nmodel name\t: some avx2\nflags\t\t: {flags}\nbugs\t\t: none\n\n")
        .repeat(2)
}

/// Everything that a Haswell has and that matters, in Linux's words.
const V3_FLAGS: &str = "fpu pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c lahf_lm abm bmi1 \
                        avx2 bmi2 rdtscp";

/// A package with stand-ins for both binaries, each of which prints its own name and its arguments.
fn package_for_two_processors() -> (TempDir, PathBuf) {
    let (folder, package) = package();
    let draft = package.join("draft");
    for name in ["wabe-x86-64", "wabe-x86-64-v3"] {
        let path = package.join(name);
        fs::write(&draft, format!("#!/bin/sh\necho {name} \"$@\"\n")).unwrap();
        copy_program(&draft, &path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    (folder, package)
}

/// The first words of what the script prints where Linux describes the processor like this.
fn started_where(package: &Path, cpuinfo: &str) -> String {
    let description = package.join("cpuinfo");
    fs::write(&description, cpuinfo).unwrap();
    let output = run_with(package, &["-p", "1"], &[("WABE_CPUINFO", &description)]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Plays with a server through the script; what the client opened with.
fn opening_through(package: &Path, reservation: &str) -> ClientMessage {
    let server = FakeServer::start(|peer| {
        let opening = peer.hear_message();
        peer.send(&transcripts("opponent_left.red.received").remove(0).bytes);
        opening
    });
    let port = server.address.port().to_string();
    let arguments = [
        "--player",
        "random",
        "--reservation",
        reservation,
        "-h",
        "127.0.0.1",
        "-p",
        &port,
    ];
    let output = run(package, &arguments);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"won as red\n"), "{output:?}");
    server.join()
}

#[test]
fn start_script_passes_all_arguments() {
    let (_folder, package) = package();
    put_binary(&package.join("wabe"));
    let seat = ClientMessage::JoinPrepared(ReservationCode("a b".to_owned()));
    assert_eq!(opening_through(&package, "a b"), seat);
    let join = ClientMessage::Join {
        game_type: GAME_TYPE.to_owned(),
    };
    assert_eq!(opening_through(&package, ""), join);
}

#[test]
fn the_release_build_of_a_checkout_is_found() {
    let (_folder, package) = package();
    put_binary(&package.join("target/release/wabe"));
    let output = run(&package, &["--help"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("--reservation"));
}

#[test]
fn start_script_follows_its_own_link() {
    let (folder, package) = package();
    put_binary(&package.join("wabe"));
    std::os::unix::fs::symlink(package.join("start.sh"), folder.path().join("start.sh")).unwrap();
    let output = run(folder.path(), &["--help"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_missing_binary_is_told() {
    let (_folder, package) = package();
    let output = run(&package, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cargo build --release"));
}

#[test]
fn start_script_selects_the_processors_binary() {
    let (_folder, package) = package_for_two_processors();
    let started = started_where(&package, &cpuinfo(V3_FLAGS));
    assert_eq!(started, "wabe-x86-64-v3 play -p 1\n");
    // Flags may come without a line break after them.
    let started = started_where(&package, &format!("flags\t: {V3_FLAGS}"));
    assert_eq!(started, "wabe-x86-64-v3 play -p 1\n");
}

#[test]
fn the_environment_overrules_the_processor() {
    let (_folder, package) = package_for_two_processors();
    let fast = package.join("fast");
    fs::write(&fast, cpuinfo(V3_FLAGS)).unwrap();
    for (wanted, cpuinfo) in [
        ("x86-64", fast.as_path()),
        ("x86-64-v3", Path::new("/dev/null")),
    ] {
        let environment = [("WABE_CPU", Path::new(wanted)), ("WABE_CPUINFO", cpuinfo)];
        let output = run_with(&package, &["a b"], &environment);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(stdout, format!("wabe-{wanted} play a b\n"), "{output:?}");
    }
}
