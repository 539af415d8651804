#!/usr/bin/env python3
"""Makes, saves and runs cases with the Paddle of this interpreter, for a run.py in another one: a line of JSON for each."""
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict

os.environ["HARNESS_PADDLE_ONLY"] = "1"

import fuzz  # noqa: E402,F401 - the path to the harness
from harness.cases import read_cases  # noqa: E402

from fluid2onnx.errors import ModelError  # noqa: E402

# Paddle prints; answers go where the standard output was.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

from fuzz import reference  # noqa: E402
from fuzz.cases import RandomCase  # noqa: E402
from fuzz.work import maker  # noqa: E402


def answer(make: Any, request: Dict[str, Any]) -> Dict[str, Any]:
    """What a request asks for, or why not."""
    try:
        if "make" in request:
            return {"case": json.loads(make(*request["make"]).to_json())}
        folder = Path(request["folder"])
        result = reference.compute(RandomCase.from_json(request["compute"]), folder, request["how"])
        result.save()
        return {"inputs": list(result.inputs), "outputs": result.names, "lod": result.lod}
    except ModelError as error:
        return {"error": str(error)}


def main() -> None:
    """Serves until its input ends."""
    settings = json.loads(sys.argv[1])
    examples = read_cases(Path(settings["examples"]).read_text())
    make = maker(Path(settings["root"]), examples, settings["only"], settings["kinds"], settings["lod"])
    for line in sys.stdin:
        ANSWERS.write(json.dumps(answer(make, json.loads(line))) + "\n")
        ANSWERS.flush()


if __name__ == "__main__":
    main()
