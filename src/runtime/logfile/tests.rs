//! Logs of all sizes and shapes, read in chunks.

use std::io::{self, Read};

use super::{CHUNK, take_all, unzipped};
use crate::analysis::Tally;
use crate::report::signals::Log;

const LINE: &str = "Error: connect ECONNREFUSED 10.96.0.7:8000\n";

/// A reader that gives a few bytes at a time, as a pipe may.
struct Dribble<R>(R, usize);

impl<R: Read> Read for Dribble<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

fn read(input: impl Read + 'static) -> (Tally, Log, io::Result<()>) {
    let (mut tally, mut log) = (Tally::default(), Log::default());
    let input = io::BufReader::with_capacity(CHUNK / 4, Box::new(input) as Box<dyn Read>);
    let ended = unzipped(input, &mut log).and_then(|input| take_all(input, &mut tally, &mut log));
    (tally, log, ended)
}

fn found(tally: &Tally) -> usize {
    tally.items().iter().map(|item| item.count).sum()
}

#[test]
fn lines_are_whole_however_they_arrive() {
    let text = format!("{LINE}noise\r\n\n{LINE}{}", LINE.trim_end());
    for step in [1, 2, 3, 7, 44, 1_000] {
        let (tally, log, ended) = read(Dribble(io::Cursor::new(text.clone()), step));
        ended.unwrap();
        assert_eq!(
            (found(&tally), log.lines, log.bytes),
            (3, 5, text.len() as u64),
            "{step}"
        );
    }
}

#[test]
fn chunks_end_within_lines_and_nothing_is_lost_or_read_twice() {
    let lines = 3 * CHUNK / LINE.len();
    let (tally, log, ended) = read(io::Cursor::new(LINE.repeat(lines)));
    ended.unwrap();
    assert_eq!((found(&tally), log.lines), (lines, lines));
}

#[test]
fn a_line_of_a_hundred_megabytes_is_cut_and_said_to_be() {
    let long = io::repeat(b'x').take(100 << 20);
    let input = io::Cursor::new(LINE)
        .chain(long)
        .chain(io::Cursor::new(format!("\n{LINE}")));
    let (tally, log, ended) = read(input);
    ended.unwrap();
    assert_eq!((found(&tally), log.lines, log.cut), (2, 3, 1));
    // Its head is read, and its end is no line.
    let input = io::Cursor::new(LINE.trim_end())
        .chain(io::repeat(b' ').take(5 << 20))
        .chain(io::Cursor::new(LINE));
    let (tally, log, _) = read(input);
    assert_eq!((found(&tally), log.lines, log.cut), (1, 1, 1));
    let (tally, log, _) = read(io::repeat(b'x').take(20 << 20));
    assert_eq!((found(&tally), log.lines, log.cut), (0, 1, 1));
}

#[test]
fn bad_bytes_are_counted_and_hide_nothing() {
    let mut text = b"\xff\xfe\x00\n".to_vec();
    text.extend_from_slice(LINE.as_bytes());
    text.extend_from_slice("\u{1b}[31é\n".as_bytes());
    text.extend_from_slice(b"\x80 connect ECONNREFUSED 10.96.0.8:8000 \xc3");
    let (tally, log, ended) = read(io::Cursor::new(text));
    ended.unwrap();
    assert_eq!((found(&tally), log.lines, log.invalid), (2, 4, 2));
}

#[test]
fn gzip_is_known_by_its_bytes_and_one_that_is_cut_is_said_to_be() {
    use std::io::Write;
    let zip = |text: &str| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    };
    // Two members, as `cat a.gz b.gz` makes them.
    let mut both = zip(LINE);
    both.extend(zip(&LINE.repeat(1_000)));
    let (tally, log, ended) = read(io::Cursor::new(both.clone()));
    ended.unwrap();
    assert_eq!((found(&tally), log.gzip), (1_001, true));
    let (tally, _, ended) = read(io::Cursor::new(both[..both.len() - 12].to_vec()));
    assert!(ended.is_err());
    assert!(found(&tally) >= 1);
}

#[test]
fn logs_of_nodes_are_unwrapped() {
    let cri = format!(
        "2026-11-30T02:49:22Z stderr P Error: connect ECONN\n2026-11-30T02:49:22Z stderr F {}",
        &LINE[20..]
    );
    let (tally, log, ended) = read(io::Cursor::new(cri));
    ended.unwrap();
    assert_eq!((found(&tally), log.joined), (1, 1));
    assert!(tally.span().0.is_some());
    let docker = "{\"log\":\"Error: connect ECONNREFUSED 10.96.0.7:8000\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-30T02:49:22.1Z\"}\n";
    let (tally, _, _) = read(io::Cursor::new(docker));
    assert_eq!(found(&tally), 1);
    assert!(tally.span().0.is_some());
}
