//! Chance that a seed repeats: splitmix64 (Steele, Lea, Flood 2014), which needs no state but one number.

#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        let mut chance = Self(seed);
        // Neighbouring seeds begin alike without this.
        chance.0 = chance.next() ^ seed.rotate_left(32);
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    /// Both ends belong to it.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low).unwrap() + 1;
        low + i64::try_from(self.next() % span).unwrap()
    }

    pub fn percent(&mut self, of_hundred: usize) -> bool {
        self.below(100) < of_hundred
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Milliseconds from 0.2 s to 10 min, short ones as likely as long ones.
    pub fn pause(&mut self) -> i64 {
        let longest = self.pick(&[1_000, 2_500, 5_000, 15_000, 60_000, 150_000, 600_000]);
        self.between(200, longest)
    }
}
