//! syncmeter-rust: the locks and atomics of Rust's standard library, for syncmeter to measure beside other backends.
//!
//! It is a worker as docs/worker-protocol.md describes one, and shares no code with the rest of the project.
//! Built by `rustc -O --edition 2021 src/main.rs -o syncmeter-rust`.

mod json;
mod ops;
mod team;
mod visit;

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use json::{object, text, Json};
use ops::Row;

const NAME: &str = "rust";

fn number(n: f64) -> Json {
    Json::Number(n)
}

/// A hash of this very program: what was measured with another one is not mixed with it.
fn build() -> Json {
    let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let hash = program.iter().fold(0xcbf29ce484222325u64, |h, &b| (h ^ b as u64).wrapping_mul(0x100000001b3));
    object(vec![("id", text(&format!("{:016x}", hash))), ("compiler", text("rustc")), ("flags", text("-O"))])
}

fn capabilities(rows: &[Row]) -> Json {
    let ops = rows.iter().map(|row| {
        let shared_only = row.family == "critical";
        let placements = if shared_only { vec![text("shared")] } else { vec![text("shared"), text("strided")] };
        let mut entry = vec![
            ("backend", text(NAME)),
            ("op", text(row.op)),
            ("family", text(row.family)),
            ("pairing", text("self")),
            ("type", text("int32")),
            ("order", text(row.order)),
            ("placements", Json::List(placements)),
            ("unroll", number(1.0)),
            ("ops_per_step", number(1.0)),
            ("min_lanes", number(1.0)),
            ("communicates", Json::Bool(false)),
            ("additivity", Json::Bool(false)),
            ("note", text("")),
            ("supported", Json::Bool(row.missing.is_empty())),
        ];
        if !row.missing.is_empty() {
            entry.push(("reason", text(row.missing)));
        }
        object(entry)
    });
    let backend = object(vec![
        ("name", text(NAME)),
        ("clock", text("host lanes")),
        ("portable", Json::Bool(false)),
        ("runtime", object(vec![("api", text("Rust's std"))])),
    ]);
    object(vec![
        ("kind", text("capabilities")),
        ("protocol", number(1.0)),
        ("protocol_minor", number(0.0)),
        ("worker", text(NAME)),
        ("backends", Json::List(vec![backend])),
        ("build", build()),
        ("ops", Json::List(ops.collect())),
    ])
}

fn hello(id: Json) -> Json {
    object(vec![
        ("kind", text("worker")),
        ("id", id),
        ("pid", number(std::process::id() as f64)),
        ("worker", text(NAME)),
        ("protocol", number(1.0)),
        ("protocol_minor", number(0.0)),
        ("build", build()),
        ("runtime", object(vec![(NAME, object(vec![("api", text("Rust's std"))]))])),
        ("environment", object(vec![])),
    ])
}

fn pus_of(request: &Json) -> Result<Vec<i32>, String> {
    match request.get("pus") {
        Some(Json::List(pus)) if !pus.is_empty() => pus
            .iter()
            .map(|pu| match pu {
                Json::Number(n) if n.fract() == 0.0 && *n >= -1.0 && *n < 4096.0 => Ok(*n as i32),
                other => Err(format!("\"pus\" has {}, which is no processing unit", other)),
            })
            .collect(),
        _ => Err("\"pus\" is missing or empty".to_string()),
    }
}

/// A token between two threads: so long it takes from one to the other.
fn probe(request: &Json) -> Result<Vec<f64>, String> {
    let pus = pus_of(request)?;
    let (first, second) = (pus[0], *pus.get(1).ok_or("a probe needs two processing units")?);
    let until = Instant::now() + Duration::from_secs_f64(request.number("seconds").unwrap_or(0.5).clamp(0.0, 60.0));
    const HOPS: u32 = 200;
    const END: u32 = u32::MAX;
    let token = AtomicU32::new(0);
    let wait_for = |value: u32| loop {
        let now = token.load(Ordering::Acquire);
        if now == value || now == END {
            return now;
        }
        if first == second || first < 0 {
            std::thread::yield_now();
        }
        std::hint::spin_loop();
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let bound = team::bind(second);
            while wait_for(1) != END {
                token.store(0, Ordering::Release);
            }
            bound
        });
        let bound = scope.spawn(|| {
            let bound = team::bind(first);
            let mut hops = Vec::new();
            while Instant::now() < until && hops.len() < 2000 {
                let begin = Instant::now();
                for _ in 0..HOPS / 2 {
                    token.store(1, Ordering::Release);
                    wait_for(0);
                }
                hops.push(begin.elapsed().as_nanos() as f64 / HOPS as f64);
            }
            token.store(END, Ordering::Release);
            bound.map(|_| hops)
        });
        let panicked = |_| "a thread panicked".to_string();
        other.join().map_err(panicked)??;
        bound.join().map_err(panicked)?
    })
}

