//! Defaults and protocols of the arena's games.

use wabe_engine::Playable;
use wabe_hive::contest::Contest;
use wabe_hive::standard::{GameType, Kind, Standard};
use wabe_records::Recorded;

/// The protocol of the programs that play a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The contest's XML over TCP.
    Contest,
    /// The Universal Hive Protocol (UHP) over pipes. Games are sent in the text form of records.
    Uhp,
}

/// A game that the arena plays, with its defaults and the protocol of its programs.
pub trait ArenaGame: Playable + Recorded {
    /// The protocol of programs that play the game.
    const PROTOCOL: Protocol;

    /// Default number of plies after which a game is a draw; `None` if the rules end every game.
    const MAX_PLIES: Option<u32>;

    /// Default number of random plies in openings.
    const OPENING_PLIES: u16;

    /// True if a UHP engine with these extensions can play the variant. UHP covers only standard
    /// Hive.
    fn is_supported_with(_variant: Self::Variant, _extensions: &[&str]) -> bool {
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

    fn is_supported_with(game_type: GameType, extensions: &[&str]) -> bool {
        [
            (Kind::Mosquito, "Mosquito"),
            (Kind::Ladybug, "Ladybug"),
            (Kind::Pillbug, "Pillbug"),
        ]
        .into_iter()
        .all(|(kind, name)| !game_type.has(kind) || extensions.contains(&name))
    }
}

/// Help text of `--random-plies`, with the default of each game.
pub fn opening_plies_help() -> String {
    format!(
        "Random plies of an opening [default: {} in the contest, {} in standard Hive]",
        Contest::OPENING_PLIES,
        Standard::OPENING_PLIES
    )
}

/// Help text of `--max-plies`, with the default of each game.
pub fn max_plies_help() -> String {
    let plies = Standard::MAX_PLIES.unwrap_or_default();
    format!("Plies after which a game is a draw [default: {plies} in standard Hive]")
}
