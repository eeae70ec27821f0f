"""Frames of films as they really come: odd clocks, codecs and sizes. Every frame's brightness says which one it is."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest

from features import media
from features.media import Frame, picture_at, read_frames
from features.problems import Problem

RATE = 10
COUNT = 30


def shade(n: int) -> int:
    return 20 + 7 * n


def write_film(
    path: Path,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    size: tuple[int, int] = (96, 64),
    first_s: float = 0.0,
    sound_from_s: float | None = None,
    options: dict[str, str] | None = None,
    container_options: dict[str, str] | None = None,
    aspect: Fraction | None = None,
    count: int = COUNT,
) -> Path:
    """A film of plain pictures, each brighter than the one before."""
    with av.open(str(path), "w", container_options=container_options or {}) as container:
        stream = container.add_stream(codec, rate=RATE, options=options or {})
        stream.width, stream.height, stream.pix_fmt = *size, pixels
        stream.codec_context.gop_size = 5
        stream.bit_rate = 4_000_000
        if aspect:
            stream.codec_context.sample_aspect_ratio = aspect
        if sound_from_s is not None:
            sound = container.add_stream("pcm_s16le", rate=8000, layout="mono")
            block = av.AudioFrame.from_ndarray(np.zeros((1, 8000 * 8), np.int16), format="s16", layout="mono")
            block.sample_rate, block.pts = 8000, int(8000 * sound_from_s)
            container.mux(sound.encode(block))
        for n in range(count):
            picture = np.full((size[1], size[0], 3), shade(n), np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = round(first_s * RATE) + n, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def read(path: Path, rate: float = 1000) -> tuple[list[Frame], list[Problem]]:
    problems: list[Problem] = []
    return list(read_frames(path, rate, problems)), problems


def which(frame: Frame) -> int:
    return round((float(frame.image.mean()) - 20) / 7)


def assert_on_time(frames: list[Frame], first_s: float = 0.0) -> None:
    """Every frame carries the time of its own content."""
    assert len(frames) > 0.9 * COUNT
    for frame in frames:
        assert frame.time_s == pytest.approx(first_s + which(frame) / RATE, abs=0.051), which(frame)


@pytest.mark.parametrize(
    ("suffix", "codec", "pixels"),
    [
        ("mp4", "libx264", "yuv420p"),
        ("mp4", "libx265", "yuv420p"),  # HEVC, as phones record
        ("mkv", "libx265", "yuv420p10le"),  # 10-bit HEVC
        ("mkv", "libx264", "yuv420p10le"),
        ("mkv", "libvpx-vp9", "yuv420p"),
        ("ts", "mpeg2video", "yuv420p"),  # broadcast
        ("avi", "mpeg4", "yuv420p"),
        ("mov", "mjpeg", "yuvj420p"),
    ],
)
def test_codecs(tmp_path: Path, suffix: str, codec: str, pixels: str) -> None:
    frames, problems = read(write_film(tmp_path / f"f.{suffix}", codec, pixels))
    assert problems == []
    assert_on_time(frames)


@pytest.mark.parametrize("size", [(2, 2), (17, 33), (641, 361), (2000, 4)])
def test_odd_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    frames, problems = read(write_film(tmp_path / "f.mkv", "ffv1", "bgr0", size))
    assert problems == []
    assert frames[0].image.shape == (size[1], size[0], 3)
    assert_on_time(frames)


def test_a_picture_that_starts_three_seconds_after_the_sound(tmp_path: Path) -> None:
    frames, _ = read(write_film(tmp_path / "f.mkv", first_s=3, sound_from_s=0))
    assert_on_time(frames, 3.0)


def test_a_file_whose_clock_starts_at_three_seconds(tmp_path: Path) -> None:
    """A player shows its first picture at once; so annotations were made with that clock."""
    frames, problems = read(write_film(tmp_path / "f.mkv", first_s=3))
    assert problems == []
    assert_on_time(frames, 0.0)


def test_a_stream_without_any_timestamps(tmp_path: Path) -> None:
    frames, problems = read(write_film(tmp_path / "f.h264"))
    assert len(frames) == COUNT
    assert np.all(np.diff([f.time_s for f in frames]) > 0)
    assert [which(f) for f in frames] == list(range(COUNT))
    assert [p.kind for p in problems] in ([], ["repaired timestamps"])  # FFmpeg may invent some itself


def decoded(monkeypatch: pytest.MonkeyPatch, times: list[float | None]) -> None:
    """Let the decoder give pictures with these times, as files from broken recorders do and no encoder here will."""

    def pictures(*_: Any) -> Iterator[Any]:
        for n, time in enumerate(times):
            image = np.full((4, 4, 3), shade(n), np.uint8)
            yield SimpleNamespace(
                pts=None if time is None else round(time * 1000), time=time, interlaced_frame=False, rotation=0,
                to_ndarray=lambda format, image=image: image,
            )  # fmt: skip

    monkeypatch.setattr(media, "_pictures", pictures)


def test_repeated_missing_and_backward_timestamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_film(tmp_path / "f.mp4")
    times = [0.0, 0.1, 0.1, None, 0.2, 0.15, 0.9, 1.0]
    decoded(monkeypatch, times)
    frames, problems = read(path)
    assert [which(f) for f in frames] == list(range(len(times)))  # no frame is lost
    assert [f.time_s for f in frames] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.9, 1.0])
    repaired = next(p for p in problems if p.kind == "repaired timestamps")
    assert repaired.message.startswith("4 frames")


def test_pictures_before_the_clocks_zero_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_film(tmp_path / "f.mp4")
    decoded(monkeypatch, [-0.2, -0.1, 0.0, 0.1, 0.2])
    frames, problems = read(path)
    assert [(which(f), f.time_s) for f in frames] == [(2, 0.0), (3, 0.1), (4, 0.2)]
    assert [p.kind for p in problems] == ["video ends early"]


def test_a_rotated_phone_video_is_seen_upright(tmp_path: Path) -> None:
    path = write_film(tmp_path / "f.mp4")
    data = bytearray(path.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 40  # of the track header, version 0
    one = 1 << 16
    data[matrix : matrix + 36] = struct.pack(">9i", 0, one, 0, -one, 0, 0, 0, 0, 1 << 30)  # turned by 90°
    path.write_bytes(data)
    frames, _ = read(path)
    assert frames[0].image.shape == (96, 64, 3)
    assert_on_time(frames)


def test_pixels_that_are_not_square_are_made_so(tmp_path: Path) -> None:
    frames, _ = read(write_film(tmp_path / "f.mp4", aspect=Fraction(3, 2)))
    assert frames[0].image.shape == (64, 144, 3)


def test_an_interlaced_picture_is_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "f.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"x264-params": "interlaced=1", "crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for _ in range(5):
            picture = np.zeros((64, 96, 3), np.uint8)
            picture[1::2] = 200  # the second moment
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    frames, _ = read(path)
    assert frames[0].image.shape == (64, 96, 3)
    assert float(frames[0].image.std()) < 20  # no comb


def test_a_file_that_was_cut_is_read_as_far_as_it_goes_and_told(tmp_path: Path) -> None:
    path = write_film(tmp_path / "f.mkv", options={"crf": "0"}, size=(640, 360))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    frames, problems = read(path)
    assert 5 < len(frames) < 25
    for frame in frames:
        assert frame.time_s == pytest.approx(which(frame) / RATE, abs=0.051)
    (early,) = [p for p in problems if p.kind == "video ends early"]
    assert early.time_s == pytest.approx(frames[-1].time_s)
    assert "3.0 s" in early.message


def test_a_damaged_stretch_costs_only_itself(tmp_path: Path) -> None:
    path = write_film(tmp_path / "f.avi", "mjpeg", "yuvj420p", (320, 240))
    data = bytearray(path.read_bytes())
    places = [n for n in range(len(data) - 4) if data[n : n + 4] == b"00dc"][:COUNT]
    for n in places[10:14]:  # the packets of four pictures
        data[n + 8 : n + 200] = bytes(192)
    path.write_bytes(data)
    frames, problems = read(path)
    assert frames[-1].time_s == pytest.approx((COUNT - 1) / RATE, abs=0.051)
    assert COUNT - 4 <= len(frames) <= COUNT
    if len(frames) < COUNT:
        assert [p.kind for p in problems] == ["damaged video"]


def test_a_single_picture_at_a_time(tmp_path: Path) -> None:
    path = write_film(tmp_path / "f.mp4")
    for n in (0, 7, 13, 29):
        image = picture_at(path, n / RATE)
        assert image is not None
        assert which(Frame(0, image)) == n
    assert picture_at(path, 99) is None
