// Which MPI this worker is built with.
#pragma once

#include <string>

namespace syncmeter::mpi {

/// "Open MPI v4.1.4", "MPICH Version: 4.0.2": what the library calls itself, up to the first comma
/// or end of line. May be asked before MPI is up.
[[nodiscard]] std::string library_name();

}  // namespace syncmeter::mpi
