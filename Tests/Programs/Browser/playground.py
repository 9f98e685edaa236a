"""Uses the page of `frostglass serve` as people do: playground.py ADDRESS SIGNED PRESETS FOLDER

ADDRESS is where the service listens, SIGNED one with keys, PRESETS one that takes presets only. FOLDER has
photo.png, large.jpg and notes.txt and takes what is downloaded, and pictures of the page. FROSTGLASS in
the environment is the command. Prints a line for each check, "ok: …" or "not ok: …", and ends with 1 if
one failed.
"""
import json
import os
import subprocess
import sys
import time
from urllib.parse import urlsplit

from browser import Browser

address, signed, presets, folder = sys.argv[1:]
browser = Browser()
failures = 0
WHOLE = "document.body.dataset.state === 'whole'"
AFTER = "document.getElementById('after')"


def check(name, holds, found=""):
    global failures
    failures += not holds
    print(f"ok: {name}" if holds else f"not ok: {name}: {found}", flush=True)


def fresh():
    """From now on waits for the next whole result, not for the last one."""
    browser.value("delete document.body.dataset.state, delete document.body.dataset.preview, 0")


def text(selector):
    return browser.value(f"document.querySelector({json.dumps(selector)}).textContent")


def pixels(canvas, box=(0, 0, 1, 1)):
    """A number that stands for a part of a canvas, given in fractions of it."""
    return browser.value(f"""(() => {{
      const c = document.getElementById('{canvas}'), [x, y, w, h] = {list(box)}
      const d = c.getContext('2d').getImageData(
        x * c.width, y * c.height, Math.max(1, w * c.width), Math.max(1, h * c.height)).data
      return d.reduce((sum, one) => (sum * 31 + one) >>> 0, 7) }})()""")


def open_file(name):
    fresh()
    browser.choose("#file", os.path.join(folder, name))
    browser.until(f"document.getElementById('error').textContent || {WHOLE}")


def code(tab):
    browser.click(f"#tab-{tab}")
    return text("#words")


def download(act):
    """What a download leaves, once all of it is there."""
    path = os.path.join(folder, "downloads", browser.value(
        "document.getElementById('words').textContent.match(/frosted\\.\\w+/)[0]"))
    if os.path.exists(path):
        os.remove(path)
    act()
    for _ in range(900):
        time.sleep(0.05)
        if os.path.exists(path):
            with open(path, "rb") as file:
                return file.read()
    return b""


def begin():
    browser("Page.setDownloadBehavior", behavior="allow", downloadPath=os.path.join(folder, "downloads"))
    browser.show(1280, 900)
    browser.go(address + "/")
    browser.until(WHOLE)
    check("there is a picture, and looks with thumbnails", browser.value(
        f"{AFTER}.width > 1000 && document.querySelectorAll('.look').length > 20"))
    browser.until("[...document.querySelectorAll('.look img')].filter(i => i.src).length > 4")


def uploads():
    open_file("photo.png")
    size = browser.value(f"[{AFTER}.width, {AFTER}.height]")
    check("a file is opened", size == [400, 328], size)
    check("what is after is not what was before", pixels("before") != pixels("after"))
    fresh()
    browser.drop("#stage", os.path.join(folder, "large.jpg"))
    browser.until(WHOLE)
    check("a file is dropped", text("#words").count("large.jpg") == 1, text("#words"))
    check("a large one is looked at smaller first",
          browser.value("Number(document.body.dataset.preview) > 0"))


def hurries():
    """The sample takes longer to be drawn than the file to be read."""
    browser.value("document.querySelector('[data-sample=lake]').click()")
    browser.choose("#file", os.path.join(folder, "photo.png"))
    time.sleep(2)
    browser.until(WHOLE)
    check("of two pictures the later one stays", "photo.png" in text("#words"), text("#words"))


COMES = """Number(document.body.dataset.live) > 3
  && document.getElementById('status').textContent.includes('frames a second')"""


