//! Collects the games of a file.

use crate::{Damage, Fault, MAX_GAMES, MAX_TOTAL_PLIES, Replay, ReplayError, Variation};
use wabe_hive::game::{Game, MOVES_SEPARATOR, ReadRecordError, Record};

/// Collects the games of a file and enforces the limits.
pub(crate) struct GameCollector<G: Game> {
    pub(crate) games: Vec<Replay<G>>,
    plies: usize,
    /// True if at least one game could be read.
    is_readable: bool,
    /// The first error of an unreadable game.
    fault: Option<ReplayError>,
}

impl<G: Game> Default for GameCollector<G> {
    fn default() -> GameCollector<G> {
        GameCollector {
            games: Vec::new(),
            plies: 0,
            is_readable: false,
            fault: None,
        }
    }
}

impl<G: Game> GameCollector<G> {
    /// Adds a readable game.
    pub(crate) fn push(&mut self, game: Replay<G>) -> Result<(), ReplayError> {
        self.is_readable = true;
        self.add(game)
    }

    /// Adds a game in text form, up to its first illegal move.
    pub(crate) fn push_record(&mut self, line: usize, text: &str) -> Result<(), ReplayError> {
        let (start, moves) = text.split_once(MOVES_SEPARATOR).unwrap_or((text, ""));
        let mut record: Record<G> = match start.parse() {
            Ok(record) => record,
            Err(ReadRecordError::Position(error)) => {
                return self.push_unreadable(Damage::at(line, 0, error.into()));
            }
            Err(ReadRecordError::Variant(error)) => {
                return self.push_unreadable(Damage::at(line, 0, error.into()));
            }
            Err(ReadRecordError::OtherVariant { required, stated }) => {
                let fault = Fault::OtherGameType { required, stated };
                return self.push_unreadable(Damage::at(line, 0, fault));
            }
            Err(error) => {
                let fault = Fault::Other(error.to_string());
                return self.push_unreadable(Damage::at(line, 0, fault));
            }
        };
        let damage = match record.play_texts(moves.split(';')) {
            Err(ReadRecordError::Ply {
                number,
                text,
                error,
            }) => {
                let fault = Fault::of_move(&text, error.of_any_game());
                Some(Damage::at(line, number, fault))
            }
            _ => None,
        };
        self.push(Replay {
            damage,
            ..Replay::new(record)
        })
    }

    /// Adds a placeholder for an unreadable game, which keeps the numbers of later games correct.
    pub(crate) fn push_unreadable(&mut self, damage: Damage) -> Result<(), ReplayError> {
        self.add(Replay {
            damage: Some(damage.clone()),
            ..Replay::new(Record::default())
        })?;
        self.fault
            .get_or_insert(ReplayError::Unreadable(Box::new(damage)));
        Ok(())
    }

    /// Returns all games.
    ///
    /// # Errors
    /// When no game could be read.
    pub(crate) fn finish(self) -> Result<Vec<Replay<G>>, ReplayError> {
        match self.fault {
            _ if self.is_readable => Ok(self.games),
            Some(fault) => Err(fault),
            None => Err(ReplayError::NoPositions),
        }
    }

    fn add(&mut self, game: Replay<G>) -> Result<(), ReplayError> {
        if self.games.len() >= MAX_GAMES {
            return Err(ReplayError::TooManyGames);
        }
        self.plies +=
            game.positions() + game.variations.iter().map(Variation::plies).sum::<usize>();
        if self.plies > MAX_TOTAL_PLIES {
            return Err(ReplayError::TooManyPlies);
        }
        self.games.push(game);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use wabe_hive::standard::Standard;

    #[test]
    fn read_limits_total_plies() {
        let game = read::<Standard>(&b"Base;;;wS1"[..]).unwrap().remove(0);
        let mut games = GameCollector::default();
        let mut long = game.clone();
        // Nested variations count.
        long.variations = vec![Variation {
            variations: vec![Variation {
                moves: vec![String::new(); MAX_TOTAL_PLIES - 4],
                ..Variation::default()
            }],
            ..Variation::default()
        }];
        games.push(long).unwrap();
        games.push(game.clone()).unwrap();
        let error = games.push(game).unwrap_err().to_string();
        assert_eq!(error, "more than 1000000 plies in total");
    }
}
