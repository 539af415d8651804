"""Saves Paddle's ResNet-18 with random weights: PREFIX.pdmodel and PREFIX.pdiparams."""

import sys

import paddle
from paddle.static import InputSpec
from paddle.vision.models import resnet18

paddle.seed(2)
net = resnet18(pretrained=False)
net.eval()
image = InputSpec([None, 3, 224, 224], "float32", "image")
paddle.jit.save(net, sys.argv[1], input_spec=[image])
