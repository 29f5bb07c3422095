"""The SQLite database of a learner's progress: transactions, migrations, and recovery from damaged files.

Several kernels write the same file. Each unit of work is a function of a connection, run in one transaction by
`ProgressDatabase.run`. The function can therefore be run again on another connection: on a fresh file when the old
one is damaged (it is renamed), or in memory when the file cannot be written (a read-only folder, a full disk).

Where files cannot be locked (:mod:`autodiff_kit.platform`), a transaction runs on a copy, which then replaces the file.
If another kernel replaced the file meanwhile, the transaction runs again on the new one.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final, TypeVar

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.atomic_files import unused_path, write_atomically
from autodiff_kit.lessons.progress_listeners import notify_progress_listeners
from autodiff_kit.platform import HAS_FILE_LOCKS

T = TypeVar("T")

# Entry n brings a file from version n to n + 1; a released entry is never edited, a new one is added.
MIGRATIONS: Final = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE lesson (
        no TEXT PRIMARY KEY, state TEXT NOT NULL, step, score REAL, max REAL,
        begun_at TEXT, predicted_at TEXT, done_at TEXT, rev INTEGER NOT NULL);
    CREATE TABLE prediction (
        id INTEGER PRIMARY KEY, lesson TEXT NOT NULL, item TEXT NOT NULL, answer_json TEXT NOT NULL,
        truth_json TEXT, right INTEGER, at TEXT NOT NULL, UNIQUE (lesson, item));
    CREATE TABLE question (
        id TEXT PRIMARY KEY, notebook TEXT NOT NULL, points REAL NOT NULL, best REAL NOT NULL,
        tries INTEGER NOT NULL, hints_seen INTEGER NOT NULL, solution_seen INTEGER NOT NULL,
        state TEXT NOT NULL, message TEXT NOT NULL, rev INTEGER NOT NULL);
    CREATE TABLE attempt (
        id INTEGER PRIMARY KEY, question TEXT NOT NULL, outcome TEXT NOT NULL, score REAL NOT NULL,
        ms REAL NOT NULL, cell_sha TEXT NOT NULL, at TEXT NOT NULL);
    CREATE TABLE handin (
        receipt TEXT PRIMARY KEY, notebook TEXT NOT NULL, sha256 TEXT NOT NULL, score REAL NOT NULL,
        at TEXT NOT NULL);
    CREATE TABLE backup (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL, scope TEXT NOT NULL, bytes INTEGER NOT NULL,
        at TEXT NOT NULL);
    CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL);
    INSERT INTO meta VALUES ('rev', '0')
    """,
    "ALTER TABLE question ADD COLUMN tests TEXT NOT NULL DEFAULT '[]'",
    # A lesson that was run to its end was called done, whether or not anything in it was predicted or solved.
    "ALTER TABLE lesson RENAME COLUMN done_at TO read_at; UPDATE lesson SET state = 'read' WHERE state = 'done'",
)
DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
UNWRITABLE: Final = (
    "SQLITE_FULL",
    "SQLITE_READONLY",
    "SQLITE_CANTOPEN",
    "SQLITE_IOERR",
    "SQLITE_PERM",
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_PROTOCOL",
)
# Without file locks, how often a transaction runs because another kernel was faster.
MOST_REPEATS: Final = 20
exclusive_access: Callable[[Path], AbstractContextManager[object]] = nullcontext
"""Entered with the file's path around each transaction where files cannot be locked. A site that has a lock of its own,
such as a browser's Web Locks, sets it here; without one, two kernels can only miss each other in the moment between the
last look at the file and its replacement."""


class ProgressWarning(UserWarning):
    """The progress file was renamed or is not written; the message says what happened and where the data is."""


class NewerProgressError(AutodiffError, RuntimeError):
    """The progress file was written by a newer kit than this one."""


class DamagedError(AutodiffError, RuntimeError):
    """The progress file is a database, but not one with the tables of its version."""


