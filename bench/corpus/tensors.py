"""Tensors of the pretended device: on the CPU in truth, and hollow where they are large.

Scripts build inputs of gigabytes and compute references on them; none of that matters for which modules are compiled,
only shapes do, and now and then the values of small tensors (sequence lengths, block tables). So operations on small
tensors are computed, and larger ones return zeros of the shape that torch's meta device says they have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter, tree_map

COMPUTED = 1 << 18  # elements an operation may touch and still be computed
PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "convolution", "_scaled_dot_product_flash_attention_for_cpu"}
COMPUTED_PRODUCT = 1 << 14  # the same for operations whose cost grows faster than their operands
CHEAP = {"_unsafe_view", "lift_fresh", "_local_scalar_dense"}  # cost nothing, though not marked as views


class Hollow(TorchDispatchMode):  # type: ignore[misc]
    """While it is active, no tensor is on a device and no large one is computed."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {name: _here(name, value) for name, value in (kwargs or {}).items()}
        if _is_meta(args, kwargs) or func.is_view or _name(func) in CHEAP or not _is_large(func, args, kwargs):
            try:
                return func(*args, **kwargs)
            except (NotImplementedError, RuntimeError) as error:
                if "not implemented for" not in str(error):
                    raise
        if func._schema.is_mutable:
            return kwargs.get("out", args[0])
        return _hollow(func, args, kwargs)


def _name(func: Any) -> str:
    return str(func._schema.name).split("::")[-1]


def _here(name: str, value: Any) -> Any:
    if name == "device" and value is not None and torch.device(value).type == "cuda":
        return torch.device("cpu")
    return None if name == "pin_memory" else value


def _is_meta(args: Any, kwargs: Any) -> bool:
    device = kwargs.get("device")
    if device is not None and torch.device(device).type == "meta":
        return True
    return any(isinstance(leaf, torch.Tensor) and leaf.is_meta for leaf in tree_iter((args, kwargs)))


def _is_large(func: Any, args: Any, kwargs: Any) -> bool:
    tensors = [leaf for leaf in tree_iter((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    if tensors:
        limit = COMPUTED_PRODUCT if _name(func) in PRODUCTS else COMPUTED
        return sum(int(tensor.numel()) for tensor in tensors) > limit
    made = _on_meta(func, args, kwargs)
    return isinstance(made, torch.Tensor) and int(made.numel()) > COMPUTED


def _on_meta(func: Any, args: Any, kwargs: Any) -> Any:
    """What `func` returns for tensors without values; None when its shape depends on values."""
    moved = {name: value for name, value in kwargs.items() if name != "generator"}
    if "device" in moved:
        moved["device"] = torch.device("meta")
    try:
        with torch.no_grad():
            return func(*tree_map(_without_values, args), **tree_map(_without_values, moved))
    except Exception:
        return None


def _without_values(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return leaf
    return torch.empty_strided(leaf.size(), leaf.stride(), dtype=leaf.dtype, device="meta")


def _hollow(func: Any, args: Any, kwargs: Any) -> Any:
    shapes = _on_meta(func, args, kwargs)
    if shapes is None:
        return func(*args, **kwargs)
    return tree_map(lambda leaf: zeros(leaf.shape, leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf, shapes)


def zeros(shape: Any, dtype: torch.dtype) -> torch.Tensor:
    """A tensor of zeros whose memory is not touched: numpy asks the system for pages that read as zero."""
    count = 1
    for extent in shape:
        count *= int(extent)
    raw = np.zeros(max(count, 1) * dtype.itemsize, np.uint8)
    return torch.from_numpy(raw)[: count * dtype.itemsize].view(dtype).view(tuple(int(extent) for extent in shape))


def _is_device(value: Any) -> bool:
    return isinstance(value, torch.device) or (isinstance(value, str) and value.split(":")[0] in ("cpu", "cuda"))


def _moved(method: Any) -> Any:
    """`Tensor.to` for which every device is this one: torch would initialise the other."""

    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        host = torch.device("cpu")
        args = tuple(host if _is_device(arg) else arg for arg in args)
        return method(self, *args, **{name: host if name == "device" else value for name, value in kwargs.items()})

    return to


def _made_here(function: Any) -> Any:
    """`torch.tensor` and its like, which would initialise the device they are given."""

    def make(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{name: value for name, value in kwargs.items() if name != "device"})

    return make


def _always(answer: bool) -> Any:
    return lambda *_, **__: answer


def _identity(function: Any = None, *_: Any, **__: Any) -> Any:
    return function if callable(function) else lambda decorated: decorated


def disguise() -> None:
    """Tensors say that they live on the device; comparisons of results, which are hollow, always succeed."""
    real_device = torch._C.TensorBase.device.__get__
    tensor: Any = torch.Tensor
    tensor.device = property(
        lambda self: torch.device("cuda", 0) if real_device(self).type == "cpu" else real_device(self)
    )
    tensor.is_cuda = property(lambda self: real_device(self).type == "cpu")
    tensor.cuda = lambda self, *_, **__: self
    tensor.to = _moved(tensor.to)
    tensor.is_cpu = property(lambda _: False)
    for name in ("tensor", "as_tensor", "asarray"):
        setattr(torch, name, _made_here(getattr(torch, name)))
    tensor.new_tensor = _made_here(tensor.new_tensor)
    torch.set_default_device = _identity
    torch.get_default_device = lambda: torch.device("cuda", 0)
    host_generator = torch.Generator
    torch.Generator = lambda *_, **__: host_generator("cpu")
    torch.compile = _identity
    for owner, names in (
        (torch.testing, ["assert_close"]),
        (torch, ["allclose", "equal"]),
        (np.testing, ["assert_allclose", "assert_array_equal", "assert_equal", "assert_almost_equal"]),
    ):
        for name in names:
            setattr(owner, name, _always(True))
