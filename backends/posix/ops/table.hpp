// All ops of the worker of POSIX threads, in the order of its table (cmake/tables.cmake).
#pragma once

#include "backends/posix/ops/all.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::host_ops{}),
                               syncmeter::posix::own_ops{}));
