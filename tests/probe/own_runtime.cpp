// A program with an OpenMP runtime linked into it, as far as its symbols go.
extern "C" [[gnu::noinline]] void GOMP_parallel(void (*body)(void*), void* data, unsigned,
                                                unsigned) {
  body(data);
}

int main() {
  GOMP_parallel([](void*) {}, nullptr, 1, 0);
}
