"""Data: examples as facts, with queries and their targets."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lrnn._errors import Diagnostic
    from lrnn.template import Template

Atom = Union[str, tuple[Any, ...], list[Any]]
"""A fact or query: ``("bond", 1, 2)``, with a value or target first ``(0.3, "charge", 1)``."""


class Columns:
    """The facts or queries of one predicate, column by column: a column for each term, and, where there are,
    the value or target of each row and the number of its example."""

    __slots__ = ("example", "terms", "values")

    def __init__(self, *terms: Any, values: Any = None, example: Any = None) -> None:
        self.terms = terms
        self.values = values
        self.example = example


def Values(values: Any, *terms: Any, example: Any = None) -> Columns:
    """Columns with values: one number, vector or matrix for each row."""
    return Columns(*terms, values=values, example=example)


class Dataset:
    """Examples with their queries.

    >>> from lrnn import Template
    >>> data = Dataset(Template("w[T] :: toxic :- element(A, T)."))
    >>> data.add([("element", 1, "c"), ("element", 2, "o")], query=(1.0, "toxic"))
    >>> data
    Dataset(1 example, 2 facts, 1 query)
    """

    __slots__ = ("_inner", "_told")

    def __init__(self, template: Template | None = None) -> None:
        """Begins data, for a template if that is known."""
        self._inner = _lrnn.Dataset(_inner_of(template))
        self._told: list[Diagnostic] = []

    @classmethod
    def _of(cls, inner: _lrnn.Dataset) -> Dataset:
        dataset = cls.__new__(cls)
        dataset._inner = inner
        dataset._told = []
        return dataset

    @classmethod
    def read(cls, path: str | os.PathLike[str], template: Template | None = None) -> Dataset:
        """Reads a file or a folder of data in any layout that the command reads. Types that a ``signature.txt``
        names become facts where the template speaks of them."""
        return cls._of(_lrnn.Dataset.read(os.fspath(path), _inner_of(template)))

    @classmethod
    def parse(
        cls,
        examples: str,
        queries: str | None = None,
        template: Template | None = None,
        *,
        one: bool | None = None,
    ) -> Dataset:
        """Reads data from text. With ``one``, all sentences together are one example; without, each sentence is
        one, unless every sentence is a single fact."""
        return cls._of(_lrnn.Dataset.parse(examples, queries, one, _inner_of(template)))

    @classmethod
    def from_columns(
        cls,
        facts: Mapping[str, Any],
        queries: Mapping[str, Any] | None = None,
        *,
        template: Template | None = None,
        examples: int | None = None,
        names: Iterable[str] | None = None,
    ) -> Dataset:
        """Builds data from columns: numpy arrays, lists, and whatever hands out Arrow data, as pandas, polars,
        pyarrow and DuckDB do. A predicate has a list of columns, one for each term; :class:`Columns` or
        :func:`Values` with values and the example of each row; or a whole table, whose columns are the terms."""
        data = cls(template)
        count = 1 if examples is None else examples
        for is_query, tables in ((False, facts), (True, queries or {})):
            for predicate, given in tables.items():
                count = max(count, data._add_table(predicate, given, is_query))
        data._inner.reach(count)
        if names is not None:
            data._inner.set_names([str(name) for name in names])
        data._inner.build()
        return data

    def _add_table(self, predicate: str, given: Any, is_query: bool) -> int:
        """Adds the columns of a predicate, and returns how many examples they speak of."""
        if not isinstance(given, (Columns, list, tuple)) and _is_table(given) and not is_query:
            self._inner.add_table(predicate, _arrow_or(given, lambda: given))
            return 1
        columns = given if isinstance(given, Columns) else Columns(*given)
        example = None if columns.example is None else _whole_numbers(columns.example, predicate)
        terms = [_column(term, predicate) for term in columns.terms]
        values = None if columns.values is None else _values(columns.values)
        rows = 1 if values is None and example is None else 0
        self._inner.add_columns(
            predicate, terms, values, None if example is None else example.tobytes(), rows, is_query
        )
        return 0 if example is None or len(example) == 0 else int(example.max()) + 1

    @classmethod
    def from_tables(
        cls,
        mapping: str | os.PathLike[str],
        tables: Mapping[str, Any] | None = None,
        *,
        template: Template | None = None,
        labels: bool = True,
    ) -> Dataset:
        """Builds data from tables by a mapping, a file or its text: one line a relation, columns by name. A table is
        whatever hands out Arrow data (pandas, polars, pyarrow, a relation of DuckDB) or a dictionary of columns; those
        that are not given are read from where the mapping says. Without `labels`, labels may be NULL or not be there,
        and every row of the example table is an example.

        What the mapping learns (`scale`, `bins`), :func:`lrnn.fit` learns from the training examples alone.
        :meth:`preview` tells what became of every row, and `notes` what to look at.
        """
        return read_tables(mapping, tables or {}, labels=labels, template=template)[0]

    @classmethod
    def from_triples(
        cls,
        triples: Any,
        queries: Any = None,
        *,
        template: Template | None = None,
    ) -> Dataset:
        """Builds one example from triples of head, relation, tail: a table of three columns, or a list of tuples.
        Each relation becomes a predicate. The queries are triples as well, with a target in front or without."""
        rows = _triples(triples)
        facts: dict[str, tuple[list[Any], list[Any]]] = {}
        for head, relation, tail in rows:
            heads, tails = facts.setdefault(str(relation), ([], []))
            heads.append(head)
            tails.append(tail)
        data = cls.from_columns({name: list(both) for name, both in facts.items()}, template=template)
        if queries is None:
            return data
        asked: list[Atom] = []
        for row in _rows(queries):
            *target, head, relation, tail = row
            asked.append((*target, str(relation), head, tail))
        return data.with_queries([asked])

    @classmethod
    def from_networkx(
        cls,
        graphs: Iterable[Any],
        y: Iterable[Any] | None = None,
        *,
        query: str = "active",
        template: Template | None = None,
    ) -> Dataset:
        """Builds an example from each graph of networkx: ``node(N)``, ``edge(U, V)``, both ways where the graph has no
        directions, and a fact for each attribute: a number or vector is its value, anything else its last term.
        With `y`, each graph has the query with its target."""
        every = list(graphs)
        targets = [None] * len(every) if y is None else list(y)
        if len(targets) != len(every):
            raise UsageError(f"there are {len(targets)} targets for {len(every)} graphs")
        data = cls(template)
        for graph, target in zip(every, targets):
            facts: list[Atom] = []
            for node, attributes in graph.nodes(data=True):
                facts.append(("node", _name(node)))
                facts.extend(_attribute(name, value, _name(node)) for name, value in attributes.items())
            for head, tail, attributes in graph.edges(data=True):
                ways = {(_name(head), _name(tail)): None}
                if not graph.is_directed():
                    ways[(_name(tail), _name(head))] = None
                for ends in ways:
                    facts.append(("edge", *ends))
                    facts.extend(_attribute(name, value, *ends) for name, value in attributes.items())
            data.add(facts, None if target is None else (float(target), query), name=str(graph.name or ""))
        return data

    @classmethod
    def from_pyg(
        cls, graphs: Iterable[Any], *, query: str = "y", template: Template | None = None
    ) -> Dataset:
        """Builds an example from each graph of PyTorch Geometric: ``edge(I, J)`` for each column of ``edge_index``, the
        vectors ``x(I)`` and ``edge_attr(I, J)``. Its ``y`` is a target of the graph, or, where there are as many as
        nodes, of each node."""
        data = cls(template)
        for graph in graphs:
            ends = _array(graph.edge_index).astype(int).T.tolist()
            facts: list[Atom] = [("edge", head, tail) for head, tail in ends]
            x = getattr(graph, "x", None)
            if x is not None:
                facts += [(row, "x", node) for node, row in enumerate(_array(x).astype(float).tolist())]
            attributes = getattr(graph, "edge_attr", None)
            if attributes is not None:
                rows = _array(attributes).astype(float).tolist()
                facts += [(row, "edge_attr", head, tail) for row, (head, tail) in zip(rows, ends)]
            y = getattr(graph, "y", None)
            data.add(facts, None if y is None else _pyg_queries(_array(y), x, query))
        return data

    def add(
        self,
        facts: Iterable[Atom],
        query: Atom | list[Atom] | None = None,
        *,
        name: str = "",
    ) -> None:
        """Adds an example: a list of facts, and a query or a list of queries, with targets or without. Where
        something is wrong with it, it is not added, and the error says which fact it is."""
        self._inner.add(facts, _queries(query), name)

    def with_queries(self, queries: Sequence[Atom | list[Atom] | None]) -> Dataset:
        """Returns the same examples with other queries: one entry for each example."""
        if len(queries) != len(self):
            raise UsageError(f"there are {len(queries)} entries of queries for {len(self)} examples")
        return Dataset._of(self._inner.with_queries([_queries(query) for query in queries]))

    def with_weights(self, weights: Any) -> Dataset:
        """Returns the same examples with other weights in learning, one for each example."""
        numbers = np.ascontiguousarray(weights, dtype="<f8")
        if numbers.shape != (len(self),):
            raise UsageError(f"there are weights of shape {numbers.shape} for {len(self)} examples")
        if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            raise UsageError("the weight of an example is a finite number from 0")
        return Dataset._of(self._inner.with_weights(numbers.tobytes()))

    def __len__(self) -> int:
        return len(self._inner)

    def __getitem__(self, rows: Any) -> Dataset:
        """Returns some examples, which share their facts with these: a number, a slice, numbers or a mask."""
        count = len(self)
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # as scikit-learn cuts whatever has a shape
        if isinstance(rows, slice):
            chosen = list(range(*rows.indices(count)))
        else:
            index = np.asarray(rows)
            if index.dtype == bool and index.shape != (count,):
                raise IndexError(f"a mask of {index.shape} for {count} examples")
            if index.size == 0:
                index = index.astype(np.int64)
            chosen = np.atleast_1d(np.arange(count)[index]).tolist()
        return Dataset._of(self._inner.select(chosen))

    def __iter__(self) -> Iterator[Dataset]:
        return (self[number] for number in range(len(self)))

    @property
    def shape(self) -> tuple[int]:
        """The number of examples, as arrays have it."""
        return (len(self),)

    @property
    def names(self) -> list[str]:
        """The name of each example, or its number."""
        return self._inner.names()

    @property
    def queries(self) -> list[list[str]]:
        """The queries of each example, as text."""
        return self._inner.queries()

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much each example counts in learning."""
        return np.frombuffer(self._inner.weights(), dtype="<f8")

    @property
    def y(self) -> NDArray[np.float64]:
        """The targets: one number for each example, or a row of as many as all have. A query without a target is
        not a number."""
        counts, sizes, numbers = self._inner.targets()
        every = np.frombuffer(numbers, dtype="<f8")
        width = len(every) // len(counts) if counts else 1
        bounds = np.concatenate([[0], np.cumsum(sizes)])[np.concatenate([[0], np.cumsum(counts)]).astype(int)]
        if not (np.diff(bounds) == width).all():
            raise UsageError("the examples have different numbers of targets: look at them one by one")
        return every if width == 1 else every.reshape(len(counts), width)

    @property
    def folds(self) -> list[int]:
        """The fold of each example, if the data came with folds."""
        return self._inner.folds()

    @property
    def schema(self) -> dict[str, tuple[int, str]]:
        """Each predicate with the number of its facts and the shape of their values."""
        return self._inner.schema()

    def facts(self, example: int = 0, most: int | None = None) -> list[tuple[Any, ...]]:
        """Returns the facts of an example as tuples."""
        number = range(len(self))[example]
        return self._inner.facts(number, 2**62 if most is None else most)

    def fingerprint(self) -> str:
        """Returns a number, in hexadecimal, that tells this data from other: it depends on examples, weights,
        queries and targets, and on nothing else."""
        return self._inner.fingerprint()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the data as a folder of text that the command reads."""
        self._inner.write(os.fspath(path))

    @property
    def notes(self) -> list[Diagnostic]:
        """Warnings and notes about the data: molecules and rows that were left out, and why."""
        return [*self._told, *self._inner.notes()]

    def preview(self, examples: int = 3, facts: int = 5) -> Preview:
        """Returns a text that shows how the data looks: what became of the rows of tables, its predicates, and the
        first facts of some examples."""
        from lrnn import _display

        tables = self._inner.tables_preview()
        text = _display.preview(self, examples, facts)
        return Preview(text if tables is None else f"{tables[0]}\n\n{text}")

    def __repr__(self) -> str:
        facts = sum(count for count, _ in self.schema.values())
        counts = ((len(self), "example", "examples"), (facts, "fact", "facts"))
        queries = sum(len(own) for own in self.queries)
        text = (f"{count} {one if count == 1 else many}" for count, one, many in
                (*counts, (queries, "query", "queries")))
        return f"Dataset({', '.join(text)})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._inner.is_open():
            raise UsageError(
                "data whose mapping learns from training rows cannot be sent away from its tables",
                help="put lrnn.Facts(mapping, tables) into a pipeline, which learns it in each process",
            )
        return (_unpacked, (self._inner.to_bytes(),))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lrnn import _display

        return {"text/plain": self.preview(), "text/html": _display.dataset_html(self)}


class Preview(str):
    """A text that a console and a notebook show as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def read_tables(
    mapping: str | os.PathLike[str],
    tables: Mapping[str, Any],
    *,
    labels: bool,
    template: Template | None = None,
) -> tuple[Dataset, str]:
    """Returns the data of tables, and the mapping with what it learned from all examples."""
    frames = [(name, _frame(name, table)) for name, table in tables.items()]
    text, is_text = _mapping_text(mapping)
    inner, learned = _lrnn.Dataset.from_tables(text, is_text, frames, labels, _inner_of(template))
    return Dataset._of(inner), learned


