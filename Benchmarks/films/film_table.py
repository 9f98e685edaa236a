#!/usr/bin/env python3
"""What ffprobe says of films before and after `frostglass video`, as a page: Benchmarks/results/films.md.

    Benchmarks/films/film_table.py [--program PATH] [--page PATH] [--only WORD]

Films of every kind that goes wrong are made with ffmpeg. Each is blurred, and what ffprobe says of both files
is held against each other; each is also run through a filter that does nothing into a codec that loses
nothing, and the frames' digests are. Where something differs, both are on the page. Ends with 1 where a film
that is to be taken was refused or the other way around, where a frame is not the same, and where what is left
out is not said.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import film_clips

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Row(NamedTuple):
    """What became of a film."""
    name: str
    exit: int
    cells: list[str]
    words: str


def run(folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder."""
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def probe(folder: pathlib.Path, file: str, *words: str) -> dict[str, Any]:
    """What ffprobe says."""
    said = run(folder, "ffprobe", "-v", "error", *words, "-of", "json", file)
    return json.loads(said.stdout or "{}")


def listed(value: Any) -> str:
    """A value in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {listed(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "; ".join(listed(part) for part in value) or "nothing"
    return str(value)


def differing(before: Any, after: Any) -> str:
    """`same`, with how much was compared, or what differs."""
    if before == after:
        count = len(before) if isinstance(before, (dict, list)) else 1
        return "none" if count == 0 else "same" if isinstance(before, dict) else f"{count} same"
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        return "; ".join(
            f"{key} {differing(before.get(key, 'absent'), after.get(key, 'absent'))}" for key in keys)
    if isinstance(before, list) and isinstance(after, list):
        if before[-len(after):] == after:
            return f"{len(before)} → {len(after)}, the last ones"
        if before[:len(after)] == after:
            return f"{len(before)} → {len(after)}, the first ones"
        if len(before) != len(after):
            return f"{len(before)} → {len(after)}"
        places = [place for place, pair in enumerate(zip(before, after)) if pair[0] != pair[1]]
        first = places[0]
        return f"{len(places)} of {len(before)}, {listed(before[first])} → {listed(after[first])}"
    return f"{listed(before)} → {listed(after)}"


def milliseconds(seconds: str | None) -> str:
    """A time as the page has it."""
    return "nothing" if seconds is None else f"{1000 * float(seconds):.0f}"


def times(folder: pathlib.Path, file: str) -> list[str]:
    """When each frame of each video is shown, and for how long."""
    streams = probe(folder, file, "-select_streams", "V", "-show_entries", "stream=index")["streams"]
    shown: list[str] = []
    for stream in streams:
        frames = probe(
            folder, file, "-select_streams", str(stream["index"]), "-show_entries",
            "frame=best_effort_timestamp_time,pkt_duration_time,duration_time")["frames"]
        for frame in frames:
            start = milliseconds(frame.get("best_effort_timestamp_time"))
            # Newer ones say it without the packet.
            length = milliseconds(frame.get("duration_time", frame.get("pkt_duration_time")))
            shown.append(f"{start} ms for {length}")
    return shown


STREAM = (
    "codec_name,width,height,pix_fmt,sample_aspect_ratio,color_range,color_space,color_primaries,"
    "color_transfer,chroma_location,field_order,r_frame_rate,start_time,duration,nb_frames")


def streams(folder: pathlib.Path, file: str) -> dict[str, Any]:
    """What is said of videos: samples, colors, shape, rate, beginning, and what they are for."""
    said = probe(
        folder, file, "-select_streams", "V", "-show_entries",
        f"stream={STREAM}:stream_disposition=default,attached_pic,forced:"
        "stream_tags=language,title,alpha_mode,stereo_mode")
    whole: dict[str, Any] = {}
    for number, stream in enumerate(said.get("streams", [])):
        stream.pop("side_data_list", None)
        # Matroska's own word comes back in capitals, as `ffmpeg -c copy` writes it too.
        stream["tags"] = {key.lower(): value for key, value in stream.get("tags", {}).items()}
        for key, value in stream.items():
            whole[f"{key} of video {number + 1}" if number else key] = value
    form = probe(folder, file, "-show_entries", "format=duration,start_time").get("format", {})
    whole["length"] = f"{float(form.get('duration', 0)):.2f} s"
    return whole


def side_data(folder: pathlib.Path, file: str) -> dict[str, Any]:
    """Side data of videos and of their first frames, by kind."""
    found: dict[str, Any] = {}
    said = probe(folder, file, "-select_streams", "V", "-show_entries", "stream_side_data")
    frames = probe(
        folder, file, "-select_streams", "V", "-read_intervals", "%+#3", "-show_entries", "frame_side_data")
    for place, parts in (("stream", said.get("streams", [])), ("frames", frames.get("frames", []))):
        for part in parts:
            for data in part.get("side_data_list", []):
                kind = data.pop("side_data_type")
                # What encoders say of their own settings, and limits of their buffers.
                if "User Data" not in kind and "CPB" not in kind:
                    found.setdefault(f"{kind} ({place})", data)
    return found


def others(folder: pathlib.Path, file: str) -> dict[str, Any]:
    """Sound, subtitles, data, covers: codec, language, purpose, the digest and the time of each packet."""
    found: dict[str, Any] = {}
    said = probe(
        folder, file, "-show_entries",
        "stream=index,codec_type,codec_name:stream_disposition=default,attached_pic:stream_tags=language,title")
    for stream in said.get("streams", []):
        purpose = stream.get("disposition", {})
        is_cover = purpose.get("attached_pic") == 1
        if stream["codec_type"] == "video" and not is_cover:
            continue
        packets = probe(
            folder, file, "-select_streams", str(stream["index"]), "-show_entries",
            "packet=pts_time,duration_time,data_hash", "-show_data_hash", "md5").get("packets", [])
        name = "cover" if is_cover else stream["codec_type"]
        kept = {"codec": stream["codec_name"], "default": purpose.get("default"), **stream.get("tags", {})}
        found[f"stream {stream['index']} ({name})"] = kept
        found[f"packets of {stream['index']}"] = [packet.get("data_hash", "")[-8:] for packet in packets]
        if not is_cover:
            found[f"times of {stream['index']}"] = [
                f"{milliseconds(packet.get('pts_time'))} ms for {milliseconds(packet.get('duration_time'))}"
                for packet in packets]
    return found


def words(folder: pathlib.Path, file: str) -> dict[str, Any]:
    """Chapters with their names, and tags of the file."""
    said = probe(folder, file, "-show_chapters", "-show_entries", "format_tags")
    # Of the file as such.
    own = ("major_brand", "minor_version", "compatible_brands", "encoder", "ENCODER", "creation_time")
    tags = said.get("format", {}).get("tags", {})
    chapters = [
        [chapter["start_time"], chapter["end_time"], chapter.get("tags", {}).get("title", "")]
        for chapter in said.get("chapters", [])]
    found: dict[str, Any] = {key: value for key, value in tags.items() if key not in own}
    return {**found, **({"chapters": chapters} if chapters else {})}


def digests(folder: pathlib.Path, file: str) -> list[str]:
    """The digest of each decoded frame of each video, as it is coded."""
    # The same samples in another order, or with more bits than they need.
    said = probe(folder, file, "-select_streams", "v:0", "-show_entries", "stream=pix_fmt")["streams"]
    common = {"gbrp": "gbrp", "rgb24": "gbrp", "bgr0": "gbrp", "bgra": "gbrp", "yuva444p12le": "yuva444p16le"}
    form = ("-pix_fmt", common[said[0]["pix_fmt"]]) if said[0]["pix_fmt"] in common else ()
    said = run(
        folder, "ffmpeg", "-v", "quiet", "-nostdin", "-noautorotate", *film_clips.decoder(file), "-i", file,
        "-map", "0:V", "-fps_mode", "passthrough", *form, "-f", "framemd5", "-")
    lines = [line.split() for line in said.stdout.splitlines() if not line.startswith("#")]
    # Videos one after another, each with its frames in their order.
    return [line[-1] for line in sorted(lines, key=lambda line: int(line[0].rstrip(",")))]


COLUMNS: list[tuple[str, Callable[[pathlib.Path, str], Any]]] = [
    ("frames: shown when, how long", times), ("videos", streams), ("side data", side_data),
    ("sound, subtitles, covers", others), ("chapters, tags", words),
]


def sentence(errors: str) -> str:
    """What was said, but for how many frames there were."""
    return " / ".join(
        line.removeprefix("frostglass: ").removeprefix("frostglass video: ")
        for line in errors.strip().splitlines() if " frames, " not in line)


def measured(program: str, clip: film_clips.Clip) -> Row:
    """Makes a film, blurs it, and compares."""
    with tempfile.TemporaryDirectory(prefix="films-") as name:
        folder = pathlib.Path(name)
        film = clip.make(folder)
        ending = film.rsplit(".", 1)[1]
        done = run(
            folder, program, "video", film, f"out.{ending}", "--sigma", "2", "--backend", "fast", "--crf", "10")
        if done.returncode and "--crf" in done.stderr:
            done = run(
                folder, program, "video", film, f"out.{ending}", "--sigma", "2", "--backend", "fast")
        said = sentence(done.stderr)
        if not (folder / f"out.{ending}").exists():
            return Row(clip.name, done.returncode, ["—"] * (len(COLUMNS) + 1), said)
        cells = [differing(compare(folder, film), compare(folder, f"out.{ending}")) for _, compare in COLUMNS]
        exact = run(
            folder, program, "video", film, "exact.mkv", "--filter", "none", "--codec", "ffv1", "--backend",
            "fast")
        if not (folder / "exact.mkv").exists():
            cells.append(sentence(exact.stderr))
        else:
            cells.append(differing(digests(folder, film), digests(folder, "exact.mkv")))
        return Row(clip.name, done.returncode, cells, said)


def page(rows: list[Row]) -> str:
    """The page, in Markdown."""
    head = ["film", *(name for name, _ in COLUMNS), "frames, nothing done, without loss", "exit", "said"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        lines.append([row.name, *row.cells, str(row.exit), row.words])
    version = run(ROOT, "ffmpeg", "-version").stdout.split(" Copyright")[0]
    return (
        f"# What stays of films\n\nMade by `make film-table` with {version}. Each film is made anew, then "
        "blurred by `frostglass video IN OUT --sigma 2` into a file of the same kind. A cell says what ffprobe "
        "says of both: `same`, with how many there are, or what was and what is; side data counts in the head "
        "and in the first frames. The last column but two is of `--filter none --codec ffv1` into Matroska: "
        "digests of decoded frames. Where a film is refused, or something of it left out, the last column has "
        "the sentence that says so.\n\nWhat differs, and why: of an edit list what is hidden does not go out, "
        "and the last frame is as long as those before it, where this list ends 20 ms later; "
        "MPEG-TS begins at 0; the display of HDR10, which the encoder puts into frames, is said in the head as "
        "well; how long frames of H.264 are ffprobe takes from the rate in their head, where they are out of order, "
        "and of a variable rate the new film says none there; Matroska and AVI have no length of the last packet "
        "of sound, and AVI of `ffmpeg -c copy` has the "
        "same times of sound.\n\n"
        + "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / ".build/release/frostglass"))
    parser.add_argument("--page", default=str(ROOT / "Benchmarks/results/films.md"))
    parser.add_argument("--only", help="films in whose names this is; they are printed, and no page is made")
    options = parser.parse_args()
    clips = [clip for clip in film_clips.CLIPS if (options.only or "") in clip.name]
    rows = [measured(options.program, clip) for clip in clips]
    if options.only:
        print(page(rows))
    else:
        pathlib.Path(options.page).write_text(page(rows))
    wrong = [
        row for row, clip in zip(rows, clips)
        if row.exit != clip.exit or clip.said not in row.words
        or not (row.cells[-1].endswith(" same") or row.cells[-1] == "—" or "keeps" in row.cells[-1])]
    for row in wrong:
        print(f"{row.name}: ended with {row.exit}: {row.words}; {row.cells[-1]}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
