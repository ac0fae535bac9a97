//! The eight kinds of piece of the standard game.

use std::fmt::Debug;

use super::super::PieceKind;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The queen bee: one slide; surrounded, she loses the game.
    Queen,
    /// The spider: exactly three slides.
    Spider,
    /// The beetle: one step, over other pieces too.
    Beetle,
    /// The grasshopper: jumps over a straight row.
    Grasshopper,
    /// The soldier ant: any number of slides.
    Ant,
    /// The mosquito: moves like the pieces it touches.
    Mosquito,
    /// The ladybug: two steps on top of the hive and one down.
    Ladybug,
    /// The pillbug: one slide, or a throw of a piece beside it.
    Pillbug,
}

impl Kind {
    /// Number of pieces of a side in games with this kind.
    pub const fn pieces_per_side(self) -> u8 {
        match self {
            Kind::Queen | Kind::Mosquito | Kind::Ladybug | Kind::Pillbug => 1,
            Kind::Spider | Kind::Beetle => 2,
            Kind::Grasshopper | Kind::Ant => 3,
        }
    }
}

impl PieceKind for Kind {
    type Table<T: Copy + Debug + Eq + Send + Sync> = [T; 8];

    const ALL: &'static [Kind] = &[
        Kind::Queen,
        Kind::Spider,
        Kind::Beetle,
        Kind::Grasshopper,
        Kind::Ant,
        Kind::Mosquito,
        Kind::Ladybug,
        Kind::Pillbug,
    ];

    const BEE: Kind = Kind::Queen;

    #[inline]
    fn index(self) -> usize {
        self as usize
    }

    fn letter(self) -> char {
        match self {
            Kind::Queen => 'Q',
            Kind::Spider => 'S',
            Kind::Beetle => 'B',
            Kind::Grasshopper => 'G',
            Kind::Ant => 'A',
            Kind::Mosquito => 'M',
            Kind::Ladybug => 'L',
            Kind::Pillbug => 'P',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Queen => "queen",
            Kind::Spider => "spider",
            Kind::Beetle => "beetle",
            Kind::Grasshopper => "grasshopper",
            Kind::Ant => "ant",
            Kind::Mosquito => "mosquito",
            Kind::Ladybug => "ladybug",
            Kind::Pillbug => "pillbug",
        }
    }

    fn climbs(self) -> bool {
        matches!(self, Kind::Beetle | Kind::Mosquito)
    }

    #[inline]
    fn table<T: Copy + Debug + Eq + Send + Sync>(value: T) -> [T; 8] {
        [value; 8]
    }
}
