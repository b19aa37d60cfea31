"""A hook of mkdocs: pages for the files beside docs/ that the documentation links to.

Pages name such files by their place in the repository (`../examples/workflow.yml`), where the link
works as it is. On the site each gets a page that shows it, a folder one that lists what is in it.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

FOLDER = "files"
_LINK = re.compile(r"\]\(\.\./(?P<path>[^)#]+?)/?(?P<anchor>#[^)]*)?\)")
_LEFT_OUT = {"__pycache__"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every file that some page links to."""
    root = Path(config.docs_dir).parent
    linked = {
        match["path"]
        for page in files.documentation_pages()
        for match in _LINK.finditer(page.content_string)
    }
    for path in sorted(linked):
        for place in [root / path, *_inside(root / path)]:
            uri = _page(str(place.relative_to(root)))
            if files.get_file_from_path(uri) is None:
                files.append(File.generated(config, uri, content=_shown(place, root)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links that lead out of docs/ lead to those pages."""
    up = "../" * page.file.src_uri.count("/")

    def led(found: re.Match[str]) -> str:
        return f"]({up}{_page(found['path'])}{found['anchor'] or ''})"

    return _LINK.sub(led, markdown)


def _page(path: str) -> str:
    return f"{FOLDER}/{path}" if path.endswith(".md") else f"{FOLDER}/{path}.md"


def _inside(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and not _LEFT_OUT & {*path.parts}
    )


def _shown(place: Path, root: Path) -> str:
    name = place.relative_to(root)
    if place.is_dir():
        names = (path.relative_to(place) for path in _inside(place))
        listed = (f"- [{one}]({place.name}/{_page(str(one))[len(FOLDER) + 1 :]})" for one in names)
        return "\n".join([f"# {name}", "", *listed, ""])
    text = place.read_text(encoding="utf-8")
    if place.suffix == ".md":
        return text
    kind = {".py": "python", ".yml": "yaml", ".toml": "toml"}.get(place.suffix, "text")
    return f"# {name}\n\n````{kind}\n{text.rstrip()}\n````\n"
