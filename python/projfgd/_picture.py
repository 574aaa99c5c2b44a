"""Small pictures for notebooks, as PNG in a page; they need no other package."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from ._typing import Array

#: Larger pictures show every second, third, ... pixel, to have at most this many on a side.
_LONGEST = 256
#: The colours of the phases -pi, -pi/2, 0, pi/2 and pi, for eyes that do not tell red from green too.
_QUARTERS = np.linspace(-np.pi, np.pi, 5)
_CIRCLE = np.array(
    [[0.11, 0.08, 0.29], [0.29, 0.64, 0.87], [0.96, 0.91, 0.69], [0.84, 0.37, 0.0], [0.11, 0.08, 0.29]]
)
#: Part of the largest modulus from which colours are full.
_FULL = 0.25
#: Width of the pictures in a notebook.
_WIDTH = 220


def figure(pixels: Array, caption: str) -> str:
    """Height x width x 3 numbers from 0 to 1 as an image with a caption."""
    step = -(-max(pixels.shape[:2]) // _LONGEST)
    bytes_ = np.rint(255 * np.clip(pixels[::step, ::step], 0, 1)).astype(np.uint8)
    data = base64.b64encode(_png(bytes_)).decode()
    return (
        "<figure style='display:inline-block;margin:0 1em 0.5em 0'>"
        f"<img alt='{caption}' width='{_WIDTH}' style='image-rendering:pixelated;border:1px solid #999' "
        f"src='data:image/png;base64,{data}'>"
        f"<figcaption style='text-align:center'>{caption}</figcaption></figure>"
    )


def signed(values: Array, largest: float) -> Array:
    """Blue for negative numbers, red for positive ones, white for zero."""
    share = np.clip(values / (largest or 1.0), -1, 1)[..., None]
    red, blue, white = np.array([0.70, 0.09, 0.17]), np.array([0.13, 0.40, 0.67]), np.ones(3)
    return np.asarray(np.where(share > 0, white + share * (red - white), white - share * (blue - white)))


def gray(values: Array) -> Array:
    """Gray values, the largest white; three channels as colours."""
    share = values / (values.max() or 1.0)
    return np.asarray(share if values.ndim == 3 else np.repeat(share[..., None], 3, axis=2))


def phase_colours(phases: Array) -> Array:
    """Phases from -pi to pi as colours of a circle, those of the report."""
    return np.stack([np.interp(phases, _QUARTERS, part) for part in _CIRCLE.T], axis=-1)


def visibility(modulus: Array) -> Array:
    """From 0 to 1: phases mean little where the modulus is small."""
    return np.asarray(np.clip(modulus / (_FULL * modulus.max() or 1.0), 0, 1))


def faded(phases: Array, modulus: Array) -> Array:
    """The colours of phases, which fade to grey where the modulus is small."""
    return np.asarray(0.5 + visibility(modulus)[..., None] * (phase_colours(phases) - 0.5))


def _png(pixels: Array) -> bytes:
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
