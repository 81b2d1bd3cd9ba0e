//! Damaged files, and files whose checksum is right and whose content lies: an error each.

use super::super::container::{DIGIT_COUNT, DIGITS, checksum};
use super::*;

/// A file of this header and data, with the checksum it should have.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    let digits = checksum(&bytes);
    bytes[DIGITS..DIGITS + DIGIT_COUNT].copy_from_slice(digits.as_bytes());
    bytes
}

/// A header with more texts behind the file's own, and tensors; both as JSON.
fn header(texts: &str, tensors: &str) -> String {
    let own = r#""checksum":"0000000000000000","format":"1","lrnn":"0.1.0""#;
    format!(r#"{{"__metadata__":{{{own}{texts}}}{tensors}}}"#)
}

const TEXTS: &str = r#","data":"00","precision":"f64","source 0 t":"p :- q.""#;
const TENSOR: &str = r#","w":{"dtype":"F64","shape":[],"data_offsets":[0,8]}"#;

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let bytes = model(&case(TEMPLATE, DATA), Precision::F64).to_bytes().expect("bytes");
    for end in 0..bytes.len() {
        let error = Model::from_bytes(&bytes[..end]).expect_err("a file cut short");
        let expected = if end <= 8 { ModelError::NotAModel } else { ModelError::CutShort };
        assert_eq!(error, expected, "at {end} of {}", bytes.len());
    }
}

#[test]
fn a_flipped_bit_is_an_error() {
    let mut bytes = model(&case(TEMPLATE, DATA), Precision::F32).to_bytes().expect("bytes");
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Model::from_bytes(&bytes).is_err(), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(Model::from_bytes(&bytes).is_ok());
    bytes.push(0);
    assert_eq!(Model::from_bytes(&bytes), Err(ModelError::Damaged));
}

#[test]
fn what_the_other_tests_change_is_a_model() {
    let read = Model::from_bytes(&file(&header(TEXTS, TENSOR), &1.5f64.to_le_bytes())).expect("a model");
    assert_eq!((names(&read.weights), first_numbers(&read)), (vec!["w".to_owned()], vec![1.5]));
}

#[test]
fn a_length_that_lies_is_an_error() {
    let bytes = file(&header(TEXTS, TENSOR), &[0; 8]);
    let length = u64::from_le_bytes(*bytes.first_chunk().expect("8 bytes"));
    for lie in [0, 1, length - 1, length + 1, length + 9, 1 << 31, 1 << 32, 1 << 63, u64::MAX - 7, u64::MAX] {
        let mut bytes = bytes.clone();
        bytes[..8].copy_from_slice(&lie.to_le_bytes());
        let digits = checksum(&bytes);
        bytes[DIGITS..DIGITS + DIGIT_COUNT].copy_from_slice(digits.as_bytes());
        assert!(Model::from_bytes(&bytes).is_err(), "{lie}");
    }
}

/// The file with these tensors and 16 bytes of data is refused, with this among the words.
fn check_tensors(tensors: &str, words: &str) {
    let error = Model::from_bytes(&file(&header(TEXTS, tensors), &[0; 16])).expect_err(tensors);
    assert!(error.to_string().contains(words), "{tensors}: {error}");
}

