"""Rules under and over networks of torch: weights are Parameters, values of facts are tensors, gradients go to both.

>>> import pytest
>>> torch = pytest.importorskip("torch")
>>> import lrnn.torch
>>> rules = lrnn.torch.Module("w[T] :: toxic :- element(A, T), charge(A).", inputs={"charge": 1})
>>> data = lrnn.Dataset()
>>> data.add([("element", 1, "c"), ("element", 2, "o"), ("charge", 1), ("charge", 2)], query="toxic")
>>> bound = rules.ground(data)
>>> charges = torch.tensor([0.3, 0.8], requires_grad=True)
>>> bound(charge=charges)["toxic"].sum().backward()
>>> charges.grad.shape, rules.weights["w"].grad.shape
(torch.Size([2]), torch.Size([2]))
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError
from lrnn.model import Model
from lrnn.template import Template, as_template

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError("lrnn.torch needs torch: pip install 'lrnn[torch]'") from error

if TYPE_CHECKING:
    from lrnn.dataset import Dataset

__all__ = ["Bound", "Module", "enlarge"]


class _Pass(torch.autograd.Function):
    """From all numbers to the values of all queries, with a tape for the way back."""

    @staticmethod
    def forward(ctx: Any, numbers: Tensor, function: _lrnn.NetworkFunction, outside: float) -> Tensor:
        keep = ctx.needs_input_grad[0]
        is_double = numbers.dtype == torch.float64
        values, ctx.tape = function.forward(_bytes(numbers), is_double, outside, keep)
        return _tensor(values, numbers.dtype)

    @staticmethod
    def backward(ctx: Any, by_values: Tensor) -> tuple[Tensor, None, None]:
        if torch.is_grad_enabled():
            raise UsageError("rules have no second derivatives", help="leave create_graph=True away")
        return _tensor(ctx.tape.gradient(_bytes(by_values)), by_values.dtype), None, None


def _bytes(numbers: Tensor) -> bytes:
    found: bytes = numbers.detach().contiguous().numpy().tobytes()
    return found


def _tensor(numbers: bytearray, dtype: torch.dtype) -> Tensor:
    # An empty buffer is not taken.
    return torch.frombuffer(numbers, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)


def _shape(rows: int, columns: int) -> tuple[int, ...]:
    """Returns the shape of a value as torch has it: a number has none."""
    return (rows, columns) if columns != 1 else (rows,) if rows != 1 else ()


def _key(name: str) -> str:
    """Returns the name of a weight as torch takes it: a full stop separates modules."""
    return name.replace("%", "%25").replace(".", "%2E")


class Module(nn.Module):
    """A template whose weights are Parameters: one for each weight, ``weights["w"]``, with a row for each index,
    in the order of ``indices["w"]``; a weight without a name is called by its place, ``rule 3``.

    `inputs` names the predicates, with their numbers of terms, whose facts get their values from tensors. Weights start
    where :func:`lrnn.fit` with the same seed starts them, or as `from_model` has them.
    """

    def __init__(
        self,
        template: Template | str | os.PathLike[str],
        inputs: Mapping[str, int] | None = None,
        *,
        from_model: Model | None = None,
        seed: int = 0,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.template = as_template(template)
        self.inputs: dict[str, int] = dict(inputs or {})
        self.seed = seed
        self.indices: dict[str, list[str]] = {}
        """The index of each row of the indexed weights."""
        self.weights = nn.ParameterDict()
        self._untouched: dict[str, Tensor] = {}
        dtype = torch.get_default_dtype() if dtype is None else dtype
        for name, shape, is_indexed, learns in _lrnn.template_weights(self.template._inner):
            if not learns:
                continue
            rows = (0,) if is_indexed else ()
            self.weights[_key(name)] = nn.Parameter(torch.zeros((*rows, *_shape(*shape)), dtype=dtype))
            if is_indexed:
                self.indices[name] = []
            else:
                # Where a weight starts depends on what it feeds, so it is set when data is there.
                self._untouched[name] = self.weights[_key(name)].detach().clone()
        if from_model is not None:
            self._begin(from_model)

    def _begin(self, model: Model) -> None:
        rows, numbers = model._inner.weights()
        values = np.frombuffer(numbers, dtype="<f8")
        at = 0
        for name, index, height, width in rows:
            value = values[at : at + height * width]
            at += height * width
            if _key(name) not in self.weights:
                raise UsageError(f"the template has no weight {name} that learns, which the model has")
            self._place({(name, index): (_shape(height, width), value)}, overwrite=True)

    def _place(
        self, starts: Mapping[tuple[str, str], tuple[tuple[int, ...], Any]], overwrite: bool = False
    ) -> None:
        """Gives weights that are new their start; the Parameters stay the same objects."""
        added: dict[str, list[Any]] = {}
        for (name, index), (shape, value) in starts.items():
            parameter = self.weights[_key(name)]
            start = torch.tensor(value, dtype=parameter.dtype).reshape(shape)
            if name in self.indices:
                if index not in self._rows(name):
                    self.indices[name].append(index)
                    added.setdefault(name, []).append(start)
            elif overwrite or self._is_untouched(name, parameter):
                parameter.data = start.to(parameter.device)
            elif parameter.shape != start.shape:
                raise UsageError(
                    f"weight {name} has the shape {tuple(parameter.shape)}, and {tuple(start.shape)} with this data",
                    help="make a module for each shape of the data",
                )
            if name not in self.indices:
                self._untouched.pop(name, None)
        for name, rows in added.items():
            parameter = self.weights[_key(name)]
            parameter.data = torch.cat([parameter.detach(), torch.stack(rows).to(parameter)])
            parameter.grad = None

    def _rows(self, name: str) -> dict[str, int]:
        return {index: row for row, index in enumerate(self.indices[name])}

    def _is_untouched(self, name: str, parameter: Tensor) -> bool:
        start = self._untouched.get(name)
        return start is not None and torch.equal(parameter.detach().to(start), start)

    def ground(
        self,
        dataset: Dataset,
        *,
        unentailed: float = 0.0,
        threads: int | None = None,
        max_ground_rules: int | None = None,
        max_ground_rules_total: int | None = None,
    ) -> Bound:
        """Unfolds the rules with examples, once; what comes back is called with tensors, as often as needed. Values
        of an index that are new enlarge the table of their weight. Queries outside the model have the value
        `unentailed` and no gradient, and a warning says so."""
        most = (max_ground_rules, max_ground_rules_total)
        function = _lrnn.NetworkFunction(
            self.template._inner, dataset._inner, list(self.inputs.items()), most, threads
        )
        return Bound(self, function, unentailed)

    def forward(self, dataset: Dataset, **tensors: Tensor) -> dict[str, Tensor]:
        """Grounds and computes in one go, for data that is met once."""
        values: dict[str, Tensor] = self.ground(dataset)(**tensors)
        return values

    def get_extra_state(self) -> dict[str, list[str]]:
        """Returns the index of each row, which is part of the state."""
        return {name: list(rows) for name, rows in self.indices.items()}

    def set_extra_state(self, state: Any) -> None:
        """Does nothing: the rows were matched before the weights were read."""

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Matches the rows of tables by their index: loaded rows go where their index is, or are added."""
        indices = state_dict.get(f"{prefix}_extra_state") or {}
        for name in dict.fromkeys([*self.indices, *self._untouched]):
            key = f"{prefix}weights.{_key(name)}"
            loaded = state_dict.get(key)
            if loaded is None:
                continue
            parameter = self.weights[_key(name)]
            if name not in self.indices:
                if parameter.shape != loaded.shape and self._is_untouched(name, parameter):
                    parameter.data = torch.zeros_like(loaded, dtype=parameter.dtype)
                self._untouched.pop(name, None)
                continue
            own = indices.get(name, [])
            if len(own) != len(loaded):
                raise UsageError(f"the state has {len(loaded)} rows of weight {name} and {len(own)} indices")
            self._place({(name, index): (tuple(row.shape), row.tolist()) for index, row in zip(own, loaded)})
            rows = self._rows(name)
            whole = parameter.detach().to(loaded.dtype).clone()
            if own:
                whole[torch.tensor([rows[index] for index in own])] = loaded.to(whole.device)
            state_dict[key] = whole
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def extra_repr(self) -> str:
        """Returns what torch prints between the brackets."""
        inputs = ", ".join(f"{name}/{arity}" for name, arity in self.inputs.items())
        return f"{self.template!r}, inputs {inputs or 'none'}"