def example_table(mapping: str | os.PathLike[str]) -> str | None:
    """Returns the table with the examples of a mapping, if it has one."""
    return _lrnn.example_table(*_mapping_text(mapping))


def _mapping_text(mapping: str | os.PathLike[str]) -> tuple[str, bool]:
    """Returns a mapping and whether it is the text itself: only a text has an arrow in it."""
    text = os.fspath(mapping)
    return text, isinstance(mapping, str) and "<-" in text


def _frame(name: str, given: Any) -> Any:
    """Returns a table as the compiled half takes it: what hands out Arrow data, or names with lists."""
    is_pandas = type(given).__module__.partition(".")[0] == "pandas"
    if is_pandas and importlib.util.find_spec("pyarrow") is None:
        given = {str(column): given[column] for column in given.columns}
    if isinstance(given, Mapping):
        return [(str(column), _cells(values)) for column, values in given.items()]
    if is_pandas:
        given = given.reset_index(drop=True)  # its index is no column
    table = _arrow_or(given, lambda: None)
    if table is None:
        raise UsageError(
            f"table {name} is a {type(given).__name__}",
            help="a table is a frame of pandas or polars, a table of pyarrow, a relation of DuckDB, or a dictionary",
        )
    return table


def _cells(values: Any) -> list[Any]:
    """Returns a column as a list of texts, numbers, truth values and None."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        dates = np.datetime_as_string(array, unit="D" if (array == array.astype("M8[D]")).all() else "us")
        return [None if date == "NaT" else str(date) for date in dates]
    return [_plain(value) for value in array.tolist()]


def _plain(value: Any) -> Any:
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value.isoformat() if hasattr(value, "isoformat") else value


def _name(node: Any) -> Any:
    """Returns a node of a graph as a term."""
    return node if isinstance(node, (str, int, float, np.integer, np.floating)) else str(node)


def _attribute(name: Any, value: Any, *terms: Any) -> Atom:
    """Returns the fact of an attribute: a number or vector is its value, anything else its last term."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return (np.asarray(value, dtype=float).tolist(), str(name), *terms)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return (float(value), str(name), *terms)
    return (str(name), *terms, value if isinstance(value, (str, bool)) else str(value))


