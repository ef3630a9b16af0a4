"""How large is a difference?

A test says how sure a difference is; an effect size says how large. A₁₂ is the probability that a
result of the learner is better than one of the best learner.
"""

from intemi.analysis.plots import heat_table
from intemi.experiments import compare_learners
from intemi.machines import C45, KNN, NaiveBayes, OneR

learners = {"bayes": NaiveBayes(), "C4.5": C45(), "neighbours": KNN(k=5), "one rule": OneR()}
compared = compare_learners(learners, ["iris", "wine", "breast_cancer"], folds=10)
effects = compared.effects()
told = [f"{row['A12']:.2f}\n{row['magnitude']}" for row in effects]
told = effects.with_column("told", told)
caption = f"A₁₂ against {effects['against'][0]}"
heat_table(told, rows="machine", columns="data", text="told", centre=0.5, caption=caption).savefig("effect_sizes.svg")
