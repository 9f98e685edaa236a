"""Writes the page of `make conformance`."""
import collections

import conformance_decoders as decoders

KINDS = ("same", "different", "alone", "refused here", "refused by both", "timeout", "crash")


def page(results, explained, version):
    """The results as Markdown."""
    text = [
        "# Files of other projects' test suites", "",
        f"`make conformance` made this page: {len(results)} image files in Debian's source packages, through "
        f"`frostglass blur IN OUT --filter none` ({version}), compared frame by frame with {decoders.VERSIONS}, "
        "and with pixels that suites state themselves (gdk-pixbuf's GIFs, giflib's). *Same*: no sample is more "
        "than 2 levels off; of lossy formats at most one in a thousand more than 8. *Alone*: the other decoders "
        "refuse the file. Many of these files are broken on purpose.", "",
    ]
    text += table(
        ["package", *KINDS],
        [[name, *(sum(r.package == name and r.kind == kind for r in results) for kind in KINDS)]
         for name in sorted({r.package for r in results})]
        + [["together", *(sum(r.kind == kind for r in results) for kind in KINDS)]])
    text += ["## Different", "", "Each with its reason, from `Benchmarks/conformance/reasons.txt`.", ""]
    groups = collections.defaultdict(list)
    for r in results:
        if r.kind == "different":
            groups[explained.get(r.path, (r.path, "**not explained**"))].append(r)
    text += table(
        ["files", "count", "difference", "reason"],
        [[f"`{pattern}`", len(found), worst(found), reason]
         for (pattern, reason), found in sorted(groups.items())])
    for title, kind in (("Refused, and read by others", "refused here"), ("Refused by both", "refused by both")):
        text += [f"## {title}", ""]
        said = collections.defaultdict(list)
        for r in results:
            if r.kind == kind:
                said[r.sentence].append(r)
        text += table(
            ["count", "sentence", "for example"],
            [[len(found), words or "(nothing)", f"`{found[0].path}`"]
             for words, found in sorted(said.items(), key=lambda item: -len(item[1]))])
    text += ["## Taken, and refused by others", ""]
    said = collections.defaultdict(list)
    for r in results:
        if r.kind == "alone":
            said[r.note.split(":")[0] if r.note else ""].append(r)
    text += table(
        ["count", "the other decoder's word", "for example"],
        [[len(found), words, f"`{found[0].path}`"]
         for words, found in sorted(said.items(), key=lambda item: -len(item[1]))])
    broken = [r for r in results if r.kind in ("crash", "timeout")]
    if broken:
        text += ["## Crashes and timeouts", ""]
        text += table(["file", "", "sentence"], [[f"`{r.path}`", r.note, r.sentence] for r in broken])
    text += ["## Memory and time", "", "The ten largest peaks, and the five longest runs.", ""]
    text += table(
        ["file", "MB", "s", ""],
        [[f"`{r.path}`", f"{r.memory / 1e6:.0f}", f"{r.seconds:.2f}", r.kind] for r in
         sorted(results, key=lambda r: -r.memory)[:10] + sorted(results, key=lambda r: -r.seconds)[:5]])
    return "\n".join(text).rstrip() + "\n"


def worst(found):
    """The largest difference among files of one reason."""
    known = [r.distance for r in found if r.distance is not None]
    sizes = [r.note for r in found if r.distance is None]
    words = [f"up to {max(known):.0f} levels"] if known else []
    return ", ".join(words + sorted(set(sizes))[:2])


def table(head, rows):
    """Rows as a Markdown table, with an empty line behind it."""
    if not rows:
        return ["None.", ""]
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head)] + \
        [f"| {' | '.join(row)} |" for row in cells] + [""]
