//! Writing a file.

use std::io::{self, Write};

use super::encoding::encode;
use super::{LabelledPosition, MAGIC};

/// Writes labelled positions behind each other.
#[derive(Debug)]
pub struct DatasetWriter<W: Write> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> DatasetWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut out: W) -> io::Result<DatasetWriter<W>> {
        out.write_all(&MAGIC)?;
        Ok(DatasetWriter {
            out,
            buffer: Vec::new(),
        })
    }

    /// Adds positions, with one write for all of them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write<'a>(
        &mut self,
        positions: impl IntoIterator<Item = &'a LabelledPosition>,
    ) -> io::Result<()> {
        self.buffer.clear();
        for labelled in positions {
            encode(labelled, &mut self.buffer);
        }
        self.out.write_all(&self.buffer)
    }

    /// Passes everything on to what is written to, and gives it back.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
