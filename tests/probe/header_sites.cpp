// Mutexes of the standard library, each locked at lines of its own in every way that its headers
// offer: without optimization all of those are functions of the program. And a function that passes
// for one of them, but whose frame pointer is beyond its stack.
#include <pthread.h>
#include <sys/mman.h>

#include <mutex>
#include <shared_mutex>

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
  push %rbp
  mov %rsp, %rbp
  add $0x20000, %rbp
  call pthread_mutex_lock@PLT
  pop %rbp
  ret
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
void misplace_frames() {
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

}  // namespace

int main() {
  misplace_frames();
  lock_first();
  lock_second();
  lock_unique();
  try_first();
  lock_both();
  read_and_write();
}
