"""The one image codec: pictures to bytes and back, their content address, resizing, and plain difference.

Pictures are ``uint8`` arrays of shape (height, width, 3) in RGB order; grey pictures have shape (height, width).
"""

from __future__ import annotations

import io
import struct
from typing import Any

import cv2
import numpy as np
from blake3 import blake3
from numpy.typing import NDArray
from PIL import Image

from echostudio.errors import EchoError

Pixels = NDArray[np.uint8]

_PNG_CAPTURE = [cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_UP]
MAX_PIXELS = 120_000_000


class PictureError(EchoError):
    """The bytes are not a picture that this program reads."""

    code = "picture"


def rgb(array: NDArray[Any]) -> Pixels:
    """Return any usual screen picture as contiguous 8-bit RGB.

    Takes 8- or 16-bit arrays of shape (h, w), (h, w, 3) or (h, w, 4, alpha ignored), any strides.
    Raises ``PictureError`` for other shapes and types.
    """
    if array.dtype == np.uint16:
        array = (array >> 8).astype(np.uint8)
    if array.dtype != np.uint8:
        raise PictureError(f"A picture of type {array.dtype} cannot be used; 8 or 16 bit is needed.")
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.ndim != 3 or array.shape[2] not in (3, 4) or 0 in array.shape:
        raise PictureError(f"An array of shape {array.shape} is not a picture.")
    return np.ascontiguousarray(array[:, :, :3])


def rgb_of_bgrx(raw: bytes | bytearray, width: int, height: int) -> Pixels:
    """Return a screen's raw 32-bit pixels (blue first) as RGB: six times faster than plane by plane."""
    return cv2.cvtColor(np.frombuffer(raw, np.uint8).reshape(height, width, 4), cv2.COLOR_BGRA2RGB).astype(
        np.uint8, copy=False
    )


def digest(pixels: Pixels) -> str:
    """Return the content address: BLAKE3 of ``RGB8``, width, height (little-endian 32 bit) and the RGB bytes."""
    height, width = pixels.shape[:2]
    hasher = blake3(b"RGB8" + struct.pack("<II", width, height))
    hasher.update(np.ascontiguousarray(pixels).data)
    return str(hasher.hexdigest())


def encode_png(pixels: Pixels) -> bytes:
    """Encode quickly (level 1, UP filter): 14 ms for a full-HD screen."""
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    done, data = cv2.imencode(".png", bgr, _PNG_CAPTURE)
    if not done:
        raise PictureError("The picture could not be encoded.")
    return data.tobytes()


def encode_webp(pixels: Pixels) -> bytes:
    """Encode lossless and small (WebP method 4): for repacking in the background."""
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "WEBP", lossless=True, quality=60, method=4)
    return target.getvalue()


def encode_jpeg(pixels: Pixels, quality: int = 85) -> bytes:
    """Encode a thumbnail."""
    done, data = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise PictureError("The thumbnail could not be encoded.")
    return data.tobytes()


def decode(data: bytes) -> Pixels:
    """Decode PNG, WebP or JPEG into RGB pixels; raise ``PictureError`` for anything else or over 120 megapixels."""
    try:
        with Image.open(io.BytesIO(data)) as header:
            width, height = header.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        raise PictureError("The file is not a readable picture.") from fault
    if width * height > MAX_PIXELS:
        raise PictureError(f"The picture of {width} x {height} pixels is too large.")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise PictureError("The file is not a readable picture.")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB).astype(np.uint8, copy=False)


def grey(pixels: Pixels) -> Pixels:
    """Return the luma of an RGB picture, shape (height, width)."""
    return cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)


def resize(pixels: Pixels, width: int, height: int) -> Pixels:
    """Resample to the given size: area when smaller, cubic when larger."""
    smaller = width < pixels.shape[1]
    how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return cv2.resize(pixels, (max(1, width), max(1, height)), interpolation=how).astype(np.uint8, copy=False)


def thumbnail(pixels: Pixels, width: int = 240) -> Pixels:
    """Return a small copy of the given width, same aspect."""
    height = round(pixels.shape[0] * width / pixels.shape[1])
    return resize(pixels, width, max(1, height))


def changed_mask(one: Pixels, two: Pixels, tolerance: int = 0) -> NDArray[np.bool_]:
    """Return which pixels differ by more than ``tolerance`` in any channel; all of them when the sizes differ."""
    if one.shape != two.shape:
        return np.ones(two.shape[:2], dtype=np.bool_)
    difference = cv2.absdiff(one, two)
    if difference.ndim == 3:
        red, green, blue = cv2.split(difference)
        difference = cv2.max(cv2.max(red, green), blue)
    return np.asarray(difference > tolerance)


def changed_boxes(mask: NDArray[np.bool_], join: int = 12) -> list[tuple[int, int, int, int]]:
    """Return boxes (x, y, width, height) of the changed areas, largest first; gaps up to ``join`` px are closed."""
    if not mask.any():
        return []
    closed = cv2.dilate(mask.astype(np.uint8), np.ones((join, join), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(closed)
    boxes = []
    for label in range(1, count):
        left, top, width, height = (int(value) for value in stats[label][:4])
        inside = mask[top : top + height, left : left + width]
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        if rows.size:
            boxes.append(
                (
                    left + int(columns[0]),
                    top + int(rows[0]),
                    int(columns[-1] - columns[0]) + 1,
                    int(rows[-1] - rows[0]) + 1,
                )
            )
    return sorted(boxes, key=lambda box: -box[2] * box[3])
