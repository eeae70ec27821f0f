"""Faces in videos: found however small, followed, measured, joined into people, and named."""

from features.facial.analysis import FaceAnalyser, FaceSettings
from features.facial.extraction import extract_faces, track_file
from features.facial.people import gather, who_is_who
from features.facial.schema import BLENDSHAPES, EXTRACTOR, FRAME_SCHEMA, TRACK_SCHEMA
from features.facial.turns import faces_of_turns

__all__ = [
    "BLENDSHAPES",
    "EXTRACTOR",
    "FRAME_SCHEMA",
    "TRACK_SCHEMA",
    "FaceAnalyser",
    "FaceSettings",
    "extract_faces",
    "faces_of_turns",
    "gather",
    "track_file",
    "who_is_who",
]
