"""Draw a tree

Bars have the classes of the training rows that came to a node. Trees print themselves, too, and are
exported as rules, Graphviz and plain data.
"""

from pathlib import Path

from intemi import Project
from intemi.machines import RPart, SklearnDataset

with Project() as project:
    done = project.run(RPart(), data=project.request(SklearnDataset("wine")).data)
    tree = done.outputs["tree"]
print(tree.rules()[0])
Path("draw_a_tree.svg").write_text(tree.svg(), "utf-8")
