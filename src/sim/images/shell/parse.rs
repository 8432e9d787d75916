//! A script as steps, one after the other, with jumps.

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Op {
    Run(Vec<Word>),
    Jump(usize),
    /// Jumps if the last command failed.
    IfFailed(usize),
    /// Jumps if it did not.
    IfFine(usize),
    /// Nothing failed.
    Fine,
    /// The shell understands no more.
    Complain(String),
}

/// A word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) pieces: Vec<Piece>,
    /// It is one even if nothing is in it.
    pub(super) is_quoted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// Its name, and whether it stands in quotes.
    Variable(String, bool),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(Word),
    /// A semicolon.
    Next,
    Line,
    And,
    Or,
    /// What this shell does not know.
    Strange(String),
    /// No more can be read: why.
    Wrong(&'static str),
}

impl Word {
    pub(super) fn literal(text: &str) -> Self {
        Self {
            pieces: vec![Piece::Text(text.to_owned())],
            is_quoted: true,
        }
    }

    /// The text of a word that may be a word of the language.
    fn plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] if !self.is_quoted => Some(text),
            _ => None,
        }
    }

    fn push(&mut self, char: char) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push(char);
        } else {
            self.pieces.push(Piece::Text(char.to_string()));
        }
    }
}

/// The steps of a script. A line that is wrong is not begun with.
pub(super) fn script(text: &str) -> Vec<Op> {
    let mut parser = Parser {
        tokens: Tokens::of(text),
        at: 0,
        ops: Vec::new(),
    };
    while parser.peek().is_some() {
        let whole = parser.ops.len();
        if let Err(why) = parser.line() {
            parser.ops.truncate(whole);
            parser
                .ops
                .push(Op::Complain(format!("syntax error: {why}")));
            break;
        }
    }
    parser.ops
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    ops: Vec<Op>,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// The word of the language that comes next.
    fn keyword(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(word)) => word.plain(),
            _ => None,
        }
    }

    /// All commands up to the end of a line.
    fn line(&mut self) -> Result<(), String> {
        loop {
            match self.peek() {
                None => return Ok(()),
                Some(Token::Line) => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.chain()?,
            }
            match self.peek() {
                Some(Token::Next) => self.at += 1,
                None | Some(Token::Line) => {}
                Some(_) => return Err(self.unexpected(None)),
            }
        }
    }

    /// Commands up to a word, which is passed over.
    fn list(&mut self, end: &str) -> Result<(), String> {
        let mut some = false;
        loop {
            while let Some(Token::Next | Token::Line) = self.peek() {
                if !some && self.peek() == Some(&Token::Next) {
                    return Err(self.unexpected(None));
                }
                self.at += 1;
            }
            if self.keyword() == Some(end) && some {
                self.at += 1;
                return Ok(());
            }
            if self.peek().is_none() {
                return Err(self.unexpected(Some(end)));
            }
            self.chain()?;
            some = true;
            if !matches!(self.peek(), None | Some(Token::Next | Token::Line)) {
                return Err(self.unexpected(Some(end)));
            }
        }
    }

    /// Commands with `&&` and `||` between them.
    fn chain(&mut self) -> Result<(), String> {
        self.command()?;
        while let Some(and) = self.peek().and_then(|token| match token {
            Token::And => Some(true),
            Token::Or => Some(false),
            _ => None,
        }) {
            self.at += 1;
            while self.peek() == Some(&Token::Line) {
                self.at += 1;
            }
            let jump = self.ops.len();
            self.ops.push(Op::Fine);
            self.command()?;
            let after = self.ops.len();
            self.ops[jump] = if and {
                Op::IfFailed(after)
            } else {
                Op::IfFine(after)
            };
        }
        Ok(())
    }

    fn command(&mut self) -> Result<(), String> {
        const OTHERS: [&str; 12] = [
            "do", "done", "if", "then", "elif", "else", "fi", "for", "case", "esac", "{", "}",
        ];
        match self.keyword() {
            Some("while") => return self.repeat(Op::IfFailed),
            Some("until") => return self.repeat(Op::IfFine),
            Some(word) if OTHERS.contains(&word) => return Err(self.unexpected(None)),
            _ => {}
        }
        let mut words = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            words.push(word.clone());
            self.at += 1;
        }
        if words.is_empty() || matches!(self.peek(), Some(Token::Strange(_) | Token::Wrong(_))) {
            return Err(self.unexpected(None));
        }
        self.ops.push(Op::Run(words));
        Ok(())
    }

    fn repeat(&mut self, until: fn(usize) -> Op) -> Result<(), String> {
        self.at += 1;
        let begin = self.ops.len();
        self.list("do")?;
        let test = self.ops.len();
        self.ops.push(Op::Fine);
        self.list("done")?;
        self.ops.push(Op::Jump(begin));
        let after = self.ops.len();
        self.ops[test] = until(after);
        self.ops.push(Op::Fine);
        Ok(())
    }

    fn unexpected(&self, expected: Option<&str>) -> String {
        let found = match self.peek() {
            None => "end of file".to_owned(),
            Some(Token::Wrong(why)) => return (*why).to_owned(),
            Some(Token::Line) => "newline".to_owned(),
            Some(Token::Next) => "\";\"".to_owned(),
            Some(Token::And) => "\"&&\"".to_owned(),
            Some(Token::Or) => "\"||\"".to_owned(),
            Some(Token::Strange(text)) => format!("\"{text}\""),
            Some(Token::Word(word)) => match word.plain() {
                Some(text) => format!("\"{text}\""),
                None => "word".to_owned(),
            },
        };
        match expected {
            Some(end) => format!("unexpected {found} (expecting \"{end}\")"),
            None => format!("unexpected {found}"),
        }
    }
}

