"""Looks for promises without a test: docs/reliability.md names one for each.

    promises.py SOURCE

Every row of its tables has a number, a promise, a target, the tests that keep it and the figure of
today. A test is `layer.Suite.Name` as in the sources of tests/layer, a file or a function of
python/tests, or a script with its arguments; `*` stands for any letters."""

import fnmatch
import pathlib
import re
import sys

PROMISES = 30
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
CONFORMANCE = re.compile(r"^INSTANTIATE_TYPED_TEST_SUITE_P\(\w+,\s*(\w+)", re.MULTILINE)


def tests_of_sources(source):
    """Names as `operators.PauliOperator.NoStringsGiveNothing`. A suite in tests/support belongs to
    the layers that instantiate it."""
    shared = {}
    for file in (source / "tests/support").glob("*.hpp"):
        for suite, name in TEST.findall(file.read_text()):
            shared.setdefault(suite, []).append(name)
    for file in (source / "tests").glob("*/*_test.cpp"):
        text, layer = file.read_text(), file.parent.name
        yield from (f"{layer}.{suite}.{name}" for suite, name in TEST.findall(text))
        for suite in CONFORMANCE.findall(text):
            yield from (f"{layer}.{suite}.{name}" for name in shared.get(suite, []))


def is_there(name, source, tests):
    file, _, function = name.split(" ")[0].partition("::")
    if "/" not in file:
        return any(fnmatch.fnmatchcase(test, name) for test in tests)
    path = source / file
    return path.is_file() and (not function or f"\ndef {function}(" in path.read_text())


def wrong(page, source):
    tests, numbers = set(tests_of_sources(source)), []
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or not cells[0].isdigit():
            continue
        numbers.append(int(cells[0]))
        if len(cells) != 5 or not all(cells):
            yield f"promise {cells[0]}: found {len(cells)} cells, expected 5 that are not empty"
            continue
        names = re.findall(r"`([^`]+)`", cells[3])
        if not names:
            yield f"promise {cells[0]}: found no test"
        for name in names:
            if not is_there(name, source, tests):
                yield f"promise {cells[0]}: found {name}, expected a test of this tree"
    if sorted(numbers) != list(range(1, PROMISES + 1)):
        yield f"found the promises {sorted(numbers)}, expected 1 to {PROMISES}"


def main(source):
    page = source / "docs/reliability.md"
    found = [f"{page}: {what}" for what in wrong(page, source)]
    print("\n".join(found) or "every promise has its tests")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
