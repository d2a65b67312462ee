//! Threads on given processing units, that begin each sample together.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crate::ops::{Objects, Row};

extern "C" {
    fn sched_setaffinity(pid: i32, bytes: usize, mask: *const u64) -> i32;
    fn sched_getcpu() -> i32;
}

/// Binds the calling thread; -1 leaves it where it is.
pub fn bind(pu: i32) -> Result<(), String> {
    if pu < 0 {
        return Ok(());
    }
    let mut mask = [0u64; 64];
    let word = mask.get_mut(pu as usize / 64).ok_or(format!("there is no processing unit {}", pu))?;
    *word |= 1 << (pu % 64);
    match unsafe { sched_setaffinity(0, std::mem::size_of_val(&mask), mask.as_ptr()) } {
        0 => Ok(()),
        _ => Err(format!("processing unit {} may not be used", pu)),
    }
}
pub fn here() -> i32 {
    unsafe { sched_getcpu() }
}

/// All lanes wait in it until the last one came.
struct Gate {
    lanes: usize,
    waiting: AtomicUsize,
    passed: AtomicUsize,
}

impl Gate {
    fn pass(&self) {
        let turn = self.passed.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.lanes {
            self.waiting.store(0, Ordering::Relaxed);
            self.passed.store(turn + 1, Ordering::Release);
            return;
        }
        let mut polls = 0u32;
        while self.passed.load(Ordering::Acquire) == turn {
            polls += 1;
            // Another lane may need this very processing unit.
            if polls % 4096 == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

#[derive(Clone, Copy, Default)]
pub struct Sample {
    pub span_ns: f64,
    /// Of the lanes' own times, the longest over the shortest.
    pub slowest_over_fastest: f64,
}

/// The lanes of a point; `sample` may be called by the first of them.
pub struct Team<'a> {
    row: &'a Row,
    objects: &'a Objects,
    gate: Gate,
    epoch: Instant,
    order: AtomicU64, // trips, times two, plus whether twice; u64::MAX: the end
    times: Vec<(AtomicU64, AtomicU64)>,
}

const END: u64 = u64::MAX;

impl Team<'_> {
    fn timed(&self, lane: usize) -> bool {
        self.gate.pass();
        let order = self.order.load(Ordering::Acquire);
        if order == END {
            return false;
        }
        let begin = self.epoch.elapsed();
        (self.row.run)(self.objects, lane, order / 2, order % 2 == 1);
        let end = self.epoch.elapsed();
        self.times[lane].0.store(begin.as_nanos() as u64, Ordering::Relaxed);
        self.times[lane].1.store(end.as_nanos() as u64, Ordering::Relaxed);
        self.gate.pass();
        true
    }
    pub fn sample(&self, trips: u64, twice: bool) -> Sample {
        self.order.store(trips * 2 + twice as u64, Ordering::Release);
        self.timed(0);
        let all: Vec<(u64, u64)> =
            self.times.iter().map(|t| (t.0.load(Ordering::Relaxed), t.1.load(Ordering::Relaxed))).collect();
        let begin = all.iter().map(|t| t.0).min().unwrap_or(0);
        let end = all.iter().map(|t| t.1).max().unwrap_or(0);
        let own = |t: &(u64, u64)| (t.1 - t.0).max(1) as f64;
        let slowest = all.iter().map(own).fold(1.0, f64::max);
        let fastest = all.iter().map(own).fold(f64::INFINITY, f64::min);
        Sample { span_ns: (end - begin) as f64, slowest_over_fastest: slowest / fastest }
    }
}

/// What lane 0 of a team on these processing units makes of it, and where the lanes were at the end. All lanes are new
/// threads: whoever calls this stays where it may run.
pub fn with_team<T: Send>(
    row: &Row,
    objects: &Objects,
    pus: &[i32],
    first: impl FnOnce(&Team) -> T + Send,
) -> Result<(T, Vec<i32>), String> {
    let team = &Team {
        row,
        objects,
        gate: Gate { lanes: pus.len(), waiting: AtomicUsize::new(0), passed: AtomicUsize::new(0) },
        epoch: Instant::now(),
        order: AtomicU64::new(END),
        times: pus.iter().map(|_| (AtomicU64::new(0), AtomicU64::new(0))).collect(),
    };
    let panicked = |_| "a thread panicked".to_string();
    std::thread::scope(|scope| {
        let leader = scope.spawn(move || {
            let bound = bind(pus[0]);
            let result = first(team);
            let seen = here();
            team.order.store(END, Ordering::Release);
            team.gate.pass();
            bound.map(|_| (result, seen))
        });
        let others: Vec<_> = (1..pus.len())
            .map(|lane| {
                scope.spawn(move || {
                    let bound = bind(pus[lane]);
                    while team.timed(lane) {}
                    bound.map(|_| here())
                })
            })
            .collect();
        let (result, seen) = leader.join().map_err(panicked)??;
        let mut all = vec![seen];
        for other in others {
            all.push(other.join().map_err(panicked)??);
        }
        Ok((result, all))
    })
}
