// All ops of the worker of C++20 threads, in the order of its table (cmake/tables.cmake).
#pragma once

#include "backends/std/ops/all.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::host_ops{}),
                               syncmeter::standard::own_ops{}));
