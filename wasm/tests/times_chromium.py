"""CPU seconds of conversions in Chromium, with the page: PYTHON_WITH_DOCS wasm/tests/times_chromium.py PREFIX..."""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "site"))
import browser

_RUNS = 4


def renderers():
    """CPU seconds so far of the browser's processes that run pages, which are descendants of this one."""
    parents, used = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            if b"--type=renderer" in (folder / "cmdline").read_bytes():
                used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (FileNotFoundError, ProcessLookupError):
            continue

    def mine(process):
        while process and process != os.getpid():
            process = parents.get(process, 0)
        return process != 0

    return sum(seconds for process, seconds in used.items() if mine(process))


def main():
    with browser.served(ROOT / "build" / "wasm" / "site") as address, browser.browser() as chromium:
        for prefix in sys.argv[1:]:
            with chromium.page(address + "/convert/index.html") as page:
                page.set_default_timeout(300000)
                page.set_input_files("#files", [prefix + suffix for suffix in (".pdmodel", ".pdiparams")])
                page.wait_for_selector("#working", state="hidden")
                page.wait_for_selector("#status.good")
                page.frame_locator("#drawing").locator("#graph[data-ready]").wait_for()
                taken = []
                for _ in range(_RUNS):
                    before = renderers()
                    page.click("#convert")
                    page.wait_for_selector("#result:not([hidden])")
                    taken.append(f"{renderers() - before:.2f}")
            print(f"{Path(prefix).name}: Chromium {', '.join(taken)} s", flush=True)


if __name__ == "__main__":
    main()
