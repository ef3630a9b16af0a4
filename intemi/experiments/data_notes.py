"""What looks suspicious in the data sets of an experiment: of each set by itself, and for the folds of the test."""

from __future__ import annotations

from collections.abc import Mapping

from intemi.data import Data
from intemi.data.notes import note_on_folds, note_on_scales, notes_on
from intemi.experiments.experiment import Experiment
from intemi.kernel.capsule import Capsule
from intemi.machines.loading import DataLoader, SklearnDataset


def data_notes(experiment: Experiment, loaded: Mapping[str, Capsule]) -> list[str]:
    """A sentence for each suspicious thing in the data that were loaded, with the name of the data set in front."""
    found: list[str] = []
    for name, capsule in loaded.items():
        data = None if capsule.error is not None else _data_of(capsule)
        if data is not None:
            found += [f"{name}: {note}" for note in _notes(experiment, name, data)]
    return found


def _notes(experiment: Experiment, name: str, data: Data) -> list[str]:
    loader = experiment.data[name]
    if isinstance(loader, SklearnDataset):  # they are as their authors meant them
        notes = []
    else:
        notes = list(loader.notes(data) if isinstance(loader, DataLoader) else notes_on(data))
    folds = experiment.distributor.parameters().get("folds") if experiment.learners else None
    few = note_on_folds(data, folds) if type(folds) is int and folds <= len(data) else None
    if few is not None:
        notes = [*(note for note in notes if note.kind != "rare"), few]
    raw = [name for name, learner in experiment.learners.items() if getattr(learner, "compares_distances", False)]
    scales = note_on_scales(data, raw)
    if scales is not None:
        notes.append(scales)
    return list(map(str, notes))


def _data_of(capsule: Capsule) -> Data | None:
    return next((value for value in capsule.outputs.values() if isinstance(value, Data)), None)
