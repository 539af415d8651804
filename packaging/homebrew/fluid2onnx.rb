# A formula of the archives of a release.
class Fluid2onnx < Formula
  desc "Converts PaddlePaddle models to ONNX and back"
  homepage "RELEASES"
  version "1.0.0"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "RELEASES/fluid2onnx-1.0.0-macos-arm64.tar.gz"
      sha256 "SHA256"
    end
    on_intel do
      url "RELEASES/fluid2onnx-1.0.0-macos-x86_64.tar.gz"
      sha256 "SHA256"
    end
  end
  on_linux do
    on_arm do
      url "RELEASES/fluid2onnx-1.0.0-linux-aarch64.tar.gz"
      sha256 "SHA256"
    end
    on_intel do
      url "RELEASES/fluid2onnx-1.0.0-linux-x86_64.tar.gz"
      sha256 "SHA256"
    end
  end

  def install
    bin.install "bin/fluid2onnx", "bin/opgen"
    pkgshare.install Dir["share/fluid2onnx/*"]
    doc.install "THIRD_PARTY.md", "fluid2onnx.cdx.json", "licences"
  end

  test do
    assert_match "fluid2onnx #{version}", shell_output("#{bin}/fluid2onnx --version")
    assert_match "Conv", shell_output("#{bin}/opgen explain conv2d --root #{pkgshare}")
  end
end
