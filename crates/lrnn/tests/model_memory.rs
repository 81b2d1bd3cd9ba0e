//! How much memory a model file takes to read. Alone in its program, since the system tells the most that a whole
//! program ever held.

#![cfg(target_os = "linux")]

use lrnn::model::{Container, Model};

/// The most memory this process ever held, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
}

/// A file of many small weights, or of one large one, put together without the engine.
fn file(weights: usize, size: usize) -> Vec<u8> {
    let mut header = String::with_capacity(90 * weights + 1000);
    header += r#"{"__metadata__":{"checksum":"0000000000000000","format":"1","lrnn":"0.1.0","data":"00""#;
    header += r#","precision":"f64","settings":"","source 0 t":"""#;
    header += "}";
    for number in 0..weights {
        let (start, end) = (8 * size * number, 8 * size * (number + 1));
        header +=
            &format!(r#","w[{number}]":{{"dtype":"F64","shape":[{size}],"data_offsets":[{start},{end}]}}"#);
    }
    header += "}";
    let mut bytes = Vec::with_capacity(8 + header.len() + 8 * size * weights);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.resize(8 + header.len() + 8 * size * weights, 1);
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let at = 8 + header.find("0000").expect("the digits");
    bytes[at..at + 16].copy_from_slice(format!("{hash:016x}").as_bytes());
    bytes
}

/// Reading takes at most so many times the bytes of the file.
fn check(weights: usize, size: usize, times: usize) {
    const SLACK: usize = 2_000_000;
    let bytes = file(weights, size);
    let before = peak();
    let count = Container::read(&bytes).expect("a file").tensors().count();
    let container = peak() - before;
    assert_eq!(count, weights);
    assert!(container < bytes.len() + SLACK, "{weights} of {size}: {container} for {}", bytes.len());
    let model = Model::from_bytes(&bytes).expect("a model");
    let all = peak() - before;
    assert_eq!(model.weights.len(), weights);
    assert!(all < times * bytes.len() + SLACK, "{weights} of {size}: {all} for {}", bytes.len());
}

#[test]
fn reading_takes_little_more_than_the_file() {
    check(300_000, 1, 3);
    check(1, 20_000_000, 2);
}
