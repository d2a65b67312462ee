// Locks of Concurrency Kit, whose headers are only valid in C. Each function calls a macro or
// inlined function.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct ck_lock_storage;

// Returns a lock on separate lines for `lanes` lanes, or null without memory.
struct ck_lock_storage* new_ck_lock(unsigned lanes);
void delete_ck_lock(struct ck_lock_storage*);

void lock_ck_fas(struct ck_lock_storage*, unsigned lane);
void unlock_ck_fas(struct ck_lock_storage*, unsigned lane);
void lock_ck_ticket(struct ck_lock_storage*, unsigned lane);
void unlock_ck_ticket(struct ck_lock_storage*, unsigned lane);
void lock_ck_mcs(struct ck_lock_storage*, unsigned lane);
void unlock_ck_mcs(struct ck_lock_storage*, unsigned lane);
// Use a global ticket lock and one per NUMA node. The lock stays on a node for up to ten sections.
void lock_ck_cohort(struct ck_lock_storage*, unsigned lane);
void unlock_ck_cohort(struct ck_lock_storage*, unsigned lane);

#ifdef __cplusplus
}
#endif
