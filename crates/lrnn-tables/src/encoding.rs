//! Bytes into text.

/// The characters that Windows-1252 has from 0x80 to 0x9f; those it leaves free are control characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The encodings of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-8, or UTF-16 where the text begins with its mark.
    #[default]
    Unicode,
    /// A byte is a character, as ISO 8859-1 has them.
    Latin1,
    /// Latin 1 with the characters of Windows-1252.
    Windows1252,
}

/// The place of the first byte that is no text, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EncodingError {
    /// The text before it.
    pub before: String,
    pub message: String,
}

impl Encoding {
    /// The encodings with the names they are asked for by.
    pub const NAMES: [(&'static str, Self); 3] =
        [("utf-8", Self::Unicode), ("latin-1", Self::Latin1), ("windows-1252", Self::Windows1252)];

    /// Finds an encoding by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, encoding)| *encoding)
    }

    /// Reads text; a mark of the byte order at its beginning is no part of it.
    pub(crate) fn decode(self, bytes: Vec<u8>) -> Result<String, EncodingError> {
        match (self, bytes.as_slice()) {
            (Self::Latin1, _) => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
            (Self::Windows1252, _) => Ok(bytes.iter().map(|&byte| windows(byte)).collect()),
            (Self::Unicode, [0xff, 0xfe, rest @ ..]) => utf16(rest, u16::from_le_bytes),
            (Self::Unicode, [0xfe, 0xff, rest @ ..]) => utf16(rest, u16::from_be_bytes),
            (Self::Unicode, [0xef, 0xbb, 0xbf, rest @ ..]) => utf8(rest.to_vec()),
            (Self::Unicode, _) => utf8(bytes),
        }
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, EncodingError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let before = String::from_utf8_lossy(&bytes[..at]).into_owned();
        EncodingError { before, message: format!("the byte 0x{:02x} is not UTF-8", bytes[at]) }
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, EncodingError> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => {
                return Err(EncodingError { before: text, message: "half a character of UTF-16".into() });
            }
        }
    }
    match bytes.len() % 2 {
        0 => Ok(text),
        _ => Err(EncodingError { before: text, message: "the UTF-16 text ends within a character".into() }),
    }
}
