"""Streams from recordings: frames with their presentation times, 16 kHz mono sound, and what the file says of itself.

All times are seconds from the container's start, as a player shows them. Nothing is held in memory but one frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import polars as pl
import soundfile

from features.errors import InputError
from features.problems import Problem
from features.store import atomic, file_hash, made_from, sample_key, write_parquet

EXTRACTOR = "media-1"
VIDEO_SUFFIXES = frozenset({".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".ts", ".mpg", ".mpeg", ".flv", ".wmv"})
SOUND_SUFFIXES = frozenset({".wav", ".flac", ".mp3", ".m4a", ".ogg", ".opus", ".aac"})
#: A hole or step in the sound's timestamps shorter than this is jitter of the container, not missing sound.
_GAP_S = 0.05
_SHORT_S = 0.5  # pictures that end this much before the file says are worth a word

INFO_SCHEMA = {
    "sample_id": pl.String,
    "sample_key": pl.String,
    "file": pl.String,
    "content_sha256": pl.String,
    "duration_s": pl.Float64,
    "has_video": pl.Boolean,
    "video_codec": pl.String,
    "width": pl.Int32,
    "height": pl.Int32,
    "frames_per_s": pl.Float64,
    "has_audio": pl.Boolean,
    "audio_codec": pl.String,
    "audio_rate_hz": pl.Int32,
    "audio_channels": pl.Int32,
    "audio_start_s": pl.Float64,
    "audio_seconds": pl.Float64,
}


def find_recordings(folder: Path, sample_ids: list[str]) -> tuple[dict[str, Path], list[Problem]]:
    """Match recordings to samples: ``<folder>/<sample_id>.<suffix>``, or ``__`` in place of the id's slashes.

    Ids are compared with the names of files that are there and never joined to a path, so an id cannot lead elsewhere.
    """
    wanted = {name: i for i in sample_ids for name in (i, i.replace("/", "__"))}
    found: dict[str, Path] = {}
    problems = []
    paths = (
        sorted(p for p in folder.rglob("*") if p.suffix.lower() in VIDEO_SUFFIXES | SOUND_SUFFIXES)
        if folder.is_dir()
        else []
    )
    for path in sorted(paths, key=lambda p: (p.suffix.lower() in SOUND_SUFFIXES, p)):
        name = path.relative_to(folder).with_suffix("").as_posix()
        sample_id = wanted.get(name)
        if sample_id is None:
            problems.append(
                Problem("media", "recording without sample", f"no sample is called {name!r}", file=path.name)
            )
        elif sample_id in found:
            message = f"{path.name} is not used: {found[sample_id].name} is there too"
            problems.append(
                Problem("media", "second recording of a sample", message, sample_id=sample_id, file=path.name)
            )
        else:
            found[sample_id] = path
    return found, problems


def _open(path: Path) -> Any:
    if not path.is_file():
        raise InputError(
            f"{path.name}: expected a media file, found {'a folder or device' if path.exists() else 'nothing'}"
        )
    try:
        return av.open(str(path), metadata_errors="replace")
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise InputError(
            f"{path.name}: expected a media file that FFmpeg can open; {error}. Check or replace the file."
        ) from error


def _origin(container: Any) -> float:
    return (container.start_time or 0) / av.time_base


@dataclass(frozen=True)
class Frame:
    """One decoded picture. ``image`` [shape=(h, w, 3), uint8, BGR]; ``time_s`` is its presentation time."""

    time_s: float
    image: np.ndarray


def read_frames(path: Path, rate_hz: float, problems: list[Problem]) -> Iterator[Frame]:
    """Decode a video and yield the first frame at or after each tick of ``rate_hz``, with its own time.

    Times never go back: a missing or repeated timestamp is replaced by the previous one plus a frame's length, and
    counted. What cannot be decoded is left out, and a file that breaks off is read as far as it goes. Each kind of loss is
    appended to ``problems``.

    Raises
    ------
    InputError
        If the file cannot be opened or has no video stream.
    """
    with _open(path) as container:
        if not container.streams.video:
            raise InputError(f"{path.name}: expected a video stream, found none")
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        origin, step = _origin(container), 1.0 / float(stream.average_rate or 25)
        last, tick, repaired = -np.inf, 0, 0
        for picture in _pictures(container, stream, path.name, problems):
            time = picture.time - origin if picture.pts is not None else None
            if time is None or time <= last:
                time = last + step if np.isfinite(last) else 0.0
                repaired += 1
            last = time
            if time + 1e-6 < tick / rate_hz:
                continue
            tick = int(np.floor((time + 1e-6) * rate_hz)) + 1
            yield Frame(float(time), _as_shown(picture, stream.sample_aspect_ratio))
        if repaired:
            message = f"{repaired} frames without a usable timestamp were given the previous one plus {step:.3f} s"
            problems.append(Problem("facial", "repaired timestamps", message, file=path.name))
        announced = _announced_end(container, stream, origin)
        if announced is not None and last < announced - max(_SHORT_S, 2 * step):
            end = max(last, 0.0)
            message = f"the pictures end at {end:.1f} s, the file says {announced:.1f} s"
            problems.append(Problem("facial", "video ends early", message, file=path.name, time_s=float(end)))


def _pictures(container: Any, stream: Any, name: str, problems: list[Problem]) -> Iterator[Any]:
    """All pictures that can be decoded; damaged packets are counted."""
    damaged = 0
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            yield from packet.decode()
        except StopIteration:
            break
        except av.error.InvalidDataError:
            damaged += 1
        except (av.error.FFmpegError, OSError) as error:
            problems.append(Problem("facial", "video breaks off", f"decoding stopped: {error}", file=name))
            break
    if damaged:
        message = f"{damaged} packets of the video could not be decoded; their pictures are missing"
        problems.append(Problem("facial", "damaged video", message, file=name))


def _announced_end(container: Any, stream: Any, origin: float) -> float | None:
    """When the last picture should be over, by the file's own word."""
    if stream.duration is not None and stream.start_time is not None:
        return float((stream.start_time + stream.duration) * stream.time_base) - origin
    # Some containers count their length from the clock's zero, some from the first picture: the shorter is sure.
    return None if container.duration is None else float(container.duration / av.time_base) - max(origin, 0.0)


