"""Small pictures for notebooks, as PNG in a page; they need no other package."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from ._typing import Array

#: Larger pictures show every second, third, ... pixel, to have at most this many on a side.
_LONGEST = 256
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


def hues(phases: Array, modulus: Array) -> Array:
    """The phase as a colour of the circle, the modulus as its brightness."""
    thirds = 2 * np.pi / 3 * np.arange(3)
    colours = 0.5 + 0.5 * np.cos(phases[..., None] - thirds)
    return np.asarray(colours * (modulus / (modulus.max() or 1.0))[..., None])


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
