"""Names of candidates are short, and differ where candidates do."""

from intemi.machines import C45, KNN, Average, Imputation, RandomForest, Standardization, TransformAndClassify, Voting
from intemi.machines.meta_learning import DataDescription, name_of
from intemi.machines.meta_learning.default_space import first_candidates
from intemi.machines.meta_learning.refining import neighbours
from intemi.machines.transformations import TransformationChain


def test_only_what_is_not_as_by_default_is_said() -> None:
    assert name_of(KNN()) == "KNN"
    assert name_of(KNN(k=3)) == "KNN(k=3)"
    scaled = TransformAndClassify(TransformationChain((Imputation(), Standardization())), KNN(k=3))
    assert name_of(scaled) == "KNN(k=3) after Imputation + Standardization"
    assert name_of(Voting((KNN(), C45()))) == "Voting(learners=[KNN, C45])"
    assert name_of(RandomForest(10, rule=Average())) == "RandomForest(10, 'log2', Average)"


def test_what_stands_for_a_candidate_in_a_record_is_its_own_name() -> None:
    assert name_of("a row of a table") == "a row of a table"


def test_different_candidates_have_different_names() -> None:
    first = list(first_candidates(DataDescription(rows=300, numeric=5, nominal=3, symbols=4, missing=0.1)))
    every = {*first, *(near for each in first for near in neighbours(each))}
    assert len({name_of(each) for each in every}) == len(every) > 50