def lives():
    browser.click("#camera")
    browser.until(f"document.getElementById('error').textContent || {COMES}")
    check("frames of a camera are blurred as they come", pixels("before") != pixels("after"), text("#error"))
    check("it says how it goes", "left out" in text("#status"), text("#status"))
    fresh()
    browser.click("#camera")
    browser.until(WHOLE)
    check("the last frame stays as a picture", "frame.jpg" in text("#words"), text("#words"))
    if os.path.exists(os.path.join(folder, "film.webm")):
        fresh()
        browser.choose("#file", os.path.join(folder, "film.webm"))
        browser.until(f"document.getElementById('error').textContent || {COMES}")
        check("a film plays", pixels("before") != pixels("after"), text("#error"))
        check("a camera is not asked for meanwhile", text("#camera") == "Stop", text("#camera"))
    open_file("photo.png")
    check("another picture ends it", text("#camera") == "Camera" and "photo.png" in text("#words"))
    old, lend = pixels("before"), "navigator.mediaDevices.getUserMedia"
    full = "document.getElementById('status').textContent.startsWith('Full size')"
    browser.value(f"window.lend = {lend}.bind(navigator.mediaDevices), {lend} = async it => window.lent = await lend(it), 0")
    browser.click("#camera")
    browser.until(COMES)
    browser.value("lent.getVideoTracks()[0].dispatchEvent(new Event('ended'))")
    browser.until(full)
    check("the picture comes again where a camera is unplugged",
          pixels("before") == old and "no longer there" in text("#error"), text("#error"))
    browser.value(f"{lend} = lend, 0")
    fresh()
    browser.click("#camera")
    browser.until(COMES)
    browser.drop("#stage", os.path.join(folder, "notes.txt"))
    browser.until(full)
    check("and where something that is no picture ends it, with why",
          pixels("before") == old and text("#error").startswith("notes.txt: ") and text("#camera") == "Camera",
          text("#error"))
    browser.value(f"{lend} = () => new Promise(() => {{}}), camera.click(), camera.click(), 0")
    browser.until(full)
    check("or stopped before its first frame", pixels("before") == old and not text("#error"), text("#error"))


def pastes():
    fresh()
    browser.value("""fetch('/playground/astronaut.webp').then(a => a.blob()).then(blob => {
      const data = new DataTransfer()
      data.items.add(new File([blob], 'pasted.webp', {type: blob.type}))
      dispatchEvent(new ClipboardEvent('paste', {clipboardData: data})) })""")
    browser.until(WHOLE)
    check("a picture is pasted", "pasted.webp" in text("#words"), text("#words"))


def changes():
    open_file("photo.png")
    browser.click("li:nth-child(2) .look")
    browser.until(WHOLE)
    check("a look is taken", text("#chain h3") == "gaussian", text("#chain"))
    fresh()
    old = pixels("after")
    browser.click("#chain .value")
    browser.value("document.querySelector('#chain .value').select()")
    browser.write("9px")
    browser.until(WHOLE)
    check("a number changes the picture", pixels("after") != old)
    check("the command says it", "gaussian(x=9px)" in text("#words"), text("#words"))
    fresh()
    old = pixels("after")
    browser.value("document.querySelector('#chain input[type=range]').focus()")
    browser.key("ArrowLeft", 5)
    browser.until(WHOLE)
    check("a slider changes the picture", pixels("after") != old)
    fresh()
    browser.value("document.getElementById('add').value = 'sepia'")
    browser.click("#add-button")
    browser.until(WHOLE)
    check("a filter is added", text("#chain li:nth-child(2) h3") == "sepia", text("#chain"))
    fresh()
    browser.click("#chain li:nth-child(2) .remove")
    browser.until(WHOLE)
    check("a filter is taken away", browser.value("document.querySelectorAll('#chain > li').length") == 1)


def compares():
    browser.value("document.getElementById('split').focus()")
    browser.key("Home")
    check("the divider goes all to one side",
          browser.value("getComputedStyle(document.getElementById('before')).clipPath") == "inset(0px 100% 0px 0px)",
          browser.value("getComputedStyle(document.getElementById('before')).clipPath"))
    browser.key("ArrowRight", 30)
    check("the divider moves with keys",
          browser.value("getComputedStyle(document.getElementById('before')).clipPath") == "inset(0px 70% 0px 0px)")
    browser.drag("#stage", (0.3, 0.5), (0.6, 0.5))
    value = browser.value("Number(document.getElementById('split').value)")
    check("the divider moves with the mouse", 58 <= value <= 62, value)
    check("and marks no region", browser.value("document.querySelectorAll('.region').length") == 0)


