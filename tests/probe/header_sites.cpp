// Mutexes of the standard library, each locked at lines of its own in every way that its headers
// offer: without optimization all of those are functions of the program. Threads, which its library
// creates and joins. And a function that passes for one of a header, but whose frame pointer is
// beyond its stack; and functions that have names of Rust's library, of today and before, beside
// one of a namespace `core`.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <functional>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::mutex first, second;
std::shared_mutex readers;

[[gnu::noinline]] void lock_first() {
  for (int i = 0; i < 300; ++i) {
    first.lock();
    first.unlock();
  }
}
[[gnu::noinline]] void lock_second() {
  for (int i = 0; i < 500; ++i) const std::lock_guard held(second);
}
[[gnu::noinline]] void lock_unique() {
  for (int i = 0; i < 70; ++i) {
    std::unique_lock held(first);
    held.unlock();
    held.lock();
  }
}
[[gnu::noinline]] void try_first() {
  for (int i = 0; i < 110; ++i)
    if (first.try_lock()) first.unlock();
}
[[gnu::noinline]] void lock_both() {
  for (int i = 0; i < 130; ++i) const std::scoped_lock held(first, second);
}
[[gnu::noinline]] void read_and_write() {
  for (int i = 0; i < 170; ++i) const std::shared_lock held(readers);
  for (int i = 0; i < 190; ++i) const std::unique_lock held(readers);
}

#if defined(__x86_64__)
asm(R"(
  .text
  .type _ZNSt9misplacedEv, @function
_ZNSt9misplacedEv:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  add $0x20000, %rbp
  call pthread_mutex_lock@PLT
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size _ZNSt9misplacedEv, . - _ZNSt9misplacedEv
)");
extern "C" void lock_with_misplaced_frame(pthread_mutex_t*) asm("_ZNSt9misplacedEv");

pthread_mutex_t of_thread = PTHREAD_MUTEX_INITIALIZER;
void* lock_on_own_stack(void*) {
  for (int i = 0; i < 40; ++i) {
    lock_with_misplaced_frame(&of_thread);
    pthread_mutex_unlock(&of_thread);
  }
  return nullptr;
}
// The frame pointer is 128 KiB above a stack of as many, and what is there cannot be read.
[[gnu::noinline]] void misplace_frames() {
  constexpr std::size_t bytes = 0x20000;
  void* const stack = mmap(nullptr, 3 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(stack, bytes, PROT_READ | PROT_WRITE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_t thread;
  pthread_create(&thread, &attributes, lock_on_own_stack, nullptr);
  pthread_join(thread, nullptr);
}
#else
void misplace_frames() {}
#endif

void lock_by_path(pthread_mutex_t*) asm("_RNvMNtCs1_3std4sync5Mutex4lock");
void lock_by_rust(pthread_mutex_t*) asm("_ZN3std4sync5mutex4lock17h0123456789abcdefE");
void lock_by_llvm(pthread_mutex_t*) asm(
    "_ZN3std4sync5mutex4lock17h0123456789abcdefE.llvm.1234567890");
void lock_by_trait(pthread_mutex_t*) asm(
    "_ZN62_$LT$std..sync..Mutex$LT$$LT$T$u20$as$u20$app..Kept$GT$..It$GT$$u20$as$u20$core..ops.."
    "Lock$GT$4lock17hfedcba9876543210E");
// A trait of the program. The length is wrong, so that no tool makes another name of it.
void lock_by_own_trait(pthread_mutex_t*) asm(
    "_ZN52_$LT$std..sync..Mutex$LT$T$GT$$u20$as$u20$app..Lock$GT$4lock17hfedcba9876543210E");
// No two of them are one function, and no call is a jump.
[[gnu::noinline]] void lock_by_path(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("# path");
}
[[gnu::noinline]] void lock_by_rust(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("# rust");
}
[[gnu::noinline]] void lock_by_llvm(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("# llvm");
}
[[gnu::noinline]] void lock_by_trait(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("# trait");
}
[[gnu::noinline]] void lock_by_own_trait(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("# own_trait");
}
[[gnu::noinline]] void lock_as_rust() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 60; ++i)
    for (auto* const lock :
         {lock_by_path, lock_by_rust, lock_by_llvm, lock_by_trait, lock_by_own_trait}) {
      lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
}

// What runs tasks is not what locks.
[[gnu::noinline]] void call_task(const std::function<void()>& task) {
  task();
  asm volatile("");
}
[[gnu::noinline]] void lock_in_task() {
  for (int i = 0; i < 80; ++i)
    call_task([] {
      second.lock();
      second.unlock();
    });
}

[[gnu::noinline]] void start_some() {
  for (int i = 0; i < 7; ++i) {
    std::thread one([] {});
    one.join();
  }
}
[[gnu::noinline]] void start_more() {
  for (int i = 0; i < 5; ++i) {
    std::thread one([] {});
    one.join();
  }
}
// The library joins it in a function that the C library calls, for pthread_once.
[[gnu::noinline]] void start_later() {
  for (int i = 0; i < 3; ++i) std::async(std::launch::async, [] { return 0; }).get();
}

// Nothing of the program is behind the library's function: it is the whole thread. The next thread
// takes over its table, and is told apart from it.
[[gnu::noinline]] void join_by_the_library() {
  std::thread one([] {});
  pthread_t joins;
  void* const join = dlsym(RTLD_DEFAULT, "_ZNSt6thread4joinEv");
  pthread_create(&joins, nullptr, reinterpret_cast<void* (*)(void*)>(join), &one);
  pthread_join(joins, nullptr);
  pthread_create(
      &joins, nullptr,
      [](void*) -> void* {
        start_more();
        return nullptr;
      },
      nullptr);
  pthread_join(joins, nullptr);
}

}  // namespace

namespace core {
[[gnu::noinline]] void lock_first() {
  for (int i = 0; i < 50; ++i) {
    first.lock();
    first.unlock();
  }
}
}  // namespace core

int main() {
  core::lock_first();
  lock_as_rust();
  lock_in_task();
  join_by_the_library();
  start_some();
  start_later();
  misplace_frames();
  lock_first();
  lock_second();
  lock_unique();
  try_first();
  lock_both();
  read_and_write();
}
