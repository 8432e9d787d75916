//! `sh -c SCRIPT` as busybox has it, for images that are made of little else. It knows `echo` (with `-n`), `sleep`, `exit`, `cat`,
//! `true`, `false` and `:`; `;`, line ends, `&&`, `||`, `while` and `until` with `do` and `done`; quotes, backslashes, comments,
//! `$NAME`, `${NAME}` and `$?`. Any other command is not found, any other syntax is an error, both in busybox's words. A command
//! without a shell (`sleep 60`) is run as a script of this one command.

mod parse;

use std::time::Duration;

use chrono::TimeDelta;

use self::parse::{Op, Piece, Word};
use super::{Beat, Launched, Program, Setting};

/// A script that never sleeps is let go on after so many steps, and this time.
const STEPS: usize = 1_000;
const BREATH: TimeDelta = TimeDelta::seconds(1);
/// A process takes a moment to begin, and to end.
const MOMENT: TimeDelta = TimeDelta::milliseconds(20);

type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A script that runs.
#[derive(Debug)]
pub(crate) struct Shell {
    ops: Vec<Op>,
    /// The next of them.
    at: usize,
    env: Vec<(String, String)>,
    /// What the last command came to.
    status: i32,
    /// What was written since the last line end.
    begun: String,
    /// It is within `sleep`.
    sleeps: bool,
    /// Only a command, without a shell.
    alone: bool,
}

/// Where a script stops for now.
enum Pause {
    Sleep(TimeDelta),
    End(i32),
}

/// Whether this is what a shell, or one of its commands, is asked to do. Without a word an image of these runs its shell.
pub(super) fn understands(words: &[String]) -> bool {
    match words.first().map(|word| base(word)) {
        Some(name) if is_shell(name) => words.get(1).is_none_or(|word| word == "-c"),
        Some(name) => ["echo", "sleep", "cat", "true", "false"].contains(&name),
        None => true,
    }
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "ash")
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let (program, args) = match setting.words.split_first() {
        Some((program, args)) => (base(program), args),
        None => ("sh", setting.words),
    };
    let alone = !is_shell(program);
    let ops = if alone {
        let words = [program].into_iter().chain(args.iter().map(String::as_str));
        vec![Op::Run(words.map(Word::literal).collect())]
    } else {
        // What follows `-c`; a shell that nobody types to is at its end.
        parse::script(args.get(1).map_or("", String::as_str))
    };
    let mut shell = Shell {
        ops,
        at: 0,
        env: setting.env.to_vec(),
        status: 0,
        begun: String::new(),
        sleeps: false,
        alone,
    };
    let (lines, pause) = shell.go(setting.read);
    let mut launched = Launched::new(Program::Shell(Box::new(shell)));
    launched.lines = lines;
    match pause {
        Pause::End(code) => {
            launched.exit = Some(code);
            launched.after = MOMENT;
        }
        Pause::Sleep(time) => launched.tick = Some(time),
    }
    launched
}

impl Shell {
    /// Goes on after a pause.
    pub(super) fn beat(&mut self, read: Read<'_>) -> Beat {
        let (lines, pause) = self.go(read);
        match pause {
            Pause::Sleep(time) => Beat::Lines(lines, time),
            Pause::End(code) => Beat::End(lines, code),
        }
    }

    /// The processes: the shell, and what it waits for.
    pub(super) fn processes(&self) -> Vec<(u32, u32, &'static str)> {
        match (self.alone, self.sleeps) {
            (true, _) => vec![(1, 0, "sleep")],
            (false, true) => vec![(1, 0, "sh"), (7, 1, "sleep")],
            (false, false) => vec![(1, 0, "sh")],
        }
    }