def regions():
    fresh()
    browser.drag("#stage", (0.1, 0.2), (0.4, 0.7))
    browser.until(WHOLE)
    check("a region is drawn", browser.value("document.querySelectorAll('.region').length") == 1)
    check("the command says where", "--region 10%,20%,30%,50%" in text("#words").replace("'", ""), text("#words"))
    for name, box in {"above": (0, 0, 1, 0.19), "below": (0, 0.72, 1, 0.28), "left": (0, 0, 0.09, 1),
                      "right": (0.42, 0, 0.58, 1)}.items():
        check(f"nothing changes {name} of it", pixels("before", box) == pixels("after", box))
    inside = (0.12, 0.22, 0.26, 0.46)
    check("the picture changes in it", pixels("before", inside) != pixels("after", inside))
    fresh()
    browser.value("document.querySelector('.region').focus()")
    browser.key("ArrowRight", 4)
    browser.key("ArrowDown", 2, shift=True)
    browser.until(WHOLE)
    check("keys move and size it", "14%,20%,30%,52%" in text("#words"), text("#words"))


def downloads():
    # Everything that goes into a query at once.
    fresh()
    browser.value("""for (const [id, value] of [['feather', '2'], ['scale', '1.5'], ['edge', 'mirror']]) {
      document.getElementById(id).value = value
      document.getElementById(id).dispatchEvent(new Event('input')) }""")
    browser.until(WHOLE)
    command = code("curl")
    got = download(lambda: browser.click("#download"))
    run = subprocess.run(["sh", "-c", command + " -sS"], cwd=folder, capture_output=True, text=True)
    with open(os.path.join(folder, "frosted.png"), "rb") as file:
        same = file.read() == got
    check("the download is what curl gets", len(got) > 1000 and same, f"{len(got)} {command} {run}")
    url = code("url")
    check("the address is this service's", url.startswith(address + "/v1/blur?filter=gaussian("), url)
    check("Swift has all of it", all(word in code("swift") for word in (
        "FilterChain(text: \"gaussian(x=", "MaskShape.list", "Length(2, .percent)", "edge: .mirror", "scale: 1.5")),
        code("swift"))
    program = os.environ.get("FROSTGLASS")
    if program:
        line = code("command").replace("frostglass ", program + " ", 1).replace("frosted.png", "command.png")
        run = subprocess.run(["sh", "-c", line + " --backend fast"], cwd=folder, capture_output=True, text=True)
        made = os.path.join(folder, "command.png")
        check("the command runs as it stands", run.returncode == 0 and os.path.exists(made), f"{line} {run}")
        if os.path.exists(made):
            with open(made, "rb") as file:
                check("the command makes the same file", file.read() == got, line)


def errors():
    fresh()
    browser.drop("#stage", os.path.join(folder, "notes.txt"))
    browser.until("document.getElementById('error').textContent")
    said = text("#error")
    check("a text is no picture, in words", said.startswith("notes.txt: ") and "JPEG" in said.upper(), said)
    check("the picture stays", "photo.png" in text("#words"))
    browser.click("#chain .value")
    browser.value("document.querySelector('#chain .value').select()")
    browser.write("lots")
    browser.until("document.getElementById('error').textContent.includes('lots')")
    check("a wrong number is explained", "standard deviation" in text("#error"), text("#error"))
    browser.value("document.querySelector('#chain .value').select()")
    browser.write("3px")
    browser.until(WHOLE)
    check("and the words go when it is right",
          browser.value("document.getElementById('error').hidden"))


def keyboard():
    """From the page's beginning to a download without a mouse."""
    browser.go("about:blank")
    browser.go(address + "/")
    browser.until(WHOLE)
    fresh()

    def walk(selector, most=80):
        for _ in range(most):
            browser.key("Tab")
            if browser.value(f"document.activeElement.matches({json.dumps(selector)})"):
                return True
        return False

    check("Tab gets to the way past the picture", walk(".skip", 1))
    check("Tab gets to the divider", walk("#split"))
    browser.key("ArrowLeft", 3)
    check("Tab gets to the file", walk("#file"))
    check("Tab gets to a sample", walk("[data-sample=coffee]"))
    browser.key("Enter")
    browser.until(f"{WHOLE} && document.getElementById('words').textContent.includes('coffee.webp')")
    check("Tab gets to a look", walk(".look"))
    browser.key("Tab", 1)
    fresh()
    browser.key("Enter")
    browser.until(WHOLE)
    check("a look is taken", text("#chain h3") == "gaussian", text("#chain"))
    fresh()
    check("Tab gets to a slider", walk("#chain input[type=range]"))
    browser.key("ArrowRight", 4)
    browser.until(WHOLE)
    check("and arrows change it", "gaussian(x=1.4%)" in text("#words"), text("#words"))
    check("Tab gets to regions", walk("#add-region"))
    fresh()
    browser.key("Enter")
    browser.key("ArrowLeft", 10)
    browser.until(WHOLE)
    check("a region comes and moves", "20%,30%,40%,40%" in text("#words"), text("#words"))
    browser.value("document.getElementById('add-region').focus()")
    check("Tab gets to the download", walk("#download"))
    got = download(lambda: browser.key("Enter"))
    check("Enter downloads", got[8:12] == b"WEBP", got[:12])
    check("Tab gets to the words", walk("[role=tab]"))
    browser.key("ArrowRight")
    check("arrows choose which", "curl --data-binary @coffee.webp" in text("#words"), text("#words"))
    check("Tab gets to scenes", walk("#scenes button"))
    browser.key("Enter")
    browser.until("[...document.querySelectorAll('#scenes button')].some(b => b.textContent === 'Stop')")
    browser.until("(() => { const i = document.querySelector('#scenes img');"
                  " const n = i.closest('li').querySelector('.hint').textContent;"
                  " return i.src && i.complete && !n.startsWith('Rendering') })()")
    said = browser.value("document.querySelector('#scenes li .hint').textContent")
    check("a scene plays", said.startswith("Chrome glass"), said)
    seen = browser.value("getComputedStyle(document.activeElement).outlineStyle")
    check("where one is is seen", seen == "solid", seen)


