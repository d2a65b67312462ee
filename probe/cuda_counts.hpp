// A run in which the program's kernels are patched: what they update and where they wait is counted
// on the GPU. CUPTI and the Compute Sanitizer are not for one process, so that such a run has times
// of nothing.
#pragma once

namespace syncmeter::probe {

/// Whether this run is one.
[[nodiscard]] bool is_patched_run();
/// Has the kernels patched that the program loads from now on; else why not, which `problem` then
/// has.
[[nodiscard]] bool patch_kernels(const char*& problem);

}  // namespace syncmeter::probe
