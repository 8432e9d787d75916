//! `$(VARIABLE)` in values, commands, arguments and `subPathExpr`, as the kubelet expands it
//! (k8s.io/kubernetes/third_party/forked/golang/expansion): `$$` is a dollar, and an unknown variable stays as it stands.

/// A piece of a text.
enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        found.push(Piece::Text(before));
        let after = from.get(1..).unwrap_or_default();
        if let Some(escaped) = after.strip_prefix('$') {
            found.push(Piece::Text("$"));
            rest = escaped;
        } else if let Some((name, behind)) = after
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'))
        {
            found.push(Piece::Variable(name));
            rest = behind;
        } else {
            found.push(Piece::Text("$"));
            rest = after;
        }
    }
    found.push(Piece::Text(rest));
    found
}

/// The variables that a text names, once each.
pub(super) fn variables(text: &str) -> Vec<String> {
    if !text.contains("$(") {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for piece in pieces(text) {
        if let Piece::Variable(name) = piece
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// The text with its variables replaced; `None` where one of them is not known.
pub(super) fn expanded(text: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Some(text.to_owned()),
            Piece::Variable(name) => value(name),
        })
        .collect()
}

#[cfg(test)]
mod tests;
