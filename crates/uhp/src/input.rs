//! Reads the input of a session.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::thread;

use super::session::Event;
use wabe_files::{Line, read_line};

/// Maximum length of an input line, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Maximum number of queued input lines. Further input stays in the pipe.
const MAX_UNANSWERED: usize = 256;

/// Starts a thread that sends the lines of `input` as events. The result is for
/// [`Session::with_queue_limit`](super::Session::with_queue_limit).
///
/// # Errors
/// If the thread cannot be started.
pub fn start_input<I>(
    input: impl FnOnce() -> I + Send + 'static,
    events: Sender<Event>,
) -> io::Result<Receiver<()>>
where
    I: BufRead,
{
    let (places, unanswered) = sync_channel(MAX_UNANSWERED);
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || read_lines(input(), &events, &places))?;
    Ok(unanswered)
}

fn read_lines(mut input: impl BufRead, events: &Sender<Event>, places: &SyncSender<()>) {
    loop {
        let event = match read_line(&mut input, MAX_LINE) {
            Ok(Line::Complete(line)) => {
                Event::Line(String::from_utf8_lossy(&line).trim_end().to_owned())
            }
            Ok(Line::TooLong) => {
                // If skipping fails, the next read fails as well.
                let _ = input.skip_until(b'\n');
                Event::TooLong
            }
            Ok(Line::End) => Event::EndOfInput,
            Err(error) => {
                log::error!("cannot read the input: {error}");
                Event::EndOfInput
            }
        };
        let is_last = event == Event::EndOfInput;
        let is_unread = !is_last && places.send(()).is_err();
        if is_unread || events.send(event).is_err() || is_last {
            return;
        }
    }
}
