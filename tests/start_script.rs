//! `start.sh`, the main file of a package.
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::fake_server::FakeServer;
use common::transcripts;
use tempfile::TempDir;
use wabe::protocol::{ClientMessage, GAME_TYPE, ReservationCode};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start.sh");

/// A folder with a space in its name, with the script in it.
fn package() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("a package");
    fs::create_dir(&package).unwrap();
    fs::copy(SCRIPT, package.join("start.sh")).unwrap();
    (folder, package)
}

/// Puts the binary there as unpacking an archive may leave it: not executable.
fn put_binary(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_wabe"), path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Runs the script from another folder.
fn run(package: &Path, arguments: &[&str]) -> Output {
    Command::new(package.join("start.sh"))
        .args(arguments)
        .current_dir("/")
        .output()
        .unwrap()
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
fn the_binary_of_a_package_is_made_executable_and_gets_all_arguments() {
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
fn a_missing_binary_is_told() {
    let (_folder, package) = package();
    let output = run(&package, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cargo build --release"));
}
