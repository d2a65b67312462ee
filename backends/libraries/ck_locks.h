// Locks of Concurrency Kit, whose headers are C alone: a call for each of its macros and functions
// that are inlined into C programs.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct ck_lock_storage;

// On lines of its own, made for `lanes` lanes; null without memory.
struct ck_lock_storage* new_ck_lock(unsigned lanes);
void delete_ck_lock(struct ck_lock_storage*);

void lock_ck_fas(struct ck_lock_storage*, unsigned lane);
void unlock_ck_fas(struct ck_lock_storage*, unsigned lane);
void lock_ck_ticket(struct ck_lock_storage*, unsigned lane);
void unlock_ck_ticket(struct ck_lock_storage*, unsigned lane);
void lock_ck_mcs(struct ck_lock_storage*, unsigned lane);
void unlock_ck_mcs(struct ck_lock_storage*, unsigned lane);
// Of ticket locks, one for all and one for each NUMA node: it stays on a node for up to ten sections.
void lock_ck_cohort(struct ck_lock_storage*, unsigned lane);
void unlock_ck_cohort(struct ck_lock_storage*, unsigned lane);

#ifdef __cplusplus
}
#endif