class ProgressDatabase:
    """The progress database: a SQLite file, or memory if no file can be written.

    Parameters
    ----------
    path : Path or None
        The SQLite file; None keeps everything in memory and writes nothing anywhere.
    busy_seconds : float, optional
        How long to wait for another kernel's transaction.
    """

    def __init__(self, path: Path | None, busy_seconds: float = 5.0) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        self._lock = threading.RLock()
        self._memory: sqlite3.Connection | None = None
        self._image = b""  # without file locks: the file as it was last read or written
        if path is None:
            self._open_memory()

    @property
    def in_memory(self) -> bool:
        """Whether the data is in memory only, and lost when the kernel ends."""
        return self._memory is not None

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function in one transaction, on the file if possible, otherwise in memory.

        Parameters
        ----------
        work : callable
            Takes a connection; may be called again, on another connection, after the first was rolled back.

        Returns
        -------
        object
            The return value of ``work``.
        """
        with self._lock:
            if self._memory is None:
                try:
                    return self._run_on_disk(work)
                except (sqlite3.DatabaseError, OSError, UnicodeDecodeError, DamagedError, NewerProgressError) as error:
                    again = self._recover(error)
                if again:
                    # Only once: if the new file is damaged too, the disk or this code is at fault.
                    return self._run_on_disk(work)
            assert self._memory is not None
            return _run_and_notify(self._memory, work)

    def image(self) -> bytes:
        """The whole database as the contents of a file."""
        with self._lock:
            try:
                return self._copy_all()
            except (sqlite3.DatabaseError, OSError, UnicodeDecodeError) as error:
                self._recover(error)  # a damaged file is renamed; one that cannot be opened to write is in memory now
                return self._copy_all()

    def _copy_all(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "progress.db"
            with self._reading() as connection, closing(_connect_alone(copy)) as target:
                connection.backup(target)
            return _without_write_ahead_log(copy.read_bytes())

    def backup(self, path: Path) -> int:
        """Copy the whole database into a new file and return that file's size in bytes."""
        image = self.image()
        write_atomically(path, image)
        return len(image)

    def _run_on_disk(self, work: Callable[[sqlite3.Connection], T]) -> T:
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not HAS_FILE_LOCKS:
            return self._run_on_copy(self.path, work)
        # One connection per transaction: no lock, file handle or thread affinity is left behind.
        with closing(self._connect()) as connection:
            migrate(connection)
            return _run_and_notify(connection, work)

    def _run_on_copy(self, path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run on a copy of the file, and replace the file if a row changed; again if another kernel was faster."""
        with exclusive_access(path):
            for left in reversed(range(MOST_REPEATS)):
                stored = self._read_or_restore(path)
                result, changed = _run_on_image(stored, work)
                if changed is None or not left or _contents(path) == stored:
                    break
            if changed is None:
                self._image = stored
            else:
                self._replace(path, changed)
        if changed is not None:
            notify_progress_listeners()  # they read the file, and wait for a turn of their own
        return result

    def _read_or_restore(self, path: Path) -> bytes:
        """The contents of the file; where it is gone since this kernel last saw it, it is written again."""
        if not (found := _contents(path)) and self._image:
            self._replace(path, found := self._image)
            _warn(
                f"{path} was gone, as after the storage of a browser was cleared. It was written again from the copy "
                "of this kernel. export_progress() gives you a file to keep elsewhere."
            )
        return found

    def _replace(self, path: Path, image: bytes) -> None:
        write_atomically(path, image)
        if _contents(path) != image:  # a full browser storage does not always raise an exception
            raise OSError("the storage did not keep what was written; it may be full")
        self._image = image

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read everything from: memory, the file, or a copy of it."""
        if self._memory is not None:
            yield self._memory
        elif HAS_FILE_LOCKS:
            with closing(self._connect()) as connection:
                yield connection
        else:
            assert self.path is not None
            with _opened_copy(_contents(self.path) or self._image) as (connection, _):
                yield connection

    def _connect(self) -> sqlite3.Connection:
        assert self.path is not None
        connection = sqlite3.connect(self.path, timeout=self.busy_seconds, isolation_level=None)
        # In WAL mode readers and writers do not wait for each other. Network disks refuse it; the rollback
        # journal, SQLite's default, stays in use there.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode=WAL").fetchone()
        return connection

    def _recover(self, error: Exception) -> bool:
        """Recover from an error; return whether the file should be tried again."""
        name, damaged = _error_name(error), _is_damage(error)
        if damaged and self._rename_damaged(error):
            return True
        ours = isinstance(error, sqlite3.DatabaseError) and not damaged and not name.startswith(UNWRITABLE)
        if ours:
            raise error
        self._fall_back_to_memory(error)
        return False

    def _rename_damaged(self, error: Exception) -> bool:
        """Rename the damaged file and its journal, and warn; the warning has what was found and the new name."""
        assert self.path is not None
        aside = unused_path(self.path, "damaged")
        self._image = b""
        try:
            self.path.rename(aside)
        except OSError:
            return False
        for tail in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                self.path.with_name(self.path.name + tail).rename(aside.with_name(aside.name + tail))
        reason = str(error).rstrip(".")
        _warn(f"{self.path} was damaged ({reason}). It is kept as {aside.name}, and a new progress file was started.")
        return True

    def _fall_back_to_memory(self, error: Exception) -> None:
        self._open_memory()
        reason = str(error).rstrip(".")
        _warn(
            f"Progress cannot be written to {self.path} ({reason}). It is kept in memory until the kernel "
            "ends; make the folder writable or free some space, then restart the kernel. export_progress() gives you a "
            "file to keep elsewhere."
        )

    def _open_memory(self) -> None:
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, memory.close)
        with suppress(sqlite3.DatabaseError, UnicodeDecodeError, DamagedError, NewerProgressError, OSError):
            self._copy_file_into(memory)
        migrate(memory)
        self._memory = memory

    def _copy_file_into(self, memory: sqlite3.Connection) -> None:
        """Copy the readable contents of the file into memory, if this kit knows its schema."""
        if self.path is None or not (self._image or self.path.is_file()):
            return
        with self._reading_without_writing() as disk, closing(sqlite3.connect(":memory:")) as draft:
            disk.backup(draft)
            draft.isolation_level = None
            migrate(draft)
            draft.backup(memory)

    @contextmanager
    def _reading_without_writing(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file, without a lock file beside it, or to the last good copy."""
        assert self.path is not None
        if HAS_FILE_LOCKS:
            address = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                yield connection
        else:
            with _opened_copy(self._image or _contents(self.path)) as (connection, _):
                yield connection


def _error_name(error: Exception) -> str:
    """SQLite's name of an error; empty for those of Python's own module."""
    return getattr(error, "sqlite_errorname", "") or ""


def _is_damage(error: Exception) -> bool:
    """Whether an error tells that the file does not hold what the kit wrote.

    Python's module cannot decode a text that was damaged, be it a row's or one that SQLite's own message shows.
    """
    if isinstance(error, (DamagedError, UnicodeDecodeError)):
        return True
    return _error_name(error).startswith(DAMAGED) or (
        isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode")
    )


def _contents(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _connect_alone(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody else opens, without locks."""
    return sqlite3.connect(f"{path.as_uri()}?nolock=1", isolation_level=None, uri=True)


@contextmanager
def _opened_copy(image: bytes) -> Iterator[tuple[sqlite3.Connection, Path]]:
    """A connection to a database with given contents, in a temporary file, and the path of that file.

    A browser has its temporary folder in memory. A database without a file would need `Connection.serialize`, which not
    every build of SQLite has.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "progress.db"
        copy.write_bytes(_without_write_ahead_log(image))
        with closing(_connect_alone(copy)) as connection:
            migrate(connection)
            yield connection, copy


def _run_on_image(image: bytes, work: Callable[[sqlite3.Connection], T]) -> tuple[T, bytes | None]:
    """What a transaction returns, and the database afterwards; None if no row changed."""
    with _opened_copy(image) as (connection, copy):
        before = connection.total_changes
        result = _run_work(connection, work)
        return result, copy.read_bytes() if connection.total_changes != before else None


@contextmanager
def open_image(image: bytes) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of a database that was saved as a file; an error where it is not one of this kit."""
    try:
        with _opened_copy(image) as (connection, _):
            if not image or connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise DamagedError("it is empty or damaged")
            yield connection
    except (sqlite3.DatabaseError, UnicodeDecodeError, DamagedError) as error:
        raise DamagedError(f"This is not a progress file: {error}.") from error


def _without_write_ahead_log(image: bytes) -> bytes:
    """The image of a database with the rollback journal as its journal mode, which every file system has (file format,
    section 1.3.3: bytes 18 and 19 of the header).
    """
    return image[:18] + b"\x01\x01" + image[20:] if image else image


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a file to the current schema; a file of a newer kit raises an error and is not changed.

    Raises
    ------
    NewerProgressError
        If the file's ``user_version`` is higher than the versions that this kit knows.
    DamagedError
        If the file's tables are not those of its version.
    """
    if _schema_version(connection) > len(MIGRATIONS):
        raise NewerProgressError(
            f"the file has version {_schema_version(connection)} but this kit knows version {len(MIGRATIONS)}; "
            "update autodiff-kit"
        )
    try:
        if _schema_version(connection) < len(MIGRATIONS):
            _in_transaction(connection, _apply_migrations)
        found = connection.execute("SELECT value FROM meta WHERE key = 'rev'").fetchone()
        if found is None or not str(found[0]).isdecimal():
            raise DamagedError("it has no revision")
    except sqlite3.OperationalError as error:
        if _error_name(error) == "SQLITE_ERROR":
            raise DamagedError(str(error)) from error
        raise


def _apply_migrations(db: sqlite3.Connection) -> None:
    # The version is read again: another kernel may have migrated while this one waited for its turn.
    for version in range(_schema_version(db), len(MIGRATIONS)):
        for statement in MIGRATIONS[version].split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {version + 1}")


def _schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _run_and_notify(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run a transaction, and notify the listeners if it changed a row. Creating the tables does not count."""
    before = connection.total_changes
    result = _run_work(connection, work)
    if connection.total_changes != before:
        notify_progress_listeners()
    return result


def _run_work(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run a transaction; if its query fails because a table or column is missing, report the file as damaged."""
    try:
        return _in_transaction(connection, work)
    except sqlite3.OperationalError as error:
        # Checked only after a failure, because it would double the time of each transaction. If nothing is missing, the
        # query is wrong.
        if _error_name(error) == "SQLITE_ERROR" and not _columns(connection) >= _columns_of_the_kit():
            raise DamagedError(str(error)) from error
        raise


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    query = "SELECT one.name, the.name FROM sqlite_master AS one, pragma_table_info(one.name) AS the"
    return set(connection.execute(query).fetchall())


def _columns_of_the_kit() -> set[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        return _columns(connection)


def _in_transaction(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    # IMMEDIATE takes the write lock first: two kernels that both read first could not both continue.
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        # A full disk rolls back automatically, and a second ROLLBACK would hide the original error.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _warn(text: str) -> None:
    warnings.warn(text, ProgressWarning, stacklevel=2)
