"""Estimators in scikit-learn: its own checks on rows of numbers, and a checklist of ours on relational examples."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import toxic_data

import lrnn

sklearn = pytest.importorskip("sklearn", minversion="1.6", reason="no scikit-learn: the estimators are NOT tested")

from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lrnn.sklearn import (
    DEFAULTS,
    LEFT_OUT,
    PARAMETERS,
    LRNNClassifier,
    LRNNRegressor,
    Smiles,
    cache_counts,
    clear_cache,
    is_relational,
)

TEMPLATE = "w[T] :: toxic :- element(A, T)."
PARTS = """
:- family(neuralogic).
w[T] = {3} :: label :- element(A, T).
label/0 [activation = identity, offset = {3}].
"""
BY_CLASS = """
:- family(neuralogic).
class(green). class(red). class(blue).
w[T, C] :: label(C) :- element(A, T), *class(C).
label/1 [activation = identity].
"""
SIZE = """
:- family(neuralogic).
:- rule_activation(identity).
w[T] :: size :- element(A, T). [aggregation = sum]
size/0 [activation = identity].
"""

Facts = list[tuple[Any, ...]]


# All of them; those of arrays of other libraries run because conftest.py sets SCIPY_ARRAY_API. The checks know no input
# like that of `Smiles`.
@parametrize_with_checks([LRNNClassifier(), LRNNRegressor(), LRNNClassifier(hidden=0)])
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def molecules(count: int = 24, seed: int = 0) -> tuple[list[Facts], np.ndarray]:
    """Returns molecules of some atoms in a row, and which have chlorine."""
    random = np.random.default_rng(seed)
    every: list[Facts] = []
    for number in range(count):
        elements = random.choice(["c", "o", "n"], size=random.integers(2, 5)).tolist()
        if number % 2:
            elements[random.integers(len(elements))] = "cl"
        facts: Facts = [("element", f"a{at}", element) for at, element in enumerate(elements)]
        facts += [("bond", f"a{at}", f"a{at + 1}", "single") for at in range(len(elements) - 1)]
        every.append(facts)
    return every, np.arange(count) % 2


def dataset(facts: list[Facts]) -> lrnn.Dataset:
    data = lrnn.Dataset()
    for one in facts:
        data.add(one)
    return data


def classifier(**parameters: Any) -> LRNNClassifier:
    return LRNNClassifier(**{"template": TEMPLATE, "query": "toxic", "random_state": 0, "epochs": 30, **parameters})


def colours() -> tuple[list[Facts], np.ndarray]:
    """Returns examples of three classes."""
    names = np.array(["red", "green", "blue"])
    elements = np.arange(18) % 3
    return [[("element", 1, "con"[number]), ("element", 2, "h")] for number in elements], names[elements]


def sizes() -> tuple[list[Facts], np.ndarray]:
    """Returns molecules and their masses."""
    facts, _ = molecules()
    mass = {"c": 1.2, "o": 1.6, "n": 1.4, "cl": 3.5}
    return facts, np.array([sum(mass[it[2]] for it in one if it[0] == "element") for one in facts])


X, Y = molecules()


# What comes in.


def test_a_list_of_facts_and_a_dataset_are_the_same() -> None:
    of_list, of_data = classifier().fit(X, Y), classifier().fit(dataset(X), Y)
    assert of_list.packed_ == of_data.packed_
    np.testing.assert_array_equal(of_list.predict_proba(dataset(X)), of_data.predict_proba(X))


def test_an_array_of_objects_is_relational() -> None:
    objects = np.empty(len(X), dtype=object)
    objects[:] = X
    assert classifier().fit(objects, Y).packed_ == classifier().fit(X, Y).packed_


def test_a_series_of_facts_is_relational() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"facts": X, "y": Y})
    assert classifier().fit(frame.facts, frame.y).packed_ == classifier().fit(X, Y).packed_


def test_the_first_example_with_a_fact_tells_what_examples_are() -> None:
    assert is_relational([[], [("a",)]]) and is_relational([["a"]]) and is_relational(lrnn.Dataset())
    assert not is_relational([[1, 2], [3, 4]]) and not is_relational(np.zeros((2, 2))) and not is_relational([1, 2])
    assert not is_relational(["CCO"]) and not is_relational(np.zeros((2, 2), dtype=object))


def test_numbers_and_facts_are_not_mixed() -> None:
    with pytest.raises(lrnn.UsageError, match="rows of numbers for an estimator that was fitted with relational"):
        classifier().fit(X, Y).predict(np.zeros((2, 2)))
    with pytest.raises(lrnn.UsageError, match="relational examples for an estimator"):
        LRNNClassifier().fit(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]).predict(X)


def test_the_targets_of_the_data_are_used_without_y() -> None:
    data = toxic_data()
    own = classifier(query=None).fit(data)
    given = classifier().fit(data, data.y)
    np.testing.assert_array_equal(own.predict_proba(data), given.predict_proba(data))
    assert own.queries_ == [("toxic",)]


def test_a_query_may_have_terms() -> None:
    facts = [[*one, ("molecule", "m")] for one in X]
    template = "w[T] :: toxic(M) :- element(A, T), *molecule(M)."
    with_term = classifier(template=template, query=("toxic", "m")).fit(facts, Y)
    np.testing.assert_allclose(with_term.predict_proba(facts), classifier().fit(X, Y).predict_proba(X))


def test_rows_of_numbers_are_a_fact_of_a_template() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 2))
    template = ":- family(neuralogic).\nw = {1, 2} :: above :- features.\nabove/0 [activation = identity]."
    found = LRNNClassifier(template, query="above", random_state=0).fit(rows, rows[:, 0] > rows[:, 1])
    assert found.score(rows, rows[:, 0] > rows[:, 1]) > 0.9 and found.model_.weights["w"].shape == (1, 2)


def test_no_examples_are_an_error() -> None:
    with pytest.raises(ValueError, match="no examples"):
        classifier().fit(lrnn.Dataset(), [])
    with pytest.raises(ValueError, match="no examples"):
        classifier().fit(X, Y).predict(dataset(X)[:0])


def test_a_wrong_fact_is_told_with_its_place() -> None:
    with pytest.raises(lrnn.ContentError, match="--> fact 1 of example 1"):
        classifier().fit([X[0], [("element", 1, "c"), ("element", None)]], [0, 1])


def test_lengths_that_differ_are_an_error() -> None:
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        classifier().fit(X, Y[:-1])


def test_relational_examples_need_a_template_and_a_query() -> None:
    with pytest.raises(lrnn.UsageError, match="need a template"):
        LRNNClassifier().fit(X, Y)
    with pytest.raises(lrnn.UsageError, match="what shall be asked"):
        LRNNClassifier(TEMPLATE).fit(X, Y)


def test_texts_and_queries_without_a_template_are_told() -> None:
    with pytest.raises(lrnn.UsageError, match="texts are no examples"):
        classifier().fit(["CCO", "CCCl"], [0, 1])
    with pytest.raises(lrnn.UsageError, match="a query needs a template"):
        LRNNClassifier(query="toxic").fit(np.zeros((2, 2)), [0, 1])


def test_several_queries_need_y() -> None:
    data = dataset(X[:2]).with_queries([[(1.0, "toxic"), (0.0, "active")]] * 2)
    with pytest.raises(lrnn.UsageError, match="requires y"):
        classifier().fit(data)


def test_mistakes_of_a_template_are_told_by_fit() -> None:
    with pytest.raises(lrnn.ContentError):
        LRNNClassifier("toxic :- element(A, T", query="toxic").fit(X, Y)


# What must not change an answer.


def test_the_order_of_examples_does_not_change_predictions() -> None:
    fitted, order = classifier().fit(X, Y), np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(fitted.predict_proba(dataset(X)[order]), fitted.predict_proba(X)[order])


def test_the_order_of_examples_changes_learning_by_rounding_only() -> None:
    order = np.random.default_rng(1).permutation(len(X))
    shuffled = classifier(epochs=10).fit(dataset(X)[order], Y[order])
    assert set(shuffled.model_.weights) == set(classifier(epochs=10).fit(X, Y).model_.weights)
    assert shuffled.score(X, Y) == 1.0


def test_the_names_of_examples_do_not_matter() -> None:
    named = lrnn.Dataset()
    for number, facts in enumerate(X):
        named.add(facts, name=f"molecule {number}")
    expected = classifier().fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(classifier().fit(named, Y).predict_proba(named), expected)


def test_the_names_of_constants_do_not_matter() -> None:
    renamed = [[tuple(f"x{term}" if term[0] == "a" else term for term in fact) for fact in one] for one in X]
    fitted = classifier().fit(X, Y)
    np.testing.assert_array_equal(fitted.predict_proba(renamed), fitted.predict_proba(X))
    np.testing.assert_array_equal(classifier().fit(renamed, Y).predict_proba(X), fitted.predict_proba(X))


def test_the_order_of_facts_does_not_change_predictions() -> None:
    fitted = classifier().fit(X, Y)
    np.testing.assert_allclose(fitted.predict_proba([one[::-1] for one in X]), fitted.predict_proba(X), rtol=1e-12)


def test_a_subset_is_answered_as_the_whole() -> None:
    fitted, data = classifier().fit(X, Y), dataset(X)
    whole = fitted.predict_proba(data)
    np.testing.assert_array_equal(fitted.predict_proba(data[3:9]), whole[3:9])
    np.testing.assert_array_equal(np.concatenate([fitted.predict_proba(one) for one in data]), whole)
    np.testing.assert_array_equal(fitted.predict_proba(data[Y == 1]), whole[Y == 1])


def test_queries_and_targets_of_the_data_do_not_matter_to_predictions() -> None:
    data = toxic_data()
    fitted = classifier().fit(data, data.y)
    asked = fitted.predict_proba(data)
    np.testing.assert_array_equal(fitted.predict_proba(data.with_queries([(0.0, "toxic")] * len(data))), asked)
    np.testing.assert_array_equal(fitted.predict_proba(data.with_queries([None] * len(data))), asked)


def test_a_refit_gives_the_same_bits() -> None:
    estimator = classifier(random_state=3)
    first = estimator.fit(X, Y).packed_
    assert estimator.fit(X, Y).packed_ == first == clone(estimator).fit(X, Y).packed_
    assert classifier(random_state=4).fit(X, Y).packed_ != first


def test_a_refit_with_other_data_forgets_the_first() -> None:
    estimator = classifier(template=PARTS, query="label").fit(*colours())
    estimator.set_params(template=TEMPLATE, query="toxic").fit(X, Y)
    assert estimator.packed_ == classifier().fit(X, Y).packed_ and estimator.classes_.tolist() == [0, 1]


def test_the_number_of_threads_does_not_matter() -> None:
    assert classifier(threads=1).fit(X, Y).packed_ == classifier(threads=3).fit(X, Y).packed_


def test_a_generator_of_random_numbers_is_taken() -> None:
    given = [classifier(random_state=np.random.RandomState(5)).fit(X, Y).packed_ for _ in range(2)]
    assert given[0] == given[1]


def test_fit_changes_neither_examples_nor_parameters() -> None:
    data, estimator = dataset(X), classifier()
    before, parameters = data.fingerprint(), estimator.get_params()
    estimator.fit(data, Y).predict(data)
    assert data.fingerprint() == before and estimator.get_params() == parameters


# What was never seen.


def test_an_unseen_constant_has_an_answer() -> None:
    found = classifier().fit(X, Y).predict_proba([[("element", 1, "unobtainium")], [("element", "new", "cl")]])
    assert np.isfinite(found).all() and found[1, 1] > 0.5


def test_an_unseen_predicate_changes_nothing() -> None:
    fitted = classifier().fit(X, Y)
    more = [[*one, ("smell", "a0", "sweet"), (0.5, "colour", "a0")] for one in X]
    np.testing.assert_array_equal(fitted.predict_proba(more), fitted.predict_proba(X))


def test_an_empty_example_is_answered() -> None:
    found = classifier().fit([*X, []], [*Y, 0]).predict_proba([[], X[1]])
    assert found.shape == (2, 2) and np.isfinite(found).all()


def test_an_example_without_an_answer_is_an_error_if_it_shall_not_count() -> None:
    fitted = classifier(unentailed="skip").fit(X, Y)
    with pytest.raises(lrnn.ContentError, match="no value for 1 of 2 examples.* example 1"):
        fitted.predict([X[0], []])


# Classes.


@pytest.mark.parametrize(("template", "count"), [(PARTS, 1), (BY_CLASS, 3)])
def test_several_classes_are_a_vector_or_a_query_each(template: str, count: int) -> None:
    facts, names = colours()
    fitted = LRNNClassifier(template, query="label", random_state=0).fit(facts, names)
    assert fitted.classes_.tolist() == ["blue", "green", "red"] and len(fitted.queries_) == count
    assert fitted.score(facts, names) == 1.0
    np.testing.assert_allclose(fitted.predict_proba(facts).sum(axis=1), 1.0, rtol=1e-12)
    assert log_loss(names, fitted.predict_proba(facts)) < 0.2


def test_string_classes_are_given_back() -> None:
    names = np.where(Y == 1, "toxic", "harmless")
    fitted = classifier().fit(X, names)
    assert fitted.predict(X).tolist() == names.tolist() and fitted.classes_.tolist() == ["harmless", "toxic"]


def test_boolean_and_negative_classes_are_given_back() -> None:
    for classes in (Y == 1, np.where(Y == 1, 1, -1), Y.astype(float) + 3):
        np.testing.assert_array_equal(classifier().fit(X, classes).predict(X), classes)


def test_probabilities_add_up_for_every_loss() -> None:
    for loss in lrnn.SETTINGS["loss"].values:
        if loss in ("auto", "softmax", "ranking"):
            continue
        found = classifier(loss=loss).fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert ((found >= 0) & (found <= 1)).all(), loss


def test_probabilities_of_classes_add_up_without_softmax() -> None:
    facts, names = colours()
    fitted = LRNNClassifier(BY_CLASS, query="label", loss="logits", random_state=0).fit(facts, names)
    np.testing.assert_allclose(fitted.predict_proba(facts).sum(axis=1), 1.0)
    assert fitted.score(facts, names) == 1.0


def test_a_vector_that_does_not_fit_the_classes_is_told() -> None:
    with pytest.raises(lrnn.Error):
        LRNNClassifier(PARTS, query="label").fit(X, Y).predict(X)


def test_one_class_is_the_only_answer() -> None:
    fitted = classifier().fit(X, ["yes"] * len(X))
    assert set(fitted.predict(X)) == {"yes"} and fitted.predict_proba(X).tolist() == [[1.0]] * len(X)
    with pytest.raises(AttributeError, match="one class"):
        _ = fitted.model_


def test_numbers_are_no_classes() -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        classifier().fit(X, np.linspace(0, 1, len(X)))
    with pytest.raises(ValueError, match="NaN"):
        classifier().fit(X, np.where(Y, np.nan, 0.0))


def test_a_column_of_classes_warns() -> None:
    with pytest.warns(DataConversionWarning):
        classifier().fit(X, Y.reshape(-1, 1))


# Weights.


def test_a_weight_counts_as_copies() -> None:
    counts = np.arange(len(X)) % 4
    labels = np.where(np.arange(len(X)) % 5 == 0, 1 - Y, Y)
    copies = np.repeat(np.arange(len(X)), counts)
    weighted = classifier(epochs=10).fit(X, labels, sample_weight=counts).predict_proba(X)
    copied = classifier(epochs=10).fit(dataset(X)[copies], labels[copies]).predict_proba(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-6)
    assert np.abs(weighted - classifier(epochs=10).fit(X, labels).predict_proba(X)).max() > 1e-3


def test_weights_of_the_data_count() -> None:
    weights, labels = 1.0 + np.arange(len(X)), np.where(np.arange(len(X)) % 5 == 0, 1 - Y, Y)
    by_data = classifier().fit(dataset(X).with_weights(weights), labels)
    assert by_data.packed_ == classifier().fit(X, labels, sample_weight=weights).packed_


def test_class_weights_count_as_sample_weights() -> None:
    labels = np.where(np.arange(len(X)) % 3 == 0, 1 - Y, Y)
    by_class = classifier(class_weight={0: 1.0, 1: 5.0}).fit(X, labels).predict_proba(X)
    by_sample = classifier().fit(X, labels, sample_weight=np.where(labels == 1, 5.0, 1.0)).predict_proba(X)
    np.testing.assert_allclose(by_class, by_sample, rtol=1e-9)
    plain = classifier().fit(X, labels).predict_proba(X)
    assert by_class[:, 1].mean() > plain[:, 1].mean() + 0.05


def test_balanced_classes_count_the_same() -> None:
    few = [*range(0, 24, 2), 1, 3]
    labels = np.where(np.arange(14) % 4 == 0, 1, Y[few])
    plain, balanced = (classifier(class_weight=it).fit(dataset(X)[few], labels) for it in (None, "balanced"))
    names = np.unique(labels, return_counts=True)[1]
    assert (names[0] > names[1]) and balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


def test_the_class_of_examples_without_weight_is_never_the_answer() -> None:
    fitted = classifier().fit(X, Y, sample_weight=Y)
    assert fitted.classes_.tolist() == [0, 1] and fitted.predict_proba(X).tolist() == [[0.0, 1.0]] * len(X)


def test_weights_that_make_no_sense_are_told() -> None:
    wrong = {"non-zero|are 0": [0.0] * 24, "from 0": [-1.0] * 24, "NaN": [np.nan] * 24, "3": [1.0] * 3}
    for told, weights in wrong.items():
        with pytest.raises(ValueError, match=told):
            classifier().fit(X, Y, sample_weight=weights)


# Kept, copied, sent.


def test_a_clone_has_the_parameters_and_nothing_learned() -> None:
    estimator = classifier(l2=0.5, template=lrnn.Template(TEMPLATE)).fit(X, Y)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params() and not hasattr(copy, "packed_")
    with pytest.raises(NotFittedError):
        copy.predict(X)


@pytest.mark.parametrize("template", [TEMPLATE, lrnn.Template(TEMPLATE)], ids=["text", "template"])
def test_pickle_joblib_and_skops_keep_it(template: Any, tmp_path: Path) -> None:
    import joblib

    fitted = classifier(template=template).fit(X, Y)
    expected = fitted.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), expected)
    joblib.dump(fitted, tmp_path / "kept")
    np.testing.assert_array_equal(joblib.load(tmp_path / "kept").predict_proba(X), expected)
    skops = pytest.importorskip("skops.io", reason="skops is missing: it is NOT tested")
    packed = skops.dumps(fitted)
    trusted = skops.get_untrusted_types(data=packed)
    assert set(trusted) <= {"lrnn.sklearn.LRNNClassifier", "lrnn.template.Template"}
    np.testing.assert_array_equal(skops.loads(packed, trusted=trusted).predict_proba(X), expected)


def test_fitted_state_is_plain() -> None:
    plain = (bytes, np.ndarray, int, float, str, bool, list)
    for fitted in (classifier().fit(X, Y), LRNNRegressor(SIZE, query="size").fit(*sizes())):
        state = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
        assert len(state) >= 6 and all(isinstance(value, plain) for value in state.values())


def test_the_model_is_that_of_the_command(tmp_path: Path) -> None:
    fitted = classifier().fit(X, Y)
    fitted.model_.save(tmp_path / "model.safetensors")
    loaded = lrnn.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(dataset(X)), fitted.predict_proba(X)[:, 1])
    assert "w[cl]" in fitted.model_.weights


# In scikit-learn's company.


def test_cross_val_score_cuts_data() -> None:
    assert cross_val_score(classifier(), dataset(X), Y, cv=4, scoring="roc_auc").mean() > 0.95
    assert cross_val_score(classifier(), X, Y, cv=StratifiedKFold(3, shuffle=True, random_state=0)).mean() > 0.9


def test_cross_val_score_on_two_processes_is_the_same() -> None:
    one, two = (cross_val_score(classifier(), dataset(X), Y, cv=4, scoring="neg_log_loss", n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_cross_validate_and_predict() -> None:
    done = cross_validate(classifier(), dataset(X), Y, cv=3, return_estimator=True, scoring=["accuracy", "f1"])
    assert len(done["estimator"]) == 3 and done["test_f1"].mean() > 0.9
    proba = cross_val_predict(classifier(), dataset(X), Y, cv=3, method="predict_proba")
    assert proba.shape == (24, 2) and roc_auc_score(Y, proba[:, 1]) > 0.9


def test_train_test_split_and_learning_curve() -> None:
    train, test, y_train, y_test = train_test_split(dataset(X), Y, random_state=0, stratify=Y)
    assert (len(train), len(test)) == (18, 6) and classifier().fit(train, y_train).score(test, y_test) > 0.8
    parts: dict[str, Any] = {"cv": 3, "train_sizes": [8, 16], "shuffle": True, "random_state": 0}
    counts, _, scores = learning_curve(classifier(), dataset(X), Y, **parts)
    assert counts.tolist() == [8, 16] and np.isfinite(scores).all()


def test_grid_search_over_settings_and_templates() -> None:
    other = lrnn.Template("v[K] :: toxic :- bond(A, B, K).")
    grid = {"l2": [1e-4, 1e-2], "template": [other, lrnn.Template(TEMPLATE)]}
    search = GridSearchCV(classifier(), grid, cv=3, scoring="roc_auc", error_score="raise").fit(dataset(X), Y)
    assert search.best_params_["template"] == lrnn.Template(TEMPLATE) and search.score(dataset(X), Y) == 1.0


def test_a_grid_search_grounds_once_what_does_not_change() -> None:
    data, other = dataset(X), "v[T] :: toxic :- bond(A, B, _), element(A, T)."
    clear_cache()
    before = cache_counts()
    search = GridSearchCV(classifier(), {"l2": [1e-4, 1e-2, 1e-1], "template": [TEMPLATE, other]}, cv=3, refit=False)
    search.fit(data, Y)
    built, reused = np.subtract(cache_counts(), before).tolist()
    # Three folds of two templates, each once to learn from and once to predict, whatever the six candidates are.
    assert (built, reused) == (2 * 3 * 2, 2 * 3 * 4)
    clear_cache()
    one = classifier(l2=1e-1).fit(data[::3], Y[::3])
    kept = classifier(l2=1e-4).fit(data[::3], Y[::3])
    clear_cache()
    assert kept.packed_ == classifier(l2=1e-4).fit(data[::3], Y[::3]).packed_ != one.packed_


def test_randomized_search() -> None:
    search = RandomizedSearchCV(classifier(), {"l2": [1e-4, 1e-3, 1e-2]}, n_iter=2, cv=2, random_state=0)
    assert search.fit(dataset(X), Y).best_score_ > 0.8


def test_pipelines_read_molecules() -> None:
    texts = ["CCO", "CCCl", "CCN", "ClCC", "CC=O", "ClCCl"] * 3
    active = [0, 1, 0, 1, 0, 1] * 3
    rules = LRNNClassifier("w[T] :: active :- element(A, T).", query="active", random_state=0)
    pipe = make_pipeline(lrnn.Smiles(), rules)
    assert cross_val_score(pipe, np.array(texts), active, cv=3).mean() == 1.0
    assert pipe.fit(texts, active).predict(["CCCCCl", "CCC"]).tolist() == [1, 0]
    assert pipe.set_params(smiles__rings=True, lrnnclassifier__l2=0.01).get_params()["smiles__rings"] is True


def test_molecules_come_as_columns_and_wrong_ones_are_told() -> None:
    column = np.array([["CCO"], ["C"]], dtype=object)
    assert Smiles().transform(column).fingerprint() == Smiles().transform(["CCO", "C"]).fingerprint()
    with pytest.raises(lrnn.ContentError, match="table smiles, row 1"):
        Smiles().transform(["C", "C((("])
    with pytest.raises(lrnn.ContentError, match="molecule 1 is None"):
        Smiles().transform(["C", None])
    with pytest.raises(lrnn.UsageError, match="a column of SMILES"):
        Smiles().transform([["C", "C"]])


def test_numbers_in_a_pipeline() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 3))
    pipe = Pipeline([("scale", StandardScaler()), ("rules", LRNNRegressor(random_state=0))])
    assert pipe.fit(rows, rows[:, 0] - rows[:, 1] ** 2).score(rows, rows[:, 0] - rows[:, 1] ** 2) > 0.9


def test_metadata_is_routed() -> None:
    labels, weights = np.where(np.arange(24) % 5 == 0, 1 - Y, Y), np.where(np.arange(24) % 5 == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = classifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(estimator, {"l2": [1e-3]}, cv=KFold(3)).fit(dataset(X), labels, sample_weight=weights)
        direct = classifier(l2=1e-3).fit(X, labels, sample_weight=weights)
        assert search.best_estimator_.packed_ == direct.packed_
        texts = ["CCO", "CCCl", "CCN", "ClCC"] * 2
        rules = LRNNClassifier("w[T] :: active :- element(A, T).", query="active").set_fit_request(sample_weight=True)
        make_pipeline(Smiles(), rules).fit(texts, [0, 1] * 4, sample_weight=np.ones(8))


def test_callbacks_see_epochs_and_end_learning() -> None:
    seen: list[int] = []

    def stop(epoch: dict[str, Any]) -> bool:
        seen.append(epoch["epoch"])
        return len(seen) == 4

    fitted = classifier(callbacks=stop).fit(X, Y)
    assert seen == [1, 2, 3, 4] and fitted.end_ == "stopped"
    assert not clone(classifier()).set_params(callbacks=[lambda _: None]).fit(X, Y).notes_

    def fail(epoch: dict[str, Any]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        classifier(callbacks=fail).fit(X, Y)


def test_ensembles_of_it() -> None:
    voting = VotingClassifier([("a", classifier()), ("b", classifier(random_state=1))], voting="soft")
    assert voting.fit(dataset(X), Y).score(dataset(X), Y) > 0.9
    rows = np.random.default_rng(0).normal(size=(40, 2))
    bagged = BaggingClassifier(LRNNClassifier(epochs=10, random_state=0), n_estimators=2, random_state=0).fit(rows, rows[:, 0] > 0)
    assert bagged.score(rows, rows[:, 0] > 0) > 0.8
    parts = np.digitize(rows[:, 0], [-0.5, 0.5])
    assert OneVsRestClassifier(LRNNClassifier(epochs=10, random_state=0)).fit(rows, parts).score(rows, parts) > 0.8


# Numbers.


def test_a_regressor_learns_numbers() -> None:
    facts, numbers = sizes()
    fitted = LRNNRegressor(SIZE, query="size", random_state=0, l2=1e-6).fit(facts, numbers)
    assert fitted.score(facts, numbers) > 0.99
    np.testing.assert_allclose(fitted.model_.weights["w[cl]"], 3.5, atol=0.3)
    assert cross_val_score(fitted, dataset(facts), numbers, cv=3).mean() > 0.8


def test_a_regressor_refuses_what_is_no_number() -> None:
    facts, numbers = sizes()
    with pytest.raises(ValueError):
        LRNNRegressor(SIZE, query="size").fit(facts, ["much"] * len(facts))
    with pytest.raises(ValueError, match="NaN"):
        LRNNRegressor(SIZE, query="size").fit(facts, np.where(numbers > 5, np.nan, numbers))


def test_a_regressor_does_not_mind_units() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 2))
    numbers = rows @ [1.0, -2.0]
    small = LRNNRegressor(random_state=0).fit(rows, numbers).predict(rows)
    large = LRNNRegressor(random_state=0).fit(rows * 1e6 + 1e7, numbers * 1e9).predict(rows * 1e6 + 1e7)
    np.testing.assert_allclose(large / 1e9, small, rtol=1e-4, atol=1e-4)


# The interface.


def test_parameters_are_the_settings_of_learning() -> None:
    assert set(PARAMETERS) == set(lrnn.SETTINGS) - set(LEFT_OUT)
    assert all(name in lrnn.SETTINGS for name in [*DEFAULTS, *LEFT_OUT])
    assert {"l2", "epochs", "class_weight"} <= set(LRNNClassifier().get_params())
    assert "class_weight" not in LRNNRegressor().get_params()
    with pytest.raises(TypeError, match="no parameter epoch"):
        LRNNClassifier(epoch=3)
    with pytest.raises(ValueError, match="no parameter|Invalid parameter"):
        LRNNClassifier().set_params(epoch=3)
    with pytest.raises(lrnn.UsageError, match="optimizer"):
        classifier(optimizer="adma").fit(X, Y)


def test_scikit_learn_is_imported_when_it_is_needed() -> None:
    script = "import sys, lrnn; assert 'sklearn' not in sys.modules; lrnn.Smiles; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert {"LRNNClassifier", "LRNNRegressor", "Smiles"} <= set(dir(lrnn))
    with pytest.raises(AttributeError, match="LRNNGuesser"):
        _ = lrnn.LRNNGuesser  # type: ignore[attr-defined]


def test_without_scikit_learn_it_is_told_what_to_install() -> None:
    script = (
        "import sys; sys.modules['sklearn'] = None; import lrnn\n"
        "try: lrnn.Smiles\n"
        "except ImportError as error: assert 'lrnn[sklearn]' in str(error)\n"
        "else: raise SystemExit('no error')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_it_is_shown() -> None:
    fitted = classifier().fit(X, Y)
    assert "LRNNClassifier" in fitted._repr_html_() and "query='toxic'" in repr(fitted)


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier().fit(dataset(X), Y).predict(X)
        LRNNRegressor().fit(np.arange(12.0).reshape(6, 2), np.arange(6.0)).predict(np.zeros((1, 2)))
