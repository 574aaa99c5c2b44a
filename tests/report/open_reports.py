"""Opens reports in Chromium as a phone and as a desktop and checks what is on the page.

    open_reports.py CHROMIUM REPORT.html... [--screenshots FOLDER]

Exits with 1 and says what is wrong when a page complains on its console, leaves a chart undrawn,
is wider than the screen, or asks for anything from elsewhere."""

import argparse
import pathlib
import sys

from browser import Browser

# For each chart whether plotly.js drew it: marks in the SVG, or a WebGL canvas with some colour.
CHARTS = """
(() => [...document.querySelectorAll('.chart .drawing')].map((plot) => {
  const box = plot.getBoundingClientRect();
  const marks = plot.querySelectorAll(
      '.main-svg .trace path, .main-svg .points path, .main-svg .hm image').length;
  const still = plot.querySelector('.gl-container canvas') && plot.querySelector('img.still');
  return {title: plot.getAttribute('aria-label'),
          drawn: plot.classList.contains('js-plotly-plot') && box.width > 200 &&
                 (marks > 0 || Boolean(still && still.complete && still.naturalWidth > 0)),
          misfit: [...plot.querySelectorAll('.main-svg, canvas')].map((part) => {
            const own = part.getBoundingClientRect();
            return Math.max(Math.abs(own.width - box.width), own.bottom - box.bottom);
          }).reduce((a, b) => Math.max(a, b), 0)};
}))()
"""
OPEN_FOLDED = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
PICTURES = "[...document.images].every((image) => image.complete && image.naturalWidth > 0)"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


# Events of a new size or theme come before the frames that show it.
NEXT_FRAMES = "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
DRAWN = """document.getElementById('charts').textContent === '[]' ||
           document.documentElement.dataset.charts === 'drawn'"""
# Grows while charts are drawn, so that a slow machine is not taken for a page that hangs.
STEPS = "document.querySelectorAll('.js-plotly-plot, img.still').length"


def check(browser):
    wrong = ["console: " + text for text in browser.complaints()]
    wrong += ["asks for " + url for url in browser.requests()]
    charts = browser.evaluate(CHARTS)
    for chart in charts:
        if not chart["drawn"]:
            wrong.append("not drawn: " + chart["title"])
        if chart["misfit"] > 1:
            wrong.append(f"does not fit its place by {chart['misfit']} pixels: {chart['title']}")
    if not browser.evaluate(PICTURES):
        wrong.append("a picture is broken")
    if browser.evaluate(TOO_WIDE) > 0:
        wrong.append(f"wider than the screen by {browser.evaluate(TOO_WIDE)} pixels")
    return len(charts), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chromium")
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    arguments = parser.parse_args()
    failed = False
    with Browser(arguments.chromium) as browser:
        for report in arguments.reports:
            for width, dark in ((400, True), (1600, False)):
                browser.show_as(width, 900, dark)
                if width == 400:
                    browser.open(report.resolve().as_uri())
                    browser.wait_for(DRAWN, STEPS)
                    browser.evaluate(OPEN_FOLDED)
                # the open page must follow what was opened, and the new width and theme
                browser.evaluate(NEXT_FRAMES)
                browser.wait_for(DRAWN, STEPS)
                charts, wrong = check(browser)
                print(f"{report.name} at {width} pixels, {'dark' if dark else 'light'}: "
                      f"{charts} charts, {'; '.join(wrong) or 'fine'}", flush=True)
                failed = failed or bool(wrong)
                if arguments.screenshots:
                    arguments.screenshots.mkdir(parents=True, exist_ok=True)
                    name = f"{report.stem}-{width}{'-dark' if dark else ''}.png"
                    browser.screenshot(arguments.screenshots / name)
            if arguments.screenshots:
                browser.print_pdf(arguments.screenshots / (report.stem + ".pdf"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
