//! The syntax of nginx's configuration: words, blocks, and its own words for what is wrong with them.

/// A directive, with its block if it has one.
#[derive(Debug, Clone)]
pub(super) struct Directive {
    pub(super) name: String,
    pub(super) args: Vec<String>,
    pub(super) block: Option<Vec<Directive>>,
    pub(super) line: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Open,
    Close,
    End,
}

/// Directives of a file. The error is as nginx words it, without `in FILE:LINE`, and its line.
pub(super) fn parse(text: &str) -> Result<Vec<Directive>, (String, usize)> {
    let tokens = tokens(text)?;
    let last = text.lines().count().max(1);
    let mut at = 0;
    let parsed = block(&tokens, &mut at, last, false)?;
    Ok(parsed)
}

fn block(
    tokens: &[(Token, usize)],
    at: &mut usize,
    last: usize,
    inside: bool,
) -> Result<Vec<Directive>, (String, usize)> {
    let mut found = Vec::new();
    loop {
        let mut words: Vec<String> = Vec::new();
        let mut line = last;
        loop {
            let Some((token, here)) = tokens.get(*at) else {
                let expecting = match (words.is_empty(), inside) {
                    (true, false) => return Ok(found),
                    (true, true) => "unexpected end of file, expecting \"}\"",
                    (false, _) => "unexpected end of file, expecting \";\" or \"}\"",
                };
                return Err((expecting.to_owned(), last));
            };
            *at += 1;
            if words.is_empty() {
                line = *here;
            }
            match token {
                Token::Word(word) => words.push(word.clone()),
                Token::End if words.is_empty() => {
                    return Err(("unexpected \";\"".to_owned(), *here));
                }
                Token::End => {
                    found.push(directive(words, None, line));
                    break;
                }
                Token::Open if words.is_empty() => {
                    return Err(("unexpected \"{\"".to_owned(), *here));
                }
                Token::Open => {
                    let inner = block(tokens, at, last, true)?;
                    found.push(directive(words, Some(inner), line));
                    break;
                }
                Token::Close if words.is_empty() && inside => return Ok(found),
                Token::Close => return Err(("unexpected \"}\"".to_owned(), *here)),
            }
        }
    }
}

fn directive(mut words: Vec<String>, block: Option<Vec<Directive>>, line: usize) -> Directive {
    let name = words.remove(0);
    Directive {
        name,
        args: words,
        block,
        line,
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, (String, usize)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            ';' => found.push((Token::End, line)),
            '{' => found.push((Token::Open, line)),
            '}' => found.push((Token::Close, line)),
            quote @ ('"' | '\'') => {
                let begun = line;
                let mut word = String::new();
                loop {
                    match chars.next() {
                        None => {
                            let wrong = "unexpected end of file, expecting \";\" or \"}\"";
                            return Err((wrong.to_owned(), line));
                        }
                        Some('\\') => match chars.next() {
                            Some('n') => word.push('\n'),
                            Some('t') => word.push('\t'),
                            Some('r') => word.push('\r'),
                            Some(c) if c == quote || c == '\\' => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => {}
                        },
                        Some(c) if c == quote => break,
                        Some(c) => {
                            line += usize::from(c == '\n');
                            word.push(c);
                        }
                    }
                }
                found.push((Token::Word(word), begun));
            }
            first => {
                let mut word = String::from(first);
                let goes_on = |c: &char| !c.is_whitespace() && !matches!(c, ';' | '{');
                loop {
                    // A variable may have braces: `${name}`.
                    if word.ends_with('$') && chars.next_if_eq(&'{').is_some() {
                        word.push('{');
                        continue;
                    }
                    match chars.next_if(goes_on) {
                        Some(c) => word.push(c),
                        None => break,
                    }
                }
                found.push((Token::Word(word), line));
            }
        }
    }
    Ok(found)
}
