//! A layout for graphs: every pair of nodes as far apart as the edges between them are many, as well as a plane allows.
//! Each node in turn moves to where the others want it (stress majorisation), from a start that depends on nothing
//! but the graph; parts that hang together are laid out one by one and stand side by side.

/// So many times every node moves.
const ROUNDS: usize = 250;

/// Returns the place of each node, in lengths of an edge.
pub fn stress_layout(count: usize, edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let mut near = vec![Vec::new(); count];
    for &(a, b) in edges.iter().filter(|edge| edge.0 != edge.1 && edge.0 < count && edge.1 < count) {
        near[a].push(b);
        near[b].push(a);
    }
    let mut places = vec![(0.0, 0.0); count];
    let mut is_done = vec![false; count];
    let mut right = 0.0;
    for start in 0..count {
        if is_done[start] {
            continue;
        }
        let part: Vec<usize> = reached(&near, start).into_iter().map(|(node, _)| node).collect();
        part.iter().for_each(|&node| is_done[node] = true);
        let laid = turned(component(&near, &part));
        let left = laid.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
        let width = laid.iter().map(|place| place.0 - left).fold(0.0, f64::max);
        for (&node, (x, y)) in part.iter().zip(laid) {
            places[node] = (right + x - left, y);
        }
        right += width + 1.2;
    }
    places
}

/// Returns the nodes that can be reached, with their distances, the nearest first.
fn reached(near: &[Vec<usize>], start: usize) -> Vec<(usize, f64)> {
    let mut is_seen = vec![false; near.len()];
    is_seen[start] = true;
    let mut found = vec![(start, 0.0)];
    let mut at = 0;
    while at < found.len() {
        let (node, distance) = found[at];
        for &next in &near[node] {
            if !is_seen[next] {
                is_seen[next] = true;
                found.push((next, distance + 1.0));
            }
        }
        at += 1;
    }
    found
}

fn component(near: &[Vec<usize>], part: &[usize]) -> Vec<(f64, f64)> {
    let mut number = vec![0; near.len()];
    part.iter().enumerate().for_each(|(at, &node)| number[node] = at);
    let row = |&node: &usize| {
        let mut distances = vec![0.0; part.len()];
        reached(near, node).into_iter().for_each(|(other, distance)| distances[number[other]] = distance);
        distances
    };
    let distances: Vec<Vec<f64>> = part.iter().map(row).collect();
    let mut places = start(&distances);
    for _ in 0..ROUNDS {
        for node in 0..part.len() {
            places[node] = wanted(node, &places, &distances[node]);
        }
    }
    places
}

/// Places nodes as seen from the two nodes farthest apart, and from one far from both; a little to the side, so that
/// none coincide.
fn start(distances: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let farthest =
        |row: &[f64]| (0..row.len()).reduce(|a, b| if row[b] > row[a] { b } else { a }).unwrap_or(0);
    let first = farthest(&distances[0]);
    let second = farthest(&distances[first]);
    let both: Vec<f64> = distances[first].iter().zip(&distances[second]).map(|(a, b)| a.min(*b)).collect();
    let third = farthest(&both);
    let place = |node: usize| {
        let side = ((node * 7919) % 101) as f64 / 101.0 - 0.5;
        let x = (distances[first][node] - distances[second][node]) / 2.0;
        (x + 0.1 * side, distances[third][node] + 0.3 * side)
    };
    (0..distances.len()).map(place).collect()
}

/// Returns the mean of where the others want a node, those near count more.
fn wanted(node: usize, places: &[(f64, f64)], distances: &[f64]) -> (f64, f64) {
    let (mut x, mut y, mut sum) = (0.0, 0.0, 0.0);
    for (other, &distance) in distances.iter().enumerate().filter(|(other, _)| *other != node) {
        let (dx, dy) = (places[node].0 - places[other].0, places[node].1 - places[other].1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let weight = 1.0 / (distance * distance).max(1.0);
        x += weight * (places[other].0 + distance * dx / length);
        y += weight * (places[other].1 + distance * dy / length);
        sum += weight;
    }
    if sum > 0.0 { (x / sum, y / sum) } else { places[node] }
}

/// Turns places so that the picture is widest from left to right.
fn turned(places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let count = places.len().max(1) as f64;
    let mean =
        places.iter().fold((0.0, 0.0), |sum, place| (sum.0 + place.0 / count, sum.1 + place.1 / count));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in places.iter().map(|place| (place.0 - mean.0, place.1 - mean.1)) {
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sine, cosine) = angle.sin_cos();
    let turn = |(x, y): (f64, f64)| {
        let (x, y) = (x - mean.0, y - mean.1);
        (x * cosine + y * sine, y * cosine - x * sine)
    };
    places.into_iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_six_is_round() {
        let edges: Vec<(usize, usize)> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
        let places = stress_layout(6, &edges);
        let length = |&(a, b): &(usize, usize)| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        let lengths: Vec<f64> = edges.iter().map(length).collect();
        let (least, most) = lengths.iter().fold((f64::MAX, 0.0f64), |(a, b), &l| (a.min(l), b.max(l)));
        assert!(most / least < 1.1, "{lengths:?}");
    }

    #[test]
    fn parts_stand_side_by_side() {
        let places = stress_layout(5, &[(0, 1), (2, 3), (3, 3), (9, 0)]);
        assert_eq!(places.len(), 5);
        assert!(places.iter().all(|place| place.0.is_finite() && place.1.is_finite()));
        assert!(places[2].0.min(places[3].0) > places[0].0.max(places[1].0));
        assert!(stress_layout(0, &[]).is_empty());
    }
}
