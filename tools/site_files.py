"""A hook of mkdocs: pages for the files beside docs/ that the documentation links to.

Pages name such files by their place in the repository (`../examples/workflow.yml`), where the link
works as it is. On the site each gets a page that shows it, a folder one that lists what is in it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

FOLDER = "files"
_LINK = re.compile(r"\]\((?P<path>(?:\.\./|docs/|src/)[^)#]+?)/?(?P<anchor>#[^)]*)?\)")
_LEFT_OUT = {"__pycache__"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every file that a page links to; pages of Markdown may link to others."""
    root = Path(config.docs_dir).parent
    pages = [(page.src_uri, page.content_string) for page in files.documentation_pages()]
    while pages:
        added = []
        for path in sorted({path for uri, text in pages for path in _linked(uri, text)}):
            for place in [root / path, *_inside(root / path)]:
                uri = _page(place.relative_to(root).as_posix())
                if files.get_file_from_path(uri) is None:
                    added.append((uri, _shown(place, root)))
                    files.append(File.generated(config, uri, content=added[-1][1]))
        pages = [(uri, text) for uri, text in added if (root / uri[len(FOLDER) + 1 :]).is_file()]
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links that lead out of docs/ lead to those pages."""
    uri = page.file.src_uri
    up = "../" * uri.count("/")

    def led(found: re.Match[str]) -> str:
        path = _in_repository(uri, found["path"])
        if path.startswith("docs/"):
            return f"]({up}{path.removeprefix('docs/')}{found['anchor'] or ''})"
        return f"]({up}{_page(path)}{found['anchor'] or ''})"

    return _LINK.sub(led, markdown)


def _linked(uri: str, text: str) -> Iterator[str]:
    """The files outside docs/ that a page links to, by their places in the repository."""
    for match in _LINK.finditer(text):
        path = _in_repository(uri, match["path"])
        if not path.startswith("docs/"):
            yield path


def _in_repository(uri: str, link: str) -> str:
    """Where a link of a page leads."""
    inside = uri.removeprefix(f"{FOLDER}/")
    written_in = posixpath.dirname(inside if inside != uri else f"docs/{uri}")
    return posixpath.normpath(posixpath.join(written_in, link))


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
