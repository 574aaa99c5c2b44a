"""Chromium without a window, spoken to over its debugging pipe. Needs nothing but Python."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="projfgd-browser-")
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()

        def connect():  # Chromium reads commands from 3 and answers on 4
            commands, answers = os.dup(to_read), os.dup(from_write)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.profile,
             "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer = b""
        self.last = 0
        self.session = None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                raise TimeoutError("the browser did not answer in time")
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, timeout=180, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show_as(self, width, height, dark):
        """As a phone (under 600 pixels) or a desktop with this theme shows it."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.events = []
        self.send("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'")

    def wait_for(self, condition, steps="0", seconds=180):
        """Until the condition holds; gives up when `steps` has not changed for so long."""
        before, since = None, time.monotonic()
        while not self.evaluate(condition):
            now = self.evaluate(steps)
            if now != before:
                before, since = now, time.monotonic()
            if time.monotonic() - since > seconds:
                raise TimeoutError(f"not true, and no step for {seconds} s: {condition}")
            time.sleep(0.05)

    def complaints(self):
        """Errors on the console and uncaught exceptions."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                if parameters["type"] in ("error", "assert"):
                    found.append(str([a.get("value") for a in parameters["args"]]))
            elif event.get("method") == "Log.entryAdded":
                if parameters["entry"]["level"] == "error":
                    found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        """Addresses the page asked for, beside itself and data inside it."""
        urls = [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]
        return [u for u in urls if not u.startswith(("data:", "blob:", "file:"))]

    def screenshot(self, path):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"],
                               "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def print_pdf(self, path):
        pdf = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(pdf["data"]))
