"""Acts a conversation out: voices, faces, shots and cuts, written as MP4 together with the truth that only tests read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import polars as pl

from features.store import atomic, write_parquet
from pipeline.synthetic.face import FaceLook, FacePainter, FaceState, place
from pipeline.synthetic.script import Conversation, Person
from pipeline.synthetic.voice import FRAME, SAMPLE_RATE, Speech, synthesise

WIDTH, HEIGHT = 1280, 720
_TIME_BASE = Fraction(1, 12800)
_SKINS = ((150, 180, 225), (120, 150, 200), (80, 105, 150), (165, 190, 232), (100, 132, 184), (140, 170, 214))
_HAIR = ((40, 50, 70), (20, 20, 25), (90, 150, 190), (30, 34, 90), (130, 132, 136), (24, 44, 66))
_IRIS = ((120, 80, 50), (40, 60, 90), (60, 110, 80), (30, 40, 60))
_CLOTHES = ((120, 60, 40), (60, 60, 140), (60, 120, 60), (140, 110, 60), (70, 70, 70), (150, 150, 60))
_WALLS = ((120, 125, 130), (132, 120, 108), (108, 122, 112), (126, 126, 140))
SHOT_KINDS = ("wide", "pair", "close", "reaction", "empty")


@dataclass(frozen=True)
class Placement:
    """Where one person's face stands in a shot. Pixels."""

    person: int
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Shot:
    start: float
    end: float
    kind: str
    placements: tuple[Placement, ...]


@dataclass(frozen=True)
class Staging:
    """What makes a film harder than others to analyse.

    ``variable_rate``: the frames come at no fixed rate; ``one_look``: the first two people look exactly alike;
    ``therapist_unseen``: the therapist is a voice that is never on screen.
    """

    variable_rate: bool = False
    one_look: bool = False
    therapist_unseen: bool = False


@dataclass
class Performance:
    """Everything that happens in a film, on a 10 ms grid: index k is the time from k/100 s to (k+1)/100 s."""

    people: list[Person]
    audio: np.ndarray
    f0_hz: np.ndarray  # [person, step], NaN where that person has no voice
    opening: np.ndarray  # [person, step], 0–1
    brow_up: np.ndarray
    brow_down: np.ndarray
    smile: np.ndarray
    blink: np.ndarray
    yaw: np.ndarray
    pauses: list[int]


def perform(conversation: Conversation, rng: np.random.Generator) -> Performance:
    """Speak all turns and let the faces follow: mouths move with the voice, brows and smile with the mood shown."""
    cast = conversation.cast
    people = [*cast.clients, cast.therapist]
    index = {p.name: i for i, p in enumerate(people)}
    seconds = conversation.turns[-1].end + 1.0
    steps = int(seconds * 100)
    shape = (len(people), steps)
    f0, opening = np.full(shape, np.nan), np.zeros(shape)
    targets = {k: np.zeros(shape) for k in ("brow_up", "brow_down", "smile")}
    audio = rng.normal(0, 4e-4, steps * FRAME)  # the room's own noise, near −68 dB
    pauses = []
    for turn in conversation.turns:
        who, first = index[turn.speaker.name], round(turn.start * 100)
        tract = float(np.interp(turn.speaker.f0_hz, (95, 300), (0.95, 1.2)))
        shown = turn.expression
        speech: Speech = synthesise(
            turn.end - turn.start, turn.words, turn.speaker.f0_hz * shown["f0"], shown["loudness_db"], tract, rng
        )
        n = min(len(speech.f0_hz), steps - first)
        f0[who, first : first + n] = speech.f0_hz[:n]
        opening[who, first : first + n] = speech.opening[:n]
        audio[first * FRAME : (first + n) * FRAME] += speech.signal[: n * FRAME]
        for key, values in targets.items():
            values[who, first : first + n + 60] = shown[key]
        pauses.append(speech.pauses)
    smooth = np.hanning(41) / np.hanning(41).sum()
    moved = {
        k: np.stack([np.convolve(np.pad(row, 20, "edge"), smooth, "valid") for row in v]) for k, v in targets.items()
    }
    sway = np.cumsum(rng.normal(0, 0.35, shape), axis=1)
    yaw = 14 * np.tanh((sway - sway.mean(1, keepdims=True)) / 12)
    return Performance(
        people, np.clip(audio, -1, 1), f0, opening, **moved, blink=_blinks(shape, rng), yaw=yaw, pauses=pauses
    )


