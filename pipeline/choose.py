"""Choose the corpus that `dvc repro` builds: bring its annotations and recordings to data/raw, name it in params.yaml."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from features.errors import InputError
from features.store import write_text
from pipeline.params import PARAMS_FILE, load_params
from pipeline.stage import Corpus

DEMO = "demo"


def bring_annotations(source: Path, target: Path) -> int:
    """Copy the .json and .jsonl files of a file or folder to ``target``, which then holds those files and no others.

    Returns the number of files. Raises InputError if there are none.
    """
    if not source.exists():
        raise InputError(f"ANNOTATIONS={source}: no such file or folder")
    inside = (
        [source]
        if source.is_file()
        else sorted(p for p in source.rglob("*") if p.is_file() and p.suffix in (".json", ".jsonl"))
    )
    if not inside:
        raise InputError(
            f"ANNOTATIONS={source}: expected a .jsonl file or a folder with .json or .jsonl files, found none"
        )
    if target.exists() and target.samefile(source if source.is_dir() else source.parent):
        return len(inside)  # they are already where they belong
    fresh = target.with_name(f".{target.name}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    for path in inside:
        copy = fresh / (path.name if source.is_file() else path.relative_to(source))
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    return len(inside)


def link_media(source: Path | None, target: Path) -> None:
    """Make ``target`` a link to the folder of recordings, or an empty folder when there is none."""
    if source is None:
        if not target.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        return
    if not source.is_dir():
        raise InputError(f"MEDIA={source}: expected a folder of recordings named by sample id")
    if target.is_symlink():
        target.unlink()
    elif target.is_dir():
        if any(target.iterdir()):
            raise InputError(f"{target} already holds recordings; move them away before giving MEDIA=")
        target.rmdir()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source.resolve())


def choose(name: str, annotations: Path | None, media: Path | None) -> None:
    """Set up a corpus under data/raw and name it in params.yaml."""
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        raise InputError(f"CORPUS={name}: expected letters, digits and _ only; it becomes a folder's name")
    load_params()
    raw = Corpus(name).raw
    if name == DEMO:
        if annotations or media:
            raise InputError(
                "the demo corpus is made by the pipeline; give another name with CORPUS= for your own annotations"
            )
    else:
        if annotations is not None:
            print(f"{bring_annotations(annotations, raw / 'annotations')} annotation files in {raw}/annotations")
        elif not (raw / "annotations").is_dir():
            raise InputError(
                f"{raw}/annotations is not there. Give ANNOTATIONS=<file or folder>, "
                "or run `make annotations` for the official file"
            )
        link_media(media, raw / "media")
    text = PARAMS_FILE.read_text(encoding="utf-8")
    chosen = re.sub(r"^corpora: .*$", f"corpora: [{name}]", text, count=1, flags=re.MULTILINE)
    if chosen != text:
        write_text(PARAMS_FILE, chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--annotations", type=Path)
    parser.add_argument("--media", type=Path)
    arguments = parser.parse_args()
    try:
        choose(arguments.corpus, arguments.annotations, arguments.media)
    except InputError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
