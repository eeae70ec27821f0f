"""Single pictures and short sequences: small faces, moved and mirrored faces, faces that come late, cuts."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.truth_faces import drawn
from features.facial import BLENDSHAPES, FaceAnalyser
from features.facial.analysis import Face, Moment
from features.facial.networks import FaceNetworks
from features.facial.shots import CutDetector
from pipeline.synthetic.face import FaceState
from tests.features.facial.test_extraction import SETTINGS


@pytest.fixture(scope="module")
def networks() -> FaceNetworks:
    return FaceNetworks()


def faces_of(picture: np.ndarray, networks: FaceNetworks) -> list[Face]:
    analyser = FaceAnalyser(SETTINGS, networks)
    analyser.push(0.0, picture)
    return sorted(analyser.finish()[0].faces.values(), key=lambda f: float(f.box[0]))


def watch(pictures: list[np.ndarray], networks: FaceNetworks) -> list[Moment]:
    analyser = FaceAnalyser(SETTINGS, networks)
    moments = [m for n, p in enumerate(pictures) for m in analyser.push(n / 10, p)]
    return moments + analyser.finish()


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


@pytest.mark.parametrize("height", [48, 60, 100, 200, 300])
def test_faces_from_48_pixels_are_found(networks: FaceNetworks, height: int) -> None:
    picture = drawn([height] * 2, FaceState(jaw=0.2), rng())
    found = faces_of(picture, networks)
    assert len(found) == 2
    for face in found:
        assert 0.7 < face.box[3] / height < 1.4


def test_five_people_are_found_in_one_real_picture(networks: FaceNetworks, media_folder: Path) -> None:
    assert len(faces_of(np.asarray(cv2.imread(str(media_folder / "multi_face.jpg"))), networks)) == 5


def test_a_face_measures_the_same_wherever_it_stands(networks: FaceNetworks) -> None:
    picture = drawn([150], FaceState(jaw=0.5, blink=0.2, yaw=6), rng(), [400])
    (here,) = faces_of(picture, networks)
    (there,) = faces_of(np.roll(picture, (41, 333), (0, 1)), networks)
    assert np.allclose(there.box - here.box, (333, 41, 0, 0), atol=3)
    assert np.percentile([abs(here.values[b] - there.values[b]) for b in BLENDSHAPES], 95) < 0.05
    assert abs(here.values["yaw_deg"] - there.values["yaw_deg"]) < 1.5


def test_a_face_measures_the_same_whoever_else_is_there(networks: FaceNetworks) -> None:
    alone = drawn([150], FaceState(jaw=0.5), rng(), [200])
    crowd = drawn([150, 150, 150], FaceState(jaw=0.5), rng(), [200, 600, 1000])
    one = faces_of(alone, networks)[0]
    among = faces_of(crowd, networks)[0]
    assert np.percentile([abs(one.values[b] - among.values[b]) for b in BLENDSHAPES], 95) < 0.05


def test_a_mirrored_face_turns_the_other_way(networks: FaceNetworks) -> None:
    picture = drawn([220], FaceState(yaw=12, roll=6), rng(), [640])
    (one,) = faces_of(picture, networks)
    (mirror,) = faces_of(np.ascontiguousarray(picture[:, ::-1]), networks)
    assert one.values["yaw_deg"] > 4
    assert abs(one.values["yaw_deg"] + mirror.values["yaw_deg"]) < 4
    assert abs(one.values["roll_deg"] + mirror.values["roll_deg"]) < 4
    assert abs(one.values["eye_opening_left"] - mirror.values["eye_opening_right"]) < 0.08


def test_a_face_that_comes_between_two_searches_is_there_from_its_first_frame(networks: FaceNetworks) -> None:
    empty = drawn([], FaceState(), rng())
    with_face = drawn([160], FaceState(), rng(), [500])
    late = 13  # frames; the search at 3 s finds it and follows it back
    moments = watch([empty] * late + [with_face] * 25, networks)
    assert [len(m.faces) for m in moments] == [0] * late + [1] * 25
    assert len({t for m in moments for t in m.faces}) == 1


def test_a_face_that_leaves_ends_with_its_last_frame(networks: FaceNetworks) -> None:
    with_face, empty = drawn([160], FaceState(), rng(), [500]), drawn([], FaceState(), rng())
    moments = watch([with_face] * 12 + [empty] * 12, networks)
    assert [len(m.faces) for m in moments] == [1] * 12 + [0] * 12


def test_times_come_back_in_order_and_all_of_them(networks: FaceNetworks) -> None:
    picture = drawn([120], FaceState(), rng(), [300])
    moments = watch([picture] * 35, networks)
    assert [m.time_s for m in moments] == [n / 10 for n in range(35)]


def test_another_person_in_the_same_place_is_another_track(networks: FaceNetworks) -> None:
    """Even if the cut between two close-ups goes unnoticed."""
    first = drawn([200], FaceState(), rng(), [640])
    second = drawn([1, 200], FaceState(), rng(), [-400, 640])  # the second look
    analyser = FaceAnalyser(SETTINGS, networks)
    analyser._cuts.is_cut = lambda image: False  # type: ignore[method-assign]
    moments = [m for n in range(12) for m in analyser.push(n / 10, first if n < 6 else second)] + analyser.finish()
    assert len({t for m in moments[:6] for t in m.faces} & {t for m in moments[6:] for t in m.faces}) == 0


def test_a_cut_is_told_from_movement() -> None:
    still = drawn([200], FaceState(), rng(), [500])
    moving = [np.roll(still, 6 * n, 1) for n in range(8)]
    other = drawn([140, 140], FaceState(), np.random.default_rng(9))
    detector = CutDetector()
    assert [detector.is_cut(p) for p in [*moving, other, other]] == [False] * 8 + [True, False]


@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (700, 3), (97, 131), (2160, 3840)])
def test_pictures_of_any_size_are_looked_at(networks: FaceNetworks, shape: tuple[int, int]) -> None:
    moments = watch([np.full((*shape, 3), 90, np.uint8)] * 2, networks)
    assert [len(m.faces) for m in moments] == [0, 0]
