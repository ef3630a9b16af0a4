"""The best machine for a table

`intemi.learn` takes a file (`"votes.csv"`), a pandas frame or data. It tests machines by
cross-validation and trains the best on all rows: that one predicts, and can be saved. Here ten
machines are tested; `minutes=10` in place of `tests` searches for ten minutes, the cheapest
machines first. The picture shows what each test took, and how good it was.
"""

import intemi
from intemi.machines import SklearnDataset

with intemi.Project() as project:
    wine = project.run(SklearnDataset("wine")).outputs["data"]
learned = intemi.learn(wine, tests=10, knowledge=False)
print(learned.summary())
print(learned.best(3))
print(learned.predict(wine)[:3])
learned.save("wine.model")  # intemi.load_model("wine.model") or `intemi predict wine.model new.csv`
learned.picture().savefig("learn_from_a_table.svg")