/// As in 2026-01-31T12:00:00Z (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map(|d| d.as_secs()).unwrap_or(0) as i64;
    let days = seconds / 86400 + 719468;
    let (era, day_of_era) = (days / 146097, days % 146097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + (month <= 2) as i64;
    let (h, m, s) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, h, m, s)
}

fn measure(rows: &[Row], request: &Json, id: &Json, say: &mut impl FnMut(Json)) -> Result<(), String> {
    let point = request.get("point").ok_or("\"point\" is missing")?;
    let pus = pus_of(request)?;
    if point.number("lanes") != Some(pus.len() as f64) {
        return Err("\"pus\" has not as many entries as the point has lanes".to_string());
    }
    let member = |name, otherwise| request.get("options").and_then(|o| o.number(name)).unwrap_or(otherwise);
    let max_time_ns = member("max_time_ns", 3e7);
    say(object(vec![("kind", text("accepted")), ("id", id.clone()), ("predicted_ns", number(2.0 * max_time_ns + 50e6))]));

    let order = point.text("order").unwrap_or("unordered");
    let op = point.text("op").unwrap_or("");
    let row = rows.iter().find(|row| row.op == op && row.order == order);
    let strided = point.text("placement") == Some("strided");
    let has_none = |name| point.number(name).unwrap_or(0.0) == 0.0;
    let mut told = vec![
        ("kind", text("visit")),
        ("id", id.clone()),
        ("point", point.clone()),
        ("visit", request.get("visit").cloned().unwrap_or(number(1.0))),
        ("time", text(&utc_now())),
        ("seed", number(member("seed", 0.0))),
        ("pus", request.get("pus").cloned().unwrap_or(Json::Null)),
    ];
    let is_ours = point.text("backend") == Some(NAME) && point.text("type") == Some("int32");
    match row.filter(|row| is_ours && row.missing.is_empty() && !(strided && row.family == "critical")) {
        Some(row) if has_none("cells") && has_none("base_offset") => {
            told.extend(vec![
                ("family", text(row.family)),
                ("pairing", text("self")),
                ("cost_per_lane", Json::Bool(false)),
                ("unroll", number(1.0)),
                ("ops_per_step", number(1.0)),
            ]);
            told.extend(visit::visit(&visit::Request {
                row,
                stride: if strided { point.number("stride").unwrap_or(16.0) as usize } else { 0 },
                pus,
                max_time_ns,
                min_sample_ns: member("min_sample_ns", 1e5),
                seed: member("seed", 1.0) as u64,
                trips: member("trips", 0.0) as u64,
            }));
        }
        _ => told.extend(vec![
            ("status", text("unsupported")),
            ("reason", text("this worker has no such op, type, order or placement")),
        ]),
    }
    say(object(told));
    Ok(())
}

fn main() {
    let rows = ops::rows();
    let mut out = std::io::stdout();
    let mut say = |line: Json| {
        // Nobody reads any more: there is nothing left to do.
        if writeln!(out, "{}", line).and_then(|_| out.flush()).is_err() {
            std::process::exit(1);
        }
    };
    if std::env::args().nth(1).as_deref() == Some("--capabilities") {
        return say(capabilities(&rows));
    }
    for line in std::io::stdin().lock().lines() {
        let line = match line {
            Ok(line) => line,
            Err(_) => break,
        };
        let request = Json::read(&line);
        let id = request.as_ref().ok().and_then(|r| r.get("id")).cloned().unwrap_or(Json::Null);
        let done = request.and_then(|request| match request.text("kind") {
            Some("hello") => Ok(say(hello(id.clone()))),
            Some("measure") => measure(&rows, &request, &id, &mut say),
            Some("probe") => probe(&request).map(|hops| {
                let hops = hops.into_iter().map(number).collect();
                say(object(vec![
                    ("kind", text("probe")),
                    ("id", id.clone()),
                    ("hop_ns", Json::List(hops)),
                    ("bounds_ns", Json::List(vec![])),
                ]))
            }),
            _ => Err("\"kind\" is not one of hello, probe, measure".to_string()),
        });
        if let Err(why) = done {
            say(object(vec![("kind", text("error")), ("id", id), ("text", text(&why))]));
        }
    }
}