def addresses():
    """The page's own address says what is on it."""
    place = ("#filter=drop-shadow(x%3D3px,%20color%3Drgba(0,%200,%200,%200.25))%20sepia(40%25)"
             "&edge=mirror&region=10%25,20%25,30%25,40%25&region=ellipse(5%25,5%25,50%25,50%25)&feather=3%25&format=png")
    browser.go("about:blank")
    browser.go(address + "/" + place)
    browser.until(WHOLE)
    line = code("command")
    check("the page's address brings all back", all(word in line for word in (
        "'drop-shadow(x=3px, color=rgba(0, 0, 0, 0.25)) sepia(amount=40%)'", "--edge mirror", "10%,20%,30%,40%",
        "ellipse(5%,5%,50%,50%)", "--feather 3%", "frosted.png")), line)
    again = browser.value("location.hash")
    browser.go("about:blank")
    browser.go(address + "/" + again)
    browser.until(WHOLE)
    check("and is the same then", code("command") == line, text("#words"))


def labels():
    """Everything that can be used has a name, as screen readers tell it."""
    browser("Accessibility.enable")
    nodes = browser("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "checkbox", "combobox", "ColorWell", "link", "listbox", "radio", "slider", "spinbutton",
             "tab", "tabpanel", "textbox", "image", "region"}
    bare = [node["role"]["value"] for node in nodes
            if not node.get("ignored") and node["role"]["value"] in roles
            and not node.get("name", {}).get("value", "").strip()]
    check("everything has a name", not bare, bare)
    names = [node["name"]["value"] for node in nodes if node["role"]["value"] == "slider"]
    check("sliders are named after parameters", "Before and after" in names and "x, slider" in names, names)
    # The tree of the page has one heading of the first level, and none without text.
    check("there is one title", browser.value("document.querySelectorAll('h1').length") == 1)
    browser("Accessibility.disable")


def widths():
    for width in (320, 375, 768, 1280, 1920):
        for scheme in ("light", "dark"):
            browser.show(width, 800, scheme)
            browser.until(f"innerWidth === {width} && matchMedia('(prefers-color-scheme: {scheme})').matches")
            room = browser.value("document.documentElement.scrollWidth")
            check(f"{width} px, {scheme}: nothing to scroll sideways", room <= width, room)
            browser.shot(os.path.join(folder, f"{width}-{scheme}.png"))
    light, dark = [
        browser.show(1280, 800, scheme) or browser.value("getComputedStyle(document.body).color")
        for scheme in ("light", "dark")]
    check("light and dark differ", light != dark, light)


