#!/usr/bin/python3
"""Writes an opaque red disc on transparent ground: scripts/disc.py OUTPUT

Its invisible pixels are green, so a blur that lets them shine through is seen at once.
"""
import sys

from PIL import Image, ImageDraw

SIZE, RED, GREEN = (400, 328), (220, 30, 40), (0, 255, 0)

large = Image.new("L", (SIZE[0] * 4, SIZE[1] * 4), 0)
ImageDraw.Draw(large).ellipse((352, 208, 1248, 1104), fill=255)
alpha = large.resize(SIZE, Image.LANCZOS)
disc = Image.new("RGB", SIZE, GREEN)
disc.paste(RED, mask=alpha.point(lambda value: 255 if value else 0))
disc.putalpha(alpha)
disc.save(sys.argv[1])
