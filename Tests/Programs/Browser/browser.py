"""Chromium without a window, driven through a pipe by the DevTools protocol.

Needs Debian's package chromium and Python's standard library.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
    "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
}


class Browser:
    """A browser with one page, and a profile of its own that goes with it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        asks, self._ask = os.pipe()
        self._hear, answers = os.pipe()

        def pipes():
            # Chromium reads commands from descriptor 3 and writes to 4. Neither may be overwritten
            # by the other on the way there.
            high = [os.dup2(asks, 30), os.dup2(answers, 31)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
             # It refuses to start as root with it, and what it shows is ours.
             "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
             # A camera that shows a test picture, and is lent without a question.
             "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile}", "about:blank"],
            close_fds=False, preexec_fn=pipes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(asks)
        os.close(answers)
        self._rest = b""
        self._number = 0
        self._session = None
        self.events = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self, until):
        while b"\0" not in self._rest:
            if not select.select([self._hear], [], [], max(0, until - time.monotonic()))[0]:
                return None
            part = os.read(self._hear, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def __call__(self, method, **parameters):
        """Asks for something, and keeps what happens in the meantime in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._ask, data):]
        until = time.monotonic() + 120
        while True:
            answer = self._read(until)
            if answer is None:
                raise RuntimeError(f"{method}: no answer")
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    # Pages

    def go(self, url):
        self("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def show(self, width, height, scheme="light", scale=1):
        """The window's size in CSS pixels, and what colors its user likes."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
             mobile=False)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        """What an expression in JavaScript comes to, once its promise is kept."""
        result = self("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, seconds=60):
        """Waits until an expression holds."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise AssertionError(f"still not: {expression}")
            time.sleep(0.03)

    def shot(self, path, is_whole=False):
        """A picture of the page, as PNG."""
        result = self("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))

    # Hands

    def middle(self, selector):
        return self.box(selector, 0.5, 0.5)

    def box(self, selector, across, down):
        """A point of an element, as fractions of it, in the window."""
        return self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center', behavior: 'instant'}); const b = e.getBoundingClientRect();"
            f" return [b.left + b.width * {across}, b.top + b.height * {down}] }})()")

    def mouse(self, kind, place):
        self("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", buttons=1,
             clickCount=1)

    def click(self, selector):
        place = self.middle(selector)
        self.mouse("mousePressed", place)
        self.mouse("mouseReleased", place)

    def drag(self, selector, start, end):
        """Moves the pressed mouse over an element; places are fractions of it."""
        self.mouse("mousePressed", self.box(selector, *start))
        for step in range(1, 6):
            self.mouse("mouseMoved", self.box(
                selector, *(a + (b - a) * step / 5 for a, b in zip(start, end))))
        self.mouse("mouseReleased", self.box(selector, *end))

    def fingers(self, are_there):
        """Whether the screen is touched instead of pointed at."""
        self("Emulation.setTouchEmulationEnabled", enabled=are_there)

    def swipe(self, start, end):
        """Moves a finger over the window; places are points of it."""
        for step in range(6):
            x, y = (a + (b - a) * step / 5 for a, b in zip(start, end))
            self("Input.dispatchTouchEvent", type="touchMove" if step else "touchStart", touchPoints=[{"x": x, "y": y}])
        self("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, key, times=1, shift=False):
        for _ in range(times):
            common = {"key": key, "code": "Space" if key == " " else key, "modifiers": 8 if shift else 0,
                      "windowsVirtualKeyCode": KEYS[key]}
            text = {"Enter": "\r", " ": " "}.get(key)
            self("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
            self("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text):
        self("Input.insertText", text=text)

    def choose(self, selector, path):
        """Chooses a file in a field for files."""
        root = self("DOM.getDocument")["root"]["nodeId"]
        node = self("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self("DOM.setFileInputFiles", nodeId=node, files=[path])

    def drop(self, selector, path):
        """Lets a file fall on an element."""
        x, y = self.middle(selector)
        data = {"items": [], "files": [path], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)
