//! A random sample of a stream of unknown length.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Keeps a uniform random sample of the offered items (algorithm R, Vitter 1985), in the order of the offers.
#[derive(Clone, Debug)]
pub struct Reservoir<T> {
    size: usize,
    offered: u64,
    kept: Vec<(u64, T)>,
    random: Xoshiro256PlusPlus,
}

impl<T> Reservoir<T> {
    /// A sample of at most `size` items, drawn with `seed`.
    pub fn new(size: usize, seed: u64) -> Reservoir<T> {
        Reservoir {
            size,
            offered: 0,
            kept: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Offers an item.
    pub fn offer(&mut self, thing: T) {
        let number = self.offered;
        self.offered += 1;
        if self.kept.len() < self.size {
            self.kept.push((number, thing));
            return;
        }
        let place = self.random.random_range(0..self.offered);
        let slot = usize::try_from(place)
            .ok()
            .and_then(|place| self.kept.get_mut(place));
        if let Some(slot) = slot {
            *slot = (number, thing);
        }
    }

    /// The sample, in the order of the offers.
    pub fn into_sample(mut self) -> Vec<T> {
        self.kept.sort_unstable_by_key(|(number, _)| *number);
        self.kept.into_iter().map(|(_, thing)| thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(size: usize, seed: u64, offers: u64) -> Vec<u64> {
        let mut reservoir = Reservoir::new(size, seed);
        (0..offers).for_each(|n| reservoir.offer(n));
        reservoir.into_sample()
    }

    #[test]
    fn everything_has_the_same_chance() {
        let mut chosen = [0; 20];
        for seed in 0..4000 {
            for n in sample(5, seed, 20) {
                chosen[usize::try_from(n).unwrap()] += 1;
            }
        }
        // A thousand each on average, with a standard deviation of 27.
        assert!(
            chosen.iter().all(|count| (870..1130).contains(count)),
            "{chosen:?}"
        );
    }

    #[test]
    fn small_streams_are_kept_whole_and_seeds_decide() {
        assert_eq!(sample(5, 1, 3), [0, 1, 2]);
        assert!(sample(0, 1, 3).is_empty());
        assert_eq!(sample(3, 1, 100), sample(3, 1, 100));
        assert_ne!(sample(3, 1, 100), sample(3, 2, 100));
    }
}
