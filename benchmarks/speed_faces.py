"""Speed and memory of the face extractor, as ratios against a bare MediaPipe loop in the same run."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from statistics import median

import av
import cv2
import numpy as np

from benchmarks.table import Row
from benchmarks.truth_faces import drawn, settings_of
from features.facial import FaceAnalyser, FaceSettings, extract_faces
from features.media import read_frames
from features.weights import face_landmarker
from pipeline.params import load_params
from pipeline.synthetic.face import FaceState

_REPEATS = 5
_MINUTES = (1, 4)


def bare_loop(video: Path, rate_hz: float) -> tuple[float, int, int]:
    """Seconds, frames and faces of what MediaPipe's users write: decode, convert, detect_for_video."""
    import mediapipe  # here, so that the memory of a worker is measured without it
    from mediapipe.tasks.python import BaseOptions, vision

    options = vision.FaceLandmarkerOptions(
        base_options=BaseOptions(model_asset_path=str(face_landmarker())),
        running_mode=vision.RunningMode.VIDEO,
        output_face_blendshapes=True,
        output_facial_transformation_matrixes=True,
    )
    start, frames, faces = time.perf_counter(), 0, 0
    with vision.FaceLandmarker.create_from_options(options) as landmarker:
        for frame in read_frames(video, rate_hz, []):
            rgb = cv2.cvtColor(frame.image, cv2.COLOR_BGR2RGB)
            picture = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=rgb)
            found = landmarker.detect_for_video(picture, int(frame.time_s * 1000))
            frames, faces = frames + 1, faces + len(found.face_landmarks)
    return time.perf_counter() - start, frames, faces


def whole_extractor(video: Path, out: Path, settings: FaceSettings) -> float:
    """Seconds from the file to the written Parquet files."""
    out.unlink(missing_ok=True)
    start = time.perf_counter()
    extract_faces("s", video, "", out, settings)
    return time.perf_counter() - start


def film(path: Path, heights: list[float], seconds: float, rate: int = 10) -> Path:
    """A 1280×720 film in which drawn faces of these heights talk; ten seconds of pictures, again and again."""
    rng = np.random.default_rng(3)
    talk = 0.4 + 0.4 * np.sin(np.arange(10 * rate))
    pictures = [drawn(heights, FaceState(jaw=float(j)), np.random.default_rng(1)) for j in talk]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(rate), options={"preset": "superfast", "crf": "22"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        for n in range(int(seconds * rate)):
            picture = pictures[n % len(pictures)]
            if n % 50 == 0:
                picture = np.roll(picture, int(rng.integers(0, 40)), 1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return path


def peak_memory(video: Path, out: Path) -> tuple[float, float]:
    """Peak resident memory in MB and frames a second of one worker that analyses this film, in a process of its own."""
    out.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed_faces", str(video), str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    memory, rate = done.stdout.split()[-2:]
    return float(memory), float(rate)


def measure(media: Path, folder: Path) -> Iterator[Row]:
    settings = settings_of(load_params().face)
    clip = media / "WolfgangLanger_Pexels.mp4"
    if not clip.is_file():
        clip = film(folder / "close.mp4", [430], 20)
    ratios = []
    for _ in range(_REPEATS):
        bare, frames, faces = bare_loop(clip, settings.rate_hz)
        ratios.append(bare / whole_extractor(clip, folder / "clip.parquet", settings))
    yield Row(f"{clip.name}: frames in which the bare loop finds the face", faces / frames, "share")
    yield Row(f"{clip.name}: frames a second of the bare loop", frames / bare, "frames/s")
    yield Row(
        f"{clip.name}: whole extractor over bare MediaPipe VIDEO loop, median of {_REPEATS}",
        median(ratios),
        "ratio",
        "≥ 0.8",
    )
    wide = film(folder / "wide.mp4", [120, 120, 120], 10)
    _, frames, faces = bare_loop(wide, settings.rate_hz)
    yield Row("wide shot of three drawn faces: share that the bare loop finds", faces / (3 * frames), "share")
    for count in range(1, 6):
        picture = [
            drawn([150] * count, FaceState(jaw=j), np.random.default_rng(1)) for j in (0.0, 0.2, 0.5, 0.7, 0.3)
        ]  # fmt: skip
        analyser = FaceAnalyser(settings)
        start = time.perf_counter()
        found = sum(len(m.faces) for n in range(60) for m in analyser.push(n / settings.rate_hz, picture[n % 5])) + sum(
            len(m.faces) for m in analyser.finish()
        )
        rate = 60 / (time.perf_counter() - start)
        yield Row(f"1280×720 pictures with {count} faces ({found / 60:.1f} found)", rate, "frames/s")
    peaks = {}
    for minutes in _MINUTES:
        long = film(folder / f"{minutes}.mp4", [150, 150], 60 * minutes)
        peaks[minutes] = peak_memory(long, folder / "long.parquet")
        yield Row(f"1280×720 film of {minutes} min, two faces: frames a second", peaks[minutes][1], "frames/s")
        yield Row(f"1280×720 film of {minutes} min: peak memory of a worker", peaks[minutes][0], "MB", "≤ 1000")
    short, long_ = (peaks[m] for m in _MINUTES)
    yield Row(f"speed at {_MINUTES[1]} min over {_MINUTES[0]} min", long_[1] / short[1], "ratio", "≥ 0.9")
    yield Row(f"memory at {_MINUTES[1]} min over {_MINUTES[0]} min", long_[0] / short[0], "ratio", "≤ 1.1")


if __name__ == "__main__":
    taken = whole_extractor(Path(sys.argv[1]), Path(sys.argv[2]), settings_of(load_params().face))
    with av.open(sys.argv[1]) as source:
        count_frames = source.streams.video[0].frames
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, count_frames / taken)
