"""What is written of faces: a row an analysed frame and face, and a row a track."""

from __future__ import annotations

from typing import Any

import polars as pl

from features.facial.look import LOOK_SHAPE
from features.facial.networks import LANDMARKS

EXTRACTOR = "facial-2"
#: The blendshape network's scores in its order, without "_neutral" (MediaPipe, face_blendshapes_graph.cc).
BLENDSHAPES = (
    "brow_down_left", "brow_down_right", "brow_inner_up", "brow_outer_up_left", "brow_outer_up_right",
    "cheek_puff", "cheek_squint_left", "cheek_squint_right",
    "eye_blink_left", "eye_blink_right", "eye_look_down_left", "eye_look_down_right", "eye_look_in_left",
    "eye_look_in_right", "eye_look_out_left", "eye_look_out_right", "eye_look_up_left", "eye_look_up_right",
    "eye_squint_left", "eye_squint_right", "eye_wide_left", "eye_wide_right",
    "jaw_forward", "jaw_left", "jaw_open", "jaw_right",
    "mouth_close", "mouth_dimple_left", "mouth_dimple_right", "mouth_frown_left", "mouth_frown_right", "mouth_funnel",
    "mouth_left", "mouth_lower_down_left", "mouth_lower_down_right", "mouth_press_left", "mouth_press_right",
    "mouth_pucker", "mouth_right", "mouth_roll_lower", "mouth_roll_upper", "mouth_shrug_lower", "mouth_shrug_upper",
    "mouth_smile_left", "mouth_smile_right", "mouth_stretch_left", "mouth_stretch_right", "mouth_upper_up_left",
    "mouth_upper_up_right", "nose_sneer_left", "nose_sneer_right",
)  # fmt: skip
#: One row a frame and face; a frame without a face is one row with ``track`` null, so that time never shifts.
FRAME_SCHEMA: dict[str, Any] = {
    "time_s": pl.Float64,
    "shot": pl.Int32,
    "track": pl.Int32,
    "x": pl.Float32,  # box of the landmarks, in pixels of the frame
    "y": pl.Float32,
    "width": pl.Float32,
    "height": pl.Float32,
    "height_share": pl.Float32,  # of the frame's height
    "detector_score": pl.Float32,  # 0–1: how sure the detector was of this face when it last looked, within half a second
    "presence": pl.Float32,  # 0–1: the same of the landmark network
    "blur": pl.Float32,  # spread of the Laplacian at 84 pixels; low is blurred
    "yaw_deg": pl.Float32,
    "pitch_deg": pl.Float32,
    "roll_deg": pl.Float32,
    "distance_cm": pl.Float32,
    "eye_opening_left": pl.Float32,
    "eye_opening_right": pl.Float32,
    "mouth_opening": pl.Float32,
    **dict.fromkeys(BLENDSHAPES, pl.Float32),
}
#: Only when ``face.landmarks`` asks for it: x, y, z of every landmark in pixels of the frame.
LANDMARK_COLUMN = {"landmarks": pl.Array(pl.Float32, LANDMARKS * 3)}
TRACK_SCHEMA: dict[str, Any] = {
    "track": pl.Int32,
    "shot": pl.Int32,
    "start_s": pl.Float64,
    "end_s": pl.Float64,  # time of the last frame
    "frames": pl.Int32,
    "look_s": pl.Float64,  # time of the last frame that the look is the mean of
    "look": pl.Array(pl.Float32, LOOK_SHAPE[0] * LOOK_SHAPE[1] * LOOK_SHAPE[2]),
}