def _array(tensor: Any) -> NDArray[Any]:
    """Returns a tensor of torch, or whatever numpy takes, as an array."""
    return np.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)


def _pyg_queries(y: NDArray[Any], x: Any, query: str) -> Atom | list[Atom]:
    if y.size == 1:
        return (float(y.reshape(-1)[0]), query)
    if x is not None and len(y) == len(x):
        return [(target, query, node) for node, target in enumerate(y.astype(float).tolist())]
    return (y.astype(float).reshape(-1).tolist(), query)


def _unpacked(packed: bytes) -> Dataset:
    return Dataset._of(_lrnn.Dataset.from_bytes(packed))


def _inner_of(template: Template | None) -> _lrnn.Template | None:
    return None if template is None else template._inner


def _queries(given: Atom | list[Atom] | None) -> list[Any]:
    """Returns a list of queries: a list is one already."""
    if given is None:
        return []
    return list(given) if isinstance(given, list) else [given]


def _is_table(given: Any) -> bool:
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns")


def _arrow_or(given: Any, other: Callable[[], Any]) -> Any:
    """Returns what hands out Arrow data and can, else what `other` gives."""
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return given
    if hasattr(given, "to_arrow_table"):  # DuckDB's relations of some versions
        return given.to_arrow_table()
    return other()