def phone():
    """What one came for is at hand without scrolling, and is in front of nothing in the end."""
    browser.show(375, 667)
    browser.until("innerWidth === 375")
    browser.value("scrollTo(0, 0)")
    place = browser.value("(r => [r.top, r.bottom])(document.getElementById('download').getBoundingClientRect())")
    check("a phone shows Download at once", place[0] > 0 and place[1] <= 667, place)
    browser.shot(os.path.join(folder, "phone.png"))
    browser.value("scrollTo(0, document.documentElement.scrollHeight)")
    gap = browser.value("""document.getElementById('result').getBoundingClientRect().top
      - document.getElementById('scenes').getBoundingClientRect().bottom""")
    check("the end of the page is not covered", gap >= 0, gap)
    rest = browser.value("document.getElementById('picture').getBoundingClientRect().bottom")
    check("the picture goes with what it is about", rest <= 0, rest)
    browser.value("document.getElementById('where').scrollIntoView({block: 'end', behavior: 'instant'})")
    rest = browser.value("document.getElementById('picture').getBoundingClientRect().top")
    check("and stays while one says where", rest > 0, rest)
    browser.show(844, 390)
    browser.until("innerWidth === 844")
    browser.value("scrollTo(0, 0)")
    place = browser.value("(r => [r.top, r.bottom])(document.getElementById('download').getBoundingClientRect())")
    check("also held across", place[0] > 0 and place[1] <= 390, place)
    gap = browser.value("""document.getElementById('result').getBoundingClientRect().top
      - document.getElementById('stage').getBoundingClientRect().bottom""")
    check("with all of the picture above it", gap >= 0, gap)
    browser.shot(os.path.join(folder, "phone-across.png"))


def fingers():
    """Regions and the divider by touch, where they cross."""
    browser.show(375, 667)
    browser.fingers(True)
    browser.go("about:blank")
    browser.go(address + "/")
    browser.until(WHOLE)
    browser.value("document.getElementById('add-region').click(), scrollTo(0, 0)")

    def place(selector):
        return browser.value(f"(r => [r.left + r.width / 2, r.top + r.height / 2])"
                             f"(document.querySelector('{selector}').getBoundingClientRect())")

    def region():
        return browser.value("['left', 'top', 'width', 'height'].map(s => parseFloat(document.querySelector('.region').style[s]))")

    def divider():
        return browser.value("Number(document.getElementById('split').value)")

    x, y = place("#knob")
    browser.swipe((x, y), (x - 60, y))
    check("a finger moves the divider across a region", divider() < 40 and region() == [30, 30, 40, 40], (divider(), region()))
    old = divider()
    x, y = place(".region")
    browser.swipe((x, y), (x + 40, y + 10))
    check("and the region", region()[0] > 35 and region()[2:] == [40, 40] and divider() == old, (divider(), region()))
    old = region()
    x, y = place(".region .handle")
    browser.swipe((x + 20, y + 20), (x - 20, y - 10))
    check("a fingertip finds the corner", region()[:2] == old[:2] and region()[2] < 35 and region()[3] < 37, region())
    bare = place("#chip-before")
    browser.swipe((bare[0], bare[1] + 200), (bare[0], bare[1] + 20))
    browser.until("scrollY > 50")
    check("beside regions it scrolls", browser.value("document.querySelectorAll('.region').length") == 1)
    browser.fingers(False)


def transparent():
    """The half before shows nothing of the half after."""
    browser.show(1280, 900)
    browser.go("about:blank")
    browser.go(address + "/")
    browser.until(WHOLE)
    fresh()
    browser.value("""(() => {
      const canvas = new OffscreenCanvas(300, 200)
      canvas.getContext('2d').fillRect(100, 50, 100, 100)
      return canvas.convertToBlob().then(blob => {
        const data = new DataTransfer()
        data.items.add(new File([blob], 'square.png', {type: blob.type}))
        dispatchEvent(new ClipboardEvent('paste', {clipboardData: data})) }) })()""")
    browser.until(WHOLE)
    browser.value("split.value = 100, split.dispatchEvent(new Event('input')), 0")
    # The middle, without labels and the divider.
    box = browser.value("""(r => ({
      x: r.x + 0.2 * r.width, y: r.y + 0.2 * r.height, width: 0.6 * r.width, height: 0.6 * r.height, scale: 1}))
      (document.getElementById('stage').getBoundingClientRect())""")
    shots = []
    for seen in ("visible", "hidden"):
        browser.value(f"{AFTER}.style.visibility = '{seen}', 0")
        shots.append(browser("Page.captureScreenshot", format="png", clip=box)["data"])
    check("before shows nothing of after where it is transparent", shots[0] == shots[1])


def tabs():
    """All that is focused is in view, looks in their row included."""
    browser.show(1280, 800)
    browser.value("document.querySelector('.skip').focus()")
    cut = []
    for _ in range(40):
        browser.key("Tab")
        time.sleep(0.1)
        cut += browser.value("""(e => {
          const r = e.getBoundingClientRect(), l = document.getElementById('look-list').getBoundingClientRect()
          return e.matches('.look') && (r.left < l.left || r.right > l.right) ? [e.textContent] : [] })(document.activeElement)""")
    check("looks are in view where they are focused", not cut, cut)


