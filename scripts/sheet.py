#!/usr/bin/python3
"""Lays pictures out on one sheet: scripts/sheet.py OUTPUT [WIDTH] < DESCRIPTION

The description has one item a line, its parts separated by tabs:

    title    TEXT
    heading  TEXT                   starts a row; blank, it takes no room
    tile     CAPTION FILE           a picture; {size} in a caption becomes its pixels
    panel    CAPTION FILE BLURRED   FILE with a pane of BLURRED over its left half
    note     TEXT                   small print

Transparency shows as a checkerboard. Rows fill the width; the first picture of a row gives all of its tiles their proportions. Without
title, headings and captions the tiles touch, as in a strip. The captions are Pillow's to draw and
the panes its to cut; the blurs are Frostglass's.
"""
import sys

from PIL import Image, ImageDraw, ImageFont

PAPER, INK, FAINT = (22, 24, 29), (238, 240, 244), (150, 156, 168)
FONTS = "/usr/share/fonts/truetype/dejavu/"


def font(size, bold=False):
    return ImageFont.truetype(FONTS + ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"), size)


def checkerboard(size, cell=12):
    board = Image.new("RGB", size, (255, 255, 255))
    draw = ImageDraw.Draw(board)
    for y in range(0, size[1], cell):
        for x in range((y // cell) % 2 * cell, size[0], 2 * cell):
            draw.rectangle((x, y, x + cell - 1, y + cell - 1), fill=(208, 212, 218))
    return board


def load(path, size):
    """The picture, covering size, on a checkerboard where it is transparent."""
    picture = Image.open(path)
    width, height = picture.size
    aspect = size[0] / size[1]
    # Pictures whose proportions differ from the row's are cut evenly at both sides.
    if width / height > aspect:
        cut = (width - height * aspect) / 2
        box = (cut, 0, width - cut, height)
    else:
        cut = (height - width / aspect) / 2
        box = (0, cut, width, height - cut)
    if "A" not in picture.getbands():
        return picture.convert("RGB").resize(size, Image.LANCZOS, box)
    # RGBa is premultiplied: colors of invisible pixels must not show here either.
    picture = picture.convert("RGBA").convert("RGBa").resize(size, Image.LANCZOS, box)
    board = checkerboard(size)
    board.paste(picture.convert("RGBA"), (0, 0), picture.getchannel("a"))
    return board


def with_pane(sharp, blurred):
    """The sharp picture with a rounded pane of the blurred one at its left."""
    width, height = sharp.size
    left, right = round(width * 0.06), round(width * 0.6)
    top = round(height * 0.1)
    scale = 4
    mask = Image.new("L", (width * scale, height * scale), 0)
    ImageDraw.Draw(mask).rounded_rectangle(
        (left * scale, top * scale, right * scale, (height - top) * scale),
        radius=round(height * 0.09) * scale, fill=255)
    sharp.paste(blurred, (0, 0), mask.resize(sharp.size, Image.LANCZOS))
    return sharp


def fitting(text, width, size, bold=False):
    """The largest font up to size in which the text fits the width."""
    while size > 9 and font(size, bold).getlength(text) > width:
        size -= 1
    return font(size, bold)


class Sheet:
    def __init__(self, width, plain):
        self.plain = plain
        self.margin, self.gap = (0, 0) if plain else (32, 16)
        self.width, self.y = width, self.margin
        self.pieces = []

    def text(self, text, size, color, bold=False, below=10):
        room = self.width - 2 * self.margin
        face = fitting(text, room, size, bold)
        self.pieces.append(("text", (self.margin, self.y), text, face, color))
        self.y += face.size + below

    def row(self, tiles):
        if not tiles:
            return
        first = Image.open(tiles[0][2]).size
        room = self.width - 2 * self.margin - self.gap * (len(tiles) - 1)
        width = room / len(tiles)
        height = round(width * first[1] / first[0])
        captions = any(tile[1] for tile in tiles)
        for index, (kind, caption, *files) in enumerate(tiles):
            left = round(self.margin + index * (width + self.gap))
            right = round(self.margin + index * (width + self.gap) + width)
            size = (right - left, height)
            picture = load(files[0], size)
            if kind == "panel":
                picture = with_pane(picture, load(files[1], size))
            self.pieces.append(("picture", (left, self.y), picture))
            if captions:
                caption = caption.replace("{size}", "%d × %d" % Image.open(files[0]).size)
                face = fitting(caption, width, 17)
                self.pieces.append(("text", (left, self.y + height + 8), caption, face, INK))
        self.y += height + (34 if captions else 0) + (0 if self.plain else 24)

    def image(self):
        sheet = Image.new("RGB", (self.width, self.y + (0 if self.plain else 12)), PAPER)
        draw = ImageDraw.Draw(sheet)
        for kind, place, *rest in self.pieces:
            if kind == "picture":
                sheet.paste(rest[0], place)
            else:
                text, face, color = rest
                draw.text(place, text, font=face, fill=color)
        return sheet


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    items = [line.rstrip("\n").split("\t") for line in sys.stdin if line.strip()]
    plain = not any(item[0] in ("title", "heading", "note") for item in items)
    plain = plain and not any(item[1] for item in items)
    sheet = Sheet(int(sys.argv[2]) if len(sys.argv) == 3 else 1600, plain)
    row = []
    for item in items:
        if item[0] in ("tile", "panel"):
            row.append(item)
            continue
        sheet.row(row)
        row = []
        if item[0] == "title":
            sheet.text(item[1], 40, INK, bold=True, below=22)
        elif item[0] == "heading":
            if item[1].strip():
                sheet.text(item[1], 22, INK, bold=True, below=14)
        elif item[0] == "note":
            sheet.text(item[1], 14, FAINT, below=6)
        else:
            sys.exit(f"sheet: there is no item '{item[0]}'")
    sheet.row(row)
    options = {"quality": 85} if sys.argv[1].endswith(".jpg") else {"optimize": True}
    sheet.image().save(sys.argv[1], **options)


main()
