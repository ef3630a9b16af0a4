"""Who differs from whom?

Average ranks over several data sets. Learners that a bar joins do not differ (Demšar 2006),
whatever their means say.
"""

from intemi.analysis import Friedman
from intemi.analysis.plots import critical_difference
from intemi.experiments import compare_learners
from intemi.machines import C45, KNN, DecisionStump, Majority, NaiveBayes, OneR

learners = {
    "bayes": NaiveBayes(),
    "C4.5": C45(),
    "stump": DecisionStump(),
    "one rule": OneR(),
    "neighbours": KNN(k=5),
    "majority": Majority(),
}
compared = compare_learners(learners, ["iris", "wine", "breast_cancer", "digits"], folds=3)
print(f"Friedman: p = {Friedman()(compared.tested)['p'][0]:.3f}")
critical_difference(compared.tested).savefig("critical_difference.svg")
