"""The release store: the folder, its manifest and its private record, put in place whole."""

from tacit.release.disk import Content
from tacit.release.manifest import (
    FORMAT,
    MANIFEST_NAME,
    SIGNATURE_NAME,
    Manifest,
    PublishedFile,
    read_manifest,
)
from tacit.release.store import Published, Settle, check_output, private_record, publish, recover

__all__ = [
    "FORMAT",
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
