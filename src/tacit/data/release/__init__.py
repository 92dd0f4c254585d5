"""The release store: the folder, its manifest and its private record, put in place whole."""

from tacit.data.release.disk import Content
from tacit.data.release.manifest import (
    FORMAT,
    KINDS,
    MANIFEST_NAME,
    SIGNATURE_NAME,
    Manifest,
    PublishedFile,
    read_manifest,
)
from tacit.data.release.place import check_output
from tacit.data.release.store import Published, Settle, private_record, publish, recover

__all__ = [
    "FORMAT",
    "KINDS",
    "MANIFEST_NAME",
    "SIGNATURE_NAME",
    "Content",
    "Manifest",
    "Published",
    "PublishedFile",
    "Settle",
    "check_output",
    "private_record",
    "publish",
    "read_manifest",
    "recover",
]
