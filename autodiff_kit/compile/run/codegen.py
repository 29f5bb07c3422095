"""Units in their memory as a straight-line Python function.

Kernels and matrix products that follow each other are one line of it: compiled code runs down a table of them
(:mod:`autodiff_kit.kernels.native_calls`). The table says where arrays lie; whatever moves its memory writes there.
Numbers pass through cells, and lines of Python that only compute numbers give way, so that rows of units stay whole.

Arrays that the caller gives are local names, so that nothing of them is held; all else is bound once as a global of the
function: pieces of the shared memory, constants, variables, and what is given away. An array that was given away is
used again once the caller has let go of it, which counting its references tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import KINDS, VIEWS, Node, scalar
from autodiff_kit.compile.passes.fusion import Group, Step, operations
from autodiff_kit.compile.passes.kernel_source import Kernel, generate, window
from autodiff_kit.compile.passes.memory_plan import Store
from autodiff_kit.compile.run.kernel_loader import text_of
from autodiff_kit.compile.run.program import expect, expression
from autodiff_kit.compile.topological_order import root
from autodiff_kit.compile.trace.opaque_call import Call

__all__ = ["Replay"]

_WORD = 8
_CELL = 2 * _WORD


class Replay:
    """The function of a plan, in the making.

    Attributes
    ----------
    env : dict
        Globals of the function.
    kernels : list of tuple
        Name and kernel of each kernel.
    bound : dict
        Of every base that may change its memory: names that show it, and how.
    moved : dict
        Of every base that may change its memory: where its rows for ``point`` begin and end.
    """

    def __init__(self, store: Store, inputs: list[tuple[Node, str]], compiler: Callable[[str], int]) -> None:
        from autodiff_kit.kernels import native_calls, threads

        self.store, self.compiler, self.native, self.halves = store, compiler, native_calls, threads
        self.given = dict(inputs)  # node -> the local name of what the caller gives
        self.env: dict[str, Any] = {"np": np, "expect": expect, "ndarray": np.ndarray,
                                    "dot": np.dot, "matmul": np.matmul, "copyto": np.copyto,
                                    "float32": np.float32, "float64": np.float64,
                                    "play": native_calls.play}  # fmt: skip
        self.lines: list[str] = []
        self.first: list[str] = []  # views of what the caller gives
        self.kernels: list[tuple[str, Kernel]] = []
        self.bound: dict[Any, list[tuple[str, tuple[int, ...], Any, int, tuple[int, ...]]]] = {}
        self.moved: dict[Any, tuple[float, float]] = {}
        self._names: dict[Any, str] = {}
        self._units: list[tuple[int, int]] = []  # function, and where its part of the table begins
        self._said: list[str] = []  # what each is, for those who read the plan
        self._played = 0  # of which so many have their line
        self._table: list[Any] = []  # numbers, and pairs of a base and an offset in bytes
        self._cells: dict[Any, int] = {}
        self._waiting: set[Node] = set()  # numbers that nothing has asked for yet
        self._totals: dict[Node, int] = {}  # and those that units compute
        self._rooms: dict[tuple[str, str, int], int] = {}  # entries of scratch of each dtype, and of second halves
        for u in store.units:
            self._write(u)
        self._play()
        self._settle()

    def heads(self) -> list[str]:
        """What to say of it before the function, for those who read the plan."""
        return [
            f"# shared memory: {self.store.peak} bytes, {self.store.need} in use at once",
            *(
                f"# {name}: {' '.join(str(k.g.domain).split())}, {len(k.g.nodes)} operations"
                for name, k in self.kernels
            ),
        ]

    def texts(self) -> list[str]:
        """And after it: the source of each kernel, once."""
        return list(dict.fromkeys(kernel.source for _, kernel in self.kernels))

    # --------------------------------------------------------------------------------------------------------- operands
    def name(self, node: Node, rows: tuple[int, int] | None = None) -> str:
        """The name of an array in a node's memory, or of its rows as a matrix."""
        base, offset, view = self._where(node)
        shape, strides = view.shape, view.strides
        if rows is not None:
            shape, strides = rows, (rows[1] * view.itemsize, view.itemsize)
        key = (base, offset, shape, strides, view.dtype.char)
        if key not in self._names:
            self._names[key] = self._bind(base, (shape, view.dtype, offset, strides))
        return self._names[key]

    def _where(self, node: Node) -> tuple[Any, int, Any]:
        """The base of a node's memory, the offset in it, and the node's array."""
        view: Any = self.store.at(node)
        base = self.store.base(node)
        whole: Any = self.store.whole(base)
        return base, window(view)[0] - whole.__array_interface__["data"][0], view

    def _bind(self, base: Any, how: tuple[Any, ...]) -> str:
        name = f"V{len(self._names)}"
        shape, dtype, offset, strides = how
        if base[0] == "input" and base[1] in self.given:
            self.env[f"D{name}"] = dtype
            local = self.given[base[1]]
            whole = offset == 0 and shape == base[1].shape and strides == self.store.whole(base).strides
            self.first.append(
                f"{name} = {local if whole else f'ndarray({shape}, D{name}, {local}, {offset}, {strides})'}"
            )
        elif base[0] in ("arena", "const"):
            self.env[name] = np.ndarray(shape, dtype, _writable(self.store.whole(base)), offset, strides)
        else:
            self.bound.setdefault(base, []).append((name, *how))
        return name

    # ---------------------------------------------------------------------------------------------------------- numbers
    def number(self, node: Node) -> str:
        """A single number as an expression; its line stands before whatever asks for it."""
        if node.op == "const":
            if node.weak and np.isfinite(node.value):
                return repr(node.value)
            name = f"c{node.number}"
            self.env[name] = node.value if node.weak else np.reshape(node.value, ())[()]
            return name
        if node.op in VIEWS:
            return self.number(node.args[0])
        if node in self._waiting:
            self._waiting.remove(node)
            if node not in self._totals:
                self.lines.append(f"n{node.number} = {self._number(node)}")
            else:
                if self._totals[node] >= self._played:
                    self._play()
                self.lines.append(f"n{node.number} = {self._total(node)}")
        return f"n{node.number}"

    def take(self, node: Node, text: str) -> str:
        """The line that takes in a number."""
        if not node.weak:
            text = f"np.{node.dtype}({text}{'' if node.shape == () else '.item()'})"
        return f"n{node.number} = {text}"

    def python(self, node: Node) -> str:
        """A number as the kit keeps it."""
        return f"float({self.number(node)})" if node.dtype == np.float64 else self.number(node)

    def value(self, node: Node) -> str:
        """A node's value as something that the caller may keep."""
        if not scalar(node):
            return f"np.array({self.name(node)})"
        text = self.number(node)
        return text if node.weak or node.shape == () else f"np.full({node.shape}, {text}, '{node.dtype}')"

    def _number(self, n: Node) -> str:
        names = {a: self.number(a) if scalar(a) else f"np.{a.dtype}({self.name(a)}.item())" for a in n.args}
        if n.op in ("sum", "max", "min"):
            whole = n.args[0]
            return names[whole] if scalar(whole) else f"np.{n.op}({self.name(whole)}, axis=None)"
        return (
            f"{names[n.args[0]]} ** {names[n.args[1]]}"
            if n.op == "power" and n.weak
            else expression(n, names, self.env)
        )

    def _total(self, n: Node) -> str:
        """A total as units leave it: in float64, and in float32 behind it."""
        cell = self._cells[n]
        return f"S[{_CELL // 4 * cell + 2}]" if n.dtype == np.float32 else f"N[{_CELL // _WORD * cell}]"

    def _cell(self, n: Node) -> tuple[Any, int]:
        """Where units find a number."""
        while n.op in VIEWS:
            n = n.args[0]
        if n not in self._cells:
            text = self.number(n)
            self._cells[n] = len(self._cells)
            self.lines.append(f"C[{_CELL // _WORD * self._cells[n]}] = {text}")
        return ("cells", None), _CELL * self._cells[n]

    # ------------------------------------------------------------------------------------------------------------ units
    def _write(self, u: Group | Step) -> None:
        if isinstance(u, Group):
            self._write_kernel(u)
        elif not scalar(u.node):
            self._write_call(u.node)
        else:
            self._waiting.add(u.node)
            if not all(map(scalar, u.node.args)):  # it reads memory, which changes
                self._play()
                self.number(u.node)

    def _unit(self, function: int, said: str, entries: list[Any]) -> None:
        self._units.append((function, len(self._table)))
        self._table += entries
        self._said.append(said)

    def _play(self) -> None:
        """A line that runs the units which have none."""
        last = len(self._units)
        if self._played < last:
            self.lines.append(f"play(u{self._played}, u{last})  # {'; '.join(self._said[self._played :])}")
            self._played = last

    def _line(self, text: str) -> None:
        self._play()
        self.lines.append(text)

    def _write_kernel(self, g: Group) -> None:
        steps = any(self.store.homes.get(o, ("",))[0] == "state" for o in g.outs)  # one kernel for all variables
        kernel = generate(g, self.store.at, steps, self.halves.worth(operations(g)))
        name, text = f"k{len(self.kernels)}", text_of(kernel)
        self.kernels.append((name, kernel))
        numbers = [self._cell(n) for n in kernel.numbers]
        for n in kernel.totals:
            self._waiting.add(n)
            self._totals[n], self._cells[n] = len(self._units), len(self._cells)
        totals = [self._cells[n] for n in kernel.totals]
        if kernel.halves is None:
            self._unit(self.compiler(text), name, self._entries(kernel, numbers, totals))
        else:
            self._write_halves(kernel, self.compiler(text), name, numbers, totals)

    def _entries(self, kernel: Kernel, numbers: list[Any], totals: list[int], half: int = 0) -> list[Any]:
        """The part of the table that a kernel reads, or its first or second half."""
        entries: list[Any] = []
        for n in kernel.arrays:
            base, offset, view = self._where(n)
            begin, end = 0, window(view)[1]
            if kernel.halves is not None:
                begin, end = (kernel.halves[n], end) if half else (0, kernel.halves[n] if kernel.any_size else end)
            entries += [(base, offset + begin * view.itemsize), end - begin]
        entries += numbers
        if kernel.scratch:
            room = ("room", kernel.dtype.char, half)
            self._rooms[room] = max(self._rooms.get(room, 0), kernel.scratch)
            entries += [(room, 0), kernel.scratch]
        return entries + [(("cells", None), _CELL * cell) for cell in totals]

    def _write_halves(self, kernel: Kernel, function: int, name: str, numbers: list[Any], totals: list[int]) -> None:
        """A kernel that is large enough for two threads: each has half of the arrays, and totals of its own."""
        self._play()
        self.env["both"] = self.halves.both
        first, others = len(self._units), []
        for n in kernel.totals:
            others.append(len(self._cells))
            self._cells[n, "second half"] = others[-1]
        self._unit(function, name, self._entries(kernel, numbers, totals))
        self._unit(function, name, self._entries(kernel, numbers, others, half=1))
        self._played = len(self._units)
        self.lines.append(f"both(u{first}, u{first + 1}, u{first + 2})  # {name}, in two halves")
        for total, other in zip(totals, others, strict=True):
            exact, rounded = _CELL // _WORD * total, _CELL // 4 * total + 2
            self.lines += [f"C[{exact}] += C[{_CELL // _WORD * other}]", f"S[{rounded}] = C[{exact}]"]

    def _write_product(self, n: Node) -> None:
        """A product of matrices; what BLAS cannot take as it lies is left to ``np.dot``, which copies."""
        if not self._write_fast_product(n):
            flat = all(x.ndim == 2 and x.dtype == n.dtype for x in (n, *n.args)) and n.dtype.char in "fd"
            given = ", ".join(map(self._operand, n.args))
            self._line(f"{'dot' if flat else 'matmul'}({given}, {self.name(n)})")

    def _write_fast_product(self, n: Node) -> bool:
        nodes = (*n.args, n)
        if n.dtype.char not in "fd" or any(scalar(x) or x.dtype != n.dtype or x.ndim < 2 for x in nodes):
            return False
        views: list[Any] = [self.store.at(x) for x in nodes]
        views = [np.broadcast_to(view, (*n.shape[:-2], *view.shape[-2:])) for view in views]
        steps = [_step(view.shape[:-2], view.strides[:-2]) for view in views]
        if None in steps or not all(map(_for_blas, views)):
            return False
        entries: list[Any] = [self.native.product_loop(n.dtype)]
        entries += [self._where(x)[:2] for x in nodes]
        entries += [n.size // (n.shape[-1] * n.shape[-2]), n.shape[-2], n.args[0].shape[-1], n.shape[-1], *steps]
        for view in views:
            entries += view.strides[-2:]
        self._unit(self.native.PRODUCT, f"{n.args[0].shape} @ {n.args[1].shape}", entries)
        return True

    def _settle(self) -> None:
        """The tables in memory, with the addresses of all that stays where it is."""
        numbers = np.zeros(max(len(self._cells), 1) * _CELL // _WORD)
        table, units = np.zeros(len(self._table), np.int64), np.zeros((len(self._units), 2), np.int64)
        fixed: dict[Any, Any] = {("cells", None): numbers, ("arena", None): self.store.arena}
        for room, size in self._rooms.items():
            fixed[room] = np.empty(size, room[1])
        moved: dict[Any, list[tuple[int, int]]] = {}
        for k, entry in enumerate(self._table):
            if type(entry) is not tuple:
                table[k] = entry
                continue
            base, offset = entry
            if base[0] == "const" and base not in fixed:
                fixed[base] = self.store.whole(base)
            if base in fixed:
                table[k] = fixed[base].ctypes.data + offset
            else:
                moved.setdefault(base, []).append((table.ctypes.data + _WORD * k, offset))
        for k, (function, start) in enumerate(self._units):
            units[k] = function, table.ctypes.data + _WORD * start
        for k in range(len(units) + 1):
            self.env[f"u{k}"] = float(units.ctypes.data + 2 * _WORD * k)
        pointers = np.array([row for rows in moved.values() for row in rows], np.int64)
        start = pointers.ctypes.data
        for base, rows in moved.items():
            self.moved[base] = (float(start), float(start := start + 2 * _WORD * len(rows)))
        self.env |= {"C": numbers.data, "N": numbers, "S": numbers.view(np.float32)}
        self.env |= {"memory": (fixed, table, units, pointers)}

    def _operand(self, a: Node) -> str:
        if not scalar(a):
            return self.name(a)
        text = self.number(a)
        return text if a.shape == () or a.weak else f"np.reshape({text}, {a.shape})"

    def _write_call(self, n: Node) -> None:
        """A node whose value no kernel makes: most are copied to where they belong."""
        if n.op == "matmul":
            self._write_product(n)
            return
        if n.op == "call" and self._write_rows(n):
            return
        given = [f"n{a.number}" if a.dtype == object else self._operand(a) for a in n.args]
        text = expression(n, dict(zip(n.args, given, strict=True)), self.env)
        if n.dtype == object:
            self._line(f"n{n.number} = {text}")
        elif n.op == "concat":
            self._write_concat(n, given)
        elif n.op == "call":
            self._line(f"copyto({self.name(n)}, expect({text}, {n.shape}, {n.kw.name!r}))")
        elif n.op in KINDS or n.weak:
            if self.store.parts.get(root(n.args[0])) != (n, None):  # else written there in the first place
                self._line(f"copyto({self.name(n)}, {text})")
        else:
            self._line(f"np.{n.op}({', '.join(given)}, out={self.name(n)})")

    def _write_rows(self, n: Node) -> bool:
        """Sums of groups of rows, and rows by their number, as loops of our own where they fit."""
        ids, axis = _ids_of(n.kw)
        plain = isinstance(ids, np.ndarray) and ids.dtype.kind in "iu" and ids.ndim == 1 and ids.size > 0
        if not plain or len(n.args) != 1 or n.args[0].ndim != -axis:
            return False
        x = n.args[0]
        if scalar(x) or x.dtype != n.dtype or x.dtype.char not in "fd" or (ids < 0).any():
            return False
        if not all(self.store.at(a).flags.c_contiguous for a in (x, n)):  # type: ignore[union-attr]
            return False
        name = f"f{n.number}"
        self.env[name] = self._rows_of(n.kw.name == "take")
        self.env[f"i{n.number}"] = np.array(ids, np.int64)
        source, out = (self.name(a, rows=(a.shape[0], a.size // a.shape[0])) for a in (x, n))
        self._line(f"{name}({source}, i{n.number}, {out})")
        if n.kw.name == "segment_mean":
            sizes = np.maximum(np.bincount(self.env[f"i{n.number}"], minlength=n.shape[0]), 1)
            self.env[f"z{n.number}"] = sizes.astype(n.dtype)[:, None]
            self._line(f"np.divide({out}, z{n.number}, out={out})")
        return True

    def _rows_of(self, out: bool) -> Any:
        from autodiff_kit.kernels import indexed_rows

        return indexed_rows.rows_out if out else indexed_rows.rows_summed

    def _write_concat(self, n: Node, given: list[str]) -> None:
        start = 0
        for a, text in zip(n.args, given, strict=True):
            end = start + a.shape[n.kw]
            if self.store.parts.get(a) == (n, start):
                start = end
                continue  # written there in the first place
            index = ", ".join(f"{start}:{end}" if k == n.kw else ":" for k in range(n.ndim))
            self._line(f"copyto({self.name(n)}[{index}], {text})")
            start = end


def _ids_of(call: Call) -> tuple[Any, int]:
    """Numbers of rows and their axis, where a call is about such."""
    if call.function is np.take and len(call.args) == 2 and set(call.kwargs) == {"axis"}:
        return call.args[1], call.kwargs["axis"]
    if call.name in ("segment_sum", "segment_mean"):
        return call.args[-1].get("ids"), -call.args[-1]["ndim"]
    return None, 0


def _writable(array: Any) -> Any:
    """The memory of a constant, open to numba: nothing writes to it, but closed arrays are another type."""
    return array if array.flags.writeable else array.copy()


def _step(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """Bytes from one to the next where leading axes are one axis; None where they are not."""
    step, count = 0, 1
    for n, stride in zip(shape[::-1], strides[::-1], strict=True):
        if n > 1 and count == 1:
            step, count = stride, n
        elif n > 1:
            if stride != step * count:
                return None
            count *= n
    return step


def _for_blas(view: Any) -> bool:
    """Whether BLAS takes a matrix, or its transpose, as it lies."""
    (m, n), (down, along), size = view.shape[-2:], view.strides[-2:], view.itemsize
    rows = (along == size or n == 1) and (down >= n * size or m == 1)
    columns = (down == size or m == 1) and (along >= m * size or n == 1)
    return bool(rows or columns)
