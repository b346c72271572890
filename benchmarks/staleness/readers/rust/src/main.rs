// Reads Rust by the lexer of proc-macro2: one file name a line on standard input, one JSON object a line on standard
// output: {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
// Items are found in the token trees, so that a body in a newer dialect is no obstacle. `sig` is the trait of an `impl`.
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::io::{BufRead, Write};

struct Token {
    text: String,
    line: usize,
    end: usize,
}

struct Reader {
    lines: Vec<String>,
    tokens: Vec<Token>,
    defs: Vec<String>,
}

/// A token tree together with the numbers of its first and last flat token.
struct Node {
    tree: TokenTree,
    first: usize,
    last: usize,
    inner: Vec<Node>,
}

impl Node {
    fn text(&self) -> String {
        match &self.tree {
            TokenTree::Group(_) => String::new(),
            other => other.to_string(),
        }
    }
    fn group(&self, delimiter: Delimiter) -> bool {
        matches!(&self.tree, TokenTree::Group(g) if g.delimiter() == delimiter)
    }
}

impl Reader {
    fn is_doc(&self, tree: &TokenTree) -> bool {
        let at = tree.span().start();
        let line: String = self.lines[at.line - 1].chars().skip(at.column).take(2).collect();
        matches!(tree, TokenTree::Punct(p) if p.as_char() == '#') && (line == "//" || line == "/*")
    }

    fn push(&mut self, text: String, start: usize, end: usize) -> usize {
        self.tokens.push(Token { text, line: start, end });
        self.tokens.len() - 1
    }

    fn flatten(&mut self, stream: TokenStream) -> Vec<Node> {
        let mut out = Vec::new();
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            if self.is_doc(&tree) {
                if matches!(trees.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!') {
                    trees.next();
                }
                trees.next();
                continue;
            }
            let (start, end) = (tree.span().start().line, tree.span().end().line);
            let node = match &tree {
                TokenTree::Group(group) => self.flatten_group(group),
                other => {
                    let mut text = other.to_string();
                    if let TokenTree::Punct(p) = other {
                        if p.as_char() == '\'' && p.spacing() == Spacing::Joint {
                            text = "'".into();
                        }
                    }
                    let at = self.push(text, start, end);
                    Node { tree: tree.clone(), first: at, last: at, inner: vec![] }
                }
            };
            out.push(node);
        }
        out
    }

    fn flatten_group(&mut self, group: &Group) -> Node {
        let (open, close) = match group.delimiter() {
            Delimiter::Brace => ("{", "}"),
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        let first = self.push(open.into(), group.span_open().start().line, group.span_open().end().line);
        let inner = self.flatten(group.stream());
        let last = self.push(close.into(), group.span_close().start().line, group.span_close().end().line);
        Node { tree: TokenTree::Group(group.clone()), first, last, inner }
    }

    fn add(&mut self, name: &str, outer: &str, sig: &str, kind: &str, first: usize, last: usize) {
        let (start, end) = (self.tokens[first].line, self.tokens[last].end);
        let qualname = if outer.is_empty() { name.to_string() } else { format!("{outer}.{name}") };
        self.defs.push(format!(
            "{{\"name\":{},\"qualname\":{},\"sig\":{},\"kind\":\"{kind}\",\"start\":{start},\"end\":{end},\"first\":{first},\"last\":{last}}}",
            quoted(name), quoted(&qualname), quoted(sig)
        ));
    }

    fn items(&mut self, nodes: &[Node], outer: &str, sig: &str) {
        let mut at = 0;
        while at < nodes.len() {
            at = self.item(nodes, at, outer, sig);
        }
    }

    /// Reads the item that begins at `begin` and gives where the next one begins.
    fn item(&mut self, nodes: &[Node], begin: usize, outer: &str, sig: &str) -> usize {
        let word = |at: usize| nodes.get(at).map(Node::text).unwrap_or_default();
        let until = |mut at: usize, stop: &dyn Fn(&Node) -> bool| {
            while at < nodes.len() && !stop(&nodes[at]) {
                at += 1;
            }
            at
        };
        let ends = |n: &Node| n.group(Delimiter::Brace) || n.text() == ";";
        let mut at = begin;
        while word(at) == "#" {
            if word(at + 1) == "!" {
                return at + 3;
            }
            at += 2;
        }
        if word(at) == "pub" {
            at += 1;
            if nodes.get(at).is_some_and(|n| n.group(Delimiter::Parenthesis)) {
                at += 1;
            }
        }
        loop {
            match word(at).as_str() {
                "async" | "unsafe" | "default" => at += 1,
                "const" if ["fn", "unsafe", "async", "extern"].contains(&word(at + 1).as_str()) => at += 1,
                "extern" if word(at + 1).starts_with('"') && !nodes.get(at + 2).is_some_and(|n| n.group(Delimiter::Brace)) => at += 2,
                "extern" if word(at + 1) == "fn" => at += 1,
                _ => break,
            }
        }
        let name = word(at + 1);
        let kind = word(at);
        match kind.as_str() {
            "fn" | "struct" | "enum" | "union" | "trait" | "mod" => {
                let end = until(at, &ends);
                let Some(last) = nodes.get(end) else { return nodes.len() };
                let body = last.group(Delimiter::Brace);
                let outer_name = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
                match kind.as_str() {
                    "fn" if body => {
                        let kind = if outer.is_empty() { "function" } else { "method" };
                        self.add(&name, outer, sig, kind, nodes[begin].first, last.last);
                    }
                    "mod" if body => self.items(&last.inner, &outer_name, ""),
                    "trait" if body => {
                        self.add(&name, outer, "", "type", nodes[begin].first, last.last);
                        self.items(&last.inner, &outer_name, "");
                    }
                    "struct" | "enum" | "union" => self.add(&name, outer, "", "type", nodes[begin].first, last.last),
                    _ => {}
                }
                end + 1
            }
            "impl" => {
                let end = until(at, &|n| n.group(Delimiter::Brace));
                if let Some(body) = nodes.get(end) {
                    let (of, by) = header(&nodes[at + 1..end]);
                    let name = if outer.is_empty() { of } else { format!("{outer}.{of}") };
                    self.items(&body.inner, &name, &by);
                }
                end + 1
            }
            "const" | "static" | "use" | "type" => until(at, &|n| n.text() == ";") + 1,
            "extern" => until(at, &ends) + 1,
            _ => {
                let bang = until(at, &|n| n.text() == "!" || ends(n));
                let end = until(bang, &|n| matches!(&n.tree, TokenTree::Group(_)) || n.text() == ";");
                end + 1
            }
        }
    }
}

