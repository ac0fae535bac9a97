//! The contest's five kinds of piece.

use std::fmt::Debug;

use super::super::PieceKind;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The bee: one slide; surrounded, it loses the game.
    Bee,
    /// The spider: exactly three slides.
    Spider,
    /// The beetle: one step, over other pieces too.
    Beetle,
    /// The grasshopper: jumps over a straight row.
    Grasshopper,
    /// The ant: any number of slides.
    Ant,
}

impl PieceKind for Kind {
    type Table<T: Copy + Debug + Eq + Send + Sync> = [T; 5];

    const ALL: &'static [Kind] = &[
        Kind::Bee,
        Kind::Spider,
        Kind::Beetle,
        Kind::Grasshopper,
        Kind::Ant,
    ];

    const BEE: Kind = Kind::Bee;

    #[inline]
    fn index(self) -> usize {
        self as usize
    }

    fn letter(self) -> char {
        match self {
            Kind::Bee => 'Q',
            Kind::Spider => 'S',
            Kind::Beetle => 'B',
            Kind::Grasshopper => 'G',
            Kind::Ant => 'A',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Bee => "bee",
            Kind::Spider => "spider",
            Kind::Beetle => "beetle",
            Kind::Grasshopper => "grasshopper",
            Kind::Ant => "ant",
        }
    }

    fn climbs(self) -> bool {
        self == Kind::Beetle
    }

    #[inline]
    fn table<T: Copy + Debug + Eq + Send + Sync>(value: T) -> [T; 5] {
        [value; 5]
    }
}