def _blinks(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    blink = np.zeros(shape)
    lid = np.sin(np.pi * np.linspace(0, 1, 26)) ** 0.7
    for row in blink:
        at = int(rng.uniform(50, 400))
        while at + 26 < shape[1]:
            row[at : at + 26] = lid
            at += int(rng.uniform(180, 520))
    return blink


def plan_shots(conversation: Conversation, seconds: float, staging: Staging, rng: np.random.Generator) -> list[Shot]:
    """Cut the conversation as a documentary would: wide shots, pairs, close-ups of who speaks, reactions, cutaways."""
    people = [*conversation.cast.clients, conversation.cast.therapist]
    index = {p.name: i for i, p in enumerate(people)}
    seen = list(range(len(people) - staging.therapist_unseen))
    shots: list[Shot] = []
    clock = 0.0
    while clock < seconds:
        length = float(rng.uniform(2.5, 5.5))
        end = min(clock + length, seconds)
        if seconds - end < 1.5:
            end = seconds
        kind = "wide" if not shots else str(rng.choice(SHOT_KINDS, p=(0.3, 0.22, 0.28, 0.14, 0.06)))
        current = next((t for t in conversation.turns if t.start <= clock + length / 2 < t.end), conversation.turns[0])
        speaker = index[current.speaker.name]
        shots.append(Shot(clock, end, kind, _arrange(kind, seen, speaker, rng)))
        clock = end
    return shots


def _arrange(kind: str, seen: list[int], speaker: int, rng: np.random.Generator) -> tuple[Placement, ...]:
    def jitter(scale: float) -> float:
        return float(rng.uniform(-scale, scale))

    if kind == "empty":
        return ()
    if kind == "wide":  # everybody, 15–18 % of the frame's height, always in the same seats
        step = WIDTH / (len(seen) + 0.4)
        return tuple(
            Placement(i, step * (i + 0.7) + jitter(12), 330 + jitter(18), float(rng.uniform(110, 130))) for i in seen
        )
    listeners = [i for i in seen if i != speaker]
    shown = speaker if speaker in seen else int(rng.choice(seen))
    if kind == "pair":
        pair = sorted([shown, int(rng.choice([i for i in seen if i != shown]))])
        return tuple(
            Placement(who, 360 + 560 * side + jitter(40), 340 + jitter(20), float(rng.uniform(180, 215)))
            for side, who in enumerate(pair)
        )
    who = shown if kind == "close" else int(rng.choice(listeners))
    return (Placement(who, 640 + jitter(170), 350 + jitter(20), float(rng.uniform(255, 288))),)


def frame_times(seconds: float, rate: float, variable: bool, rng: np.random.Generator) -> np.ndarray:
    """Presentation times in seconds. A variable rate drops about a third of the frames and shifts the rest a little."""
    times = np.arange(int(seconds * rate)) / rate
    if not variable:
        return times
    keep = rng.random(len(times)) > 0.3
    keep[0] = True
    return np.sort(times + rng.uniform(0, 0.4 / rate, len(times)) * (np.arange(len(times)) > 0))[keep]


def make_film(
    conversation: Conversation, film: Path, truth: Path, rate: float, staging: Staging, seed: list[int]
) -> None:
    """Render one sample's film and write its truth: <truth>.frames.parquet, .voices.parquet and .turns.parquet."""
    rng = np.random.default_rng(seed)
    acted = perform(conversation, rng)
    seconds = acted.f0_hz.shape[1] / 100
    shots = plan_shots(conversation, seconds, staging, rng)
    times = frame_times(seconds, rate, staging.variable_rate, rng)
    looks = [p.look for p in acted.people]
    if staging.one_look:
        looks[1] = looks[0]
    rows = _render(film, acted, looks, shots, times, rate, rng)
    people = [p.name for p in acted.people]
    steps = np.arange(acted.f0_hz.shape[1])
    voices = pl.concat(
        [
            pl.DataFrame({"time_s": steps / 100, "person": name, "f0_hz": acted.f0_hz[i], "opening": acted.opening[i]})
            for i, name in enumerate(people)
        ]
    ).with_columns(pl.col("f0_hz").fill_nan(None))
    turns = pl.DataFrame(
        [
            {"turn": t.row["row_index"], "state": t.state, "mood": t.mood, "pauses": pauses, **t.expression}
            for t, pauses in zip(conversation.turns, acted.pauses, strict=True)
        ]
    )
    write_parquet(truth.with_name(truth.name + ".frames.parquet"), rows)
    write_parquet(truth.with_name(truth.name + ".voices.parquet"), voices)
    write_parquet(truth.with_name(truth.name + ".turns.parquet"), turns)


def _render(
    film: Path,
    acted: Performance,
    looks: list[int],
    shots: list[Shot],
    times: np.ndarray,
    rate: float,
    rng: np.random.Generator,
) -> pl.DataFrame:
    painters = [FacePainter(_look(code)) for code in looks]
    wall = _WALLS[int(rng.integers(len(_WALLS)))]
    rows: list[dict[str, object]] = []
    with atomic(film) as temporary, av.open(str(temporary), "w") as container:
        video = container.add_stream(
            "libx264",
            rate=Fraction(rate).limit_denominator(1000),
            options={"preset": "superfast", "crf": "22", "threads": "1"},
        )
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        video.codec_context.time_base = _TIME_BASE
        sound = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
        sound.bit_rate = 96_000
        shot_index, backdrop = -1, np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        for time in times:
            while shot_index < 0 or (time >= shots[shot_index].end and shot_index + 1 < len(shots)):
                shot_index += 1
                backdrop = _backdrop(wall, shots[shot_index], painters, rng)
            picture = backdrop.copy()
            step = min(int(time * 100), acted.f0_hz.shape[1] - 1)
            shot = shots[shot_index]
            for spot in shot.placements:
                state = _state(acted, spot.person, step)
                x = spot.x + 3 * np.sin(0.9 * time + spot.person)
                y = spot.y + 2 * np.sin(1.3 * time + 2 * spot.person)
                place(picture, painters[spot.person].paint(state), x, y, spot.height, state.roll)
                rows.append(
                    {
                        "time_s": float(time),
                        "shot": shot_index,
                        "kind": shot.kind,
                        "person": acted.people[spot.person].name,
                        "x": float(x),
                        "y": float(y),
                        "height": spot.height,
                        "jaw": state.jaw,
                        "brow_up": state.brow_up,
                        "brow_down": state.brow_down,
                        "smile": state.smile,
                        "blink": state.blink,
                        "yaw": state.yaw,
                        "roll": state.roll,
                    }
                )
            if not shot.placements:
                rows.append({"time_s": float(time), "shot": shot_index, "kind": shot.kind})
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = round(float(time) / _TIME_BASE), _TIME_BASE
            container.mux(video.encode(frame))
        container.mux(video.encode())
        _write_sound(container, sound, acted.audio)
    return pl.DataFrame(rows, infer_schema_length=None)


def _write_sound(container: av.container.OutputContainer, stream: av.AudioStream, audio: np.ndarray) -> None:
    pcm = np.round(audio * 32767).astype(np.int16)
    for start in range(0, len(pcm), 1024):
        block = av.AudioFrame.from_ndarray(pcm[None, start : start + 1024], format="s16", layout="mono")
        block.sample_rate, block.pts = SAMPLE_RATE, start
        container.mux(stream.encode(block))
    container.mux(stream.encode())


def _look(code: int) -> FaceLook:
    rng = np.random.default_rng(code)
    return FaceLook(
        skin=_SKINS[int(rng.integers(len(_SKINS)))],
        hair=_HAIR[int(rng.integers(len(_HAIR)))],
        iris=_IRIS[int(rng.integers(len(_IRIS)))],
        clothes=_CLOTHES[int(rng.integers(len(_CLOTHES)))],
        width=float(rng.uniform(0.92, 1.06)),
        long_hair=bool(rng.random() < 0.5),
    )


def _state(acted: Performance, person: int, step: int) -> FaceState:
    at = (person, step)
    return FaceState(
        jaw=float(0.75 * acted.opening[at]),
        brow_up=float(acted.brow_up[at]),
        brow_down=float(acted.brow_down[at]),
        smile=float(acted.smile[at]),
        blink=float(acted.blink[at]),
        yaw=float(acted.yaw[at]),
        roll=float(0.25 * acted.yaw[at]),
    )


def _backdrop(
    wall: tuple[int, int, int], shot: Shot, painters: list[FacePainter], rng: np.random.Generator
) -> np.ndarray:
    """A wall, a floor, a few flat shapes as furniture, and the bodies of those in the shot."""
    picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    fall = np.linspace(1.08, 0.86, HEIGHT)[:, None, None]
    picture[:] = np.clip(np.array(wall) * fall, 0, 255)
    picture[600:] = np.clip(np.array(wall) * 0.62, 0, 255)
    for _ in range(3):
        x, y = int(rng.integers(0, WIDTH - 200)), int(rng.integers(20, 160))
        colour = tuple(int(c) for c in rng.integers(60, 190, 3))
        cv2.rectangle(picture, (x, y), (x + int(rng.integers(60, 200)), y + int(rng.integers(50, 130))), colour, -1)
    for spot in shot.placements:
        half, top = 0.63 * spot.height, spot.y + 0.75 * spot.height
        corners = np.array(
            [[spot.x - half, top], [spot.x + half, top], [spot.x + half * 1.25, HEIGHT], [spot.x - half * 1.25, HEIGHT]]
        )
        cv2.fillPoly(picture, [np.round(corners).astype(np.int32)], painters[spot.person].look.clothes, cv2.LINE_AA)
    return picture
