"""`inspect --html`, as a browser shows it."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser
from pages import ROOT

from fluid2onnx import executable, wire
from fluid2onnx.page import libraries

MODELS = ROOT / "tests" / "data" / "models"


def chain(count):
    """An ONNX file with this number of operators, each with a name scope of ten; every third reads another one, too."""
    nodes = []
    for number in range(count):
        inputs = [f"t{number}", f"t{max(0, number - 7)}"] if number % 3 == 0 else [f"t{number}"]
        nodes.append(
            wire.message(
                [
                    *((1, wire.BYTES, name.encode()) for name in inputs),
                    (2, wire.BYTES, f"t{number + 1}".encode()),
                    (3, wire.BYTES, f"/stage{number // 500}/block{number // 10}/op{number}".encode()),
                    (4, wire.BYTES, b"Add" if len(inputs) == 2 else b"Relu"),
                ]
            )
        )
    port = lambda name: wire.message([(1, wire.BYTES, name)])  # noqa: E731
    graph = wire.message([*((1, wire.BYTES, node) for node in nodes), (11, wire.BYTES, port(b"t0")), (12, wire.BYTES, port(f"t{count}".encode()))])
    opset = wire.message([(2, wire.VARINT, 17)])
    return wire.message([(1, wire.VARINT, 8), (7, wire.BYTES, graph), (8, wire.BYTES, opset)])


@unittest.skipUnless(browser.CHROMIUM, "Chromium is not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.browser())
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.work = Path(temporary.name)
        if libraries.folder() is None:
            libraries.fetch(libraries._cache())

    def page(self, model, *options, status=0):
        path = self.work / "page.html"
        done = subprocess.run(
            [executable.find(), "inspect", str(model), "--html", str(path), *options],
            capture_output=True,
            text=True,
            env={**os.environ, "FLUID2ONNX_PYTHON": sys.executable},
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return path

    def look(self, path, search=""):
        for width in (1300, 420):
            with self.browser.page(path.as_uri() + search, width) as page:
                page.wait_for_selector("#graph[data-ready]")
                text = page.content()
            self.assertEqual(self.browser.console, [])
            hint = re.search(r'id="hint">(\d+) boxes for (\d+) operators', text)
            self.assertTrue(hint, text[:2000])
        return int(hint[1]), int(hint[2]), text

    def test_a_program(self):
        boxes, operators, text = self.look(self.page(MODELS / "jit"))
        self.assertGreaterEqual(boxes, operators)
        self.assertIn("can be converted at opset 17", text)
        self.assertIn("float32[", text)

    def test_it_loads_nothing(self):
        text = self.page(MODELS / "jit").read_text()
        self.assertNotIn("src=", text.split("</style>")[1].split('<script type="application/json"')[0])
        self.assertNotRegex(text, r"<(link|script|img)[^>]+(href|src)=\"http")

    def test_what_cannot_be_converted(self):
        _, _, text = self.look(self.page(MODELS / "axis_tensor", "--opset", "10", status=1))
        self.assertIn("cannot be converted (2)", text)
        self.assertIn("E_OPSET", text)

    def test_without_the_parameters(self):
        model = self.work / "alone.pdmodel"
        model.write_bytes((MODELS / "lstm" / "model.pdmodel").read_bytes())
        self.assertIn("the parameter file is missing", self.look(self.page(model))[2])

    def test_a_large_onnx_file(self):
        model = self.work / "large.onnx"
        model.write_bytes(chain(5000))
        boxes, operators, text = self.look(self.page(model))
        self.assertEqual(operators, 5000)
        self.assertLess(boxes, 200)
        self.assertIn("stage9", text)
        # One operator is found among them: the groups around it are open.
        opened, _, text = self.look(self.work / "page.html", "#2345")
        self.assertGreater(opened, boxes)
        self.assertLess(opened, 400)
        self.assertIn("stage4 / block234", text)

    def test_search_opens_the_groups_around_what_it_finds(self):
        model = self.work / "large.onnx"
        model.write_bytes(chain(5000))
        with self.browser.page(self.page(model).as_uri()) as page:
            page.wait_for_selector("#graph[data-ready]")
            page.fill("#search", "op4321")
            self.assertIn("#4321", page.locator("#hits li").first.inner_text())
            page.press("#search", "Enter")
            self.assertIn("stage8 / block432", page.inner_text("#content"))
            opened = int(page.inner_text("#hint").split()[0])
            page.click("#collapse")
            self.assertEqual(int(page.inner_text("#hint").split()[0]), 10)
            page.click("#expand")
            self.assertEqual(int(page.inner_text("#hint").split()[0]), 510)
        self.assertEqual(self.browser.console, [])
        self.assertGreater(opened, 60)

    def test_text_of_the_model_is_text(self):
        model = self.work / "names.onnx"
        model.write_bytes(chain(3).replace(b"op1", b"</s").replace(b"/block0/", b"/<b>&#;/"))
        text = self.look(self.page(model))[2]
        self.assertNotIn("<b>&", text.split('id="model"')[1].split("</script>")[0])

    def test_a_file_that_is_no_model(self):
        model = self.work / "none.onnx"
        model.write_bytes(b"no model")
        self.page(model, status=3)


if __name__ == "__main__":
    unittest.main()
