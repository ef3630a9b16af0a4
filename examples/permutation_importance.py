"""Which features matter?

What a learner loses, on rows that were held out, if a feature is shuffled. It works for any
learner; the models are those of an ordinary cross-validation, and are shared with it.
"""

from intemi import Project
from intemi.analysis.plots import importances
from intemi.machines import NaiveBayes, PermutationRanking, SklearnDataset

with Project() as project:
    wine = project.request(SklearnDataset("wine"))
    found = project.run(PermutationRanking(NaiveBayes(), repeats=10, seed=1), data=wine.data)
    importance = found.results["Importance"]
print(importance[:3])
importances(importance).savefig("permutation_importance.svg")
