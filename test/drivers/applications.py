"""Functions shared by the tests of Python's drivers: TAP output, and the queries of the file cases."""
import os
import re
import sys

points = 0
failures = 0


def point(passed, title, details=""):
    global points, failures
    points += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {points} - {title}")
    if not passed:
        print(details, file=sys.stderr)


def compare(got, expected, title):
    point(got == expected, title, f"{title}: got {got!r}, expected {expected!r}")


def expect_error(message, action, title):
    """Check that the action raises an error whose message contains this."""
    compare_answer(answer(action), "ERROR: " + message, title)


def answer(action):
    """The result of the action, in the form of the file cases."""
    try:
        value = action()
    except Exception as error:
        return f"ERROR: {error}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def compare_answer(got, expected, title):
    if expected.startswith("ERROR: "):
        matches = got.startswith("ERROR: ") and expected[len("ERROR: "):] in got
    else:
        matches = got == expected
    point(matches, title, f"{title}: got {got}, expected {expected}")


def parameter(word):
    kind, _, value = word.partition(":")
    if kind == "int":
        return int(value)
    if kind == "list":
        return value.split(",") if value else []
    return {"null": None, "text": value}[kind]


def positional(query, parameters):
    """The query with %s for each $n, and the parameters in their order."""
    numbers = [int(number) for number in re.findall(r"\$(\d)", query)]
    return re.sub(r"\$\d", "%s", query), [parameters[number - 1] for number in numbers]


def ask_cases(driver, ask):
    """Runs the queries for the driver; ask(query, parameters) returns the first column of the first row."""
    asked = 0
    with open(os.path.join(os.path.dirname(__file__), "cases")) as cases:
        for line in cases:
            if line.startswith("#"):
                continue
            drivers, title, query, words, expected = [field.strip() for field in line.split("|")]
            names = drivers.split()
            if names[:2] == ["all", "but"]:
                if driver in names[2:]:
                    continue
            elif names != ["all"] and driver not in names:
                continue
            parameters = [parameter(word) for word in words.split()]
            compare_answer(answer(lambda: ask(query, parameters)), expected, title)
            asked += 1
    point(asked > 25, "the queries were run")


def finish():
    print(f"1..{points}")
    sys.exit(failures > 0)