def _column(given: Any, table: str) -> Any:
    """Returns a column as the compiled half takes it."""
    if isinstance(given, list):
        return given
    if not isinstance(given, np.ndarray):
        if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
            return given
        given = given.to_numpy() if hasattr(given, "to_numpy") else np.asarray(given)
    if given.ndim != 1:
        raise UsageError(f"a column of table {table} has {given.ndim} dimensions: a column is a list of constants")
    if given.dtype.kind in "iu" and not (given.dtype.kind == "u" and given.dtype.itemsize == 8):
        return ("i8", np.ascontiguousarray(given, dtype="<i8").tobytes())
    if given.dtype.kind == "f":
        return ("f8", np.ascontiguousarray(given, dtype="<f8").tobytes())
    return given.tolist()


def _values(given: Any) -> Any:
    """Returns values as the compiled half takes them: bytes with the shape of each."""
    if not isinstance(given, np.ndarray):
        if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
            return given
        given = given.to_numpy() if hasattr(given, "to_numpy") else np.asarray(given)
    if given.ndim > 3:
        raise UsageError(f"values of {given.ndim} dimensions: each row has a number, a vector or a matrix")
    numbers = np.ascontiguousarray(given, dtype="<f8")
    return (numbers.tobytes(), list(numbers.shape[1:]))


