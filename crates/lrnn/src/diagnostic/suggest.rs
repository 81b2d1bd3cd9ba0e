//! "Did you mean": the known name nearest to a mistaken one.

/// Returns the known name nearest to this one, if it is near enough to be meant.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `bond`?", or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggest(name, known).map(|known| format!("did you mean `{known}`?"))
}

/// Returns the first of some names, with dots where there are more.
pub(crate) fn listed(names: &[impl std::borrow::Borrow<str>], most: usize) -> String {
    let more = if names.len() > most { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(most)].join(", "))
}

/// Returns how many letters must be added, dropped, changed or swapped with a neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().take(100).collect();
    let b: Vec<char> = b.to_lowercase().chars().take(100).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped { best.min(rows[i - 2][j - 2] + 1) } else { best }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        assert_eq!(suggest("sigmiod", ["tanh", "sigmoid"]), Some("sigmoid"));
        assert_eq!(suggest("bnd", ["bond", "band"]), Some("bond"));
        assert_eq!(suggest("horse", ["foal"]), None);
    }
}
