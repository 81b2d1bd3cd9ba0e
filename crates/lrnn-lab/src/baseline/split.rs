//! An inner split of the training part, by class and by chance.

/// Returns a number that looks random, of a seed and an example.
fn mixed(seed: u64, example: usize) -> u64 {
    let mut number =
        seed ^ (example as u64).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd134_2543_de82_ef95);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Returns the examples in `count` parts in which each class is spread evenly.
pub(super) fn parts(examples: &[usize], classes: &[u32], count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = examples.to_vec();
    order.sort_by_key(|&example| (classes[example], mixed(seed, example), example));
    let mut parts = vec![Vec::new(); count];
    for (place, example) in order.into_iter().enumerate() {
        parts[place % count].push(example);
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// Returns all examples but those of one part.
pub(super) fn others(parts: &[Vec<usize>], part: usize) -> Vec<usize> {
    let others = parts.iter().enumerate().filter(|(number, _)| *number != part);
    let mut all: Vec<usize> = others.flat_map(|(_, examples)| examples).copied().collect();
    all.sort_unstable();
    all
}
