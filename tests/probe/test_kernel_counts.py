"""What patched kernels count comes into the probe's file, by a library in the Compute Sanitizer's, the driver's and the GPU's place."""

import collections
import pathlib
import shutil
import subprocess

import pytest
import tables

#: Of each launch of fake_sanitizer.cpp, over the kernel's two instructions.
UPDATES, HOTTEST, CELLS = 33, 9, 4


@pytest.fixture
def sanitizer(build, tmp_path, monkeypatch):
    # By any name but CUPTI's: locks of the program's own are none of these tests'.
    library = tmp_path / "libsanitizer-public.so"
    shutil.copy(build("fake_sanitizer", "g++", "-O2", "-shared", "-fPIC", f"-I{tables.ROOT}"), library)
    monkeypatch.setenv("FAKE_CUPTI", str(library))
    monkeypatch.setenv("SYNCMETER_SANITIZER", str(library))
    monkeypatch.setenv("SYNCMETER_PATCHES", "/patches")
    monkeypatch.setenv("CUDA_INJECTION64_PATH", str(tables.PROBE))
    return library


def test_kernels_are_of_the_site_that_launches_them(build, sanitizer, count):
    run = count(build("cuda_calls", "g++", "-O2"))
    assert (run.done.stdout, run.done.stderr, run.problems) == ("", "", [])
    kernels = [kernel for kernel in run.patched_kernels if kernel.kind == "kernel_launch"]
    assert all(kernel.name.startswith("kernel_") for kernel in kernels)
    # In launch_both two kernels, by two threads; then launch_one, one without a stub, and the driver's.
    assert sorted(kernel.launches for kernel in kernels) == [30, 50, 60, 1500, 1500]
    launched = collections.Counter()
    for row in run.rows:
        if row.kind == "kernel_launch":
            launched[row.offset] += row.count
    assert sorted(launched.values()) == sorted(kernel.launches for kernel in kernels)
    for kernel in kernels:
        n = kernel.launches
        assert (kernel.blocks, kernel.threads, kernel.cut_off, kernel.lost) == (6 * n, 64, False, 0)
        assert (kernel.updates, kernel.cells, kernel.hottest) == (UPDATES * n, CELLS, HOTTEST * n)
        assert kernel.hottest_warps == 2 * n, "both instructions update the first one"
        # Threads, warps, distinct addresses of each warp, uncounted, addresses, the hottest one's updates and warps.
        assert sorted(kernel.instructions["update"]) == [(0x40, 32 * n, 4 * n, 4 * n, 0, 4, 8 * n, n), (0x60, n, n, n, 0, 1, n, n)]
        assert kernel.instructions["barrier"] == [(0x80, 64 * n, 0, n << 32, 0, 0, 0, 0)]


def test_kernels_of_graphs_are_of_the_graph_s_launch(build, sanitizer, count):
    (kernel,) = [kernel for kernel in count(build("cuda_calls", "g++", "-O2")).patched_kernels if kernel.kind == "graph_launch"]
    assert (kernel.name, kernel.launches, kernel.updates, kernel.hottest) == ("kernel_of_graph", 40, 40 * UPDATES, 40 * HOTTEST)


