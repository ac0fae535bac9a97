//! `start.sh`, the start script of a package.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::common::fake_server::FakeServer;
use crate::common::transcripts;
use crate::common::wabe::{WABE, stderr, stdout};
use wabe_contest::protocol::{ClientMessage, GAME_TYPE, ReservationCode};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start.sh");

/// Copies a program with `cp`. If this process wrote the file itself, children of other tests could
/// inherit the open descriptor. Executing the file would then fail with `ETXTBSY`.
fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success());
}

/// Creates a folder with a blank in its name, and copies the script into it.
fn create_package() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("a package");
    fs::create_dir(&package).unwrap();
    copy_program(SCRIPT.as_ref(), &package.join("start.sh"));
    (folder, package)
}

/// Copies the binary without execute permission, because unpacking an archive may lose it.
fn install_binary(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    copy_program(WABE.as_ref(), path);
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Runs the script from another folder, with only these environment variables.
fn run(package: &Path, arguments: &[&str], environment: &[(&str, &Path)]) -> Output {
    Command::new(package.join("start.sh"))
        .args(arguments)
        .env_remove("WABE_CPU")
        .env_remove("WABE_CPUINFO")
        .envs(environment.iter().copied())
        .current_dir("/")
        .output()
        .unwrap()
}

/// `/proc/cpuinfo` of two cores with these flags.
fn cpuinfo(flags: &str) -> String {
    format!("processor\t: 0\nmodel name\t: some avx2\nflags\t\t: {flags}\nbugs\t\t: none\n\n")
        .repeat(2)
}

/// The flags of x86-64-v3, as on a Haswell.
const V3_FLAGS: &str = "fpu pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c lahf_lm abm bmi1 \
                        avx2 bmi2 rdtscp";

/// Creates a package of two binaries that print their names and arguments.
fn create_package_of_stand_ins() -> (TempDir, PathBuf) {
    let (folder, package) = create_package();
    let draft = package.join("draft");
    for name in ["wabe-x86-64", "wabe-x86-64-v3"] {
        let path = package.join(name);
        fs::write(&draft, format!("#!/bin/sh\necho {name} \"$@\"\n")).unwrap();
        copy_program(&draft, &path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    (folder, package)
}

/// Plays a game with the script. Returns the first message that it sends.
fn play_with_script(package: &Path, reservation: &str) -> ClientMessage {
    let server = FakeServer::start(|peer| {
        let opening = peer.receive_message();
        peer.send(&transcripts("opponent_left.red.received").remove(0).bytes);
        opening
    });
    let port = server.address.port().to_string();
    let options = ["--player", "random", "-h", "127.0.0.1", "-p", &port];
    let arguments = [&options[..], &["--reservation", reservation]].concat();
    let output = run(package, &arguments, &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"won as red\n"), "{output:?}");
    server.join()
}

#[test]
fn start_script_passes_all_arguments() {
    let (_folder, package) = create_package();
    install_binary(&package.join("wabe"));
    let seat = ClientMessage::JoinPrepared(ReservationCode("a b".to_owned()));
    assert_eq!(play_with_script(&package, "a b"), seat);
    let join = ClientMessage::Join {
        game_type: GAME_TYPE.to_owned(),
    };
    assert_eq!(play_with_script(&package, ""), join);
}

#[test]
fn start_script_finds_its_binary() {
    let (folder, package) = create_package();
    let missing = run(&package, &[], &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("cargo build --release"));
    // The release build in a checkout.
    install_binary(&package.join("target/release/wabe"));
    let output = run(&package, &["--help"], &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("--reservation"));
    // Started through a symbolic link.
    std::os::unix::fs::symlink(package.join("start.sh"), folder.path().join("start.sh")).unwrap();
    let output = run(folder.path(), &["--help"], &[]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn start_script_selects_the_processors_binary() {
    let (_folder, package) = create_package_of_stand_ins();
    let description = package.join("cpuinfo");
    for (cpuinfo, wanted, started) in [
        (cpuinfo(V3_FLAGS), "", "wabe-x86-64-v3"),
        // Without a final line break.
        (format!("flags\t: {V3_FLAGS}"), "", "wabe-x86-64-v3"),
        (cpuinfo("fpu pni"), "", "wabe-x86-64"),
        // The environment takes precedence.
        (cpuinfo(V3_FLAGS), "x86-64", "wabe-x86-64"),
        (String::new(), "x86-64-v3", "wabe-x86-64-v3"),
    ] {
        fs::write(&description, cpuinfo).unwrap();
        let environment = [
            ("WABE_CPUINFO", &*description),
            ("WABE_CPU", Path::new(wanted)),
        ];
        let output = run(&package, &["a b"], &environment);
        assert_eq!(
            stdout(&output),
            format!("{started} play a b\n"),
            "{output:?}"
        );
    }
}
