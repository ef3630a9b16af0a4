"""Transform and classify: a classifier behind a transformation, as one classifier (section 4.1.3 of the book)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intemi.data import Column, Data
from intemi.kernel import Input, Job, Machine, Model, Output, parameter, storable
from intemi.machines.decoded import expect
from intemi.machines.interfaces import Classifier, Codes, Floats, Transformation
from intemi.machines.roles import Learner, Transformer, placeholder


@storable
@dataclass(frozen=True, eq=False)
class TransformingClassifier(Classifier):
    """Transforms rows and lets another classifier answer."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    transformation: Transformation
    classifier: Classifier

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(isinstance(self.transformation, Transformation), "a transformation is needed")
        expect(isinstance(self.classifier, Classifier), "a classifier is needed")
        expect(self.transformation.columns == self.columns and self.classifier.labels == self.labels, "parts fit")

    def _probabilities(self, data: Data) -> Floats:
        return self.classifier.probabilities(self.transformation.transform(data))

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        return self.classifier.answers(self.transformation.transform(data))

    def _supports(self, data: Data) -> Floats | None:
        return self.classifier.supports(self.transformation.transform(data))


class TransformAndClassify(Learner):
    """Learn a transformation, and a classifier from the transformed data; together they are one classifier.

    Raw it is a template of two placeholders: any `Transformer` fills the first, any `Learner` the second.

    >>> from intemi.machines.classifiers.majority import Majority
    >>> [place.partition(":")[0] for place in TransformAndClassify().missing()]
    ['transformation', 'learner']
    >>> [place.partition(":")[0] for place in TransformAndClassify().fill(learner=Majority()).missing()]
    ['transformation']
    """

    former_names = (("classifier", "learner"),)

    transformation: Machine = parameter(default=placeholder(Transformer), role=Transformer)
    learner: Machine = parameter(default=placeholder(Learner), role=Learner)

    def check(self) -> None:
        Transformer.demand(self.transformation, f"{self.kind}: transformation")
        Learner.demand(self.learner, f"{self.kind}: learner")

    @property
    def uses_weights(self) -> bool:
        """Whether its learner does."""
        return getattr(self.learner, "uses_weights", False)

    async def run(self, job: Job, data: Any) -> Model:
        first = job.request(self.transformation, name="transformation", data=data)
        learned = job.request(self.learner, name="learner", data=first.transformed)
        both = job.request(
            TransformedClassifier(),
            name="both",
            transformation=first.transformation,
            learned=learned.classifier,
        )
        return Model(classifier=both.classifier)


class TransformedClassifier(Machine):
    """Make one classifier of a transformation and a classifier; what transform-and-classify leaves to a leaf."""

    transformation = Input(Transformation)
    learned = Input(Classifier)
    classifier = Output(Classifier)

    def run(self, transformation: Transformation, learned: Classifier) -> Model:
        return Model(classifier=TransformingClassifier(transformation.columns, learned.labels, transformation, learned))