#[test]
fn tensors_that_lie_are_errors() {
    let two = |a: &str, b: &str| {
        let entry = |name, offsets: &str| {
            format!(r#","{name}":{{"dtype":"F64","shape":[],"data_offsets":[{offsets}]}}"#)
        };
        entry("a", a) + &entry("b", b)
    };
    let one = |kind: &str, shape: &str, offsets: &str| {
        format!(r#","a":{{"dtype":"{kind}","shape":[{shape}],"data_offsets":[{offsets}]}}"#)
    };
    let place = "not where they should be";
    check_tensors(&two("0,8", "4,12"), place);
    check_tensors(&two("0,8", "0,8"), place);
    check_tensors(&two("8,16", "0,8"), place);
    check_tensors(&two("0,8", "16,8"), place);
    check_tensors(&two("0,8", "8,24"), place);
    check_tensors(&two("0,8", "8,18446744073709551615"), place);
    check_tensors(&one("F64", "", "0,8"), "belong to no tensor");
    check_tensors(&one("F64", "3", "0,24"), "cut short");
    check_tensors(&one("F64", "4294967295,4294967295", "0,16"), place);
    check_tensors(&one("F64", "4294967295,536870912", "0,18446744069414584320"), "cut short");
    check_tensors(&one("F64", "9223372036854775808", "0,16"), "2^32");
    check_tensors(&one("F64", "99999999999999999999999", "0,16"), "spelt");
    check_tensors(&one("F64", "02", "0,16"), "spelt");
    check_tensors(&one("F64", "2,1,1", "0,16"), "spelt");
    check_tensors(&one("F64", "-2", "0,16"), "spelt");
    check_tensors(&one("F64", "2", "0,1e1"), "spelt");
    check_tensors(&one("F16", "8", "0,16"), "unknown type");
    check_tensors(&one("\\u0046\\u0036\\u0034\\ud800", "2", "0,16"), "spelt");
    check_tensors(&one("F32", "4", "0,16"), "precision");
    check_tensors(&one("U64", "2", "0,16"), "precision");
    check_tensors(&format!("{}{}", one("F64", "2", "0,16"), one("F64", "0", "16,16")), "one name");
    check_tensors(&one("F64", "2", "0,16").replace('a', "__metadata__"), "spelt");
}

#[test]
fn names_that_lie_are_errors() {
    let named = |name: &str| format!(r#","{name}":{{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}"#);
    check_tensors(&named("__metadata__"), "one name");
    for name in ["", "[c]", "w[]", "w[c", "w[c]d"] {
        check_tensors(&named(name), "no proper name");
    }
    let empty = r#","b":{"dtype":"F64","shape":[0],"data_offsets":[16,16]}"#;
    check_tensors(&(named("a") + empty), "no numbers");
}

#[test]
fn texts_that_lie_are_errors() {
    let check = |texts: &str, words: &str| {
        let error = Model::from_bytes(&file(&header(texts, TENSOR), &[0; 8])).expect_err(texts);
        assert!(error.to_string().contains(words), "{texts}: {error}");
    };
    check("", "all that a model says");
    check(&TEXTS.replace("f64", "f16"), "f32 or f64");
    check(&TEXTS.replace("00", "0x"), "no number");
    check(&TEXTS.replace("source 0", "source 1"), "one after the other");
    check(&TEXTS.replace("source 0", "sauce 0"), "no known kind");
    check(&format!(r#"{TEXTS},"z":"""#), "no known kind");
    check(&format!(r#"{TEXTS}{TEXTS}"#), "not in order");
    check(r#","checksum":"","data":"""#, "all that a model says");
    let many: String = (10_000..20_000).map(|number| format!(r#","note {number}":"""#)).collect();
    check(&many, "too many");
}

#[test]
fn deep_and_odd_headers_are_errors() {
    let check = |header: &str| {
        assert!(
            matches!(Model::from_bytes(&file(header, &[])), Err(ModelError::Malformed(_))),
            "{header:.200}"
        );
    };
    let good = header(TEXTS, "");
    assert!(Model::from_bytes(&file(&good, &[])).is_ok());
    check(&header(TEXTS, &format!(r#","a":{}"#, "[".repeat(100_000))));
    check(&header(TEXTS, &format!(r#","a":{}"#, r#"{"a":"#.repeat(100_000))));
    check(&header(&format!(r#"{TEXTS},"t":{}"#, "{".repeat(100_000)), ""));
    check(&header(&format!(r#"{TEXTS},"t":1"#), ""));
    check(&format!("{good}x"));
    check(&format!("{good}\n"));
    check(&good[..good.len() - 1]);
    check(&good.replace(",\"data\"", ", \"data\""));
    check(&good[..DIGITS - 8 + DIGIT_COUNT]);
}

#[test]
fn a_later_form_is_told_with_its_version() {
    let later = header(TEXTS, r#","a":[1,2,"whatever comes"]"#);
    let later = later.replace(r#""format":"1","lrnn":"0.1.0""#, r#""format":"2","lrnn":"3.4.5""#);
    let error = Model::from_bytes(&file(&later, &[])).expect_err("a later form");
    assert_eq!(error, ModelError::Newer { version: "3.4.5".into() });
    assert!(error.to_string().contains("lrnn 3.4.5"));
}
