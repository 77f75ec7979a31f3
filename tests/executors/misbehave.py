"""A verification that does what its candidate says; a module of its own, since workers import it."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time

from truespec.domains.verify import Pair
from truespec.verdict import Proof, Verdict, equivalent

KEPT: list[mmap.mmap] = []
GOOD = equivalent("regex", "test", Proof("test", ("test",)))


def behave(pair: Pair, seconds: float) -> Verdict:
    """A verification that does what its candidate says."""
    match pair.candidate.split():
        case ["good"]:
            return GOOD
        case ["sleep", amount]:
            time.sleep(float(amount))
            return GOOD
        case ["await", path]:
            while not os.path.exists(path):
                time.sleep(0.01)
            return GOOD
        case ["hang"]:
            while True:
                pass
        case ["hang-in-c"]:
            ctypes.CDLL(None).sleep(1000)
        case ["deaf"]:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(1)
        case ["segfault"]:
            os.kill(os.getpid(), signal.SIGSEGV)
        case ["abort"]:
            os.abort()
        case ["curse"]:
            os.environ["CURSED"] = "1"
            return GOOD
        case ["victim"]:
            if "CURSED" in os.environ:
                os.abort()
            return GOOD
        case ["killed"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["exit"]:
            os._exit(3)
        case ["quit"]:
            sys.exit(0)
        case ["memory"]:
            hoard = []
            while True:
                hoard.append(bytearray(64 << 20))
        case ["raise"]:
            raise ValueError("planted")
        case ["child", amount]:
            subprocess.Popen(["sleep", amount])
            while True:
                time.sleep(1)
        case ["litter"]:
            tempfile.mkdtemp()
            return GOOD
        case ["map", amount]:
            KEPT.append(mmap.mmap(-1, int(amount)))
            return equivalent("regex", str(os.getpid()), Proof("test", ("test",)))
        case ["pid"]:
            return equivalent("regex", str(os.getpid()), Proof("test", ("test",)))
    raise AssertionError(pair.candidate)


def engines(pair: Pair, seconds: float) -> str:
    """The dialects whose engines run in this worker when it takes up a pair."""
    from truespec.domains.sql.engines.registry import ENGINES, is_known

    return " ".join(dialect for dialect in ENGINES if is_known(dialect))
