"""1R: the best rule that looks at a single feature. Simple, and hard to beat by much on many data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Model, parameter, storable
from intemi.machines.classifiers.training import one_hot, rows_to_learn_from, weight_of_classes
from intemi.machines.decoded import expect, expect_floats, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner


@storable
@dataclass(frozen=True, eq=False)
class SingleFeatureRule(Classifier):
    """A class for each category of a feature, or for each interval between cuts; and one for missing values."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    feature: int
    """-1 if there is no feature to look at: then the class for missing values is that of all rows."""
    cuts: Floats
    """Of a numeric feature; a value at a cut lies above it."""
    classes: Codes
    class_of_missing: int

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.feature) is int and -1 <= self.feature < len(self.columns), "a rule is about a column")
        expect(type(self.class_of_missing) is int, "a missing value has a class")
        expect_floats(self.cuts, None)
        expect_indices(np.append(self.classes, self.class_of_missing), len(self.labels))
        categories = () if self.feature < 0 else self.columns[self.feature].categories
        outcomes = len(self.cuts) + 1 if categories is None else len(categories)
        expect(self.feature < 0 or len(self.classes) == outcomes, "each outcome has a class")

    def _classify(self, data: Data) -> Codes:
        answer = np.full(len(data), self.class_of_missing, dtype=np.int32)
        if self.feature >= 0:
            values = data.feature(self.feature)
            told = ~np.isnan(values)
            answer[told] = self.classes[self._outcomes(values[told])]
        return answer

    def _outcomes(self, values: Floats) -> Codes:
        if self.columns[self.feature].is_nominal:
            return values.astype(np.int32)
        return np.asarray(np.searchsorted(self.cuts, values, side="right"), dtype=np.int32)

    def _probabilities(self, data: Data) -> Floats:
        return one_hot(self._classify(data), len(self.labels))


class OneR(Learner):
    """Answer by the one feature whose values tell the class most often; sure of every answer.

    Numeric features are cut into intervals of at least `bucket` rows of one class (the last may have fewer); neighbours
    of the same class are one interval. Missing values are one more category. Intervals are those of WEKA's OneR; rows
    of equal value are looked at in their order.

    >>> from intemi.data import Table
    >>> x, y = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]], [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]
    >>> data = Data(Table([Column("x")], x, Column("class", ("+", "-")), y))
    >>> rule = OneR(bucket=3).run(data).outputs["classifier"]
    >>> rule.cuts.tolist(), rule.classes.tolist()
    ([2.5, 5.5, 8.5], [0, 1, 0, 1])
    """

    uses_weights = True

    bucket: int = parameter(default=6, at_least=1, search=(1, 3, 6, 10, 20))

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        majority = int(weight_of_classes(data).argmax())
        best, most = None, -np.inf
        for feature in range(len(data.columns)):
            rule, right = self._rule(data, feature, majority)
            if right > most + 1e-9 and len(rule.classes):
                best, most = rule, right
        if best is None:
            best = SingleFeatureRule(data.columns, data.labels, -1, np.empty(0), np.empty(0, dtype=np.int32), majority)
        name = "" if best.feature < 0 else data.columns[best.feature].name
        return Model(classifier=best, results={"Feature": name, "Outcomes": len(best.classes)})

    def _rule(self, data: Data, feature: int, majority: int) -> tuple[SingleFeatureRule, float]:
        """The rule about a feature, and the weight of the rows that it gets right."""
        values, classes, weights = data.feature(feature), data.classes, data.weights
        told = ~np.isnan(values)
        count = len(data.labels)
        categories = data.columns[feature].categories
        if categories is not None:
            cells = values[told].astype(np.intp) * count + classes[told]
            table = np.bincount(cells, weights[told], len(categories) * count).reshape(-1, count)
            cuts, answers, right = np.empty(0), table.argmax(axis=1), float(table.max(axis=1, initial=0.0).sum())
        else:
            order = np.argsort(values, kind="stable")[: int(told.sum())]
            cuts, answers, right = self._intervals(values[order], classes[order], weights[order], count)
        missing = np.bincount(classes[~told], weights[~told], count)
        answer_of_missing = int(missing.argmax()) if missing.any() else majority
        answers = np.asarray(answers, dtype=np.int32)
        rule = SingleFeatureRule(data.columns, data.labels, feature, cuts, answers, answer_of_missing)
        return rule, right + float(missing.max(initial=0.0))

    def _intervals(self, values: Floats, classes: Codes, weights: Floats, count: int) -> tuple[Floats, Codes, float]:
        """Cuts, the class of each interval, and the weight that is right, of ascending values."""
        cuts: list[float] = []
        answers: list[int] = []
        right, end, size = 0.0, 0, len(values)
        while end < size:
            begin = end
            end, answer = self._bucket_end(values, classes, weights, begin)
            counts = np.bincount(classes[begin:end], weights[begin:end], count)
            if counts.max() > counts[answer]:
                answer = int(counts.argmax())
            if answers and counts[answers[-1]] == counts[answer]:
                answer = answers[-1]
            right += float(counts[answer])
            if answers and answers[-1] == answer:
                cuts.pop()  # it goes on
            else:
                answers.append(answer)
            if end < size:
                cuts.append(float(values[end - 1] / 2 + values[end] / 2))
        return np.array(cuts), np.array(answers, dtype=np.int32), right

    def _bucket_end(self, values: Floats, classes: Codes, weights: Floats, begin: int) -> tuple[int, int]:
        """Where a bucket ends that begins here, and the class that fills it: enough rows of it, all that follow of it,
        and all that have the last value."""
        size, found = len(values), dict[int, float]()
        end = begin
        while True:
            answer = int(classes[end])
            found[answer] = found.get(answer, 0.0) + float(weights[end])
            end += 1
            if found[answer] >= self.bucket or end == size:
                break
        while end < size and classes[end] == answer:
            end += 1
        while end < size and values[end] == values[end - 1]:
            end += 1
        return end, answer
