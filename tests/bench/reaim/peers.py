"""Other ways to find a picture on a screen, on the same trials: what OpenCV has to offer, used as people use it.

All get the 96 px context crop in grey. None knows a second best except through the ratio test of feature matching.
Airtest and pyscreeze pin other versions of numpy and OpenCV, so they do not install beside this program.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from echostudio import codec
from echostudio.episode.evidence import CropKind
from echostudio.episode.geometry import FramePoint
from tests.bench.reaim.cases import Trial

Finder = Callable[[Trial], FramePoint | None]
FEWEST_MATCHES = 6
RATIO = 0.75


def template_one_scale(trial: Trial) -> FramePoint | None:
    """Plain template matching at one scale, accepted from 0.9 on (pyautogui's way)."""
    crop = trial.case.evidence.of_variant(next(iter({one.variant for one in trial.case.evidence.crops})))[
        CropKind.CONTEXT
    ]
    scores = cv2.matchTemplate(codec.grey(trial.pixels), codec.grey(crop.pixels), cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(scores)
    return FramePoint(x + crop.point.x, y + crop.point.y) if best >= 0.9 else None


def sift(trial: Trial) -> FramePoint | None:
    """SIFT with ratio test and RANSAC."""
    return _features(trial, cv2.SIFT_create(), cv2.NORM_L2)  # type: ignore[attr-defined]


def orb(trial: Trial) -> FramePoint | None:
    """ORB with ratio test and RANSAC."""
    return _features(trial, cv2.ORB_create(nfeatures=5000, edgeThreshold=8, patchSize=16), cv2.NORM_HAMMING)  # type: ignore[attr-defined]


PEERS: dict[str, Finder] = {"cv2 template, one scale": template_one_scale, "cv2 ORB": orb, "cv2 SIFT": sift}


def _features(trial: Trial, detector: cv2.Feature2D, norm: int) -> FramePoint | None:
    crop = next(one for one in trial.case.evidence.crops if one.kind is CropKind.CONTEXT)
    points, described = detector.detectAndCompute(codec.grey(crop.pixels), None)
    seen, seen_described = detector.detectAndCompute(codec.grey(trial.pixels), None)
    if described is None or seen_described is None or len(points) < FEWEST_MATCHES or len(seen) < FEWEST_MATCHES:
        return None
    pairs = cv2.BFMatcher(norm).knnMatch(described, seen_described, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < RATIO * pair[1].distance]
    if len(good) < FEWEST_MATCHES:
        return None
    here = np.array([points[one.queryIdx].pt for one in good], np.float32)
    there = np.array([seen[one.trainIdx].pt for one in good], np.float32)
    motion, inliers = cv2.estimateAffinePartial2D(here, there, ransacReprojThreshold=3)
    if motion is None or int(np.count_nonzero(inliers)) < FEWEST_MATCHES:
        return None
    x, y = motion @ np.array([crop.point.x, crop.point.y, 1.0])
    return FramePoint(round(float(x)), round(float(y)))
