"""The recipes in packaging/. FLUID2ONNX is the program; archives of scripts/release are tried where they are in build/archives."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PACKAGING = ROOT / "packaging"
_PROGRAM = Path(os.environ.get("FLUID2ONNX", ROOT / "build" / "release" / "bin" / "fluid2onnx")).resolve()
_VERSION = re.search(r"^project\(fluid2onnx VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
_IMAGE_LIMIT = 15_000_000  # bytes, as a registry stores it


def archive(target):
    return ROOT / "build" / "archives" / f"fluid2onnx-{_VERSION}-{target}.tar.gz"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = Path(temporary.name)

    def succeed(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Repository(Folder):
    """A repository with a model that converts, one that does not at opset 10, and another JSON file."""

    def setUp(self):
        super().setUp()
        commands = self.work / "commands"
        commands.mkdir()
        (commands / "fluid2onnx").symlink_to(_PROGRAM)
        self.environment = {
            **os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(self.work / "hooks"),
            "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@localhost", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@localhost",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.repository = self.work / "a repository"
        self.repository.mkdir()
        for name in ("jit", "axis_tensor"):
            shutil.copytree(ROOT / "tests" / "data" / "models" / name, self.repository / name, ignore=shutil.ignore_patterns("*.npz", "meta.json"))
        (self.repository / "settings.json").write_text("{}")
        self.git(self.repository, "init", "-q")
        self.git(self.repository, "add", ".")

    def git(self, folder, *words):
        self.succeed("git", *words, cwd=folder, env=self.environment)

    def check(self, *words, **options):
        return run(_PACKAGING / "check-models", *words, cwd=self.repository, **{"env": self.environment, **options})

    def test_models_that_convert(self):
        done = self.check("jit/model.pdiparams", "axis_tensor/model.pdmodel", "settings.json")
        self.assertEqual((done.returncode, done.stdout), (0, "ok: axis_tensor/model.pdmodel\nok: jit/model.pdmodel\n"), done.stderr)

    def test_a_model_that_does_not(self):
        done = self.check("--opset", "10", "jit/model.pdmodel", "axis_tensor/model.pdmodel")
        self.assertEqual((done.returncode, done.stdout), (1, "FAILED: axis_tensor/model.pdmodel\nok: jit/model.pdmodel\n"))
        self.assertIn("opset", done.stderr)

    def test_without_the_program(self):
        done = self.check("jit/model.pdmodel", env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("pip install fluid2onnx", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("yaml"), "PyYAML is not installed")
    def test_the_action(self):
        """Its second step, as a runner executes it. The first step installs from PyPI."""
        import yaml

        action = _PACKAGING / "github-action"
        described = yaml.safe_load((action / "action.yml").read_text())
        step = described["runs"]["steps"][1]
        for opset, status in (("17", 0), ("10", 1)):
            inputs = {name: str(value["default"]) for name, value in described["inputs"].items()} | {"opset": opset}
            values = {f"${{{{ inputs.{name} }}}}": value for name, value in inputs.items()} | {"${{ github.action_path }}": str(action)}
            variables = {name: values[value] for name, value in step["env"].items()}
            script = self.work / "step.sh"
            script.write_text(step["run"])
            done = run("bash", "--noprofile", "--norc", "-eo", "pipefail", script, cwd=self.repository, env=self.environment | variables)
            self.assertEqual(done.returncode != 0, status != 0, done.stdout + done.stderr)
            self.assertIn("axis_tensor/model.pdmodel", done.stdout)

    @unittest.skipUnless(importlib.util.find_spec("pre_commit"), "pre-commit is not installed")
    def test_pre_commit(self):
        """The hook of a repository that holds the hook's two files, as pre-commit clones it."""
        hooks = self.work / "hook"
        (hooks / "packaging").mkdir(parents=True)
        for name in (".pre-commit-hooks.yaml", "packaging/check-models"):
            shutil.copy(ROOT / name, hooks / name)
        self.git(hooks, "init", "-q")
        self.git(hooks, "add", ".")
        self.git(hooks, "commit", "-q", "-m", "hooks")
        for opset, status in (("17", 0), ("10", 1)):
            done = run(sys.executable, "-m", "pre_commit", "try-repo", hooks, "fluid2onnx", "--all-files", cwd=self.repository, env=self.environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("Passed", done.stdout)
            config = f"repos: [{{repo: '{hooks}', rev: HEAD, hooks: [{{id: fluid2onnx, args: [--opset, '{opset}']}}]}}]"
            (self.repository / ".pre-commit-config.yaml").write_text(config)
            self.git(self.repository, "add", ".")
            done = run(sys.executable, "-m", "pre_commit", "run", "--all-files", cwd=self.repository, env=self.environment)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)


