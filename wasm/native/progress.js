// Linked into the module: progress goes to the function `progress` that the module was made with.
mergeInto(LibraryManager.library, {
  fluid2onnx_progress: function (what, done, total) {
    if (Module["progress"]) Module["progress"](UTF8ToString(what), done, total);
  },
});
