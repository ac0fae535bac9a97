//! Output that may have no reader.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

/// Most lines that wait for the reader.
const WAITING_LINES: usize = 4096;

/// How long the end of the program waits for the reader.
const READER_PATIENCE: Duration = Duration::from_secs(1);

/// Prints on a thread of its own, so that an output without a reader cannot stop a server.
#[derive(Clone)]
pub(super) struct Printer(SyncSender<Printed>);

enum Printed {
    Text(Vec<u8>),
    /// A request for the first error once everything before it is printed.
    Waiting(SyncSender<Option<io::Error>>),
}

impl Printer {
    /// A printer to that output. `on_error` gets what could not be printed, on the printer's thread.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub(super) fn start(
        mut out: impl Write + Send + 'static,
        on_error: fn(&io::Error, &[u8]),
    ) -> io::Result<Printer> {
        let (printer, waiting) = sync_channel(WAITING_LINES);
        let print = move || {
            let mut first_error = None;
            for printed in waiting {
                match printed {
                    Printed::Text(text) => {
                        if let Err(error) = out.write_all(&text).and_then(|()| out.flush()) {
                            on_error(&error, &text);
                            first_error.get_or_insert(error);
                        }
                    }
                    Printed::Waiting(waiting) => {
                        let _ = waiting.send(first_error.take());
                    }
                }
            }
        };
        thread::Builder::new()
            .name("printer".to_owned())
            .spawn(print)?;
        Ok(Printer(printer))
    }

    /// Prints a text; false if it is dropped because too many are waiting.
    pub(super) fn print(&self, text: Vec<u8>) -> bool {
        let sent = self.0.try_send(Printed::Text(text));
        !matches!(sent, Err(TrySendError::Full(_)))
    }

    /// Waits until everything is printed; false if the reader takes too long.
    ///
    /// # Errors
    /// When something could not be printed.
    pub(super) fn finish(&self) -> io::Result<bool> {
        let (done, is_done) = sync_channel(1);
        if self.0.try_send(Printed::Waiting(done)).is_err() {
            return Ok(false);
        }
        match is_done.recv_timeout(READER_PATIENCE) {
            Ok(Some(error)) => Err(error),
            Ok(None) => Ok(true),
            Err(_) => Ok(false),
        }
    }
}

/// A log on a printer. Dropped entries are counted, and reported once there is room again.
pub(super) struct Log {
    pub(super) printer: Printer,
    pub(super) dropped: usize,
}

impl Write for Log {
    /// Takes an entry, which the logger writes with one call.
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let mut text = match self.dropped {
            0 => Vec::new(),
            dropped => format!("wabe: {dropped} lines that nobody read are missing here\n").into(),
        };
        text.extend_from_slice(entry);
        self.dropped = match self.printer.print(text) {
            true => 0,
            false => self.dropped + 1,
        };
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// An output whose reader waits for its turn after each line.
    struct Slow {
        lines: Sender<String>,
        turns: Receiver<()>,
    }

    impl Write for Slow {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.lines.send(String::from_utf8_lossy(text).into_owned());
            let _ = self.turns.recv();
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_nobody_reads_are_dropped_and_counted() {
        let (lines, read) = channel();
        let (turn, turns) = channel();
        let printer = Printer::start(Slow { lines, turns }, |_, _| {}).unwrap();
        let mut log = Log {
            printer,
            dropped: 0,
        };
        log.write_all(b"first\n").unwrap();
        assert_eq!(read.recv().unwrap(), "first\n");
        for _ in 0..WAITING_LINES + 3 {
            log.write_all(b"more\n").unwrap();
        }
        assert_eq!(log.dropped, 3);
        turn.send(()).unwrap();
        assert_eq!(read.recv().unwrap(), "more\n");
        log.write_all(b"later\n").unwrap();
        drop(turn);
        assert_eq!(
            read.iter().nth(WAITING_LINES - 1).unwrap(),
            "wabe: 3 lines that nobody read are missing here\nlater\n"
        );
    }
}
