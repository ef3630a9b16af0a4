"""Transform and classify: a classifier behind a transformation, as one classifier (section 4.1.3 of the book)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intemi.data import Column, Data
from intemi.kernel import BindingError, Input, Job, Machine, Model, Output, storable
from intemi.kernel.ports import Port
from intemi.machines.interfaces import Classifier, Codes, Floats, Transformation
from intemi.machines.structure.scheme import Scheme


@storable
@dataclass(frozen=True, eq=False)
class TransformingClassifier(Classifier):
    """Transforms rows and lets another classifier answer."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    transformation: Transformation
    classifier: Classifier

    def _probabilities(self, data: Data) -> Floats:
        return self.classifier.probabilities(self.transformation.transform(data))

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        return self.classifier.answers(self.transformation.transform(data))


class TransformAndClassify(Machine):
    """Learn a transformation, and a classifier from the transformed data; together they are one classifier.

    Raw it is a template of two placeholders. Any machine that takes data and gives data and a transformation fills the
    first, any that takes data and gives a classifier the second.

    >>> from intemi.machines.classifiers.majority import Majority
    >>> [place.partition(":")[0] for place in TransformAndClassify().missing()]
    ['transformation', 'classifier']
    >>> [place.partition(":")[0] for place in TransformAndClassify().fill(classifier=Majority()).missing()]
    ['transformation']
    """

    data = Input(Data)

    transformation: Machine = Scheme(data=Data, transformed=Output(Data), transformation=Output(Transformation))
    classifier: Machine = Scheme(data=Data, classifier=Output(Classifier))

    @property
    def outputs(self) -> Mapping[str, Output]:
        return _OUTPUTS  # `classifier` is a parameter as well, so the output cannot be declared under this name

    def check(self) -> None:
        for name, given in (("transformation", (Data, Transformation)), ("classifier", (Classifier,))):
            machine: Machine = self.part(name)
            for ports, words, types in ((machine.inputs, "take", (Data,)), (machine.outputs, "give", given)):
                for accepted in types:
                    if len(_of_type(ports, accepted)) != 1:
                        listed = ", ".join(map(str, ports.values())) or "nothing"
                        raise BindingError(
                            f"{self.kind}: {name} must {words} one {accepted.__name__}, "
                            f"but {machine.kind} {words}s {listed}"
                        )

    async def run(self, job: Job, data: Any) -> Model:
        transformation = _request(job, "transformation", self.transformation, data)
        classifier = _request(job, "classifier", self.classifier, _source(transformation, Data))
        both = job.request(
            TransformedClassifier(),
            name="both",
            transformation=_source(transformation, Transformation),
            learned=_source(classifier, Classifier),
        )
        return Model(classifier=both.classifier)


_OUTPUTS = {"classifier": Output(Classifier, name="classifier")}


def _of_type(ports: Mapping[str, Any], accepted: type) -> list[str]:
    found: list[Port] = [port for port in ports.values() if not port.multi and issubclass(port.accepted, accepted)]
    return [port.name for port in found]


def _request(job: Job, name: str, machine: Machine, data: Any) -> Any:
    return job.request(machine, name=name, **{_of_type(machine.inputs, Data)[0]: data})


def _source(capsule: Any, accepted: type) -> Any:
    return getattr(capsule, _of_type(capsule.config.outputs, accepted)[0])


class TransformedClassifier(Machine):
    """Make one classifier of a transformation and a classifier; what transform-and-classify leaves to a leaf."""

    transformation = Input(Transformation)
    learned = Input(Classifier)
    classifier = Output(Classifier)

    def run(self, transformation: Transformation, learned: Classifier) -> Model:
        return Model(classifier=TransformingClassifier(transformation.columns, learned.labels, transformation, learned))
