//! As much of JSON as the protocol needs: objects keep their order, so that a point goes back as it came.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

const DEEPEST: usize = 64;

impl Json {
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Json::Text(text)) => Some(text),
            _ => None,
        }
    }
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Json::Number(n)) => Some(*n),
            _ => None,
        }
    }
    pub fn read(line: &str) -> Result<Json, String> {
        let mut reader = Reader { text: line.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        if reader.at < reader.text.len() {
            return Err(format!("not JSON: more text at byte {}", reader.at));
        }
        Ok(value)
    }
}

pub fn text(value: &str) -> Json {
    Json::Text(value.to_string())
}
pub fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => write!(out, "null"),
            Json::Bool(b) => write!(out, "{}", b),
            // JSON knows no infinity; `{}` of a whole number has no point.
            Json::Number(n) if n.is_finite() => write!(out, "{}", n),
            Json::Number(_) => write!(out, "null"),
            Json::Text(t) => quoted(out, t),
            Json::List(items) => {
                write!(out, "[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(out, "{}{}", if i > 0 { "," } else { "" }, item)?;
                }
                write!(out, "]")
            }
            Json::Object(members) => {
                write!(out, "{{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    write!(out, "{}", if i > 0 { "," } else { "" })?;
                    quoted(out, name)?;
                    write!(out, ":{}", value)?;
                }
                write!(out, "}}")
            }
        }
    }
}

fn quoted(out: &mut fmt::Formatter, text: &str) -> fmt::Result {
    write!(out, "\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{}", c)?,
            c if (c as u32) < 32 => write!(out, "\\u{:04x}", c as u32)?,
            c => write!(out, "{}", c)?,
        }
    }
    write!(out, "\"")
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.at < self.text.len() && self.text[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
    }
    fn wrong<T>(&self) -> Result<T, String> {
        Err(format!("not JSON of at most {} levels: at byte {}", DEEPEST, self.at))
    }
    fn takes(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }
    fn value(&mut self, depth: usize) -> Result<Json, String> {
        self.blanks();
        if depth > DEEPEST || self.at >= self.text.len() {
            return self.wrong();
        }
        let first = self.text[self.at];
        match first {
            b'"' => Ok(Json::Text(self.string()?)),
            b'[' => self.items(b']', |r| r.value(depth + 1)).map(Json::List),
            b'{' => self
                .items(b'}', |r| {
                    r.blanks();
                    let name = r.string()?;
                    r.blanks();
                    if !r.takes(":") {
                        return r.wrong();
                    }
                    Ok((name, r.value(depth + 1)?))
                })
                .map(Json::Object),
            _ if self.takes("null") => Ok(Json::Null),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ => self.digits(),
        }
    }
    fn items<T>(&mut self, end: u8, one: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.at += 1;
        let mut all = Vec::new();
        self.blanks();
        while self.at < self.text.len() && self.text[self.at] != end {
            if !all.is_empty() && !self.takes(",") {
                return self.wrong();
            }
            all.push(one(self)?);
            self.blanks();
        }
        if self.at == self.text.len() {
            return self.wrong();
        }
        self.at += 1;
        Ok(all)
    }
    fn string(&mut self) -> Result<String, String> {
        if !self.takes("\"") {
            return self.wrong();
        }
        let mut bytes = Vec::new();
        while self.at < self.text.len() {
            let c = self.text[self.at];
            self.at += 1;
            match c {
                b'"' => return String::from_utf8(bytes).map_err(|_| "not UTF-8".to_string()),
                b'\\' => bytes.extend(self.escaped()?.to_string().bytes()),
                c => bytes.push(c),
            }
        }
        self.wrong()
    }
    fn escaped(&mut self) -> Result<char, String> {
        let c = self.text.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        Ok(match c {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => c as char,
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4).and_then(|d| std::str::from_utf8(d).ok());
                self.at += 4;
                let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                code.and_then(char::from_u32).unwrap_or('\u{fffd}')
            }
            _ => return self.wrong(),
        })
    }
    fn digits(&mut self) -> Result<Json, String> {
        let begin = self.at;
        while self.at < self.text.len() && b"+-.eE0123456789".contains(&self.text[self.at]) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.text[begin..self.at]).unwrap_or("");
        digits.parse().map(Json::Number).or_else(|_| self.wrong())
    }
}