def test_patches_are_taken_out_when_the_time_to_count_is_over(build, sanitizer, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PATCHES_MS", "1")
    kernels = count(build("cuda_calls", "g++", "-O2")).patched_kernels
    # The GPU is waited for at once, and takes 2 ms.
    assert 0 < sum(kernel.updates for kernel in kernels) <= 16 * UPDATES
    assert sum(kernel.launches for kernel in kernels) > 3000
    assert all(kernel.cut_off for kernel in kernels if kernel.launches > 16)
    # Those before count to their end, and stand for all.
    assert sum(kernel.updates for kernel in kernels) == sum(kernel.counted_launches for kernel in kernels) * UPDATES
    assert all(kernel.counted_blocks == 6 * kernel.counted_launches for kernel in kernels)


#: The driver's functions that open and end a capture, as the program calls them around launches.
CAPTURES = r"""
#include <dlfcn.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
int main(int, char** arguments) {
  void* const driver = dlopen(std::getenv("FAKE_CUPTI"), RTLD_NOW);
  void* const probe = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  reinterpret_cast<int (*)()>(dlsym(probe, "InitializeInjection"))();
  using callback_function = void (*)(std::uint32_t, std::uint32_t, int, const char*, const void*);
  const auto call = reinterpret_cast<callback_function>(dlsym(driver, "fake_callback"));
  const auto launch = reinterpret_cast<int (*)(const void*)>(dlsym(driver, "cuLaunchKernel"));
  static const int kernel = 0;
  for (const char* each = arguments[1]; *each != 0; ++each) {
    const bool begins = *each == 'b';
    if (*each == 'l') launch(&kernel);
    else for (int site = 0; site < 2; ++site)
      call(1, begins ? 411 : 412, site, begins ? "cuStreamBeginCapture" : "cuStreamEndCapture", nullptr);
  }
}
"""


@pytest.mark.parametrize(("calls", "fails", "waits"),
                         [("llllllll", False, 3), ("bllllllll", False, 0), ("bllllellllllll", False, 3),
                          ("llllllll", True, 1), ("ellllllll", False, 3)])
def test_no_launch_waits_for_a_stream_while_one_is_captured_or_where_that_fails(calls, fails, waits, sanitizer, count, tmp_path, monkeypatch):
    (tmp_path / "captures.cpp").write_text(CAPTURES, encoding="utf-8")
    program, log = tmp_path / "captures", tmp_path / "waits"
    subprocess.run(["g++", "-std=c++20", "-o", program, tmp_path / "captures.cpp", "-ldl"], check=True, timeout=120)
    monkeypatch.setenv("FAKE_SANITIZER_WAITS", str(log))
    if fails:
        monkeypatch.setenv("FAKE_SANITIZER_WAIT_FAILS", "1")
    run = count(program, calls)
    assert sum(kernel.launches for kernel in run.patched_kernels) == calls.count("l")
    # The first launch waits, then each second one, fourth one and so on, unless a wait takes 10 ms.
    found = len(log.read_text(encoding="utf-8")) if log.exists() else 0
    assert found == waits if waits < 2 else waits <= found <= calls.count("l")


@pytest.mark.parametrize(("variable", "value", "problem"),
                         [("SYNCMETER_SANITIZER", "/nowhere/lib.so", "no libsanitizer-public.so was found"),
                          ("SYNCMETER_SANITIZER", "libm.so.6", "lacks functions of the patching API"),
                          ("FAKE_SANITIZER_FAILS", "10", "another tool uses the Compute Sanitizer"),
                          ("FAKE_SANITIZER_FAILS", "13", "does not work with this driver"),
                          ("SYNCMETER_PATCHES", "/nothing", "does not load the patches for this GPU")])
def test_where_it_cannot_be_attached_the_file_says_why(variable, value, problem, build, sanitizer, count, monkeypatch):
    monkeypatch.setenv(variable, value)
    run = count(build("cuda_calls", "g++", "-O2"))
    assert (run.done.stdout, run.done.stderr, run.patched_kernels) == ("", "", [])
    assert [text for text in run.problems if problem in text] == run.problems != []


LAYOUTS = """
#include <cstddef>
#include <sanitizer.h>
#include "probe/sanitizer.hpp"
namespace own = syncmeter::probe::sanitizer;
#define SM_SAME(record, member, of, its) static_assert(offsetof(own::record, member) == offsetof(of, its))
SM_SAME(module_data, module, Sanitizer_ResourceModuleData, module);
SM_SAME(launch_data, context, Sanitizer_LaunchData, context);
SM_SAME(launch_data, stream_handle, Sanitizer_LaunchData, hStream);
SM_SAME(launch_data, module, Sanitizer_LaunchData, module);
SM_SAME(launch_data, function, Sanitizer_LaunchData, function);
SM_SAME(launch_data, name, Sanitizer_LaunchData, functionName);
SM_SAME(launch_data, grid, Sanitizer_LaunchData, gridDim_x);
SM_SAME(launch_data, block, Sanitizer_LaunchData, blockDim_x);
SM_SAME(launch_data, launch, Sanitizer_LaunchData, hLaunch);
SM_SAME(node_launch_data, type, Sanitizer_GraphNodeLaunchData, nodeType);
SM_SAME(node_launch_data, kernel, Sanitizer_GraphNodeLaunchData, launchData);
static_assert(own::too_many_subscribers == SANITIZER_ERROR_MAX_LIMIT_REACHED);
static_assert(own::not_initialized == SANITIZER_ERROR_NOT_INITIALIZED);
static_assert(own::driver_api == SANITIZER_CB_DOMAIN_DRIVER_API && own::runtime_api == SANITIZER_CB_DOMAIN_RUNTIME_API);
static_assert(own::resources == SANITIZER_CB_DOMAIN_RESOURCE && own::launches == SANITIZER_CB_DOMAIN_LAUNCH);
static_assert(own::graphs == SANITIZER_CB_DOMAIN_GRAPHS && own::kernel_node == CU_GRAPH_NODE_TYPE_KERNEL);
static_assert(own::context_ends == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
static_assert(own::module_loaded == SANITIZER_CBID_RESOURCE_MODULE_LOADED);
static_assert(own::module_unloads == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
static_assert(own::launch_begins == SANITIZER_CBID_LAUNCH_BEGIN);
static_assert(own::node_launch_begins == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN);
static_assert(own::global_access == SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS);
static_assert(own::shared_access == SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS);
static_assert(own::remote_shared_access == SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS);
static_assert(own::barrier == SANITIZER_INSTRUCTION_BARRIER && own::barrier_object == SANITIZER_INSTRUCTION_CUDA_BARRIER);
static_assert(own::cluster_wait == SANITIZER_INSTRUCTION_CLUSTER_BARRIER_WAIT);
"""


def test_declarations_are_those_of_the_headers(tmp_path):
    nvcc = shutil.which("nvcc")
    root = pathlib.Path(nvcc).resolve().parents[1] if nvcc else pathlib.Path("/nowhere")
    folders = [root / part for part in ("include", "compute-sanitizer/include", "extras/compute-sanitizer/include")]
    if not any((folder / "sanitizer.h").exists() for folder in folders):
        pytest.skip("no headers of the Compute Sanitizer, which the CUDA Toolkit has")
    (tmp_path / "layouts.cpp").write_text(LAYOUTS, encoding="utf-8")
    subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{tables.ROOT}",
                    *[f"-isystem{folder}" for folder in folders], tmp_path / "layouts.cpp"], check=True, timeout=120)
