//! How much memory a model file takes to read. Alone in its program, since the system tells the most that a whole
//! program ever held.

#![cfg(target_os = "linux")]

use lrnn::model::{Container, Model};

/// The most memory this process held since it forgot, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
}

/// What the process holds now, and from now on the most it held.
fn forget() -> usize {
    std::fs::write("/proc/self/clear_refs", "5").expect("the system forgets the peak");
    peak()
}

/// A file of many small weights, or of one large one, put together without the engine.
fn file(weights: usize, size: usize, precision: &str) -> Vec<u8> {
    let bytes = if precision == "f32" { 4 } else { 8 };
    let mut header = String::with_capacity(90 * weights + 1000);
    header += r#"{"__metadata__":{"checksum":"0000000000000000","format":"1","lrnn":"0.1.0","data":"00""#;
    header += &format!(r#","precision":"{precision}","source 0 t":"""#);
    header += "}";
    for number in 0..weights {
        let (start, end) = (bytes * size * number, bytes * size * (number + 1));
        let (kind, shape) =
            (precision.to_uppercase(), if size == 1 { String::new() } else { size.to_string() });
        header += &format!(
            r#","w[{number}]":{{"dtype":"{kind}","shape":[{shape}],"data_offsets":[{start},{end}]}}"#
        );
    }
    header += "}";
    let length = 8 + header.len() + bytes * size * weights;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.resize(length, 1);
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let at = 8 + header.find("0000").expect("the digits");
    bytes[at..at + 16].copy_from_slice(format!("{hash:016x}").as_bytes());
    bytes
}

/// Reading takes no more than the bytes of the file once more: with the file itself, twice its size.
fn check(weights: usize, size: usize, precision: &str) {
    const SLACK: usize = 2_000_000;
    let bytes = file(weights, size, precision);
    let before = forget();
    let count = Container::read(&bytes).expect("a file").tensors().count();
    let container = peak() - before;
    assert_eq!(count, weights);
    assert!(container < bytes.len() + SLACK, "{weights} of {size}: {container} for {}", bytes.len());
    let model = Model::from_bytes(&bytes).expect("a model");
    let all = peak() - before;
    assert_eq!(model.weights.len(), weights);
    assert!(all < bytes.len() + SLACK, "{weights} of {size}, {precision}: {all} for {}", bytes.len());
}

#[test]
fn reading_takes_twice_the_file_at_most() {
    check(300_000, 1, "f32");
    check(600_000, 1, "f64");
    check(1, 30_000_000, "f32");
    check(1, 40_000_000, "f64");
}
