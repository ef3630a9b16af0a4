"""What the site has beside the pages of docs/: pages of the root, with the README as the first, and experiment files.

MkDocs calls these functions; `mkdocs.yml` names this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md": "CODE_OF_CONDUCT.md",
    "SECURITY.md": "SECURITY.md",
}
"""Where the pages of the root are in the site."""


def on_files(files: Files, config: Any) -> Files:
    """Add the files from outside docs/, with links that are right from where they are put."""
    for name, place in PAGES.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, place, content=text))
    files.append(File.generated(config, "LICENSE", abs_src_path=str(ROOT / "LICENSE")))
    for path in sorted((ROOT / "configs").iterdir()):
        if path.suffix in (".yaml", ".py"):
            files.append(File.generated(config, f"configs/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The experiment files and the changelog are beside docs/ in the repository and inside of it in the site."""
    return markdown.replace("](../configs/", "](configs/").replace("](../CHANGELOG.md)", "](changelog.md)")