    fn go(&mut self, read: Read<'_>) -> (Vec<String>, Pause) {
        let mut written = String::new();
        self.sleeps = false;
        let mut pause = Pause::Sleep(BREATH);
        for _ in 0..STEPS {
            let Some(op) = self.ops.get(self.at).cloned() else {
                pause = Pause::End(self.status);
                break;
            };
            self.at += 1;
            match op {
                Op::Run(words) => {
                    let words = self.expand(&words);
                    if let Some(stop) = self.run(words, read, &mut written) {
                        pause = stop;
                        break;
                    }
                }
                Op::Jump(to) => self.at = to,
                Op::IfFailed(to) if self.status != 0 => self.at = to,
                Op::IfFine(to) if self.status == 0 => self.at = to,
                Op::IfFailed(_) | Op::IfFine(_) => {}
                Op::Fine => self.status = 0,
                Op::Complain(why) => {
                    written += &format!("sh: {why}\n");
                    pause = Pause::End(2);
                    break;
                }
            }
        }
        let over = matches!(pause, Pause::End(_));
        (self.lines(written, over), pause)
    }

    /// Whole lines; what has no end yet waits, as the runtime writes lines.
    fn lines(&mut self, written: String, over: bool) -> Vec<String> {
        let whole = std::mem::take(&mut self.begun) + &written;
        let mut lines: Vec<String> = whole.split('\n').map(str::to_owned).collect();
        let rest = lines.pop().unwrap_or_default();
        if over && !rest.is_empty() {
            lines.push(rest);
        } else {
            self.begun = rest;
        }
        lines
    }

    fn run(&mut self, words: Vec<String>, read: Read<'_>, out: &mut String) -> Option<Pause> {
        let mut words = words.into_iter();
        let Some(program) = words.next() else {
            self.status = 0;
            return None;
        };
        let args: Vec<String> = words.collect();
        let last = std::mem::take(&mut self.status);
        match base(&program) {
            "true" | ":" => {}
            "false" => self.status = 1,
            "echo" => match args.split_first() {
                Some((first, rest)) if first == "-n" => out.push_str(&rest.join(" ")),
                _ => *out += &(args.join(" ") + "\n"),
            },
            "cat" => {
                for path in &args {
                    match read(path) {
                        Some(text) => out.push_str(&text),
                        None => {
                            *out +=
                                &format!("cat: can't open '{path}': No such file or directory\n");
                            self.status = 1;
                        }
                    }
                }
            }
            "sleep" => match args
                .iter()
                .map(|time| seconds(time))
                .sum::<Option<TimeDelta>>()
            {
                Some(time) => {
                    self.sleeps = true;
                    return Some(Pause::Sleep(time));
                }
                None => {
                    let time = args.join(" ");
                    *out += &format!("sleep: invalid number '{time}'\n");
                    self.status = 1;
                }
            },
            "exit" => {
                let said = |code: &String| code.parse::<u8>().map_or(2, i32::from);
                return Some(Pause::End(args.first().map_or(last, said)));
            }
            _ => {
                *out += &format!("sh: {program}: not found\n");
                self.status = 127;
            }
        }
        None
    }

    /// The words of a command with their variables; what stands outside of quotes falls apart at spaces.
    fn expand(&self, words: &[Word]) -> Vec<String> {
        let mut all = Vec::new();
        for word in words {
            let mut text = word.is_quoted.then(String::new);
            for piece in &word.pieces {
                let (value, whole) = match piece {
                    Piece::Text(text) => (text.clone(), true),
                    Piece::Variable(name, quoted) => (self.variable(name), *quoted),
                };
                if whole {
                    text.get_or_insert_default().push_str(&value);
                    continue;
                }
                for (place, part) in value.split(char::is_whitespace).enumerate() {
                    if place > 0 {
                        all.extend(text.take());
                    }
                    if !part.is_empty() {
                        text.get_or_insert_default().push_str(part);
                    }
                }
            }
            all.extend(text);
        }
        all
    }

    fn variable(&self, name: &str) -> String {
        if name == "?" {
            return self.status.to_string();
        }
        let mut env = self.env.iter();
        let found = env.find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }
}

/// How long `sleep` sleeps for a word.
fn seconds(word: &str) -> Option<TimeDelta> {
    // Longer than any cluster is played.
    const FOREVER: TimeDelta = TimeDelta::days(36_500);
    if word == "infinity" || word == "inf" {
        return Some(FOREVER);
    }
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    let unit = match word.strip_prefix(number)? {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()?;
    Some(TimeDelta::from_std(time).map_or(FOREVER, |time| time.min(FOREVER)))
}

#[cfg(test)]
mod tests;
