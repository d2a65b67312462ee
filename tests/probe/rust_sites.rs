//! Calls of Rust's library, which is compiled into the program: threads, and waits that end at their
//! time, each in a function of its own and in one that begins a thread.
use std::hint::black_box;
use std::sync::{mpsc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

const SHORT: Duration = Duration::from_micros(100);
/// A receiver that loses its processor until the end of its time does not wait.
const LONGER: Duration = Duration::from_millis(1);

#[inline(never)]
fn park_some() {
    for _ in 0..40 {
        thread::park_timeout(SHORT);
    }
    black_box(()); // so that no call is a jump
}

#[inline(never)]
fn wait_some(mutex: &Mutex<u64>, condition: &Condvar) {
    let mut held = mutex.lock().unwrap();
    for _ in 0..30 {
        held = condition.wait_timeout(held, SHORT).unwrap().0;
    }
    black_box(held);
}

#[inline(never)]
fn receive_some(items: &mpsc::Receiver<u64>) {
    for _ in 0..20 {
        let _ = items.recv_timeout(LONGER);
    }
    black_box(());
}

#[inline(never)]
fn start_some() {
    for _ in 0..5 {
        thread::spawn(|| ()).join().unwrap();
    }
    black_box(());
}

fn main() {
    let (_sender, receiver) = mpsc::channel();
    park_some();
    wait_some(&Mutex::new(0), &Condvar::new());
    receive_some(&receiver);
    start_some();
    thread::spawn(|| {
        for _ in 0..10 {
            thread::park_timeout(SHORT);
        }
        black_box(());
    })
    .join()
    .unwrap();
}
