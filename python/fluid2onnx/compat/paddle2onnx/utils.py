"""paddle2onnx.utils: the list of operators, and the logger that scripts import."""
import sys
import time
from typing import Any, List

from ...inspection import operators

levels = {0: "ERROR", 1: "WARNING", 2: "INFO", 3: "DEBUG"}


def get_all_supported_operators() -> List[str]:
    """The operators that can be converted, by name."""
    return [operator.name for operator in operators()]


# The operators of Paddle 3's format have the same names here.
get_all_supported_operators_pir = get_all_supported_operators


def try_import(module_name: str) -> Any:
    """Imports a module, or raises an ImportError with the command that installs it."""
    import importlib

    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        raise ImportError(f"needs {module_name} (pip install {module_name})") from error


def check_model(onnx_model: Any) -> None:
    """Runs ONNX's checker."""
    try_import("onnx").checker.check_model(onnx_model)


class logging:
    """A logger that prints to standard output. `error` also exits, unless `exit` is false."""

    log_level = 2

    @staticmethod
    def log(level: int = 2, message: Any = "", use_color: bool = False) -> None:
        if logging.log_level >= level:
            print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} [{levels[level]}]\t{message}", flush=True)

    @staticmethod
    def debug(message: Any = "", use_color: bool = False) -> None:
        logging.log(3, message)

    @staticmethod
    def info(message: Any = "", use_color: bool = False) -> None:
        logging.log(2, message)

    @staticmethod
    def warning(message: Any = "", use_color: bool = True) -> None:
        logging.log(1, message)

    @staticmethod
    def error(message: Any = "", use_color: bool = True, exit: bool = True) -> None:
        logging.log(0, message)
        if exit:
            sys.exit(-1)


__all__ = ["check_model", "get_all_supported_operators", "get_all_supported_operators_pir", "levels", "logging", "try_import"]
