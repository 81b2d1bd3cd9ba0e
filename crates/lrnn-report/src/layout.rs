//! Where the nodes of a layered network stand.

/// Returns the height of the middle of each node in its layer, in units of places.
pub(crate) fn heights(layer_of: &[usize], edges: &[(usize, usize)]) -> Vec<f64> {
    let layers = layer_of.iter().map(|layer| layer + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); layers];
    layer_of.iter().enumerate().for_each(|(number, &layer)| order[layer].push(number));
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); layer_of.len()];
    for &(from, to) in edges {
        near[from].push(to);
        near[to].push(from);
    }
    let mut heights = vec![0.0; layer_of.len()];
    order.iter().for_each(|layer| spread(layer, &mut heights));
    for sweep in 0..SWEEPS {
        let forwards = sweep % 2 == 0;
        for step in 0..layers {
            let layer = if forwards { step } else { layers - 1 - step };
            let wanted = |node: usize| {
                let beside = near[node].iter().filter(|&&other| (layer_of[other] < layer) == forwards);
                let all: Vec<f64> = beside.map(|&other| heights[other]).collect();
                if all.is_empty() { heights[node] } else { all.iter().sum::<f64>() / all.len() as f64 }
            };
            let mut wishes: Vec<(f64, usize)> =
                order[layer].iter().map(|&node| (wanted(node), node)).collect();
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[layer] = wishes.iter().map(|wish| wish.1).collect();
            place(&wishes, &mut heights);
        }
    }
    let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
    heights.iter().map(|height| height - least).collect()
}

const SWEEPS: usize = 8;

/// Places nodes one below the other, around 0.
fn spread(layer: &[usize], heights: &mut [f64]) {
    let middle = (layer.len() as f64 - 1.0) / 2.0;
    layer.iter().enumerate().for_each(|(at, &node)| heights[node] = at as f64 - middle);
}

/// Places nodes as near to what each wishes as a distance of 1 allows: pushed down, then up by half of what that moved.
fn place(wishes: &[(f64, usize)], heights: &mut [f64]) {
    let mut down: Vec<f64> = wishes.iter().map(|wish| wish.0).collect();
    for at in 1..down.len() {
        down[at] = down[at].max(down[at - 1] + 1.0);
    }
    let mut up: Vec<f64> = wishes.iter().map(|wish| wish.0).collect();
    for at in (1..up.len()).rev() {
        up[at - 1] = up[at - 1].min(up[at] - 1.0);
    }
    for ((wish, down), up) in wishes.iter().zip(down).zip(up) {
        heights[wish.1] = (down + up) / 2.0;
    }
}
