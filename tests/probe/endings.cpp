// A program that locks a mutex a known number of times, and ends or goes on in the way that its
// argument names. Prints what it alone can know.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

[[gnu::noinline]] void lock(int times) {
  for (int i = 0; i < times; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

void* lock_100(void*) {
  lock(100);
  return nullptr;
}
void threads(int groups, int at_once) {
  for (int g = 0; g < groups; ++g) {
    pthread_t started[1000];
    for (int i = 0; i < at_once; ++i) pthread_create(&started[i], nullptr, lock_100, nullptr);
    for (int i = 0; i < at_once; ++i) pthread_join(started[i], nullptr);
  }
}

sem_t posted;
volatile sig_atomic_t handled = 0;
void post(int) {
  sem_post(&posted);
  handled = handled + 1;
}

#define TEN(x) x x x x x x x x x x
[[gnu::noinline]] void ten_thousand_sites() {
  TEN(TEN(TEN(TEN(pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);))))
}

// No other thread uses this mutex: a cancelled thread may leave the mutex locked.
void* call_until_cancelled(void*) {
  static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  TEN(TEN(TEN(pthread_mutex_lock(&own); pthread_mutex_unlock(&own);)))
  for (;;) asm volatile("");
}

pthread_key_t key;
struct before_and_after_main {
  bool on = getenv("BEFORE_MAIN") != nullptr;
  before_and_after_main() {
    if (on) lock(1000);
  }
  ~before_and_after_main() {
    if (on) lock(1000);
  }
} whole_life;

// As libraries do that are initialised before the probe.
void make_keys(int, char** argv, char**) {
  if (argv[1] == nullptr || std::string_view{argv[1]} != "many keys") return;
  for (int i = 0; i < 40; ++i) pthread_key_create(&key, nullptr);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first_of_all)(int, char**,
                                                                         char**) = make_keys;

int allocations = 0;

}  // namespace

extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* calloc(std::size_t number, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(number, bytes);
}

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  lock(1000);
  if (how == "_exit") _exit(3);
  if (how == "crash") *static_cast<volatile int*>(nullptr) = 0;
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "exec") execl(argv[0], argv[0], "_exit", nullptr);
  if (how == "exec with another preloaded") {
    setenv("LD_PRELOAD", argv[2], 1);
    execl(argv[0], argv[0], "_exit", nullptr);
  }
  if (how == "fork") {
    for (int i = 0; i < 100; ++i)
      if (fork() == 0) {
        lock(100 + i);
        _exit(0);
      }
    while (wait(nullptr) > 0) {
    }
  }
  if (how == "fork of threads") {
    // While other threads are born, and so while tables are made.
    pthread_t other;
    pthread_create(
        &other, nullptr, [](void*) -> void* { return threads(20, 10), nullptr; }, nullptr);
    for (int i = 0; i < 100; ++i)
      if (fork() == 0) {
        lock(100);
        _exit(0);
      }
    while (wait(nullptr) > 0) {
    }
    pthread_join(other, nullptr);
  }
  if (how == "close") {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    std::printf("%d\n", open("/dev/null", O_RDONLY));
    ten_thousand_sites();
  }
  if (how == "one after the other") threads(1000, 1);
  if (how == "side by side") threads(4, 200);
  if (how == "handler") {
    sem_init(&posted, 0, 0);
    struct sigaction action{};
    action.sa_handler = post;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    const itimerval often{{0, 200}, {0, 200}}, never{};
    setitimer(ITIMER_PROF, &often, nullptr);
    ten_thousand_sites();
    lock(5'000'000);
    setitimer(ITIMER_PROF, &never, nullptr);
    std::printf("%d\n", static_cast<int>(handled));
  }
  if (how == "key") {
    // Locks where the probe's own end of a thread may have come before.
    pthread_key_create(&key, [](void*) { lock(1000); });
    pthread_t other;
    pthread_create(
        &other, nullptr, [](void*) -> void* { return pthread_setspecific(key, &key), nullptr; },
        nullptr);
    pthread_join(other, nullptr);
  }
  if (how == "many keys") {
    for (int i = 0; i < 10; ++i) {
      int allocated = 0;
      pthread_t other;
      pthread_create(
          &other, nullptr,
          [](void* counted) -> void* {
            const int before = allocations;
            lock(100);
            *static_cast<int*>(counted) = allocations - before;
            return nullptr;
          },
          &allocated);
      pthread_join(other, nullptr);
      std::printf("%d ", allocated);
    }
  }
  if (how == "ten million") {
    pthread_t other;
    pthread_create(
        &other, nullptr, [](void*) -> void* { return lock(5'000'000), nullptr; }, nullptr);
    lock(5'000'000);
    pthread_join(other, nullptr);
  }
  if (how == "sites") ten_thousand_sites();
  if (how == "other user") {
    if (setuid(65534) != 0) return 1;
    if (argc > 2) execl(argv[0], argv[0], argv[2], nullptr);
    ten_thousand_sites();
    if (fork() == 0) {
      lock(100);
      _exit(0);
    }
    wait(nullptr);
  }
  if (how == "children") {
    for (int i = 0; i < 3'000; ++i) {
      if (fork() == 0) {
        lock(1);
        _exit(0);
      }
      wait(nullptr);
    }
  }
  if (how == "cancel") {
    // Each child has new tables. A thread adds sites to the tables until main cancels the thread.
    for (int i = 0; i < 200; ++i)
      if (fork() == 0) {
        alarm(10);
        pthread_t other;
        pthread_create(&other, nullptr, call_until_cancelled, nullptr);
        usleep(static_cast<unsigned>(i * 10));
        pthread_cancel(other);
        pthread_join(other, nullptr);
        lock(1000);
        alarm(0);
        _exit(0);
      }
    int failed = 0, status = 0;
    while (wait(&status) > 0) failed += status != 0;
    return failed;
  }
  if (how == "library") {
    void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 1;
    reinterpret_cast<void (*)()>(dlsym(library, "barriers"))();
  }
}
