// How long a process runs from its first call of CUDA on: of a timed run beside what the GPU did,
// and of one in which nothing else is looked at, so that what CUPTI makes longer can be left out.
#pragma once

namespace syncmeter::probe {

/// Whether this run is for that time alone.
[[nodiscard]] bool is_span_run();
/// At each counted call: the first one begins the time.
void note_call_in_span();
/// The run has no such time.
void drop_span();
/// Has the time written when the program ends by itself.
void write_span_at_end();

}  // namespace syncmeter::probe
