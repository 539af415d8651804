"""The documentation's site: it is made without a warning, its links lead somewhere, and a browser shows it."""
import functools
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from urllib.parse import unquote, urldefrag

import browser
from pages import ROOT

_PAGES = ("index.html", "guide.html", "support-matrix.html", "api.html", "tutorials/detector.html", "benchmarks.html", "troubleshooting.html")


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@unittest.skipUnless(importlib.util.find_spec("material"), "mkdocs-material is not installed")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = Path(temporary.name)
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(cls.site)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        )
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(cls.site)))
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.browser = cls.enterClassContext(browser.browser()) if browser.CHROMIUM else None
        cls.address = f"http://127.0.0.1:{server.server_address[1]}/"

    def test_links_lead_somewhere(self):
        dead, ids = [], {}

        def names_in(path):
            if path not in ids:
                ids[path] = set(re.findall(r'\bid="([^"]+)"', path.read_text())) if path.suffix == ".html" else set()
            return ids[path]

        pages = [path for path in self.site.rglob("*.html") if path.name != "404.html"]
        for page in pages:
            for link in re.findall(r'\b(?:href|src)="([^"]+)"', page.read_text()):
                target, anchor = urldefrag(link)
                if re.match(r"[a-z]+:", link) or link.startswith("//"):
                    continue
                path = (page.parent / unquote(target)).resolve() if target else page
                path = path / "index.html" if path.is_dir() else path
                if not path.is_file() or (anchor and path.name != "operators.html" and path.suffix == ".html" and unquote(anchor) not in names_in(path)):
                    dead.append(f"{page.relative_to(self.site)}: {link}")
        self.assertEqual(dead, [])
        self.assertGreater(len(pages), 20)

    def test_no_markup_is_left(self):
        """What GitHub reads in another way than the site: escapes within code, lists without an empty line before them."""
        for page in self.site.rglob("*.html"):
            text = re.sub(r"<(pre|script|style)\b.*?</\1>", "", page.read_text(), flags=re.DOTALL)
            self.assertEqual(re.findall(r".*\\\|.*|^- <strong>.*|^\|.*\|$|<p>[-*] .*", text, re.MULTILINE), [], page.name)

    def test_the_fields_of_results_are_documented(self):
        """Each field of the classes of the package, with what it holds."""
        import dataclasses

        sys.path.insert(0, str(ROOT / "python"))
        self.addCleanup(sys.path.remove, str(ROOT / "python"))
        from fluid2onnx import report

        page = (self.site / "api.html").read_text()
        fields = {"Validation": ["runs", "ok", "error", "empty", "notes"], "ConversionError": ["problems", "code", "lowest_opset", "exit_status"]}
        for kind in (report.Report, report.Inspection, report.Problem, report.Port, report.Operator, report.CustomNode):
            fields[kind.__name__] = [field.name for field in dataclasses.fields(kind)]
        for name, wanted in fields.items():
            part = re.split(rf'<h3 id="fluid2onnx\.\w+\.{name}"', page)[1].split("<h3")[0]
            shown = re.findall(r"<code>(?:<[^>]+>)*(\w+)(?:<[^>]+>)*</code>", part)
            self.assertEqual(set(wanted) - set(shown), set(), name)

    def test_the_search_knows_operators_and_codes(self):
        index = json.loads((self.site / "search" / "search_index.json").read_text())
        texts = "\n".join(entry["title"] + entry["text"] for entry in index["docs"])
        for wanted in ("E_UNKNOWN_VALUE", "fluid2onnx.conversion.convert", "multiclass_nms", "--input-shape"):
            self.assertIn(wanted, texts)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in self.site.rglob("*.html"):
            self.assertNotRegex(page.read_text(), r'<(?:script|img|iframe)[^>]+src="https?:|<link[^>]+stylesheet[^>]+href="https?:')

    @unittest.skipUnless(browser.CHROMIUM, "Chromium is not installed")
    def test_a_browser_shows_it(self):
        for page in _PAGES:
            for width in (1300, 420):
                with self.browser.page(self.address + page, width) as shown:
                    shown.wait_for_load_state("networkidle")
                    self.assertTrue(shown.locator("article").is_visible(), page)
                self.assertEqual(self.browser.console, [], page)

    @unittest.skipUnless(browser.CHROMIUM, "Chromium is not installed")
    def test_searching_finds(self):
        for words, wanted in (("E_NO_PARAMS", "troubleshooting.html"), ("resume", "many-models.html"), ("pack_sequences", "api.html")):
            with self.browser.page(self.address + "index.html?q=" + words) as page:
                found = page.locator(f'.md-search-result__link[href*="{wanted}"]').first
                found.wait_for(state="attached")


class Changes(unittest.TestCase):
    def test_versions(self):
        """The newest number is the version that is built, and what is not released yet comes before it."""
        headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        version = re.search(r"project\(fluid2onnx VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(headings[0], "Unreleased")
        released = [re.fullmatch(r"(\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)", heading) for heading in headings[1:]]
        self.assertTrue(all(released), headings)
        self.assertIn(version, [match[1] for match in released[:1]] or [version])


@unittest.skipUnless(browser.CHROMIUM, "Chromium is not installed")
class Matrix(unittest.TestCase):
    """The page of all operators, with its search."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        opgen = ROOT / "build" / "release" / "bin" / "opgen"
        subprocess.run([opgen, "render", "--root", ROOT, "--out", folder], check=True)
        cls.url = (Path(folder) / "site" / "support-matrix.html").as_uri()
        cls.browser = cls.enterClassContext(browser.browser())

    def shown(self, search):
        with self.browser.page(self.url) as page:
            page.fill("#text", search)
            rows = page.evaluate("[...document.querySelectorAll('#matrix tbody tr')].filter(r => !r.hidden).map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual(self.browser.console, [])
        return {cells[0]: cells for cells in rows}

    def test_float16_is_not_bfloat16(self):
        found = self.shown("float16")
        self.assertGreater(len(found), 10)
        for name, cells in found.items():
            self.assertRegex(" ".join(cells), r"(^|[^a-z0-9])float16", name)
        self.assertNotEqual(found.keys(), self.shown("bfloat16").keys())

    def test_parts_of_names_are_found(self):
        self.assertIn("depthwise_conv2d", self.shown("conv2d"))
        self.assertIn("prelu", self.shown("relu"))
        self.assertEqual(self.shown("there_is_no_such_operator"), {})

    def test_it_fits_the_window(self):
        for width in (1300, 900, 420):
            with self.browser.page(self.url, width) as page:
                content, window = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertLessEqual(content, window, f"at {width} pixels")

    def test_an_address_is_a_search(self):
        with self.browser.page(self.url + "#prelu") as page:
            self.assertEqual(page.input_value("#text"), "prelu")


if __name__ == "__main__":
    unittest.main()
