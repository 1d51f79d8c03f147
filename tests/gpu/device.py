"""The CUDA driver by ctypes: plain allocations of exactly the size asked for, nothing cached, every status checked."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

BAND = 4096


class CudaError(RuntimeError):
    """A call of the driver that did not succeed."""


class Device:
    """The first GPU's primary context, which the CUDA runtime inside of kernel libraries shares."""

    def __init__(self) -> None:
        # Global, so that the kernels' libraries find the driver that is already there.
        self._driver = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)

    def check(self, name: str, *args: Any) -> None:
        status = getattr(self._driver, name)(*args)
        if status != 0:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorName(status, ctypes.byref(text))
            raise CudaError(f"{name}: {text.value.decode() if text.value else status}")

    def synchronize(self) -> None:
        self.check("cuCtxSynchronize")


class Buffer:
    """A device copy of `data` (bytes) with `band` bytes of a canary on either side; no memory at all for no bytes."""

    def __init__(self, device: Device, data: np.ndarray, band: int, canary: int) -> None:
        self._device, self._size, self._band, self._canary = device, data.size, band, canary
        self._base = ctypes.c_uint64(0)
        if data.size + band:
            whole = ctypes.c_size_t(data.size + 2 * band)
            device.check("cuMemAlloc_v2", ctypes.byref(self._base), whole)
            device.check("cuMemsetD8_v2", self._base, ctypes.c_ubyte(canary), whole)
        if data.size:
            host = np.ascontiguousarray(data)
            device.check(
                "cuMemcpyHtoD_v2", self._at(band), host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.size)
            )

    def _at(self, offset: int) -> ctypes.c_uint64:
        return ctypes.c_uint64(self._base.value + offset)

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._base.value + self._band)

    def read(self) -> np.ndarray:
        """The bytes between the bands."""
        return self._read(self._band, self._size)

    def _read(self, offset: int, size: int) -> np.ndarray:
        host = np.empty(size, np.uint8)
        if size:
            self._device.check(
                "cuMemcpyDtoH_v2", host.ctypes.data_as(ctypes.c_void_p), self._at(offset), ctypes.c_size_t(size)
            )
        return host

    def band_changed(self) -> bool:
        edges = (self._read(0, self._band), self._read(self._band + self._size, self._band))
        return any(bool((edge != self._canary).any()) for edge in edges)

    def free(self) -> None:
        if self._base.value:
            self._device.check("cuMemFree_v2", self._base)
