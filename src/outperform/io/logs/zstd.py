"""Files of a ZIP archive that are packed with zstd, which `zipfile` knows from Python 3.14 on."""

from __future__ import annotations

import io
import zlib
from struct import unpack
from typing import BinaryIO
from zipfile import BadZipFile, ZipInfo

from outperform.base.errors import need

__all__ = ["read_member"]

HEADER = 30  # bytes before the name; the last four are the lengths of the name and of what follows it


def read_member(archive: BinaryIO, member: ZipInfo) -> bytes:
    """Unpack one file of an archive (needs zstandard), up to the size that the archive says."""
    zstandard = need("zstandard", "logs")
    archive.seek(member.header_offset)
    name, extra = unpack("<HH", archive.read(HEADER)[-4:])
    archive.seek(name + extra, io.SEEK_CUR)
    packed = archive.read(member.compress_size)
    try:
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed))
        data: bytes = reader.read(member.file_size + 1)
    except zstandard.ZstdError as error:
        raise BadZipFile(str(error)) from None
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise BadZipFile(f"bad checksum of {member.filename}")
    return data
