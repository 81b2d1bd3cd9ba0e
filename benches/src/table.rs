//! Measurements as lines for people.

use serde_json::Value;

/// Returns a line for each measurement.
pub fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| row(line) + "\n").collect()
}

fn row(line: &Value) -> String {
    let number = |key: &str| line[key].as_f64().unwrap_or(f64::NAN);
    let name = format!(
        "{} ×{} batch {}",
        line["case"].as_str().unwrap_or(""),
        line["copies"],
        line["batch"].as_str().map_or_else(|| line["batch"].to_string(), Into::into),
    );
    let stage = line["stage"].as_str().unwrap_or("");
    let (median, least) = (seconds(number("median_s")), seconds(number("least_s")));
    let runs = line["runs"].to_string();
    format!("{name:26} {stage:7} {median:>10} {least:>10} {runs:>6}  {}", remark(line)).trim_end().to_owned()
}

/// Returns what else the measurement says.
fn remark(line: &Value) -> String {
    let megabytes = |key: &str| line[key].as_f64().map(|bytes| bytes / 1e6);
    let parts = [
        line["ground_rules"].as_u64().map(|count| format!("{count} ground rules")),
        line["rule_neurons"].as_u64().map(|count| format!("{count} rule neurons")),
        megabytes("network_bytes").map(|size| format!("networks {size:.1} MB")),
        megabytes("peak_bytes").map(|size| format!("peak {size:.1} MB")),
        line["ratio"].as_f64().map(|ratio| format!("the engine takes {ratio:.2} times this")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
