"""Every wrong experiment file gets one message with file, line, path and a remedy, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.experiments import ExperimentError, read_experiment
from tests.programs import run_python

SCHEME = """
data: [iris]
learners:
  net:
    type: Scheme
    takes: {data: Data}
    machines:
      std: {type: Standardization, bind: {data: %s}}
      knn: {type: KNN, bind: {data: %s}}
    gives: {classifier: %s}
"""

# The file, the line of the mistake, and what the message must say.
WRONG = {
    "empty": ("", 1, "the file is empty; `intemi init`"),
    "not a mapping": ("- iris\n- wine\n", 1, "an experiment is a mapping with the keys data and learners"),
    "no YAML": ("data: [iris\nlearners: [KNN]\n", 2, "this is not YAML"),
    "a tab": ("data:\n\t- iris\n", 2, "indent with spaces"),
    "a key twice": (
        "data: [iris]\ndata: [wine]\nlearners: [KNN]\n",
        2,
        "data: the key is there twice, first in line 1",
    ),
    "a tag": ("data: [iris]\nlearners: !!python/object:os.system [KNN]\n", 2, "mean nothing here"),
    "an alias of itself": ("data: &d [*d]\nlearners: [KNN]\n", 1, "something that it is a part of"),
    "a misspelt key": ("data: [iris]\nlerners: [KNN]\n", 2, "did you mean 'learners'?"),
    "no data": ("learners: [KNN]\n", 1, "data is missing"),
    "an empty list of data": ("data: []\nlearners: [KNN]\n", 1, "data: must name at least one data set"),
    "no learners": ("data: [iris]\n", 1, "learners are missing"),
    "an empty list of learners": ("data: [iris]\nlearners: []\n", 2, "must name at least one learner"),
    "data that is a number": ("data: 3\nlearners: [KNN]\n", 1, "must be a list of data sets"),
    "a misspelt data set": ("data:\n  - iris\n  - wyne\nlearners: [KNN]\n", 3, "did you mean 'wine'?"),
    "an unknown data set": ("data: [titanic]\nlearners: [KNN]\n", 1, "there are iris, wine, breast_cancer, digits"),
    "a missing data file": ("data:\n  - votes.arff\nlearners: [KNN]\n", 2, "there is no file"),
    "a misspelt data file": ("data: [flowres.csv]\nlearners: [KNN]\n", 1, "did you mean 'flowers.csv'?"),
    "a pattern without files": ("data: ['*.parquet']\nlearners: [KNN]\n", 1, "no file fits"),
    "an unknown kind of file": ("data: [{path: notes.txt}]\nlearners: [KNN]\n", 1, "extension must be one of"),
    "an unknown option of a file": ("data:\n  - {path: flowers.csv, taget: kind}\nlearners: [KNN]\n", 2, "'target'?"),
    "the same data set twice": ("data: [iris, iris]\nlearners: [KNN]\n", 1, "two data sets are called 'iris'"),
    "a machine that gives no data": (
        "data: [{type: KNN}]\nlearners: [KNN]\n",
        1,
        "gives data (Data), but KNN",
    ),
    "a misspelt learner": ("data: [iris]\nlearners: [KNNN]\n", 2, "did you mean 'KNN'?"),
    "a learner that there is not": (
        "data: [iris]\nlearners: [GaussianProcessClassifier]\n",
        2,
        "one of scikit-learn by its path, {type: sklearn.svm.SVC, C: 10}",
    ),
    "parameters in brackets": ("data: [iris]\nlearners: [KNN(k=5)]\n", 2, "{type: KNN, name: value}"),
    "a learner alone": ("data: [iris]\nlearners: KNN\n", 2, "write [KNN]"),
    "a name instead of a type": ("data: [iris]\nlearners: {KNN: {k: 3}}\n", 2, "did you mean {type: KNN, ...}?"),
    "no space after a colon": (
        "data: [iris]\nlearners: [{type:KNN, k: 3}]\n",
        2,
        "did you mean `type: KNN`, with a space?",
    ),
    "two braces": ("data: [iris]\nlearners:\n  - {{type: KNN}}\n", 3, "a text that begins with [ or { needs quotes"),
    "a brace that is never closed": ("data: [iris]\nlearners:\n  a: {type: KNN\n\n", 3, "begins here is never closed"),
    "a comma that is missing": (
        "data: [iris]\nlearners:\n  - {type: KNN k: 3}\n",
        3,
        "a comma or a line break is missing",
    ),
    "an address": ("data: ['https://example.org/x.csv']\nlearners: [KNN]\n", 1, "download the file first"),
    "several values": ("data: [iris]\nlearners: [{type: KNN, k: [1, 3]}]\n", 2, "`vary` is for several values"),
    "folds of nothing": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {folds: 5}\n",
        3,
        "{type: CVDistributor, folds: ...}",
    ),
    "a name that is a number": ("name: 2024\ndata: [iris]\nlearners: [KNN]\n", 1, "numbers need quotes"),
    "a misspelt algorithm": ("data: [iris]\nlearners: [C4.5]\n", 2, "did you mean 'C45'?"),
    "a learner without a type": ("data: [iris]\nlearners:\n  a: {k: 3}\n", 3, "a type is missing"),
    "no learner": (
        "data: [iris]\nlearners: [Standardization]\n",
        2,
        "gives classifier (Classifier), but Standard",
    ),
    "a learner that is not complete": ("data: [iris]\nlearners: [TransformAndClassify]\n", 2, "is not complete"),
    "a misspelt parameter": ("data: [iris]\nlearners:\n  - type: SVM\n    kernl: LinearKernel\n", 4, "'kernel'?"),
    "a wrong type": (
        "data: [iris]\nlearners:\n  - type: KNN\n    k: many\n",
        4,
        "k: must be an int, at least 1, got 'many'",
    ),
    "out of range": ("data: [iris]\nlearners:\n  - {type: KNN, k: 0}\n", 3, "k: must be at least 1, got 0"),
    "one of several words": (
        "data: [iris]\nlearners: [{type: KNN, weights: far}]\n",
        2,
        "one of 'uniform', 'distance'",
    ),
    "a misspelt component": ("data: [iris]\nlearners: [{type: SVM, kernel: Gausian}]\n", 2, "'GaussianKernel'?"),
    "a wrong component": ("data: [iris]\nlearners: [{type: SVM, kernel: KNN}]\n", 2, "must be a Kernel, got KNN"),
    "a kind of components": ("data: [iris]\nlearners: [{type: SVM, kernel: Kernel}]\n", 2, "there are GaussianKernel"),
    "a parameter that is missing": (
        "data: [iris]\nlearners: [SklearnClassifier]\n",
        2,
        "needs its parameter estimator",
    ),
    "two learners of one name": ("data: [iris]\nlearners: [KNN, KNN]\n", 2, "two learners are called 'KNN'"),
    "an empty variation": (
        "data: [iris]\nlearners: [{type: KNN, vary: {k: []}}]\n",
        2,
        "a list of values with at least one",
    ),
    "a variation of nothing": (
        "data: [iris]\nlearners:\n  - type: KNN\n    vary: {kk: [1, 2]}\n",
        4,
        "no such parameter",
    ),
    "a wrong path": ("data: [iris]\nlearners: [{type: SVM, vary: {kernel.sigm: [1]}}]\n", 2, "did you mean 'sigma'?"),
    "wrong preprocessing": (
        "data: [iris]\npreprocessing: KNN\nlearners: [KNN]\n",
        2,
        "must have the role Transformer, which",
    ),
    "impossible folds": (
        "data: [iris]\nlearners: [KNN]\nprotocol:\n  distributor: {type: CVDistributor, folds: 1}\n",
        4,
        "at least 2, got 1",
    ),
    "no distributor": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {distributor: KNN}\n",
        3,
        "BootstrapDistributor, Chain, CVDistributor",
    ),
    "a misspelt protocol": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {repetition: 2}\n",
        3,
        "did you mean 'repetitions'?",
    ),
    "no repetitions": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {repetitions: 0}\n",
        3,
        "must be an int of at least 1",
    ),
    "a seed that is a text": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {seed: lucky}\n",
        3,
        "must be an int of at least 0",
    ),
    "an impossible level": ("unification: 3\ndata: [iris]\nlearners: [KNN]\n", 1, "must be 1 (by origins) or 2"),
    "an unknown measure": ("data: [iris]\nlearners: [KNN]\nmeasures: [Acuracy]\n", 3, "did you mean 'Accuracy'?"),
    "no measures": ("data: [iris]\nlearners: [KNN]\nmeasures: []\n", 3, "must name at least one measure"),
    "an unknown statistical test": (
        "data: [iris]\nlearners: [KNN]\ncomparison: {test: FTest}\n",
        3,
        "test: must be one of TTest, PairedTTest, CorrectedTTest",
    ),
    "an impossible alpha": (
        "data: [iris]\nlearners: [KNN]\ncomparison: {alpha: 5}\n",
        3,
        "alpha: must be above 0 and below 1",
    ),
    "an unknown control": ("data: [iris]\nlearners: [KNN]\ncomparison: {control: KN}\n", 3, "did you mean 'KNN'?"),
    "a test that does not fit": (
        "data: [iris]\nlearners: [KNN]\nprotocol: {distributor: BootstrapDistributor}\n",
        3,
        "test must be one of TTest, PairedTTest",
    ),
    "an output of another type": (
        SCHEME % ("knn.classifier", "std.transformed", "knn.classifier"),
        8,
        "takes Data",
    ),
    "machines that wait for each other": (
        "data: [iris]\nlearners:\n  net:\n    type: Scheme\n    takes: {data: Data}\n    machines:\n"
        "      a: {type: ExternalTransformation, bind: {data: b.transformed, transformation: b.transformation}}\n"
        "      b: {type: Standardization, bind: {data: a.transformed}}\n",
        8,
        "its machines wait for each other: ",
    ),
    "an unknown port": (SCHEME % ("data", "std.transforme", "knn.classifier"), 9, "did you mean 'transformed'?"),
    "an unknown machine of a scheme": (
        SCHEME % ("data", "st.transformed", "knn.classifier"),
        9,
        "did you mean 'std'?",
    ),
    "an unknown input of a scheme": (SCHEME % ("dat", "std.transformed", "knn.classifier"), 8, "did you mean 'data'?"),
    "a module that is not there": ("imports: no_such_module\ndata: [iris]\nlearners: [KNN]\n", 1, "cannot be imported"),
    "too much": (
        "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)),
        1,
        "at most 100,000 values",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flowers.csv").write_text("size,kind\n1.5,a\n2.5,b\n")
    (tmp_path / "notes.txt").write_text("nothing")
    return tmp_path


def test_there_are_forty_of_them() -> None:
    assert len(WRONG) >= 40


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_gets_one_message_with_line_and_remedy(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, line, says = WRONG[name]
    monkeypatch.chdir(folder)
    Path("wrong.yaml").write_text(text)
    with pytest.raises(ExperimentError) as caught:
        read_experiment("wrong.yaml")
    message = str(caught.value)
    assert message.startswith(f"wrong.yaml:{line}: "), message
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("command", ["run", "compare", "report", "graph"])
def test_the_command_says_it_without_a_traceback_and_ends_with_2(folder: Path, command: str) -> None:
    (folder / "wrong.yaml").write_text("data: [iris]\nlearners: [KNNN]\n")
    done = run_python("-m", "intemi.cli", command, "wrong.yaml", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "Error: wrong.yaml:2: learners.0: no machine is called 'KNNN'; did you mean 'KNN'?\n"
    assert done.stdout == ""
    assert not (folder / "wrong").exists()
