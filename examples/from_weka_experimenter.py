"""From WEKA's Experimenter

The set-up panel is an `Experiment`, the analysis panel is `compare`: J48, NaiveBayes and IBk by
repeated cross-validation, the corrected resampled t-test at 0.05 against the first scheme, v and *
as words, a count of wins. `J48()` has WEKA's defaults.
"""

from intemi import Project
from intemi.analysis.plots import heat_table
from intemi.experiments import Comparison, Experiment, run
from intemi.machines import J48, KNN, CVDistributor, NaiveBayes, SklearnDataset

experiment = Experiment(
    name="experimenter",
    data={name: SklearnDataset(name) for name in ("iris", "wine", "breast_cancer")},  # Datasets: Add new...
    learners={"J48": J48(), "NaiveBayes": NaiveBayes(), "IBk": KNN(k=1)},  # Algorithms: Add new...
    distributor=CVDistributor(folds=10),  # Experiment Type: Cross-validation, 10 folds
    repetitions=3,  # Iteration Control: number of repetitions; WEKA's default is 10
    comparison=Comparison(test="CorrectedTTest", alpha=0.05, control="J48"),  # Paired T-Tester (corrected), test base
)
compared = run(experiment, Project()).compare()  # Run, then Perform test
for row in compared.views.table:
    if row["machine"] != "J48":
        print(f"{row['machine']}: {row['W-D-L']} (better-equal-worse than J48)")
shown = [compared.shown(row["machine"], row["data"]) for row in compared.means]
picture = heat_table(compared.means.with_column("shown", shown), rows="data", columns="machine", text="shown")
picture.savefig("from_weka_experimenter.svg")