class Recipes(Folder):
    def test_versions(self):
        found = {
            "vcpkg": json.loads((_PACKAGING / "vcpkg/fluid2onnx/vcpkg.json").read_text())["version"],
            "homebrew": re.search(r'^  version "(.*)"', (_PACKAGING / "homebrew/fluid2onnx.rb").read_text(), re.MULTILINE)[1],
            "conda": re.search(r"^  version: (.*)", (_PACKAGING / "conda/recipe.yaml").read_text(), re.MULTILINE)[1],
        }
        self.assertEqual(found, dict.fromkeys(found, _VERSION))

    @unittest.skipUnless(shutil.which("ruby"), "Ruby is not installed")
    def test_homebrew(self):
        self.succeed("ruby", "-wc", _PACKAGING / "homebrew/fluid2onnx.rb")

    @unittest.skipUnless(importlib.util.find_spec("rattler_build"), "rattler-build is not installed")
    def test_conda(self):
        from rattler_build import Stage0Recipe, VariantConfig

        recipe = self.work / "recipe.yaml"
        text = (_PACKAGING / "conda/recipe.yaml").read_text()
        recipe.write_text(text.replace("RELEASES", "https://localhost").replace("SHA256", "0" * 64))
        chosen = VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"], "cxx_compiler": ["gxx"]})  # as conda-forge does
        self.assertEqual(len(Stage0Recipe.from_file(str(recipe)).render(chosen)), 1)

    def test_vcpkg(self):
        """CMake parses the port, and our options in it exist."""
        port = (_PACKAGING / "vcpkg/fluid2onnx/portfile.cmake").read_text()
        stubs = "".join(f"function({name})\nendfunction()\n" for name in sorted(set(re.findall(r"^(vcpkg_\w+)\(", port, re.MULTILINE))))
        script = self.work / "port.cmake"
        script.write_text(stubs + port)
        self.succeed("cmake", f"-DCURRENT_PACKAGES_DIR={self.work}/packages", "-P", script)
        declared = "".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])
        for option in re.findall(r"-D(FLUID2ONNX_\w+)=", port):
            self.assertRegex(declared, rf"option\({option}\b")


@unittest.skipUnless(archive("linux-x86_64").is_file(), "scripts/release linux-x86_64 has not made the archive")
@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg is not installed")
class Debian(Folder):
    def setUp(self):
        super().setUp()
        self.succeed(_PACKAGING / "debian/build", archive("linux-x86_64"), self.work, env=os.environ | {"DEBEMAIL": "packages@example.org"})
        (self.package,) = self.work.glob("*.deb")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian(self):
        self.assertEqual(run("lintian", "--fail-on", "error,warning", "--allow-root", self.package).stdout, "")

    def test_installed(self):
        """Into another root, with dpkg's own database there."""
        root = self.work / "root"
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        self.succeed("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless", "--install", self.package)
        self.assertIn(_VERSION, self.succeed(root / "usr/bin/fluid2onnx", "--version"))
        self.succeed(root / "usr/bin/opgen", "explain", "conv2d", "--opset", "11", "--root", root / "usr/share/fluid2onnx")
        self.succeed("dpkg", f"--root={root}", "--force-not-root", "--force-script-chrootless", "--purge", "fluid2onnx")
        self.assertFalse((root / "usr/bin/fluid2onnx").exists())


@unittest.skipUnless(archive("linux-musl-x86_64").is_file(), "scripts/release linux-musl-x86_64 has not made the archive")
@unittest.skipUnless(shutil.which("buildah") and os.geteuid() == 0, "buildah is not installed, or needs root")
class Docker(Folder):
    def test_image(self):
        """Built, packed and unpacked; its program converts a model when the image is all there is."""
        store = ["--root", self.work / "store", "--runroot", self.work / "run", "--storage-driver", "vfs"]
        shutil.unpack_archive(archive("linux-musl-x86_64"), self.work)
        folder = archive("linux-musl-x86_64").name.removesuffix(".tar.gz")
        self.succeed("buildah", *store, "build", "--isolation", "chroot", "-t", "fluid2onnx", "-f", _PACKAGING / "docker/Dockerfile", self.work / folder)
        image = self.work / "image"
        self.succeed("buildah", *store, "push", "fluid2onnx", f"dir:{image}")
        stored = sum(path.stat().st_size for path in image.iterdir())
        print(f"Docker image: {stored} bytes", file=sys.stderr)
        self.assertLess(stored, _IMAGE_LIMIT)
        container = self.succeed("buildah", *store, "from", "fluid2onnx").strip()
        root = Path(self.succeed("buildah", *store, "mount", container).strip())
        shutil.copytree(ROOT / "tests/data/models/jit", root / "work/jit")
        self.succeed("chroot", root, "/bin/fluid2onnx", "convert", "/work/jit/model.pdmodel", "-o", "/work/model.onnx")
        self.assertTrue((root / "work/model.onnx").is_file())
        self.succeed("buildah", *store, "umount", container)


if __name__ == "__main__":
    unittest.main()
