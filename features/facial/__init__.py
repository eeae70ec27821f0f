"""Faces in videos: found however small, followed, measured, joined into people, and named."""

from features.facial.analysis import FaceAnalyser, FaceSettings
from features.facial.extraction import extract_faces, track_file
from features.facial.schema import BLENDSHAPES, EXTRACTOR, FRAME_SCHEMA, TRACK_SCHEMA

__all__ = [
    "BLENDSHAPES",
    "EXTRACTOR",
    "FRAME_SCHEMA",
    "TRACK_SCHEMA",
    "FaceAnalyser",
    "FaceSettings",
    "extract_faces",
    "track_file",
]
