"""What the site has beside the pages of docs/: the README as its first page, the changelog, and the experiment files.

MkDocs calls these functions; `mkdocs.yml` names this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent


def on_files(files: Files, config: Any) -> Files:
    """Add the files from outside docs/, with links that are right from where they are put."""
    readme = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "index.md", content=readme))
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    for path in sorted((ROOT / "configs").iterdir()):
        if path.suffix in (".yaml", ".py"):
            files.append(File.generated(config, f"configs/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The experiment files are beside docs/ in the repository and inside of it in the site."""
    return markdown.replace("](../configs/", "](configs/")
