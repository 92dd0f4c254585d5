"""The release store: the folder, its manifest and its private record, put in place whole."""

from tacit.release.disk import Content
from tacit.release.manifest import (
    MANIFEST_NAME,
    Manifest,
    PublishedFile,
    read_manifest,
)
from tacit.release.store import Published, check_output, private_record, publish, recover

__all__ = [
    "MANIFEST_NAME",
    "Content",
    "Manifest",
    "Published",
    "PublishedFile",
    "check_output",
    "private_record",
    "publish",
    "read_manifest",
    "recover",
]
