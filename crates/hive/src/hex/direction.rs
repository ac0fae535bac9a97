//! The six directions of a hexagonal grid.

/// One of the six neighbour directions, counted counter-clockwise from east.
///
/// ```text
///   north-west  north-east
///       (0,1)   (1,0)
/// west (-1,1)  ⬡  (1,-1) east
///      (-1,0)   (0,-1)
///   south-west  south-east
/// ```
///
/// Neighbours in the enumeration are neighbours on the ring: the two cells that a cell shares with
/// its neighbour in direction `d` lie in the directions [`left`](Direction::left) and
/// [`right`](Direction::right) of `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// `(1, -1)`
    East,
    /// `(1, 0)`
    NorthEast,
    /// `(0, 1)`
    NorthWest,
    /// `(-1, 1)`
    West,
    /// `(-1, 0)`
    SouthWest,
    /// `(0, -1)`
    SouthEast,
}

impl Direction {
    /// All directions, counter-clockwise from east.
    pub const ALL: [Direction; 6] = [
        Direction::East,
        Direction::NorthEast,
        Direction::NorthWest,
        Direction::West,
        Direction::SouthWest,
        Direction::SouthEast,
    ];

    /// Position in [`Direction::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The step `(dx, dy)`.
    pub const fn step(self) -> (i8, i8) {
        match self {
            Direction::East => (1, -1),
            Direction::NorthEast => (1, 0),
            Direction::NorthWest => (0, 1),
            Direction::West => (-1, 1),
            Direction::SouthWest => (-1, 0),
            Direction::SouthEast => (0, -1),
        }
    }

    /// The next direction counter-clockwise.
    #[inline]
    pub const fn left(self) -> Direction {
        Direction::ALL[(self as usize + 1) % 6]
    }

    /// The next direction clockwise.
    #[inline]
    pub const fn right(self) -> Direction {
        Direction::ALL[(self as usize + 5) % 6]
    }

    /// The reverse direction.
    #[inline]
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 3) % 6]
    }
}
