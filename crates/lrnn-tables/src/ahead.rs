//! Reading ahead: while one piece of a table becomes columns, another thread reads the next.

use std::sync::mpsc::sync_channel;

use lrnn::{Error, ErrorKind};

/// Makes pieces on a thread of its own, one ahead of whoever takes them, until that one says that it has enough. Mistakes
/// come in their turn: those of making a piece after all pieces before it were taken.
pub(crate) fn read_ahead<T: Send>(
    make: impl FnOnce(&mut dyn FnMut(T) -> bool) -> Result<(), Error> + Send,
    mut take: impl FnMut(T) -> Result<bool, Error>,
) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let (give, get) = sync_channel(1);
        let work = move || make(&mut |piece| give.send(piece).is_ok());
        let maker = std::thread::Builder::new().spawn_scoped(scope, work);
        let maker = maker.map_err(|error| {
            Error::new(ErrorKind::File, format!("cannot start a thread to read: {error}"))
        })?;
        for piece in get {
            if !take(piece)? {
                return Ok(());
            }
        }
        maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes numbers below `count` and then a mistake, takes up to `most` of them; returns those and the message.
    fn taken(count: usize, most: usize) -> (Vec<usize>, Option<String>) {
        let mut all = Vec::new();
        let make = |give: &mut dyn FnMut(usize) -> bool| match (0..count).all(give) {
            true => Err(Error::new(ErrorKind::File, "torn")),
            false => Ok(()),
        };
        let take = |number| {
            all.push(number);
            Ok(all.len() < most)
        };
        let error = read_ahead(make, take).err().map(|error| error.to_string());
        (all, error)
    }

    #[test]
    fn pieces_come_in_order_and_mistakes_in_their_turn() {
        assert_eq!(taken(5, 9), (vec![0, 1, 2, 3, 4], Some("error: torn".to_owned())));
        assert_eq!(taken(5, 2), (vec![0, 1], None));
        assert_eq!(taken(0, 2), (vec![], Some("error: torn".to_owned())));
        let make = |give: &mut dyn FnMut(usize) -> bool| {
            assert!(!(0..9).all(give), "nobody takes more than the first");
            Ok(())
        };
        let wrong = read_ahead(make, |_| Err(Error::new(ErrorKind::Content, "no room")));
        assert!(wrong.is_err_and(|error| error.to_string() == "error: no room"));
    }
}
