#include "backends/mpi/mpi_version.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace syncmeter::mpi {

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name{text.data()};
  name.resize(std::min(name.find_first_of(",\n"), name.size()));
  for (char& c : name)
    if (c == '\t') c = ' ';
  return name;
}

}  // namespace syncmeter::mpi
