//! A random graph as text: the same for the same number of nodes, on any machine.

use std::fmt::Write;

use crate::case::BenchTexts;

const EDGES_A_NODE: u32 = 6;
const FEATURES: u32 = 8;

/// Writes one example, a sentence for each fact: `feature(N)`, a vector, for each node, and edges both ways. The queries ask for the class of
/// each node, which its features hint at.
pub fn texts(nodes: u32) -> BenchTexts {
    let mut random = Random(u64::from(nodes));
    let (mut examples, mut queries) = (String::new(), String::new());
    for node in 0..nodes {
        let is_positive = random.below(2) == 1;
        let hint = if is_positive { 0.3 } else { -0.3 };
        let numbers: Vec<String> = (0..FEATURES).map(|_| format!("{:.3}", random.centred() + hint)).collect();
        write_to(&mut examples, format_args!("[{}] feature(n{node}).\n", numbers.join(", ")));
        write_to(&mut queries, format_args!("{} class(n{node}).\n", u8::from(is_positive)));
    }
    // Each edge has two directions, and each direction counts for the node it comes to.
    for _ in 0..nodes * EDGES_A_NODE / 2 {
        let (from, to) = (random.below(nodes), random.below(nodes));
        write_to(&mut examples, format_args!("edge(n{from}, n{to}).\nedge(n{to}, n{from}).\n"));
    }
    BenchTexts { examples, queries }
}

fn write_to(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to memory does not fail");
}

/// A stream of numbers (a counter, its bits scattered), good enough to scatter edges.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        bits = (bits ^ (bits >> 29)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        bits ^ (bits >> 32)
    }

    fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// About 0, spread 1: the sum of twelve even numbers.
    fn centred(&mut self) -> f64 {
        (0..12).map(|_| (self.next() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }
}
