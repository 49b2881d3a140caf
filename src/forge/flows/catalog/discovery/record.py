"""Recording of usage: cheap, in memory, written in batches. It never fails or delays what it counts."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime, timedelta

from forge.catalog.discovery.usage import KEPT_DAYS, UsageCount, UsageKind, UsagePeriod, UsagePrivacy
from forge.flows.catalog.discovery.ports import UsageStore
from forge.flows.runs.records import AuditRecord, RunRecord
from forge.flows.upkeep.query_audit import ASKED
from forge.model.time import Clock

FLUSH_SECONDS = 5.0
MOST_BUFFERED = 20_000
"""Rows that wait at most; where the database stays away longer, new ones are not counted."""
_LONGEST_NAME = 600
_AT = re.compile(r"(?<=\w)@.*")  # of core.orders@dev
_log = logging.getLogger("forge.usage")
_Key = tuple[date, str, str, UsageKind]
_Counts = dict[_Key, tuple[int, datetime]]


class UsageRecorder:
    """Between `start` and `stop` a thread writes what waits; else each record is written at once.

    Anonymous users are pseudonyms: a keyed hash whose key is a new one each day, is never stored and is gone with the
    process. So nobody can tell whose it was, nor that two days had the same user."""

    def __init__(
        self,
        store: Callable[[], UsageStore],
        clock: Clock,
        privacy: UsagePrivacy,
        new_key: Callable[[], bytes],
        assets_of: Callable[[Collection[str]], Mapping[str, str]] = lambda tables: {},
    ) -> None:
        """`assets_of`: tables that queries name otherwise than the catalog does; asked when usage is written."""
        self._store, self._clock, self._privacy, self._new_key = store, clock, privacy, new_key
        self._assets_of = assets_of
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._waiting: _Counts = {}
        self._key: tuple[date, bytes] | None = None
        self._forgotten: date | None = None
        self._faded: date | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def record(self, kind: UsageKind, assets: Iterable[str], user: str) -> None:
        """Never raises."""
        if self._privacy is UsagePrivacy.OFF:
            return
        try:
            self._count(kind, assets, user)
            if self._thread is None:
                self.flush()
        except Exception as error:
            _log.warning("usage was not counted: %s", error)

    def record_query(self, audit: AuditRecord) -> None:
        """The tables of an audited query that was answered, at whatever branch or commit it read them."""
        tables = audit.detail.get("tables") if audit.action == ASKED else None
        if isinstance(tables, list | tuple):
            self.record(UsageKind.QUERY, dict.fromkeys(_AT.sub("", str(one)) for one in tables), audit.actor)

    def record_run(self, run: RunRecord) -> None:
        """What a run read that some other run or person made; its own outputs are no use of them."""
        made = {str(output.table) for output in run.outputs}
        read = {name for output in run.outputs for name in output.inputs} - made
        self.record(UsageKind.RUN, sorted(read), run.user)

    def actor_of(self, user: str) -> str:
        """Under which name a user is kept today."""
        if self._privacy is UsagePrivacy.NAMED:
            return user[:_LONGEST_NAME]
        with self._lock:
            return self._pseudonym(user, self._clock().date())

    def flush(self) -> None:
        """Writes what waits. What cannot be written waits on."""
        with self._writing:
            with self._lock:
                taken, self._waiting = self._waiting, {}
            if taken:
                try:
                    named = self._named(taken)
                    self._store().add([UsageCount(*key, count, at) for key, (count, at) in named.items()])
                    self._forget()
                except Exception as error:
                    self._put_back(taken)
                    _log.warning("usage was not written, and waits: %s", error)

    def start(self) -> None:
        if self._privacy is not UsagePrivacy.OFF:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="forge-usage", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """What waits is written."""
        thread, self._thread = self._thread, None
        self._stopping.set()
        if thread is not None:
            thread.join(FLUSH_SECONDS)
        self.flush()

    def _run(self) -> None:
        while not self._stopping.wait(FLUSH_SECONDS):
            self.flush()
            self._fade()

    def _count(self, kind: UsageKind, assets: Iterable[str], user: str) -> None:
        now = self._clock()
        day = now.date()
        with self._lock:
            actor = user if self._privacy is UsagePrivacy.NAMED else self._pseudonym(user, day)
            for asset in assets:
                key = (day, asset[:_LONGEST_NAME], actor[:_LONGEST_NAME], kind)
                count, at = self._waiting.get(key, (0, now))
                if count or len(self._waiting) < MOST_BUFFERED:
                    self._waiting[key] = (count + 1, max(at, now))

    def _pseudonym(self, user: str, day: date) -> str:
        """The caller holds the lock."""
        if self._key is None or self._key[0] != day:
            self._key = (day, self._new_key())
        return f"anonymous-{hmac.new(self._key[1], user.encode(errors='replace'), hashlib.sha256).hexdigest()[:16]}"

    def _named(self, taken: _Counts) -> _Counts:
        """By the names of the catalog, as far as these can be told."""
        queried = {asset for _, asset, _, kind in taken if kind is UsageKind.QUERY}
        try:
            others = self._assets_of(queried) if queried else {}
        except Exception as error:
            _log.warning("tables of sources were counted by their names in queries: %s", error)
            others = {}
        named: _Counts = {}
        for (day, asset, actor, kind), (count, at) in taken.items():
            name = others.get(asset, asset)[:_LONGEST_NAME] if kind is UsageKind.QUERY else asset
            more, later = named.get((day, name, actor, kind), (0, at))
            named[(day, name, actor, kind)] = (count + more, max(at, later))
        return named

    def _put_back(self, taken: _Counts) -> None:
        with self._lock:
            for key, (count, at) in taken.items():
                more, later = self._waiting.get(key, (0, at))
                if more or len(self._waiting) < MOST_BUFFERED:
                    self._waiting[key] = (count + more, max(at, later))

    def _forget(self) -> None:
        """Once a day, what is too old."""
        today = self._clock().date()
        if self._forgotten != today:
            self._forgotten = today
            self._store().forget(today - timedelta(days=KEPT_DAYS))

    def _fade(self) -> None:
        """Once a day, what is no longer of the last month. A server that starts does not know when one was here
        last."""
        today = self._clock().date()
        if self._faded != today:
            try:
                self._store().fade(self._faded or today - timedelta(days=UsagePeriod.MONTH.days), today)
                self._faded = today
            except Exception as error:
                _log.warning("which assets are less popular was not written, and is tried again: %s", error)
