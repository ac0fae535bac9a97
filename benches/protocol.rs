//! Parses and writes a game state of 9 kB.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::GzDecoder;

use wabe_contest::protocol::{Frame, Framer, ServerData, ServerMessage};

const TRANSCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/transcripts/full_game_1.red.received.xml.gz"
);

/// The longest message of a game, a state near its end.
fn longest_message() -> String {
    let mut bytes = Vec::new();
    let file = File::open(TRANSCRIPT).expect("the transcript is in the repository");
    GzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("the transcript is valid gzip");
    let mut framer = Framer::default();
    framer.feed(&bytes);
    let mut longest = String::new();
    while let Ok(Some(Frame::Message(message))) = framer.next_frame() {
        if message.len() > longest.len() {
            longest = message.to_owned();
        }
    }
    longest
}

fn read(bytes: &[u8], framer: &mut Framer) -> ServerMessage {
    framer.feed(bytes);
    match framer.next_frame() {
        Ok(Some(Frame::Message(message))) => ServerMessage::read(message).expect("a valid message"),
        other => panic!("expected a message, found {other:?}"),
    }
}

fn benchmarks(criterion: &mut Criterion) {
    let text = longest_message();
    let mut framer = Framer::default();
    framer.feed(b"<protocol>");
    let message = read(text.as_bytes(), &mut framer);

    let mut group = criterion.benchmark_group("state");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("bytes to position", |bencher| {
        bencher.iter(
            || match read(black_box(text.as_bytes()), &mut framer.clone()) {
                ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                } => state.position().unwrap(),
                _ => unreachable!("the message is a state"),
            },
        );
    });
    group.bench_function("bytes to frame", |bencher| {
        bencher.iter(|| {
            let mut framer = framer.clone();
            framer.feed(black_box(text.as_bytes()));
            matches!(framer.next_frame(), Ok(Some(Frame::Message(_))))
        });
    });
    group.bench_function("frame to message", |bencher| {
        bencher.iter(|| ServerMessage::read(black_box(&text)));
    });
    group.bench_function("message to bytes", |bencher| {
        let mut out = String::new();
        bencher.iter(|| {
            out.clear();
            black_box(&message).write_at(&mut out, 1);
            out.len()
        });
    });
    group.finish();
}

criterion_group!(protocol, benchmarks);
criterion_main!(protocol);
