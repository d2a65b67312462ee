// A library as others that a program loads before it starts CUDA: their thread-local storage comes
// out of the little that the C library keeps for all.
[[gnu::tls_model("initial-exec")]] thread_local char storage[64];
extern "C" char* storage_of_thread() { return storage; }
