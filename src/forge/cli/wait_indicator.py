"""A wait indicator on stderr, shown when a command is silent for more than a second."""

from __future__ import annotations

import sys
import threading
import time

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLEAR = "\r\x1b[2K"
_SILENT, _STEP = 1.0, 0.1


class WaitIndicator:
    """Runs in a thread. Other output goes through `pause`, which clears the line first."""

    def __init__(self, what: str = "Working") -> None:
        self.what = what
        self._began = time.monotonic()
        self._quiet_since = self._began
        self._lock = threading.Lock()
        self._shown = False
        self._ended = threading.Event()
        threading.Thread(target=self._show, daemon=True).start()

    def pause(self) -> None:
        """Clear the line before other output."""
        with self._lock:
            self._quiet_since = time.monotonic()
            self._clear()

    def end(self) -> None:
        """For good: the command has ended, or shows its own progress."""
        self._ended.set()
        with self._lock:
            self._clear()

    def _show(self) -> None:
        frame = 0
        while not self._ended.wait(_STEP):
            with self._lock:
                now = time.monotonic()
                if self._ended.is_set() or now - self._quiet_since < _SILENT:
                    continue
                frame = (frame + 1) % len(FRAMES)
                line = f"{FRAMES[frame]} {self.what} … {now - self._began:.0f} s   Ctrl-C ends it"
                sys.stderr.write(f"{CLEAR}{line}")
                sys.stderr.flush()
                self._shown = True

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            self._shown = False
