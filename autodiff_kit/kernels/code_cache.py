"""Compile code with LLVM, and cache it on disk for all processes. Importing this module imports llvmlite.

A file is named by the hash of what it was compiled from, so that equal code shares it and no file becomes stale. The
cache folder must belong to the user and be writable by nobody else, since its files are executed. If there is no such
folder, or the disk fails, each process compiles for itself.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import stat
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numpy as np
from llvmlite import binding

from autodiff_kit.kernels import llvm_compiler, llvm_writer, shutdown

__all__ = ["cache_folder", "load_code", "python_function"]

_DIGEST_BYTES = 32
_METH_FASTCALL = 0x80
_MAX_UNROLLED = 4  # turns of a loop that LLVM may unroll completely, which it would do before it looks for vectors
_ANY_COUNT = 2**32 - 1  # LLVM's default
_addresses: dict[str, dict[str, int]] = {}
_lock = threading.RLock()
_warned: set[Path] = set()
_kept_alive: list[Any] = []


class _MethodDefinition(ctypes.Structure):
    """The C struct PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


class _Machine:
    """LLVM for this processor."""

    def __init__(self) -> None:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        # As numba does, so that an image can be prepared on another machine.
        self.cpu = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
        own = "" if self.cpu == "generic" else binding.get_host_cpu_features().flatten()
        self.features = os.environ.get("NUMBA_CPU_FEATURES", own)
        target = binding.Target.from_triple(binding.get_process_triple())
        reloc = "static" if target.name.startswith("x86") else "default"
        options: dict[str, Any] = {"cpu": self.cpu, "features": self.features, "opt": 3, "reloc": reloc, "jit": True}
        self.target, engine_target = (target.create_target_machine(**options) for _ in range(2))
        self.engine = binding.create_mcjit_compiler(binding.parse_assembly(""), engine_target)

    def optimized(self, text: str) -> Any:
        """The LLVM module of LLVM code, after LLVM's passes."""
        module = binding.parse_assembly(text)
        module.verify()  # of what is not valid, LLVM would end the process
        module.triple, module.data_layout = binding.get_process_triple(), str(self.engine.target_data)
        options = binding.create_pipeline_tuning_options()
        options.speed_level, options.loop_vectorization, options.slp_vectorization = 3, True, False
        passes = binding.create_pass_builder(self.target, options)
        with _few_unrolled_turns():
            passes.getModulePassManager().run(module, passes)
        return module


@contextmanager
def _few_unrolled_turns() -> Iterator[None]:
    """A block in which LLVM unrolls only loops of few turns completely.

    LLVM has this option for the process alone, not for a module, and cannot be asked for its value: numba's compiler,
    which may run in another thread, waits for the end of the block, and afterwards the option has LLVM's default.
    """
    numbas_lock = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
    with numbas_lock or nullcontext():
        binding.set_option("autodiff_kit", f"-unroll-full-max-count={_MAX_UNROLLED}")
        try:
            yield
        finally:
            binding.set_option("autodiff_kit", f"-unroll-full-max-count={_ANY_COUNT}")


_machine = functools.cache(_Machine)


@functools.cache
def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


@functools.cache
def _functions(module: ModuleType) -> dict[str, Any]:
    return llvm_compiler.parse_functions(_source(module), vars(module))


@functools.cache
def _environment(modules: tuple[ModuleType, ...]) -> str:
    """The hash of all on which code depends, besides its own text."""
    sources = [_source(module) for module in (llvm_compiler, llvm_writer, sys.modules[__name__], *modules)]
    head = str(object.__basicsize__)  # the layout of Python's objects, which a free-threaded Python has different
    texts = [llvmlite.__version__, np.__version__, head, _machine().cpu, _machine().features, *sources]
    return hashlib.sha256(chr(0).join(texts).encode()).hexdigest()


def load_code(
    text: str,
    namespace: dict[str, Any],
    modules: Sequence[ModuleType],
    names: Sequence[str],
    *,
    python: bool = False,
    interleave_count: int = 0,
) -> dict[str, int]:
    """The addresses of compiled functions.

    Parameters
    ----------
    text, namespace : str, dict
        Functions, and the global names that they see.
    modules : sequence of modules
        Modules with further functions that may be called.
    names : sequence of str
        The functions to be compiled.
    python, interleave_count : bool, int
        See :func:`autodiff_kit.kernels.llvm_compiler.llvm_module`.
    """

    def compiled() -> bytes:
        shutdown.check_running()
        functions = {k: f for module in modules for k, f in _functions(module).items()}
        functions |= llvm_compiler.parse_functions(text, namespace)
        module = _machine().optimized(llvm_compiler.llvm_module(functions, symbols, python, interleave_count))
        code: bytes = _machine().target.emit_object(module)
        return code

    with _lock:
        key = chr(0).join([_environment(tuple(modules)), text, *names, str((python, interleave_count))])
        name = f"autodiff_kit_{hashlib.sha256(key.encode()).hexdigest()[:24]}"
        symbols = {function: f"{name}_{function}" for function in names}
        if name not in _addresses:
            engine = _machine().engine
            engine.add_object_file(binding.ObjectFileRef.from_data(_cached(name, compiled)))
            engine.finalize_object()
            _addresses[name] = {k: engine.get_function_address(symbol) for k, symbol in symbols.items()}
        return _addresses[name]


def _cached(name: str, compiled: Callable[[], bytes]) -> bytes:
    """The content of a file of the cache, behind its hash; compiled and written if it is missing or damaged."""
    folder = cache_folder()
    path = folder and folder / f"{name}.o"
    with suppress(OSError):
        if path:
            content = path.read_bytes()
            if hashlib.sha256(content[_DIGEST_BYTES:]).digest() == content[:_DIGEST_BYTES]:
                return content[_DIGEST_BYTES:]
    code = compiled()
    with suppress(OSError):  # a full disk
        if path:
            part = path.with_name(f"{name}.{os.getpid()}.{threading.get_ident()}.part")
            part.write_bytes(hashlib.sha256(code).digest() + code)
            part.replace(path)
    return code


def python_function(address: int) -> Callable[..., Any]:
    """The Python function of an address in the convention ``METH_FASTCALL``."""
    _kept_alive.append(_MethodDefinition(b"native", address, _METH_FASTCALL, None))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    function: Callable[..., Any] = make(ctypes.addressof(_kept_alive[-1]), None, None)
    return function


def cache_folder() -> Path | None:
    """``AUTODIFF_KIT_CACHE``, or a folder in the user's cache folder; None if others may write to it."""
    named = os.environ.get("AUTODIFF_KIT_CACHE")
    try:
        home = Path(named or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff_kit")
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_writable_only_by_user(home) or not os.access(home, os.W_OK):
            if home not in _warned:
                _warned.add(home)
                warnings.warn(
                    f"compiled kernels are not kept in {home}: other users may write to it, or this one may not. "
                    "This process compiles them anew; set AUTODIFF_KIT_CACHE to a folder of your own (chmod 700).",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return None
    except (OSError, RuntimeError):  # such as a user without a home
        return None
    return home


def _is_writable_only_by_user(place: Path) -> bool:
    """Whether no other user may write to a folder."""
    if os.name != "posix":
        return True
    found = place.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
