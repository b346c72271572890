"""Secrets are taken out of everything that a caller gives, not of the text alone."""

from dataclasses import dataclass, field, replace

from waypost.model.draft import Draft
from waypost.model.reference import CodeReference
from waypost.text.secrets.masking import mask


def without_secrets(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with every secret masked, and what was masked where: rules and places, never values."""
    hidden, fields = mask(draft.text), _Fields()
    clean = replace(
        draft,
        text=hidden.text,
        domain=fields.one("domain", draft.domain),
        module=fields.one("module", draft.module),
        session=fields.maybe("session", draft.session),
        speaker=fields.maybe("speaker", draft.speaker),
        key=fields.maybe("key", draft.key),
        evidence=tuple(fields.one("evidence", line) for line in draft.evidence),
        refs=tuple(fields.reference(ref) for ref in draft.refs),
        tags=dict(fields.tag(name, value) for name, value in draft.tags.items()),
        labels={name: fields.one(name, value) for name, value in draft.labels.items()},
        stale_reason=fields.maybe("stale_reason", draft.stale_reason),
        claims={name: fields.one(name, value) for name, value in draft.claims.items()},
    )
    return clean, (*(f"{finding.rule} (line {finding.line})" for finding in hidden.findings), *fields.found)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Masks one short field after another and keeps what was found."""

    found: list[str] = field(default_factory=list)

    def one(self, name: str, value: str) -> str:
        hidden = mask(value)
        self.found.extend(f"{finding.rule} ({name})" for finding in hidden.findings)
        return hidden.text

    def maybe(self, name: str, value: str | None) -> str | None:
        return None if value is None else self.one(name, value)

    def tag(self, name: str, value: str) -> tuple[str, str]:
        """A tag's name can give its value away: password=…"""
        clean = self.one("tag", name)
        return clean, self.one("tag", f"{clean}={value}").removeprefix(f"{clean}=")

    def reference(self, ref: CodeReference) -> CodeReference:
        return replace(
            ref,
            file_path=self.one("ref", ref.file_path),
            symbol_id=self.maybe("ref", ref.symbol_id),
            repo_id=self.maybe("ref", ref.repo_id),
            git_commit=self.maybe("ref", ref.git_commit),
            git_branch=self.maybe("ref", ref.git_branch),
            confidence_reason=self.maybe("ref", ref.confidence_reason),
        )