def _as_shown(picture: Any, pixel_aspect: Fraction | None) -> np.ndarray:
    """The picture as a viewer sees it: one field of an interlaced one, square pixels, upright.

    Phones store the turn as metadata (degrees, counter-clockwise); DVDs and HDV store pixels that are not square.
    """
    image = picture.to_ndarray(format="bgr24")
    height, width = image.shape[:2]
    if picture.interlaced_frame and height > 1:  # two moments in one picture: moving faces would have combs
        image = cv2.resize(image[::2], (width, height), interpolation=cv2.INTER_LINEAR)
    if pixel_aspect and pixel_aspect != 1:
        image = cv2.resize(image, (max(round(width * pixel_aspect), 1), height), interpolation=cv2.INTER_LINEAR)
    turn = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_CLOCKWISE}.get(
        round(picture.rotation) % 360
    )
    return image if turn is None else cv2.rotate(image, turn)


def picture_at(path: Path, time_s: float) -> np.ndarray | None:
    """The first picture at or after ``time_s``, None if there is none. [shape=(h, w, 3), uint8, BGR]"""
    with _open(path) as container:
        stream = container.streams.video[0]
        origin = _origin(container)
        container.seek(max(int((time_s + origin) * av.time_base), 0), backward=True)
        for picture in container.decode(stream):
            if picture.pts is not None and picture.time - origin >= time_s - 1e-3:
                return _as_shown(picture, stream.sample_aspect_ratio)
    return None


