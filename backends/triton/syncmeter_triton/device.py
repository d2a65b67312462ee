"""CUDA's driver API by its C functions, as far as a worker needs it: Triton compiles, this loads and
launches. Neither a C compiler nor torch is needed, which Triton's own launcher takes."""

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p


class NoDevice(Exception):
    """Why nothing can run here."""


class DriverError(Exception):
    """A call that failed; the context may be lost with it."""


ATTRIBUTES = {"multiprocessors": 16, "max_threads_per_block": 1, "max_threads_per_multiprocessor": 39,
              "max_blocks_per_multiprocessor": 106, "warp_size": 10, "l2_bytes": 38, "major": 75, "minor": 76}


class Driver:
    """The loaded library, initialized. `call` takes a function's name without its cu."""

    def __init__(self):
        try:
            self._library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoDevice(f"no CUDA driver: {error}") from error
        try:
            self.call("Init", 0)
            count = c_int()
            self.call("DeviceGetCount", byref(count))
        except DriverError as error:
            raise NoDevice(str(error)) from error
        if count.value == 0:
            raise NoDevice("no CUDA device")
        self.count = count.value

    def call(self, function, *arguments):
        code = getattr(self._library, "cu" + function)(*arguments)
        if code != 0:
            text = c_char_p()
            self._library.cuGetErrorString(code, byref(text))
            raise DriverError(f"cu{function}: {(text.value or b'error %d' % code).decode()}")

    def facts(self, index):
        """As the worker protocol lists a GPU."""
        found = {"index": index}
        name, memory, uuid, value = ctypes.create_string_buffer(256), c_size_t(), (ctypes.c_ubyte * 16)(), c_int()
        self.call("DeviceGetName", name, 256, index)
        self.call("DeviceTotalMem_v2", byref(memory), index)
        self.call("DeviceGetUuid", uuid, index)
        for fact, attribute in ATTRIBUTES.items():
            self.call("DeviceGetAttribute", byref(value), attribute, index)
            found[fact] = value.value
        digits = bytes(uuid).hex()
        found |= {"name": name.value.decode(), "memory_bytes": memory.value,
                  "uuid": "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))}
        found["compute_capability"] = f"{found.pop('major')}.{found.pop('minor')}"
        return found


class Device:
    """One GPU with its primary context, which is this thread's from now on."""

    def __init__(self, driver, index):
        self.facts = driver.facts(index)
        self._call = driver.call
        context = c_void_p()
        self._call("DevicePrimaryCtxRetain", byref(context), index)
        self._call("CtxSetCurrent", context)
        self._memory = {}

    @property
    def compute_capability(self):
        return int(self.facts["compute_capability"].replace(".", ""))

    def memory(self, use, size):
        """The address of at least so many bytes, which stay for this use."""
        address, there = self._memory.get(use, (None, 0))
        if there < size:
            if address is not None:
                self._call("MemFree_v2", address)
            address = c_uint64()
            self._call("MemAlloc_v2", byref(address), c_size_t(size))
            self._memory[use] = address, size
        return address.value

    def load(self, cubin, name):
        module, function = c_void_p(), c_void_p()
        self._call("ModuleLoadData", byref(module), cubin)
        self._call("ModuleGetFunction", byref(function), module, name.encode())
        return function

    def resident_blocks(self, function, threads, shared_bytes):
        blocks = c_int()
        self._call("OccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), function, threads,
                   c_size_t(shared_bytes))
        return blocks.value * self.facts["multiprocessors"]

    def write(self, address, data):
        self._call("MemcpyHtoD_v2", c_uint64(address), data, c_size_t(len(data)))

    def read(self, address, size):
        data = bytearray(size)
        self._call("MemcpyDtoH_v2", (ctypes.c_char * size).from_buffer(data), c_uint64(address), c_size_t(size))
        return data

    def launch(self, function, blocks, threads, shared_bytes, arguments):
        """`arguments` are values of ctypes, in the kernel's order."""
        pointers = (c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        self._call("LaunchKernel", function, c_uint(blocks), 1, 1, c_uint(threads), 1, 1, c_uint(shared_bytes), None,
                   pointers, None)

    def wait(self):
        """Until all is done."""
        self._call("CtxSynchronize")
