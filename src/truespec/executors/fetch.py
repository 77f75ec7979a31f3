"""A data set from its public repository: an archive of a pinned commit, continued where it broke off."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from truespec.benchmark.sources.pins import Pin
from truespec.verdict import UsageError

HOST = "https://codeload.github.com"
"""Where GitHub serves archives of a commit."""
TRIES = 4
"""How often a download is begun or continued before it counts as failed."""
CHUNK = 1 << 16
PAUSE_SECONDS = 1.0
TIMEOUT_SECONDS = 60.0
"""How long a server may be silent."""
MARK = ".fetched.json"
"""The file that says which commit a folder holds."""
MOST_BYTES = 4 << 30
"""An archive that unpacks to more is refused."""


def fetch(
    pin: Pin,
    folder: Path,
    *,
    host: str = HOST,
    progress: Callable[[int, int | None], None] = lambda *_: None,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Put the data set into `folder`; False where it is there already, complete and unchanged.

    A download that broke off is continued by the next call. The folder appears only when every checksum fits.
    `progress` takes the bytes so far and, where the server says so, of how many. `UsageError` says what
    failed: the server, the archive, or a checksum.
    """
    if _complete(pin, folder):
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    archive = folder.with_name(f".{folder.name}-{pin.commit[:12]}.tar.gz.part")
    url = f"{host}/{pin.repository}/tar.gz/{pin.commit}"
    _download(url, archive, progress, sleep)
    unpacked = folder.with_name(f".{folder.name}-{pin.commit[:12]}.unpacked")
    shutil.rmtree(unpacked, ignore_errors=True)
    try:
        _unpack(pin, archive, unpacked)
    except UsageError:
        archive.unlink()  # whatever it is, continuing it would not mend it
        raise
    finally:
        if not (unpacked / MARK).exists():
            shutil.rmtree(unpacked, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    unpacked.rename(folder)
    archive.unlink()
    return True


def _complete(pin: Pin, folder: Path) -> bool:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is there already and is no folder")
    mark = folder / MARK
    if not mark.exists():
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} holds other files: name another folder")
        return False
    with suppress(ValueError):
        record = json.loads(mark.read_text("utf-8"))
        return record.get("commit") == pin.commit and all(
            (folder / name).is_file() and _sum(folder / name) == total
            for name, total in record["files"].items()
        )
    return False


def _download(
    url: str, path: Path, progress: Callable[[int, int | None], None], sleep: Callable[[float], None]
) -> None:
    for attempt in range(TRIES):
        try:
            _continue(url, path, progress)
        except urllib.error.HTTPError as error:
            if error.code == 416 and path.exists():  # nothing is left to send
                return
            if error.code not in (408, 429) and error.code < 500:
                raise UsageError(f"{url}: the server answers {error.code} {error.reason}") from None
            why = f"the server answers {error.code} {error.reason}"
        except (urllib.error.URLError, HTTPException, OSError) as error:
            why = str(getattr(error, "reason", error)) or type(error).__name__
        else:
            return
        if attempt < TRIES - 1:
            sleep(PAUSE_SECONDS * 2**attempt)
    kept = f"; the same command continues after {path.stat().st_size} bytes" if path.exists() else ""
    raise UsageError(f"{url}: {why} ({TRIES} tries){kept}")


def _continue(url: str, path: Path, progress: Callable[[int, int | None], None]) -> None:
    have = path.stat().st_size if path.exists() else 0
    headers = {"User-Agent": "truespec", "Accept-Encoding": "identity"}
    request = urllib.request.Request(url, headers={**headers, "Range": f"bytes={have}-"} if have else headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        if answer.status != 206:  # the server begins anew
            have = 0
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        with path.open("ab" if have else "wb") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                have += len(chunk)
                progress(have, total)
        if total is not None and have < total:
            raise HTTPException(f"the connection ended after {have} of {total} bytes")


def _unpack(pin: Pin, archive: Path, folder: Path) -> None:
    """The archive's files below `folder`, all or only the pinned ones; then the checksums and the mark."""
    sums = {total: name for name, total in pin.files.items()}
    found: dict[str, str] = {}
    written = 0
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member, name in _files(tar):
                written += member.size
                if written > MOST_BYTES:
                    raise UsageError(f"{pin.source}: the archive unpacks to more than {MOST_BYTES >> 30} GiB")
                stream = tar.extractfile(member)
                assert stream is not None
                raw = stream.read()
                total = hashlib.sha256(raw).hexdigest()
                if pin.tree:
                    _write(folder / name, raw)
                    known = [one for one in pin.files if f"/{name}".endswith(f"/{one}")]
                    found |= {one: name for one in known if pin.files[one] == total}
                elif total in sums:
                    _write(folder / sums[total], raw)
                    found[sums[total]] = sums[total]
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise UsageError(
            f"{pin.source}: the download is no archive of the commit ({error}); try again"
        ) from None
    missing = sorted(set(pin.files) - set(found))
    if missing:
        raise UsageError(
            f"{pin.source}: {pin.repository} @ {pin.commit} holds no {missing[0]} with the checksum "
            f"{pin.files[missing[0]]} ({len(missing)} of {len(pin.files)} files differ): nothing was kept"
        )
    mark = {
        "source": pin.source,
        "repository": pin.repository,
        "commit": pin.commit,
        "licence": pin.licence,
        "files": {where: pin.files[name] for name, where in sorted(found.items())},
    }
    (folder / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")


def _files(tar: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, str]]:
    """Plain files with their path below the top folder; links and paths that leave it are passed over."""
    for member in tar:
        path = PurePosixPath(member.name)
        below = path.parts[1:]
        if member.isfile() and below and not path.is_absolute() and ".." not in path.parts:
            yield member, "/".join(below)


def _write(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
