// One step of each op that is a call: a section under a lock, an access to a datum.
#include "backends/std/ops/holds.hpp"
#include "backends/std/ops/read_mostly.hpp"

namespace syncmeter::standard::ops {

void mutex_held::step(object& held, unsigned lane) { held.section(lane); }
void recursive_mutex_held::step(object& held, unsigned lane) { held.section(lane); }
void shared_mutex_held::step(object& held, unsigned lane) { held.section(lane); }
void spin_lock_held::step(object& held, unsigned lane) { held.section(lane); }
void ticket_lock_held::step(object& held, unsigned lane) { held.section(lane); }
void ticket_backoff_lock_held::step(object& held, unsigned lane) { held.section(lane); }
void mcs_lock_held::step(object& held, unsigned lane) { held.section(lane); }
void clh_lock_held::step(object& held, unsigned lane) { held.section(lane); }

void mutex_read_mostly::step(object& datum, unsigned lane) { datum.access(lane); }
void shared_mutex_read_mostly::step(object& datum, unsigned lane) { datum.access(lane); }
void seqlock_read_mostly::step(object& datum, unsigned lane) { datum.access(lane); }
void snapshot_read_mostly::step(object& datum, unsigned lane) { datum.access(lane); }

}  // namespace syncmeter::standard::ops
