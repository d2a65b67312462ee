#define _GNU_SOURCE
#include "backends/libraries/ck_locks.h"

#include <ck_cohort.h>
#include <ck_spinlock.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { lines = 128, most_nodes = 64 };

static void lock_ticket(void* lock, void* context) {
  (void)context;
  ck_spinlock_ticket_lock(lock);
}
static void unlock_ticket(void* lock, void* context) {
  (void)context;
  ck_spinlock_ticket_unlock(lock);
}
static bool is_locked_ticket(void* lock, void* context) {
  (void)context;
  return ck_spinlock_ticket_locked(lock);
}
CK_COHORT_PROTOTYPE(tickets, lock_ticket, unlock_ticket, is_locked_ticket, lock_ticket,
                    unlock_ticket, is_locked_ticket)

struct lane_place {
  _Alignas(lines) ck_spinlock_mcs_context_t mcs;
  unsigned node;  // NUMA node at the time of locking
};
struct node_place {
  _Alignas(lines) ck_spinlock_ticket_t local;
  _Alignas(lines) CK_COHORT_INSTANCE(tickets) cohort;
};
struct ck_lock_storage {
  _Alignas(lines) ck_spinlock_fas_t fas;
  _Alignas(lines) ck_spinlock_ticket_t ticket;
  _Alignas(lines) ck_spinlock_mcs_t mcs;
  struct node_place nodes[most_nodes];
  unsigned lanes;
  struct lane_place places[];
};

struct ck_lock_storage* new_ck_lock(unsigned lanes) {
  const size_t bytes = sizeof(struct ck_lock_storage) + lanes * sizeof(struct lane_place);
  struct ck_lock_storage* const made = aligned_alloc(lines, (bytes + lines - 1) / lines * lines);
  if (made == NULL) return NULL;
  memset(made, 0, bytes);
  made->lanes = lanes;
  ck_spinlock_fas_init(&made->fas);
  ck_spinlock_ticket_init(&made->ticket);
  ck_spinlock_mcs_init(&made->mcs);
  for (unsigned node = 0; node < most_nodes; ++node) {
    ck_spinlock_ticket_init(&made->nodes[node].local);
    CK_COHORT_INIT(tickets, &made->nodes[node].cohort, &made->ticket, &made->nodes[node].local,
                   CK_COHORT_DEFAULT_LOCAL_PASS_LIMIT);
  }
  return made;
}
void delete_ck_lock(struct ck_lock_storage* lock) { free(lock); }

void lock_ck_fas(struct ck_lock_storage* lock, unsigned lane) {
  (void)lane;
  ck_spinlock_fas_lock(&lock->fas);
}
void unlock_ck_fas(struct ck_lock_storage* lock, unsigned lane) {
  (void)lane;
  ck_spinlock_fas_unlock(&lock->fas);
}

void lock_ck_ticket(struct ck_lock_storage* lock, unsigned lane) {
  (void)lane;
  ck_spinlock_ticket_lock(&lock->ticket);
}
void unlock_ck_ticket(struct ck_lock_storage* lock, unsigned lane) {
  (void)lane;
  ck_spinlock_ticket_unlock(&lock->ticket);
}

void lock_ck_mcs(struct ck_lock_storage* lock, unsigned lane) {
  ck_spinlock_mcs_lock(&lock->mcs, &lock->places[lane % lock->lanes].mcs);
}
void unlock_ck_mcs(struct ck_lock_storage* lock, unsigned lane) {
  ck_spinlock_mcs_unlock(&lock->mcs, &lock->places[lane % lock->lanes].mcs);
}

void lock_ck_cohort(struct ck_lock_storage* lock, unsigned lane) {
  unsigned node = 0;
  (void)getcpu(NULL, &node);
  node %= most_nodes;
  CK_COHORT_LOCK(tickets, &lock->nodes[node].cohort, NULL, NULL);
  lock->places[lane % lock->lanes].node = node;
}
void unlock_ck_cohort(struct ck_lock_storage* lock, unsigned lane) {
  CK_COHORT_UNLOCK(tickets, &lock->nodes[lock->places[lane % lock->lanes].node].cohort, NULL, NULL);
}
