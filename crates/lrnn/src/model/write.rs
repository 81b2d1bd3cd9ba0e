//! Writing the file that [`Container`](super::Container) reads.

use std::collections::BTreeMap;

use super::container::{BEGINNING, DIGIT_COUNT, DIGITS, FORMAT, HEADER, MOST_TEXTS, checksum};
use super::header::{write_string, write_tensor};
use super::{ModelError, Tensor};

/// Keys that the file itself needs.
const RESERVED: [&str; 3] = ["checksum", "format", "lrnn"];

/// Returns a file with these texts and tensors, written by this version of lrnn. The tensors keep their order.
pub fn write(
    version: &str,
    texts: &BTreeMap<String, String>,
    tensors: &[Tensor<'_>],
) -> Result<Vec<u8>, ModelError> {
    check_texts(texts)?;
    check_tensors(tensors)?;
    let header = header(version, texts, tensors);
    let mut bytes =
        Vec::with_capacity(HEADER + header.len() + tensors.iter().map(|t| t.bytes.len()).sum::<usize>());
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    tensors.iter().for_each(|tensor| bytes.extend(&*tensor.bytes));
    let checksum = checksum(&bytes);
    bytes[DIGITS..DIGITS + DIGIT_COUNT].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

fn header(version: &str, texts: &BTreeMap<String, String>, tensors: &[Tensor<'_>]) -> String {
    let mut header = format!(r#"{BEGINNING}{}","format":"{FORMAT}","lrnn":"#, "0".repeat(DIGIT_COUNT));
    write_string(&mut header, version);
    for (key, text) in texts {
        header.push(',');
        write_string(&mut header, key);
        header.push(':');
        write_string(&mut header, text);
    }
    header.push('}');
    let mut start = 0;
    for tensor in tensors {
        header.push(',');
        write_tensor(&mut header, tensor, start);
        start += tensor.bytes.len();
    }
    header.push('}');
    // The data begins at a multiple of the length of any number, as readers like it.
    let blanks = header.len().next_multiple_of(8) - header.len();
    header + &" ".repeat(blanks)
}

fn check_texts(texts: &BTreeMap<String, String>) -> Result<(), ModelError> {
    if let Some(key) = RESERVED.iter().find(|key| texts.contains_key(**key)) {
        return Err(ModelError::Unwritable(format!("the key `{key}` belongs to the file")));
    }
    if texts.len() > MOST_TEXTS {
        return Err(ModelError::Unwritable(format!("it has more than {MOST_TEXTS} texts")));
    }
    Ok(())
}

fn check_tensors(tensors: &[Tensor<'_>]) -> Result<(), ModelError> {
    let mut names: Vec<&str> = tensors.iter().map(|tensor| &*tensor.name).chain(["__metadata__"]).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ModelError::Unwritable(format!("the name `{}` is taken twice", pair[0])));
    }
    let fits = |tensor: &&Tensor<'_>| {
        Tensor::expected_len(tensor.kind, tensor.shape) == Some(tensor.bytes.len() as u64)
    };
    match tensors.iter().find(|tensor| !fits(tensor)) {
        Some(tensor) => {
            Err(ModelError::Unwritable(format!("`{}` has not the numbers of its shape", tensor.name)))
        }
        None => Ok(()),
    }
}