class Query(NamedTuple):
    """A query whose value comes out."""

    example: int
    atom: str
    in_model: bool


class Bound(nn.Module):
    """A module grounded with data. Called with a tensor for each input, it returns the values of the queries by
    predicate: ``bound(digit=probabilities)["sum"]``.

    The numbers of a tensor, row after row, are the values of the facts in the order of the data, as ``facts["digit"]``
    lists them; its shape does not matter. An input that is not given has its values from the data. The first dimension
    of what comes out is that of ``queries["sum"]``.
    """

    rules: Module

    def __init__(self, rules: Module, function: _lrnn.NetworkFunction, unentailed: float) -> None:
        super().__init__()
        self.rules = rules
        self.unentailed = unentailed
        self._function = function
        self._start = torch.from_numpy(np.frombuffer(function.start(rules.seed), dtype="<f8").copy())
        weights = function.weights()
        learned = [it for it in weights if it[4]]
        size = {it[0]: it[2][0] * it[2][1] for it in weights}
        rules._place({
            (name, index): (_shape(*shape), self._start[place : place + size[name]].tolist())
            for name, index, shape, place, _ in learned
        })
        self._names = list(dict.fromkeys(it[0] for it in learned))
        self._places = [_ranges([it[3] for it in learned if it[0] == name], size[name]) for name in self._names]
        self._rows = [self._rows_of(name, learned) for name in self._names]
        self._inputs = {
            name: (_shape(*shape), torch.tensor(places, dtype=torch.long))
            for name, (shape, places) in zip(rules.inputs, function.inputs())
        }
        self._outputs: dict[str, tuple[tuple[int, ...], Tensor]] = {}
        self.queries: dict[str, list[Query]] = {}
        """The queries by predicate, in the order of the values that come out."""
        self._arrange(function.queries())

    def _rows_of(self, name: str, learned: list[Any]) -> Tensor | None:
        if name not in self.rules.indices:
            return None
        rows = self.rules._rows(name)
        return torch.tensor([rows[it[1]] for it in learned if it[0] == name], dtype=torch.long)

    def _arrange(self, queries: list[tuple[str, str, int, tuple[int, int], bool]]) -> None:
        names = dict.fromkeys(query[0] for query in queries)
        short = [name.rsplit("/", 1)[0] for name in names]
        called = {name: own if short.count(own) == 1 else name for name, own in zip(names, short)}
        firsts: dict[str, list[int]] = {}
        shapes: dict[str, tuple[int, int]] = {}
        at = outside = 0
        for predicate, atom, example, shape, in_model in queries:
            name = called[predicate]
            firsts.setdefault(name, []).append(at)
            shapes[name] = shape
            self.queries.setdefault(name, []).append(Query(example, atom, in_model))
            at += shape[0] * shape[1]
            outside += not in_model
        for name, (height, width) in shapes.items():
            self._outputs[name] = (_shape(height, width), _ranges(firsts[name], height * width))
        for text in self._function.warnings():
            warnings.warn(text, stacklevel=4)
        if not queries:
            raise UsageError("the data has no queries", help="data.add(facts, query=\"active\") asks for a value")
        if outside:
            first = next(atom for _, atom, _, _, in_model in queries if not in_model)
            warnings.warn(
                f"{outside} of {len(queries)} queries follow from no rule, the first of them {first}: "
                f"their value is {self.unentailed}, without a gradient",
                stacklevel=4,
            )

    @property
    def facts(self) -> dict[str, list[tuple[int, tuple[Any, ...]]]]:
        """The facts of each input in the order of its values, each with the number of its example."""
        return {name: self._function.facts(number) for number, name in enumerate(self._inputs)}

    def forward(self, **tensors: Tensor) -> dict[str, Tensor]:
        """Returns the values of the queries by predicate."""
        dtype = self._dtype(tensors)
        numbers = self._start.to(dtype)
        for name, places, rows in zip(self._names, self._places, self._rows):
            parameter = self.rules.weights[_key(name)]
            _check_device(f"weight {name}", parameter)
            table = parameter if rows is None else parameter[rows]
            numbers = numbers.index_copy(0, places, table.to(dtype).reshape(-1))
        for name, tensor in tensors.items():
            shape, places = self._inputs[name]
            size = int(np.prod(shape, dtype=int))
            if tensor.numel() != len(places) * size:
                each = f" of {size} numbers" if size > 1 else ""
                raise UsageError(
                    f"the tensor {name} has the shape {tuple(tensor.shape)} for {len(places)} facts{each}",
                    help=f"bound.facts[{name!r}] lists the facts in the order of their values",
                )
            values = tensor.to(dtype).reshape(len(places), size)
            used = places >= 0
            if not used.all():
                places, values = places[used], values[used]
            where = (places[:, None] + torch.arange(size)).reshape(-1)
            numbers = numbers.index_copy(0, where, values.reshape(-1))
        values = _Pass.apply(numbers, self._function, self.unentailed)
        return {
            name: values[places].reshape(len(self.queries[name]), *shape)
            for name, (shape, places) in self._outputs.items()
        }

    def _dtype(self, tensors: Mapping[str, Tensor]) -> torch.dtype:
        """Returns the type to compute with: that of the tensors, else that of the weights."""
        unknown = next((name for name in tensors if name not in self._inputs), None)
        if unknown is not None:
            names = ", ".join(self._inputs) or "none"
            raise UsageError(f"{unknown} is no input", help=f"the inputs are {names}; Module(inputs=...) names them")
        for name, tensor in tensors.items():
            _check_device(f"the tensor {name}", tensor)
            if tensor.dtype not in (torch.float32, torch.float64):
                raise UsageError(
                    f"the tensor {name} is of {tensor.dtype}: rules are computed in float32 or float64",
                    help="tensor.float() converts it",
                )
        given = {tensor.dtype for tensor in tensors.values()} or {
            parameter.dtype for parameter in self.rules.weights.values()
        }
        return torch.float64 if torch.float64 in given else torch.float32

    def model(self, loss: str = "squared") -> Model:
        """Returns the weights as a model, which predicts, explains and is saved as any other; `loss` says what its
        values mean."""
        numbers = self._start.clone()
        for name, places, rows in zip(self._names, self._places, self._rows):
            parameter = self.rules.weights[_key(name)].detach().cpu()
            table = parameter if rows is None else parameter[rows]
            numbers[places] = table.to(numbers).reshape(-1)
        is_double = any(it.dtype == torch.float64 for it in self.rules.weights.values())
        return Model(self._function.model(numbers.numpy().astype("<f8").tobytes(), is_double, loss))


def _ranges(firsts: list[int], size: int) -> Tensor:
    """Returns the numbers from each first on."""
    return (torch.tensor(firsts, dtype=torch.long)[:, None] + torch.arange(size)).reshape(-1)


def _check_device(name: str, tensor: Tensor) -> None:
    if tensor.device.type != "cpu":
        raise UsageError(
            f"{name} is on {tensor.device}: rules are computed on the processor",
            help="tensor.cpu() brings it there, and gradients go back to where it came from",
        )


def enlarge(optimizer: torch.optim.Optimizer) -> None:
    """Gives an optimizer that has made steps room for the rows that grounding added: they begin with zeros."""
    for parameter, state in optimizer.state.items():
        for name, memory in state.items():
            if not isinstance(memory, Tensor) or memory.ndim != parameter.ndim or memory.ndim == 0:
                continue
            missing = len(parameter) - len(memory)
            if missing > 0 and memory.shape[1:] == parameter.shape[1:]:
                state[name] = torch.cat([memory, memory.new_zeros(missing, *memory.shape[1:])])


