//! Games that matches are played in.

use wabe_engine::Playable;
use wabe_hive::contest::Contest;
use wabe_hive::standard::{GameType, Kind, Standard};
use wabe_records::Recorded;

/// The protocol of the programs that play a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The contest's XML over TCP.
    Contest,
    /// The Universal Hive Protocol over pipes, with the game's own record texts.
    Uhp,
}

/// A game with defaults of matches, and the programs that play it.
pub trait ArenaGame: Playable + Recorded {
    /// The protocol of programs that play the game.
    const PROTOCOL: Protocol;

    /// Default number of plies after which a game is a draw; `None` where the rules end every game.
    const MAX_PLIES: Option<u32>;

    /// Default number of random plies in openings.
    const OPENING_PLIES: u16;

    /// True if an engine that knows these extensions of the Universal Hive Protocol plays the
    /// variant. The protocol itself covers standard Hive only.
    fn is_known_by(_variant: Self::Variant, _extensions: &[&str]) -> bool {
        false
    }
}

impl ArenaGame for Contest {
    const PROTOCOL: Protocol = Protocol::Contest;

    const MAX_PLIES: Option<u32> = None;

    const OPENING_PLIES: u16 = 4;
}

impl ArenaGame for Standard {
    const PROTOCOL: Protocol = Protocol::Uhp;

    const MAX_PLIES: Option<u32> = Some(300);

    const OPENING_PLIES: u16 = 6;

    fn is_known_by(game_type: GameType, extensions: &[&str]) -> bool {
        [
            (Kind::Mosquito, "Mosquito"),
            (Kind::Ladybug, "Ladybug"),
            (Kind::Pillbug, "Pillbug"),
        ]
        .into_iter()
        .all(|(kind, name)| !game_type.has(kind) || extensions.contains(&name))
    }
}

/// The help text of the option for the random plies of openings.
pub fn opening_plies_help() -> String {
    format!(
        "Random plies of an opening [default: {} in the contest, {} in standard Hive]",
        Contest::OPENING_PLIES,
        Standard::OPENING_PLIES
    )
}

/// The help text of the option for the length of games.
pub fn max_plies_help() -> String {
    let plies = Standard::MAX_PLIES.unwrap_or_default();
    format!("Plies after which a game is a draw [default: {plies} in standard Hive]")
}