def _whole_numbers(given: Any, table: str) -> NDArray[np.int64]:
    numbers = np.ascontiguousarray(given.to_numpy() if hasattr(given, "to_numpy") else given, dtype="<i8")
    if numbers.ndim != 1 or (len(numbers) and (numbers.min() < 0 or numbers.max() >= 2**32 - 1)):
        raise UsageError(f"the examples of table {table} are no numbers from 0")
    return numbers


def _rows(given: Any) -> Iterable[Sequence[Any]]:
    """Returns the rows of a table, or of a list of them."""
    if hasattr(given, "itertuples"):
        return given.itertuples(index=False)  # type: ignore[no-any-return]
    if hasattr(given, "iter_rows"):
        return given.iter_rows()  # type: ignore[no-any-return]
    if hasattr(given, "to_pylist"):
        return (tuple(row.values()) for row in given.to_pylist())
    if hasattr(given, "fetchall"):
        return given.fetchall()  # type: ignore[no-any-return]
    return given.tolist() if isinstance(given, np.ndarray) else given  # type: ignore[no-any-return]


def _triples(given: Any) -> Iterator[tuple[Any, Any, Any]]:
    for number, row in enumerate(_rows(given)):
        if len(row) != 3:
            raise UsageError(f"row {number} has {len(row)} entries: a triple is head, relation, tail")
        head, relation, tail = row
        yield head, relation, tail