struct Tokens<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    all: Vec<Token>,
    /// The word that is being read.
    word: Option<Word>,
}

impl Tokens<'_> {
    fn of(text: &str) -> Vec<Token> {
        let mut tokens = Tokens {
            rest: text.chars().peekable(),
            all: Vec::new(),
            word: None,
        };
        if let Err(why) = tokens.read() {
            tokens.end();
            tokens.all.push(Token::Wrong(why));
        }
        tokens.end();
        tokens.all
    }

    fn end(&mut self) {
        self.all.extend(self.word.take().map(Token::Word));
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn put(&mut self, token: Token) {
        self.end();
        self.all.push(token);
    }

    fn read(&mut self) -> Result<(), &'static str> {
        while let Some(char) = self.rest.next() {
            match char {
                ' ' | '\t' | '\r' => self.end(),
                '\n' => self.put(Token::Line),
                ';' => self.put(Token::Next),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.put(Token::And),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.put(Token::Or),
                '&' | '|' | '<' | '>' | '(' | ')' | '`' => {
                    self.put(Token::Strange(char.to_string()));
                }
                '#' if self.word.is_none() => {
                    while self.rest.next_if(|char| *char != '\n').is_some() {}
                }
                '\'' => self.single()?,
                '"' => self.double()?,
                '\\' => match self.rest.next() {
                    Some('\n') => {}
                    Some(char) => {
                        self.word().is_quoted = true;
                        self.word().push(char);
                    }
                    None => self.word().push('\\'),
                },
                '$' => self.dollar(false)?,
                char => self.word().push(char),
            }
        }
        Ok(())
    }

    fn single(&mut self) -> Result<(), &'static str> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next().ok_or(UNTERMINATED)? {
                '\'' => return Ok(()),
                char => self.word().push(char),
            }
        }
    }

    fn double(&mut self) -> Result<(), &'static str> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next().ok_or(UNTERMINATED)? {
                '"' => return Ok(()),
                '\\' => {
                    let special = |char: &char| ['"', '\\', '$', '`'].contains(char);
                    let char = self.rest.next_if(special).unwrap_or('\\');
                    self.word().push(char);
                }
                '$' => self.dollar(true)?,
                '`' => return Err("unexpected \"`\""),
                char => self.word().push(char),
            }
        }
    }

    /// A variable, or a dollar that is none.
    fn dollar(&mut self, quoted: bool) -> Result<(), &'static str> {
        let mut name = String::new();
        let part = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
        match self.rest.peek() {
            Some('?') => name.extend(self.rest.next()),
            Some('{') => {
                self.rest.next();
                name.extend(self.rest.next_if_eq(&'?'));
                while let Some(char) = self.rest.next_if(part) {
                    name.push(char);
                }
                if name.is_empty() || self.rest.next() != Some('}') {
                    return Err("bad substitution");
                }
            }
            Some('(') => return Err("unexpected \"(\""),
            Some(char) if char.is_ascii_alphabetic() || *char == '_' => {
                while let Some(char) = self.rest.next_if(part) {
                    name.push(char);
                }
            }
            _ => {
                self.word().push('$');
                return Ok(());
            }
        }
        self.word().pieces.push(Piece::Variable(name, quoted));
        Ok(())
    }
}

const UNTERMINATED: &str = "unterminated quoted string";
