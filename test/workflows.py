"""Checks the workflows of continuous integration: valid YAML with the parts that a workflow needs, and no goal of make, script
or test that does not exist. Prints what is wrong."""
import glob
import os
import re
import sys

import yaml

goals = set(re.findall(r"^#   make ([a-z-]+)", open("Makefile").read(), re.MULTILINE))


def check(where, command):
    for goal in re.findall(r"\bmake ([a-z][a-z-]*)", command):
        if goal not in goals:
            yield f"{where}: no goal {goal}"
    for script in re.findall(r"(?:^| )(test/[a-z_/]+)", command):
        if not os.access(script, os.X_OK):
            yield f"{where}: no script {script}"


def findings(path):
    workflow = yaml.safe_load(open(path))
    # YAML 1.1 reads the key "on" as true.
    if not workflow.get("name") or True not in workflow or not workflow.get("jobs"):
        yield f"{path}: name, on or jobs is missing"
    for name, job in workflow.get("jobs", {}).items():
        where = f"{path}: {name}"
        if not job.get("runs-on") or not job.get("steps"):
            yield f"{where}: runs-on or steps is missing"
        if "timeout-minutes" not in job:
            yield f"{where}: no timeout"
        matrix = job.get("strategy", {}).get("matrix", {})
        used = set(re.findall(r"\$\{\{ *matrix\.(\w+) *\}\}", str(job)))
        known = set(matrix) | {key for entry in matrix.get("include", []) for key in entry}
        yield from (f"{where}: matrix.{key} is not defined" for key in sorted(used - known))
        for step in job.get("steps", []):
            if ("run" in step) == ("uses" in step):
                yield f"{where}: a step needs either run or uses"
            if "apt-get install" not in step.get("run", ""):
                yield from check(where, step.get("run", ""))
        for goal in matrix.get("goal", []):
            yield from check(where, f"make {goal}")
        for command in matrix.get("command", []):
            yield from check(where, command)


for path in sorted(glob.glob(".github/workflows/*.yml")):
    try:
        for finding in findings(path):
            print(finding)
    except yaml.YAMLError as error:
        print(f"{path}: {error}")
if not glob.glob(".github/workflows/*.yml"):
    sys.exit("no workflow")