def write_sound(path: Path, flac: Path, rate_hz: int, problems: list[Problem]) -> tuple[float, float]:
    """Decode the first audio stream to a mono FLAC whose sample 0 is the container's start.

    Returns
    -------
    (start_s, seconds)
        Where the stream's first sound lies, and how long the FLAC is.

    Raises
    ------
    InputError
        If the stream holds no decodable sound.
    """
    gaps, written, start = 0, 0, None
    with _open(path) as container, atomic(flac) as temporary:
        origin = _origin(container)
        resampler = av.AudioResampler(format="s16", layout="mono", rate=rate_hz)
        with soundfile.SoundFile(str(temporary), "w", rate_hz, 1, subtype="PCM_16", format="FLAC") as out:
            try:
                for frame in container.decode(audio=0):
                    time = frame.time - origin if frame.pts is not None else None
                    for block in resampler.resample(_without_time(frame)):
                        pcm = block.to_ndarray()[0]
                        if time is not None:
                            lag = round(time * rate_hz) - written
                            if lag > _GAP_S * rate_hz or (start is None and lag > 0):
                                out.write(np.zeros(lag, np.int16))
                                written += lag
                                gaps += start is not None
                            elif start is None and lag < 0:
                                pcm = pcm[-lag:]  # encoder priming before the container's start
                        if len(pcm):
                            start = written / rate_hz if start is None else start
                            out.write(pcm)
                            written += len(pcm)
                        time = None
            except (av.error.FFmpegError, OSError) as error:
                message = f"decoding stopped: {error}"
                problems.append(Problem("media", "sound breaks off", message, file=path.name, time_s=written / rate_hz))
        if start is None:
            raise InputError(f"{path.name}: its audio stream holds no decodable sound")
    if gaps:
        problems.append(
            Problem(
                "media",
                "holes in the sound",
                f"{gaps} holes in the timestamps were filled with silence",
                file=path.name,
            )
        )
    return start, written / rate_hz


def _without_time(frame: Any) -> Any:
    # The resampler would refuse a stream whose timestamps jump; they are accounted for by the caller.
    frame.pts = None
    return frame


def examine(sample_id: str, path: Path, audio: Path, info: Path, rate_hz: int) -> list[Problem]:
    """Write ``info`` (a one-row Parquet of INFO_SCHEMA) and, if there is sound, the FLAC; skip what is already done."""
    digest = file_hash(path) if path.is_file() else ""
    source = {"extractor": EXTRACTOR, "input_sha256": digest, "rate_hz": rate_hz}
    done = made_from(info)
    if done is not None and {k: v for k, v in done.items() if k != "problems"} == source:
        return [Problem(**p) for p in done["problems"]]
    problems: list[Problem] = []
    row: dict[str, Any] = dict.fromkeys(INFO_SCHEMA) | {
        "sample_id": sample_id,
        "sample_key": sample_key(sample_id),
        "file": path.name,
        "content_sha256": digest,
        "has_video": False,
        "has_audio": False,
    }
    try:
        row |= _describe(path)
        if row["has_audio"]:
            row["audio_start_s"], row["audio_seconds"] = write_sound(path, audio, rate_hz, problems)
        else:
            problems.append(Problem("media", "no sound", "the file has no audio stream", file=path.name))
        if not row["has_video"]:
            problems.append(Problem("media", "no picture", "the file has no video stream", file=path.name))
    except InputError as error:
        row["has_audio"] = False
        problems.append(Problem("media", "unusable input", str(error), file=path.name))
    problems = [Problem(**{**p.__dict__, "sample_id": sample_id}) for p in problems]
    write_parquet(info, pl.DataFrame([row], schema=INFO_SCHEMA), source | {"problems": [p.__dict__ for p in problems]})
    return problems


def _describe(path: Path) -> dict[str, Any]:
    with _open(path) as container:
        result: dict[str, Any] = {
            "duration_s": None if container.duration is None else container.duration / av.time_base
        }
        if container.streams.video:
            video = container.streams.video[0]
            rate: Fraction | None = video.average_rate
            result |= {
                "has_video": True,
                "video_codec": video.codec_context.name,
                "width": video.codec_context.width,
                "height": video.codec_context.height,
                "frames_per_s": None if rate is None else float(rate),
            }
        if container.streams.audio:
            audio = container.streams.audio[0]
            result |= {
                "has_audio": True,
                "audio_codec": audio.codec_context.name,
                "audio_rate_hz": audio.codec_context.sample_rate,
                "audio_channels": audio.codec_context.channels,
            }
        return result