/// The name of the type and the text of the trait in `impl<…> Trait for Type where …`; lifetimes count for nothing.
fn header(nodes: &[Node]) -> (String, String) {
    let texts: Vec<String> = nodes.iter().map(|n| match &n.tree {
        TokenTree::Group(g) => g.to_string(),
        other => other.to_string(),
    }).collect();
    let (mut depth, mut parts, mut at) = (0i32, vec![Vec::new()], 0);
    let mut leading = texts.first().is_some_and(|t| t == "<");
    while at < texts.len() {
        let text = texts[at].as_str();
        let arrow = at > 0 && texts[at - 1] == "-";
        match text {
            "<" => depth += 1,
            ">" if !arrow => depth -= 1,
            _ => {}
        }
        if leading {
            leading = depth > 0;
        } else if text == "where" && depth == 0 {
            break;
        } else if text == "for" && depth == 0 && texts.get(at + 1).map(String::as_str) != Some("<") {
            parts.push(Vec::new());
        } else if text == "'" {
            at += 1;
        } else {
            parts.last_mut().expect("there is always one").push((text.to_string(), depth - i32::from(text == "<")));
        }
        at += 1;
    }
    let of = parts.pop().unwrap_or_default();
    let bare: String = of.iter().filter(|(t, d)| *d == 0 && t != "<" && t != ">").map(|(t, _)| t.as_str()).collect();
    let by: String = parts.pop().unwrap_or_default().iter().map(|(t, _)| t.as_str()).collect();
    (bare, by)
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => { out.push('\\'); out.push(c); }
            c if (c as u32) < 32 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn read(file: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut reader = Reader { lines: text.split('\n').map(str::to_string).collect(), tokens: vec![], defs: vec![] };
    let stream = text.parse::<TokenStream>();
    let ok = stream.is_ok();
    if let Ok(stream) = stream {
        let nodes = reader.flatten(stream);
        reader.items(&nodes, "", "");
    }
    let tokens: Vec<String> = reader.tokens.iter().map(|t| quoted(&t.text)).collect();
    let rows: Vec<String> = reader.tokens.iter().map(|t| t.line.to_string()).collect();
    let (tokens, rows, defs) = (tokens.join(","), rows.join(","), reader.defs.join(","));
    format!("{{\"file\":{},\"ok\":{ok},\"tokens\":[{tokens}],\"rows\":[{rows}],\"defs\":[{defs}]}}", quoted(file))
}

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for file in std::io::stdin().lock().lines().map_while(Result::ok).filter(|f| !f.is_empty()) {
        writeln!(out, "{}", read(&file)).expect("standard output is open");
    }
}
