//! What is measured: one step does an op once or, in the test loop, twice; their difference is what one costs.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, RwLock};

/// What the lanes work on. Cells are apart by as many elements as the point says, from the start of a cache line.
pub struct Objects {
    memory: Vec<AtomicI32>,
    first: usize,
    stride: usize,
    mutex: Mutex<i32>,
    lock: RwLock<i32>,
    #[cfg(feature = "parking_lot")]
    parking_lot: parking_lot::Mutex<i32>,
}

impl Objects {
    pub fn new(lanes: usize, stride: usize) -> Objects {
        let memory: Vec<AtomicI32> = (0..lanes * stride + 32).map(|_| AtomicI32::new(0)).collect();
        let behind_line = memory.as_ptr() as usize % 64;
        let first = (64 - behind_line) % 64 / 4;
        Objects {
            memory,
            first,
            stride,
            mutex: Mutex::new(0),
            lock: RwLock::new(0),
            #[cfg(feature = "parking_lot")]
            parking_lot: parking_lot::Mutex::new(0),
        }
    }
    fn cell(&self, lane: usize) -> &AtomicI32 {
        &self.memory[self.first + lane * self.stride]
    }
    /// What all adds together have left.
    pub fn sum(&self) -> i32 {
        let cells = self.memory.iter().fold(0i32, |sum, c| sum.wrapping_add(c.load(Ordering::SeqCst)));
        let locked = cells.wrapping_add(*self.mutex.lock().unwrap()).wrapping_add(*self.lock.read().unwrap());
        locked.wrapping_add(self.parked())
    }
    #[cfg(feature = "parking_lot")]
    fn parked(&self) -> i32 {
        *self.parking_lot.lock()
    }
    #[cfg(not(feature = "parking_lot"))]
    fn parked(&self) -> i32 {
        0
    }
}

/// An op with its order. `run(objects, lane, trips, twice)` is the timed loop of one lane.
pub struct Row {
    pub op: &'static str,
    pub family: &'static str,
    pub order: &'static str,
    pub adds: bool,
    pub run: fn(&Objects, usize, u64, bool),
    /// Why it cannot be measured; empty where it can.
    pub missing: &'static str,
}

#[inline(always)]
fn repeat(trips: u64, twice: bool, step: impl Fn()) {
    if twice {
        for _ in 0..trips {
            step();
            step();
        }
    } else {
        for _ in 0..trips {
            step();
        }
    }
}

/// Keeps a value that was read: the compiler must not leave the reading out.
#[inline(always)]
fn keep(value: i32) {
    let mut sink = 0;
    unsafe { std::ptr::write_volatile(&mut sink, value) }
}

macro_rules! atomic_rows {
    ($rows:ident, $op:expr, $adds:expr, |$cell:ident, $order:ident| $step:expr, $(($name:expr, $o:expr)),*) => {
        $($rows.push(Row { op: $op, family: "atomic", order: $name, adds: $adds, run: |objects, lane, trips, twice| {
            let $cell = objects.cell(lane);
            const ORDER: Ordering = $o;
            let $order = ORDER;
            repeat(trips, twice, || $step)
        }, missing: "" });)*
    };
}

pub fn rows() -> Vec<Row> {
    use Ordering::*;
    let mut rows = Vec::new();
    atomic_rows!(rows, "atomic_add", true, |cell, order| { cell.fetch_add(1, order); },
        ("relaxed", Relaxed), ("acquire", Acquire), ("release", Release), ("acq_rel", AcqRel), ("seq_cst", SeqCst));
    // acq_rel of a load is acquire, of a store release: as the protocol spells it.
    atomic_rows!(rows, "atomic_read", false, |cell, order| keep(cell.load(order)),
        ("relaxed", Relaxed), ("acq_rel", Acquire), ("seq_cst", SeqCst));
    atomic_rows!(rows, "atomic_write", false, |cell, order| cell.store(7, order),
        ("relaxed", Relaxed), ("acq_rel", Release), ("seq_cst", SeqCst));
    let lock = |op, adds, run| Row { op, family: "critical", order: "unordered", adds, run, missing: "" };
    rows.push(lock("lock_add", true, |objects, _, trips, twice| {
        repeat(trips, twice, || *objects.mutex.lock().unwrap() += 1)
    }));
    rows.push(lock("shared_mutex_add", true, |objects, _, trips, twice| {
        repeat(trips, twice, || *objects.lock.write().unwrap() += 1)
    }));
    rows.push(lock("shared_mutex_read", false, |objects, _, trips, twice| {
        repeat(trips, twice, || keep(*objects.lock.read().unwrap()))
    }));
    rows.push(parking_lot_add());
    rows
}

#[cfg(feature = "parking_lot")]
fn parking_lot_add() -> Row {
    let run: fn(&Objects, usize, u64, bool) =
        |objects, _, trips, twice| repeat(trips, twice, || *objects.parking_lot.lock() += 1);
    Row { op: "parking_lot_add", family: "critical", order: "unordered", adds: true, run, missing: "" }
}

#[cfg(not(feature = "parking_lot"))]
fn parking_lot_add() -> Row {
    let missing = "built without parking_lot (Debian: librust-parking-lot-dev and cargo)";
    Row { op: "parking_lot_add", family: "critical", order: "unordered", adds: true, run: |_, _, _, _| (), missing }
}
