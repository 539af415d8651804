"""The page that converts in the browser, against the program. scripts/wasm makes the page."""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import browser
import numpy
from fluid2onnx import executable
from pages import ROOT

sys.path.append(str(ROOT / "tests" / "cross"))
import onnx_files

_SITE = ROOT / "build" / "wasm" / "site"
_MODELS = ROOT / "tests" / "data" / "models"
# Whole networks, where tests/models has made them; else samples of the same formats.
_ZOO = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "models"
_IGNORED = (".npz", "meta.json")


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(_IGNORED))


def either(name, sample):
    return _ZOO / name if (_ZOO / name).is_dir() else _MODELS / sample


@unittest.skipUnless(browser.CHROMIUM, "Chromium is not installed")
@unittest.skipUnless((_SITE / "convert" / "index.html").is_file(), "scripts/wasm has not made the page")
class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.work = Path(temporary.name)
        cls.browser = cls.enterClassContext(browser.browser())
        cls.url = cls.enterClassContext(browser.served(_SITE)) + "/convert/index.html"

    def opened(self, page, files, status, folder=False):
        page.set_default_timeout(120000)
        page.set_input_files("#folder" if folder else "#files", [str(file) for file in files] if not folder else str(files))
        page.wait_for_selector(f"#status.{status}")

    def program(self, *arguments):
        made = Path(tempfile.mkdtemp(dir=self.work))
        words = [str(word).replace("OUT", str(made)) for word in arguments]
        done = subprocess.run([executable.find(), "convert", words[0], "-o", *words[1:], "--json"], capture_output=True, text=True)
        return made, json.loads(done.stdout)

    def saved(self, page):
        """The files that the page offers, as they are saved."""
        found = {}
        for link in page.locator("#downloads a").all():
            with page.expect_download() as download:
                link.click()
            found[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
        return found

    def convert(self, page):
        page.click("#convert")
        page.wait_for_selector("#result:not([hidden])")
        return self.saved(page)

    def same(self, found, made):
        self.assertEqual(found.keys(), {path.name for path in made.iterdir()})
        for path in made.iterdir():
            self.assertEqual(found[path.name], path.read_bytes(), path.name)

    def check(self, folder, output, model="", files=None):
        with self.browser.page(self.url) as page:
            self.opened(page, files or files_of(folder), "good")
            found = self.convert(page)
        self.assertEqual(self.browser.console, [])
        made, report = self.program(folder / model if model else folder, f"OUT/{output}")
        self.assertTrue(report["ok"])
        self.same(found, made)
        return found

    def test_a_classifier(self):
        self.check(either("mobilenet_v2", "jit"), "model.onnx")

    def test_a_detector(self):
        self.check(either("detection_head", "ops_1x"), "model.onnx")

    def test_paddle_3(self):
        self.check(_MODELS / "pir" / "lstm", "model.onnx")

    def test_a_folder_of_fluid(self):
        folder = either("static_vgg_separate", "model_separate")
        chosen = self.work / folder.name
        chosen.mkdir()
        for file in files_of(folder):
            (chosen / file.name).write_bytes(file.read_bytes())
        with self.browser.page(self.url) as page:
            self.opened(page, chosen, "good", folder=True)
            found = self.convert(page)
        self.assertEqual(self.browser.console, [])
        made, _ = self.program(chosen, f"OUT/{folder.name}.onnx")
        self.same(found, made)

    def test_onnx_to_paddle(self):
        made, _ = self.program(either("mobilenet_v2", "jit"), "OUT/model.onnx")
        found = self.check(made, "model.pdmodel", "model.onnx")
        self.assertEqual(len(found), 2)

    def test_a_zip(self):
        archive = self.work / "model.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for number, file in enumerate(files_of(_MODELS / "jit")):
                zipped.write(file, f"some folder/{file.name}", zipfile.ZIP_STORED if number % 2 else zipfile.ZIP_DEFLATED)
        self.check(_MODELS / "jit", "model.onnx", files=[archive])

    def drop(self, page, paths):
        """As the system's file manager drops them."""
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        devtools = page.context.new_cdp_session(page)
        for kind in ("dragEnter", "dragOver", "drop"):
            devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 200, "data": data})

    def test_drops(self):
        """A folder, and a zip."""
        folder = self.work / "dropped"
        folder.mkdir()
        archive = self.work / "dropped.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for file in files_of(_MODELS / "model_separate"):
                (folder / file.name).write_bytes(file.read_bytes())
                zipped.write(file, f"dropped/{file.name}")
        made, _ = self.program(folder, "OUT/dropped.onnx")
        for dropped in (folder, archive):
            with self.browser.page(self.url) as page:
                page.set_default_timeout(120000)
                self.drop(page, [dropped])
                page.wait_for_selector("#status.good")
                found = self.convert(page)
            self.assertEqual(self.browser.console, [])
            self.same(found, made)

    def refused(self, files, code):
        with self.browser.page(self.url) as page:
            self.opened(page, files, "bad")
            status, problems = page.inner_text("#status"), page.inner_text("#problems") if page.is_visible("#problems") else ""
        self.assertEqual(self.browser.console, [])
        self.assertIn(code, status + problems)
        return status, problems

    def test_no_model(self):
        path = self.work / "none.onnx"
        path.write_bytes(b"no model")
        self.refused([path], "E_NOT_A_MODEL")

    def test_two_models(self):
        _, problems = self.refused(files_of(_MODELS / "multi_function"), "E_MANY_MODELS")
        self.assertIn("hint", problems)

    def test_a_damaged_program(self):
        path = self.work / "damaged.pdmodel"
        path.write_bytes((_MODELS / "jit" / "model.pdmodel").read_bytes()[:9000])
        self.refused([path], "E_")

    def test_an_opset_that_is_too_low(self):
        """All problems, with the lines of Python that the program reports; then the opset that works."""
        folder = either("beam_search", "axis_tensor")
        _, report = self.program(folder, "OUT/model.onnx", "--opset", "10")
        self.assertEqual(any(problem["source"] for problem in report["errors"]), folder.name == "beam_search")
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(folder), "good")
            page.fill("#opset", "10")
            page.click("#check")
            page.wait_for_selector("#status.bad")
            problems = page.locator("#problems li")
            self.assertEqual(problems.count(), len(report["errors"]))
            for number, problem in enumerate(report["errors"]):
                text = problems.nth(number).inner_text()
                for member in ("code", "message", "place", "source"):
                    self.assertIn(problem[member] or "", text)
            page.fill("#opset", str(report["lowest_opset"]))
            page.click("#check")
            page.wait_for_selector("#status.good")
            self.assertFalse(page.is_visible("#problems"))
        self.assertEqual(self.browser.console, [])

    def test_options(self):
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "jit"), "good")
            name = page.inner_text("#shapes label")
            page.fill("#shapes input", page.get_attribute("#shapes input", "placeholder").replace("?", "2"))
            shape = page.input_value("#shapes input")
            page.select_option("#precision", "float16")
            page.fill("#opset", "15")
            found = self.convert(page)
        made, _ = self.program(_MODELS / "jit", "OUT/model.onnx", "--opset", "15", "--fp16", "--input-shape", f"{name}={shape}")
        self.same(found, made)

    def test_other_outputs(self):
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "jit"), "good")
            page.fill("#outputs", "conv2d_0.tmp_1, reshape2_0.tmp_0")
            found = self.convert(page)
        self.assertEqual(self.browser.console, [])
        made, _ = self.program(_MODELS / "jit", "OUT/model.onnx", "--outputs", "conv2d_0.tmp_1,reshape2_0.tmp_0")
        self.same(found, made)

    def test_onnx_to_paddle_3(self):
        """As .json; then the ONNX file that was dropped runs."""
        made, _ = self.program(_MODELS / "jit", "OUT/model.onnx")
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(made), "good")
            self.assertEqual([page.is_visible(field) for field in ("#opset", "#precision", "#format")], [False, False, True])
            page.select_option("#format", "json")
            found = self.convert(page)
            page.click("#run")
            page.wait_for_selector("#trial-outputs:not([hidden])")
            self.assertEqual(page.locator("#trial-outputs tbody tr").count(), 2)
        self.assertEqual(self.browser.console, [])
        back, _ = self.program(made / "model.onnx", "OUT/model.json")
        self.same(found, back)

    def test_opsets_that_work(self):
        done = subprocess.run([executable.find(), "inspect", _MODELS / "lstm", "--json"], capture_output=True, text=True)
        opsets = ", ".join(map(str, json.loads(done.stdout)["opsets"]))
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "lstm"), "good")
            page.click("#find-opsets")
            page.wait_for_selector("#find-opsets", state="detached")
            self.assertIn(opsets, page.inner_text("#facts"))
            self.assertIn(opsets, page.inner_text("#status"))
        self.assertEqual(self.browser.console, [])

    def test_progress(self):
        """The page shows stages and values between 0 and 1 while the worker converts."""
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(either("mobilenet_v2", "jit")), "good")
            page.evaluate(
                """() => {
                     window.seen = { values: [], texts: [] };
                     const [bar, status] = ["progress", "status"].map((id) => document.getElementById(id));
                     new MutationObserver(() => seen.values.push(bar.getAttribute("value"))).observe(bar, { attributes: true });
                     new MutationObserver(() => seen.texts.push(status.textContent)).observe(status, { childList: true });
                   }"""
            )
            self.convert(page)
            seen = page.evaluate("seen")
            self.assertFalse(page.is_visible("#progress"))
        self.assertEqual(self.browser.console, [])
        self.assertEqual(seen["texts"][0], "Converting ...")
        self.assertTrue(any(text.startswith("Reading") for text in seen["texts"]), seen)
        values = [float(value) for value in seen["values"] if value is not None]
        self.assertTrue(values)
        self.assertTrue(all(0 <= value <= 1 for value in values), values)

    def test_structure_and_graph(self):
        """The saved graph is the page of `inspect --html`."""
        expected = self.work / "graph.html"
        environment = os.environ | {"FLUID2ONNX": str(executable.find())}
        words = [sys.executable, "-m", "fluid2onnx.page.command", ".", "--html", str(expected)]
        subprocess.run(words, cwd=_MODELS / "jit", env=environment, check=True, capture_output=True)
        with self.browser.page(self.url) as page:
            self.assertIn("Nothing leaves this machine", page.inner_text("main"))
            self.opened(page, files_of(_MODELS / "jit"), "good")
            self.assertIn("ProgramDesc", page.inner_text("#facts"))
            self.assertIn("float32", page.inner_text("#ports"))
            page.click("#structure summary")
            self.assertEqual(page.locator("#operators tbody tr").first.inner_text().split(), ["elementwise_add", "4"])
            frame = page.frame_locator("#drawing")
            frame.locator("#graph[data-ready]").wait_for()
            self.assertIn("can be converted at opset 17", frame.locator("#verdict").inner_text())
            with page.expect_download() as download:
                page.click("#graph-file")
            html = Path(download.value.path()).read_text()
        self.assertEqual(self.browser.console, [])
        self.assertEqual(html, expected.read_text())

    def test_run_it(self):
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(either("mobilenet_v2", "jit")), "good")
            self.convert(page)
            page.click("#run")
            page.wait_for_selector("#trial-outputs:not([hidden])")
            rows = page.locator("#trial-outputs tbody tr")
            self.assertGreater(rows.count(), 0)
            self.assertRegex(rows.first.inner_text(), r"float32\[[\d, ]+\]")
            self.assertIn("ran in", page.inner_text("#status"))
        self.assertEqual(self.browser.console, [])

    def test_run_on_arrays(self):
        """The outputs that Paddle computed, from dropped inputs; an input of another type is refused."""
        stored = numpy.load(_MODELS / "jit" / "io.npz")
        inputs = {name.removeprefix("in:"): stored[name] for name in stored if name.startswith("in:")}
        for name, value in inputs.items():
            numpy.save(self.work / f"{name}.npy", value)
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "jit"), "good")
            self.convert(page)
            self.drop(page, [self.work / f"{name}.npy" for name in inputs])
            page.wait_for_function("document.activeElement.id === 'run'")
            page.keyboard.press("Enter")
            page.wait_for_selector("#trial-outputs:not([hidden])")
            links = page.locator("#trial-outputs a").all()
            self.assertEqual(len(links), 2)
            for number, link in enumerate(links):
                with page.expect_download() as download:
                    link.click()
                found = numpy.load(Path(download.value.path()), allow_pickle=False)
                numpy.testing.assert_allclose(found, stored[f"out:{number}"], rtol=1e-5, atol=1e-6)
            numpy.save(self.work / "ids.npy", inputs["ids"].astype("float64"))
            self.drop(page, [self.work / "ids.npy"])
            page.click("#run")
            page.wait_for_selector("#status.bad")
            self.assertIn("ids.npy has float64 values, and the input ids takes int64", page.inner_text("#status"))
        self.assertEqual(self.browser.console, [])

    def test_addresses_above_2_gb(self):
        """A weight at the end of a sparse file of 3 GB."""
        folder = self.work / "high"
        folder.mkdir()
        onnx_files.model_with_weights(folder, 64, [4096, 3_000_000_000])
        self.check(folder, "model.pdmodel", "model.onnx")

    def test_more_than_memory(self):
        """A sparse file of 5 GB: refused before it is read."""
        model = self.work / "large.pdmodel"
        model.write_bytes((_MODELS / "jit" / "model.pdmodel").read_bytes())
        with open(self.work / "large.pdiparams", "wb") as file:
            file.truncate(5_000_000_000)
        status, problems = self.refused([model, self.work / "large.pdiparams"], "E_MEMORY")
        self.assertIn("5.0 GB", status)
        self.assertIn("pip install", problems)

    def test_keyboard(self):
        """From the files to the saved result without a pointer."""
        with self.browser.page(self.url) as page:
            page.set_default_timeout(120000)
            for _ in range(10):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.id") == "files":
                    break
            with page.expect_file_chooser() as chooser:
                page.keyboard.press("Space")
            chooser.value.set_files([str(file) for file in files_of(_MODELS / "jit")])
            page.wait_for_selector("#status.good")
            reached = []
            for _ in range(20):
                page.keyboard.press("Tab")
                reached.append(page.evaluate("document.activeElement.id"))
                if reached[-1] == "convert":
                    break
            self.assertEqual(reached[-1], "convert", reached)
            self.assertLess(reached.index("opset"), reached.index("convert"))
            page.keyboard.press("Enter")
            page.wait_for_selector("#result:not([hidden])")
            # The link to the result has the focus.
            self.assertEqual(page.evaluate("document.activeElement.getAttribute('download')"), "model.onnx")
            with page.expect_download() as download:
                page.keyboard.press("Enter")
            self.assertEqual(download.value.suggested_filename, "model.onnx")
        self.assertEqual(self.browser.console, [])

    def test_what_screen_readers_read(self):
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "jit"), "good")
            self.convert(page)
            unnamed = page.evaluate(
                """() => [...document.querySelectorAll("input, select, button, iframe, progress")].filter((e) =>
                     !(e.labels && e.labels.length) && !e.title && !e.textContent.trim() && !e.getAttribute("aria-labelledby")).map((e) => e.id)"""
            )
            self.assertEqual(unnamed, [])
            self.assertEqual(page.get_attribute("#status", "role"), "status")
            self.assertEqual(page.get_attribute("#status", "aria-live"), "polite")
            self.assertEqual(page.get_attribute("html", "lang"), "en")
            levels = page.evaluate("[...document.querySelectorAll('h1, h2')].map((e) => e.tagName)")
            self.assertEqual(levels.count("H1"), 1)
            missing = page.evaluate("[...document.querySelectorAll('[aria-labelledby]')].filter((e) => !document.getElementById(e.getAttribute('aria-labelledby'))).length")
            self.assertEqual(missing, 0)

    def test_two_widths(self):
        for width in (1300, 420):
            with self.browser.page(self.url, width) as page:
                self.opened(page, files_of(_MODELS / "jit"), "good")
                self.convert(page)
                content, window = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertLessEqual(content, window, f"at {width} pixels")
            self.assertEqual(self.browser.console, [])

    def test_nothing_is_sent(self):
        """The page requests files of the site, by GET, and works on after the network is gone."""
        with self.browser.page(self.url) as page:
            requests = []
            page.context.on("request", lambda request: requests.append((request.method, request.url)))
            self.opened(page, files_of(_MODELS / "jit"), "good")
            page.context.set_offline(True)
            self.convert(page)
            self.opened(page, files_of(_MODELS / "lstm"), "good")
            self.convert(page)
        self.assertEqual(self.browser.console, [])
        base = self.url.rsplit("/", 1)[0]
        for method, url in requests:
            self.assertEqual(method, "GET")
            self.assertTrue(url.startswith((base, "blob:", "data:", "about:")), url)

    def test_offline(self):
        """The page opens and converts without a network after a first visit."""
        with self.browser.page(self.url) as page:
            page.set_default_timeout(120000)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            page.context.set_offline(True)
            page.reload()
            self.opened(page, files_of(_MODELS / "jit"), "good")
            found = self.convert(page)
        self.assertEqual(self.browser.console, [])
        made, _ = self.program(_MODELS / "jit", "OUT/model.onnx")
        self.same(found, made)

    def test_size(self):
        """What a browser loads to convert, compressed."""
        listed = re.search(r"const FIRST = \[(.*?)\]", (_SITE / "convert" / "offline.js").read_text(), re.DOTALL)[1]
        names = re.findall(r'"([^"]+)"', listed)
        self.assertLess(sum(len(gzip.compress((_SITE / "convert" / name).read_bytes(), 9)) for name in names), 4_000_000)
        # All that is there opens offline; ONNX Runtime is kept when it is first used.
        there = {str(path.relative_to(_SITE / "convert")) for path in (_SITE / "convert").rglob("*") if path.is_file()}
        self.assertEqual({name for name in there if not name.startswith("onnxruntime/")} - {"offline.js"}, set(names))

    def test_cancel(self):
        with self.browser.page(self.url) as page:
            self.opened(page, files_of(_MODELS / "jit"), "good")
            page.evaluate("document.getElementById('convert').click(); document.getElementById('cancel').click()")
            page.wait_for_selector("#status.bad")
            self.assertIn("Cancelled", page.inner_text("#status"))
            self.opened(page, files_of(_MODELS / "lstm"), "good")
            self.convert(page)
        self.assertEqual(self.browser.console, [])


if __name__ == "__main__":
    unittest.main()