def contrast():
    """Text on panels, whatever picture shines through them: 4.5 at least, as WCAG asks."""
    for scheme in ("light", "dark"):
        browser.show(1280, 800, scheme)
        browser.until(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        browser.until("document.getAnimations().length === 0")
        least = browser.value("""(() => {
          const numbers = color => color.match(/[\\d.]+/g).map(Number)
          const style = (selector, name) => numbers(getComputedStyle(document.querySelector(selector))[name])
          const over = ([r, g, b, a = 1], below) => [r, g, b].map((one, i) => one * a + below[i] * (1 - a))
          const light = color => color.map(one => one / 255)
            .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
            .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0)
          const ratio = (a, b) => {
            const [high, low] = [light(a), light(b)].sort((x, y) => y - x)
            return (high + 0.05) / (low + 0.05)
          }
          const aura = getComputedStyle(document.getElementById('aura')).opacity
          const paper = style('html', 'backgroundColor')
          const backs = [0, 255].map(one => over([one, one, one, aura], paper))
            .map(one => over(style('.glass', 'backgroundColor'), one))
          const inks = ['body', '.hint', '#error', 'nav a', 'summary', '#status'].map(one => style(one, 'color'))
          return Math.min(
            ...backs.flatMap(back => inks.map(ink => ratio(ink, back))),
            ratio(style('#download', 'color'), style('#download', 'backgroundColor')),
            ratio(style('pre', 'color'), style('pre', 'backgroundColor'))) })()""")
        check(f"{scheme}: text can be read", least >= 4.5, least)


def operators():
    """What the page says where an operator takes less."""
    asked = len(browser.events)
    browser.go(signed + "/")
    browser.until("document.querySelectorAll('#chain h3').length > 0")
    check("with keys it says why it does nothing", "signed addresses only" in text("#notice"), text("#notice"))
    browser.choose("#file", os.path.join(folder, "photo.png"))
    browser.until("document.getElementById('words').textContent.includes('photo.png')")
    check("and how to sign", "frostglass sign" in (code("curl"), text("#words-hint"))[1], text("#words-hint"))
    time.sleep(1)
    posts = [event for event in browser.events[asked:] if event["method"] == "Network.requestWillBeSent"
             and event["params"]["request"]["method"] == "POST"]
    check("and asks for nothing that is refused", not posts, posts)
    browser.go(presets + "/")
    browser.until(WHOLE)
    check("presets are named", text(".look span") == "Mist", text("#look-list"))
    check("nothing else is offered", browser.value(
        "document.getElementById('filters').hidden && document.querySelectorAll('.look').length === 1"))
    check("and it says so", "presets only" in text("#notice"), text("#notice"))
    check("a preset is asked for by name", "/v1/blur?preset=mist" in code("curl"), text("#words"))


def network():
    own = [urlsplit(one).netloc for one in (address, signed, presets)]
    asked = [event["params"]["request"]["url"] for event in browser.events
             if event["method"] == "Network.requestWillBeSent"]
    foreign = [url for url in asked if not url.startswith(("about:", "blob:")) and urlsplit(url).netloc not in own]
    check("nothing is asked of anyone else", len(asked) > 20 and not foreign, foreign)
    failed = [event["params"] for event in browser.events if event["method"] == "Network.loadingFailed"
              and not event["params"].get("canceled")]
    check("nothing fails to load", not failed, failed)


def console():
    """Refusals that a check provoked are network entries of their own: 4xx answers."""
    told = [event for event in browser.events
            if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    entries = [event["params"]["entry"] for event in browser.events if event["method"] == "Log.entryAdded"]
    told += [entry for entry in entries if (entry["level"] == "error" or entry["source"] == "security")
             and not (entry["source"] == "network" and "/v1/blur" in entry.get("url", ""))]
    check("the console is silent: no error, no violation of the policy", not told, told[:3])


try:
    for part in (
            begin, uploads, lives, hurries, pastes, changes, compares, regions, downloads, errors, keyboard,
            tabs, addresses, labels, widths, phone, fingers, transparent, contrast, operators, network, console):
        try:
            part()
        except Exception as error:
            check(part.__name__, False, f"{type(error).__name__}: {error}")
finally:
    browser.close()
sys.exit(failures > 0)
