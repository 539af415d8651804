"""Pages as a browser shows them: Debian's Chromium, without a window."""
import contextlib
import functools
import http.server
import importlib.util
import shutil
import threading

CHROMIUM = shutil.which("chromium") if importlib.util.find_spec("playwright") else None


class Browser:
    """Errors and warnings of pages are in `console`."""

    def __init__(self, browser):
        self._browser = browser
        self.console = []

    @contextlib.contextmanager
    def page(self, url, width=1300):
        page = self._browser.new_page(viewport={"width": width, "height": 900})
        page.set_default_timeout(30000)
        self.console = []
        page.on("console", lambda message: message.type in ("error", "warning") and self.console.append(message.text))
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.goto(url)
        try:
            yield page
        finally:
            page.close()


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a server with the files of a folder."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@contextlib.contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield Browser(started)
        finally:
            started.close()
