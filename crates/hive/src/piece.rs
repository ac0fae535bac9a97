//! Pieces and reserves, generic over the kinds of a rule book.

use std::fmt::{self, Debug};
use std::hash::Hash;

use super::Color;

/// The piece kinds of a rule book: an enum without data, numbered from 0.
pub trait PieceKind: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// One value for each kind, in the order of [`PieceKind::ALL`].
    type Table<T: Copy + Debug + Eq + Send + Sync>: Copy
        + Debug
        + Eq
        + Send
        + Sync
        + AsRef<[T]>
        + AsMut<[T]>;

    /// Every kind, in the order of [`PieceKind::index`].
    const ALL: &'static [Self];

    /// The bee or queen.
    const BEE: Self;

    /// Position in [`PieceKind::ALL`].
    fn index(self) -> usize;

    /// The capital letter used in text forms.
    fn letter(self) -> char;

    /// The name in lower case: `ant`.
    fn name(self) -> &'static str;

    /// True if pieces of this kind can stand on other pieces.
    fn climbs(self) -> bool;

    /// A table with the same value everywhere.
    fn table<T: Copy + Debug + Eq + Send + Sync>(value: T) -> Self::Table<T>;

    /// The kind with that letter.
    fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.letter() == letter)
    }
}

/// Defines the enum of a rule book's kinds: first the bee and the climbers, then the letter and
/// name of each kind.
macro_rules! kinds {
    (bee: $bee:ident, climbers: $($climber:ident)+; $($(#[$doc:meta])* $kind:ident $letter:literal $name:literal),+ $(,)?) => {
        /// A kind of piece.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl crate::PieceKind for Kind {
            type Table<T: Copy + std::fmt::Debug + Eq + Send + Sync> = [T; [$(Kind::$kind),+].len()];

            const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            const BEE: Kind = Kind::$bee;

            #[inline]
            fn index(self) -> usize {
                self as usize
            }

            fn letter(self) -> char {
                match self {
                    $(Kind::$kind => $letter,)+
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }

            fn climbs(self) -> bool {
                matches!(self, $(Kind::$climber)|+)
            }

            #[inline]
            fn table<T: Copy + std::fmt::Debug + Eq + Send + Sync>(value: T) -> Self::Table<T> {
                [value; Kind::ALL.len()]
            }
        }
    };
}

pub(super) use kinds;

/// A piece: owner and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece<K> {
    /// The side that owns the piece.
    pub color: Color,
    /// The kind, which determines the moves.
    pub kind: K,
}

impl<K> Piece<K> {
    /// A piece of `color`.
    pub const fn new(color: Color, kind: K) -> Piece<K> {
        Piece { color, kind }
    }
}

impl<K: PieceKind> fmt::Display for Piece<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.color.letter(), self.kind.letter())
    }
}

/// The number of pieces of each kind that a side has not placed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserve<K: PieceKind>(K::Table<u8>);

impl<K: PieceKind> Reserve<K> {
    /// No pieces.
    pub fn empty() -> Reserve<K> {
        Reserve(K::table(0))
    }

    /// `count(kind)` pieces of each kind.
    pub fn from_counts(count: impl Fn(K) -> u8) -> Reserve<K> {
        let mut reserve = Reserve::empty();
        for &kind in K::ALL {
            reserve.set_count(kind, count(kind));
        }
        reserve
    }

    /// Number of pieces of `kind` left.
    #[inline]
    pub fn count(&self, kind: K) -> u8 {
        self.0.as_ref()[kind.index()]
    }

    /// Replaces the number of pieces of `kind`.
    #[inline]
    pub fn set_count(&mut self, kind: K, count: u8) {
        self.0.as_mut()[kind.index()] = count;
    }

    /// Adds a piece of `kind`; the count saturates at 255.
    pub fn add(&mut self, kind: K) {
        self.set_count(kind, self.count(kind).saturating_add(1));
    }

    /// The kinds with at least one piece left.
    #[inline]
    pub fn kinds(self) -> impl Iterator<Item = K> {
        K::ALL.iter().copied().filter(move |&k| self.count(k) > 0)
    }
}

/// One letter per piece in alphabetical order; `-` for an empty reserve.
impl<K: PieceKind> fmt::Display for Reserve<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds = K::ALL.to_vec();
        kinds.sort_by_key(|k| k.letter());
        let letters: String = kinds
            .into_iter()
            .flat_map(|kind| std::iter::repeat_n(kind.letter(), self.count(kind).into()))
            .collect();
        f.write_str(if letters.is_empty() { "-" } else { &letters })
    }
}
