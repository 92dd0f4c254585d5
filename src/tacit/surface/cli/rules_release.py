"""``tacit mine rules --publish``: a release of the rules if they stay within a limit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.surface.cli.common import ReleaseFlags, ShareText, Shown, WholeText, progress_bar

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions


@Parameter(name="*", group="Publishing")
@dataclass(frozen=True)
class PublishingFlags:
    """Which rules are published, and where."""

    publish: Path | None = None
    "Folder for a release of the rules of a table, if they stay within --max-posterior."
    max_posterior: ShareText | None = None
    "The largest posterior that a reader of the rules may have for any value of anybody."
    scores: str = "exact"
    "exact: publish the scores of every rule; thresholds: of none."
    min_group: WholeText | None = None
    "Look for groups of fewer people than this that follow from the supports by subtraction."
    channels: str = "report"
    "What to do about such groups: report or refuse."
    acknowledge_composition: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Publish about records that were released before; the manifest states how many."

    @property
    def asked(self) -> bool:
        """Whether a release is asked for, and not only a list."""
        return self.publish is not None or self.max_posterior is not None


def publish_rules(
    loaded: Table | Transactions,
    flags: PublishingFlags,
    shown: Shown,
    *,
    min_support: int | Decimal,
    min_confidence: Decimal,
    max_length: int | None,
    overwrite: bool,
) -> Any:
    """Judge the rules, and publish them where a folder is named."""
    from tacit.data.table import Table
    from tacit.methods.disclose.safe_rules import safe_rules
    from tacit.surface.cli.release import finish

    if not isinstance(loaded, Table):
        raise UsageError(
            "Rules are published within a limit for tables with a sensitive attribute.",
            code="not-for-transactions",
            hint="Leave out --publish and --max-posterior, or give a table with --quasi and --sensitive.",
        )
    if flags.max_posterior is None:
        raise UsageError(
            "A release of rules needs a limit: the largest posterior.",
            code="limit-missing",
            hint="Give --max-posterior 0.9.",
        )
    if flags.channels != "report" and flags.min_group is None:
        raise UsageError(
            "What to do about small groups is said, and not how small they are.",
            code="flag-not-used",
            hint="Give --min-group as well, or leave --channels out.",
        )
    with progress_bar(shown) as progress:
        release = safe_rules(
            loaded,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            max_posterior=flags.max_posterior,
            scores=flags.scores,
            k=flags.min_group,
            channels=flags.channels,
            progress=progress,
        )
    return finish(
        release,
        ReleaseFlags(
            output=flags.publish,
            overwrite=overwrite,
            acknowledge_composition=flags.acknowledge_composition,
        ),
    )
