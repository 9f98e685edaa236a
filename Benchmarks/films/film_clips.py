"""Films of every kind that goes wrong, made with ffmpeg and, where ffmpeg makes none, by hand."""
import pathlib
import subprocess
from collections.abc import Callable
from typing import NamedTuple

PICTURE = "-f lavfi -i testsrc2=s=192x108:r=25:d=1"
TONE = "-f lavfi -i sine=440:d=1"
X264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"
X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none"
HDR10 = (
    "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv -pix_fmt yuv420p10le "
    "-c:v libx265 -preset ultrafast -x265-params log-level=none:repeat-headers=1:master-display="
    "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400")


class Clip(NamedTuple):
    """A film, and what is to become of it."""
    name: str
    #: Makes it in a folder; its name there.
    make: Callable[[pathlib.Path], str]
    #: What `frostglass video` ends with.
    exit: int = 0
    #: A part of what it says then.
    said: str = ""


def ffmpeg(folder: pathlib.Path, line: str) -> None:
    """Runs ffmpeg, which has to do what it is told."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-nostdin", *line.split(" ")], cwd=folder, capture_output=True,
        text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ffmpeg {line}\n{done.stderr}")


def decoder(file: str) -> list[str]:
    """What ffmpeg is to be told to decode a film with: its own VP9 decoder does not see alpha."""
    return ["-c:v", "libvpx-vp9"] if file == "in.webm" else []


def plain(*lines: str) -> Callable[[pathlib.Path], str]:
    """A film that ffmpeg makes, one line after another; the last names it."""
    def make(folder: pathlib.Path) -> str:
        for line in lines:
            ffmpeg(folder, line)
        return lines[-1].rsplit(" ", 1)[1]
    return make


def with_words(folder: pathlib.Path) -> str:
    """Chapters, subtitles in two languages, and tags."""
    (folder / "chapters").write_text(
        ";FFMETADATA1\nartist=Someone\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n")
    (folder / "words.srt").write_text("1\n00:00:00,100 --> 00:00:00,400\nHello\n\n")
    ffmpeg(
        folder,
        f"{PICTURE} {TONE} -i words.srt -i words.srt -i chapters -map 0 -map 1 -map 2 -map 3 -map_metadata 4 "
        f"{X264} -c:a aac -c:s srt -metadata title=Night -metadata:s:a:0 language=deu -metadata:s:s:0 "
        "language=fra -metadata:s:s:1 language=eng in.mkv")
    return "in.mkv"


def cut(folder: pathlib.Path) -> str:
    """The first half of a file."""
    ffmpeg(folder, f"{PICTURE} {TONE} {X264} -c:a aac -movflags +faststart whole.mp4")
    whole = (folder / "whole.mp4").read_bytes()
    (folder / "in.mp4").write_bytes(whole[: len(whole) // 2])
    return "in.mp4"


def joined(folder: pathlib.Path) -> str:
    """Two sizes, one behind the other."""
    ffmpeg(folder, f"{PICTURE} {X264} a.ts")
    ffmpeg(folder, f"-f lavfi -i testsrc2=s=96x64:d=1 {X264} b.ts")
    (folder / "in.ts").write_bytes((folder / "a.ts").read_bytes() + (folder / "b.ts").read_bytes())
    return "in.ts"


def units(stream: bytes) -> list[bytes]:
    """The units of an H.264 or HEVC stream, without their start codes."""
    found = []
    for part in stream.split(b"\x00\x00\x01")[1:]:
        found.append(part.rstrip(b"\x00"))
    return found


def escaped(unit: bytes) -> bytes:
    """A unit in which nothing looks like a start code."""
    made = bytearray()
    zeros = 0
    for byte in unit:
        if zeros >= 2 and byte <= 3:
            made.append(3)
            zeros = 0
        zeros = zeros + 1 if byte == 0 else 0
        made.append(byte)
    return bytes(made)


def message(payload: bytes) -> bytes:
    """A registered user message, as supplemental information has them."""
    return bytes([4, len(payload)]) + payload + b"\x80"


def before_frames(stream: bytes, unit: bytes, is_first: Callable[[bytes], bool]) -> bytes:
    """A stream with a unit in front of the first slice of each frame."""
    made = b""
    for part in units(stream):
        if is_first(part):
            made += b"\x00\x00\x00\x01" + escaped(unit)
        made += b"\x00\x00\x00\x01" + part
    return made


def is_h264_frame(unit: bytes) -> bool:
    """Whether a frame begins with a unit of H.264."""
    return unit[0] & 31 in (1, 5) and unit[1] & 0x80 != 0


def is_hevc_frame(unit: bytes) -> bool:
    """Whether a frame begins with a unit of HEVC."""
    return unit[0] >> 1 & 63 < 32 and unit[2] & 0x80 != 0


#: CEA-708's wrapping of a pair of CEA-608: A and B, with their parity.
CAPTION = b"\xb5\x00\x31GA94\x03" + bytes([0x41, 0xFF, 0xFC, 0xC1, 0xC2, 0xFF])


def bits(*parts: tuple[int, int]) -> bytes:
    """Numbers of so many bits each, filled up to bytes."""
    text = "".join(format(value, f"0{count}b") for value, count in parts)
    text += "0" * (-len(text) % 8)
    return bytes(int(text[at:at + 8], 2) for at in range(0, len(text), 8))


#: One window, no curve, nine percentiles.
HDR10_PLUS = b"\xb5\x00\x3c\x00\x01\x04\x01" + bits(
    (1, 2), (4000, 27), (0, 1), (50000, 17), (50000, 17), (50000, 17), (20000, 17), (9, 4),
    *((7, 7), (1000, 17)) * 9, (10, 10), (0, 1), (0, 1), (0, 1))


def captioned(codec: str, ending: str) -> Callable[[pathlib.Path], str]:
    """Closed captions within the frames."""
    def make(folder: pathlib.Path) -> str:
        if codec == "h264":
            ffmpeg(folder, f"{PICTURE} {X264} -x264-params slices=1 plain.h264")
            unit, is_first = b"\x06" + message(CAPTION), is_h264_frame
        else:
            ffmpeg(folder, f"{PICTURE} {X265}:bframes=0 -pix_fmt yuv420p plain.hevc")
            unit, is_first = b"\x4e\x01" + message(CAPTION), is_hevc_frame
        stream = (folder / f"plain.{codec}").read_bytes()
        (folder / f"said.{codec}").write_bytes(before_frames(stream, unit, is_first))
        ffmpeg(folder, f"-r 25 -i said.{codec} -c copy in.{ending}")
        return f"in.{ending}"
    return make


def bright(folder: pathlib.Path) -> str:
    """HDR10+ of each frame."""
    ffmpeg(folder, f"{PICTURE} {HDR10}:bframes=0 plain.hevc")
    stream = (folder / "plain.hevc").read_bytes()
    (folder / "said.hevc").write_bytes(
        before_frames(stream, b"\x4e\x01" + message(HDR10_PLUS), is_hevc_frame))
    ffmpeg(folder, "-r 25 -i said.hevc -c copy in.mp4")
    return "in.mp4"


def dolby(folder: pathlib.Path) -> str:
    """A film that says of itself that it is Dolby Vision of profile 8.1."""
    ffmpeg(folder, f"{PICTURE} {HDR10} -tag:v hvc1 plain.mp4")
    film = (folder / "plain.mp4").read_bytes()
    box = (32).to_bytes(4, "big") + b"dvvC" + bits((1, 8), (0, 8), (8, 7), (1, 6), (1, 1), (0, 1), (1, 1), (1, 4))
    box = box.ljust(32, b"\0")
    # Behind the decoder's own box, and all boxes around it become so much larger; the film's own comes last,
    # so that no place in the file changes.
    own = film.index(b"hvcC") - 4
    end = own + int.from_bytes(film[own:own + 4], "big")
    made = bytearray(film[:end] + box + film[end:])
    for name in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"hvc1"):
        at = film.rindex(name, 0, own) - 4
        made[at:at + 4] = (int.from_bytes(film[at:at + 4], "big") + len(box)).to_bytes(4, "big")
    (folder / "in.mp4").write_bytes(made)
    return "in.mp4"


CLIPS = [
    Clip("plain, with sound", plain(f"{PICTURE} {TONE} {X264} -c:a aac -metadata title=Night in.mp4")),
    *(Clip(
        f"rotation, {angle}°",
        plain(f"{PICTURE} {X264} flat.mp4", f"-i flat.mp4 -c copy -metadata:s:v:0 rotate={angle} in.mp4"))
      for angle in (90, 180, 270)),
    Clip(
        "edit list, hidden pre-roll",
        plain(
            f"-f lavfi -i testsrc2=s=192x108:r=25:d=2 -f lavfi -i sine=440:d=2 {X264} -g 100 -c:a aac long.mp4",
            "-ss 0.7 -i long.mp4 -c copy in.mp4")),
    Clip(
        "variable rate",
        plain(
            f"{PICTURE} {TONE} -vf select='not(eq(n,2)+eq(n,3)+eq(n,7)+eq(n,20))' -fps_mode passthrough {X264} "
            "-video_track_timescale 90000 -c:a aac in.mp4")),
    Clip("B-frames", plain(f"{PICTURE} {TONE} -c:v libx264 -pix_fmt yuv420p -bf 3 -c:a aac in.mp4")),
    Clip("chapters, subtitles, tags", with_words),
    Clip(
        "cover",
        plain(
            "-f lavfi -i color=red:s=16x16 -frames:v 1 cover.png",
            f"{PICTURE} {TONE} -i cover.png -map 0 -map 1 -map 2 {X264} -c:v:1 png -disposition:v:1 attached_pic "
            "-c:a aac in.mp4")),
    Clip("HDR10", plain(f"{PICTURE} {HDR10} -tag:v hvc1 in.mp4")),
    Clip("HDR10 in Matroska", plain(f"{PICTURE} {HDR10} in.mkv")),
    Clip("HDR10+", bright, said="HDR10+ for each frame"),
    Clip("Dolby Vision", dolby, said="Dolby Vision"),
    Clip("captions in H.264", captioned("h264", "mp4")),
    Clip("captions in HEVC", captioned("hevc", "mp4"), said="closed captions"),
    Clip("full range", plain(f"{PICTURE} -c:v libx264 -preset ultrafast -pix_fmt yuvj420p -color_range pc in.mp4")),
    Clip("BT.709, named", plain(
        f"{PICTURE} {X264} -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv in.mp4")),
    Clip("4:4:4", plain(f"{PICTURE} -c:v libx264 -preset ultrafast -pix_fmt yuv444p in.mp4")),
    Clip("4:2:2, 10 bits", plain(f"{PICTURE} -c:v libx264 -preset ultrafast -pix_fmt yuv422p10le in.mp4")),
    Clip("4:2:0, 12 bits", plain(f"{PICTURE} {X265} -pix_fmt yuv420p12le in.mkv")),
    Clip("RGB", plain(f"{PICTURE} -c:v libx264rgb -preset ultrafast -pix_fmt rgb24 in.mkv")),
    Clip("RGB, FFV1", plain(f"{PICTURE} -c:v ffv1 -pix_fmt gbrp in.mkv")),
    Clip("gray, 10 bits", plain(f"{PICTURE} -c:v ffv1 -pix_fmt gray10le in.mkv")),
    Clip(
        "interlaced",
        plain(
            f"{PICTURE} -vf tinterlace=4,setfield=tff -c:v libx264 -flags +ilme+ildct -pix_fmt yuv420p in.mp4"),
        exit=65, said="interlaced"),
    Clip("odd sides", plain("-f lavfi -i testsrc2=s=191x107:r=25:d=1 -c:v libx265 -preset ultrafast -x265-params "
                            "log-level=none -pix_fmt yuv444p in.mp4")),
    Clip("odd sides, 4:2:0", plain("-f lavfi -i testsrc2=s=191x107:r=25:d=1 -c:v libvpx-vp9 -cpu-used 8 -pix_fmt "
                                   "yuv420p in.mkv")),
    Clip(
        "VP9 with alpha",
        plain(
            f"{PICTURE} -vf format=yuva420p,colorchannelmixer=aa=0.5 -c:v libvpx-vp9 -auto-alt-ref 0 -cpu-used 8 "
            "in.webm")),
    Clip("ProRes 4444", plain(f"{PICTURE} -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le in.mov"), said="10 of the 12 bits"),
    Clip("ProRes 422 HQ", plain(f"{PICTURE} -c:v prores_ks -profile:v hq -pix_fmt yuv422p10le in.mov")),
    Clip("AV1, 10 bits", plain(f"{PICTURE} -c:v libsvtav1 -preset 12 -pix_fmt yuv420p10le in.mp4")),
    Clip("sample aspect 4:3", plain(f"{PICTURE} -vf setsar=4/3 {X264} in.mp4")),
    Clip("size changes", joined, exit=65, said="change from 192×108 to 96×64"),
    Clip("cut in half", cut, exit=65, said="cut off"),
    Clip(
        "several videos and sounds",
        plain(
            f"{PICTURE} -f lavfi -i testsrc=s=96x64:r=10:d=1 {TONE} {TONE} -map 0 -map 1 -map 2 -map 3 {X264} "
            "-c:a aac -metadata:s:a:1 language=fra in.mkv")),
    Clip("late start", plain(f"{PICTURE} {TONE} -vf setpts=PTS+3.5/TB {X264} -c:a aac in.mp4")),
    Clip("late start in MPEG-TS", plain(f"{PICTURE} {TONE} {X264} -c:a mp2 -muxdelay 1.4 in.ts")),
    Clip("motion JPEG in AVI", plain(f"{PICTURE} {TONE} -c:v mjpeg -c:a mp2 in.avi")),
]
