//! One visit of a point: rounds of a baseline and a test sample in random order, their differences, and a check.

use std::time::Instant;

use crate::json::{object, text, Json};
use crate::ops::{Objects, Row};
use crate::team::{with_team, Sample, Team};

pub struct Request<'a> {
    pub row: &'a Row,
    pub stride: usize,
    pub pus: Vec<i32>,
    pub max_time_ns: f64,
    pub min_sample_ns: f64,
    pub seed: u64,
    pub trips: u64,
}

struct Round {
    baseline_ns: f64,
    test_ns: f64,
}

struct Measured {
    trips: u64,
    added: u64,
    slowest_over_fastest: f64,
    timed_ns: f64,
    rounds: Vec<Round>,
}

const FEWEST_ROUNDS: usize = 7;

fn measure(team: &Team, request: &Request) -> Measured {
    let mut got = Measured { trips: request.trips, added: 0, slowest_over_fastest: 1.0, timed_ns: 0.0, rounds: Vec::new() };
    let take = |got: &mut Measured, twice: bool| -> Sample {
        got.added += got.trips * (1 + twice as u64) * request.pus.len() as u64;
        let sample = team.sample(got.trips, twice);
        got.timed_ns += sample.span_ns;
        sample
    };
    if got.trips == 0 {
        got.trips = 16;
        // The fastest of three: one may be long because a lane had to wait for its processing unit.
        while got.trips < 1 << 30 {
            let spans = [(); 3].map(|_| take(&mut got, false).span_ns);
            if spans.iter().copied().fold(f64::INFINITY, f64::min) >= request.min_sample_ns {
                break;
            }
            got.trips *= 2;
        }
    }
    let begun = Instant::now();
    let mut random = request.seed | 1;
    while got.rounds.len() < FEWEST_ROUNDS || (begun.elapsed().as_nanos() as f64) < request.max_time_ns && got.rounds.len() < 10_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let test_first = random & 1 == 1;
        let early = take(&mut got, test_first);
        let late = take(&mut got, !test_first);
        let (baseline, test) = if test_first { (late, early) } else { (early, late) };
        got.slowest_over_fastest = got.slowest_over_fastest.max(test.slowest_over_fastest);
        got.rounds.push(Round { baseline_ns: baseline.span_ns, test_ns: test.span_ns });
    }
    got
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

/// The median, and order statistics that hold it in 95 of 100 cases.
fn interval(values: &[f64]) -> (Json, f64) {
    let n = values.len() as f64;
    let off = (0.98 * n.sqrt()).ceil() as usize;
    let middle = values.len() / 2;
    let value = values[middle];
    let low = values[middle.saturating_sub(off)];
    let high = values[(middle + off).min(values.len() - 1)];
    let of = |x: f64| Json::Number(x);
    (object(vec![("value", of(value)), ("low", of(low)), ("high", of(high))]), value)
}

/// The members of a visit that are not the request's.
pub fn visit(request: &Request) -> Vec<(&'static str, Json)> {
    let begun = Instant::now();
    let objects = Objects::new(request.pus.len(), request.stride);
    let refused = |status, reason: &str| vec![("status", text(status)), ("reason", text(reason))];
    let (got, seen) = match with_team(request.row, &objects, &request.pus, |team| measure(team, request)) {
        Ok(both) => both,
        Err(why) => return refused("unsupported", &why),
    };
    if request.row.adds && objects.sum() != got.added as u32 as i32 {
        return refused("failed", &format!("{} instead of {}: updates were lost", objects.sum(), got.added as u32 as i32));
    }
    let per_op = |ns: f64| ns / got.trips as f64;
    let (cost, value) = interval(&sorted(got.rounds.iter().map(|r| per_op(r.test_ns - r.baseline_ns))));
    let median = |of: fn(&Round) -> f64| interval(&sorted(got.rounds.iter().map(of))).1;
    let n = Json::Number(got.rounds.len() as f64);
    let estimate = object(vec![
        ("state", Json::Number(0.0)),
        ("busy", Json::Bool(false)),
        ("rounds", n.clone()),
        ("share", Json::Number(1.0)),
        ("cost_ns", cost.clone()),
        ("host_cost_ns", cost),
        ("baseline_ns", Json::Number(per_op(median(|r| r.baseline_ns)))),
        ("test_ns", Json::Number(per_op(median(|r| r.test_ns)))),
    ]);
    let (status, reason) = if value > 0.0 { ("ok", "") } else { ("not_resolved", "its cost is not resolved from 0") };
    vec![
        ("status", text(status)),
        ("reason", text(reason)),
        ("stopped_by", text("time")),
        ("trips", Json::Number(got.trips as f64)),
        ("rounds_taken", n.clone()),
        ("rounds_kept", n),
        ("drops", object(vec![])),
        ("estimates", Json::List(vec![estimate])),
        ("pus_seen", Json::List(seen.iter().map(|&pu| Json::Number(pu as f64)).collect())),
        ("fairness", Json::Number(1.0 / got.slowest_over_fastest)),
        ("slowest_over_fastest", Json::Number(got.slowest_over_fastest)),
        ("timed_ns", Json::Number(got.timed_ns)),
        ("elapsed_ns", Json::Number(begun.elapsed().as_nanos() as f64)),
        ("rounds", Json::List(vec![])),
    ]
}
