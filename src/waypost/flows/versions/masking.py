"""Mask secrets in every field of a draft, not only in its text."""

from dataclasses import dataclass, field, replace

from waypost.model.draft import Draft
from waypost.model.reference import CodeReference
from waypost.text.secrets.masking import mask


def without_secrets(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with every secret masked, and what was masked where: rules and places, never values."""
    masked_text, fields = mask(draft.text), _Fields()
    clean = replace(
        draft,
        text=masked_text.text,
        domain=fields.text("domain", draft.domain),
        module=fields.text("module", draft.module),
        session=fields.optional("session", draft.session),
        speaker=fields.optional("speaker", draft.speaker),
        key=fields.optional("key", draft.key),
        evidence=tuple(fields.text("evidence", line) for line in draft.evidence),
        refs=tuple(fields.reference(ref) for ref in draft.refs),
        tags=dict(fields.tag(name, value) for name, value in draft.tags.items()),
        labels={name: fields.text(name, value) for name, value in draft.labels.items()},
        stale_reason=fields.optional("stale_reason", draft.stale_reason),
        claims={name: fields.text(name, value) for name, value in draft.claims.items()},
    )
    return clean, (*(f"{finding.rule} (line {finding.line})" for finding in masked_text.findings), *fields.findings)


@dataclass(frozen=True, slots=True)
class _Fields:
    findings: list[str] = field(default_factory=list)

    def text(self, name: str, value: str) -> str:
        masked_text = mask(value)
        self.findings.extend(f"{finding.rule} ({name})" for finding in masked_text.findings)
        return masked_text.text

    def optional(self, name: str, value: str | None) -> str | None:
        return None if value is None else self.text(name, value)

    def tag(self, name: str, value: str) -> tuple[str, str]:
        """Mask a tag. Its name can show that its value is a secret: password=…"""
        clean = self.text("tag", name)
        return clean, self.text("tag", f"{clean}={value}").removeprefix(f"{clean}=")

    def reference(self, ref: CodeReference) -> CodeReference:
        return replace(
            ref,
            file_path=self.text("ref", ref.file_path),
            symbol_id=self.optional("ref", ref.symbol_id),
            repo_id=self.optional("ref", ref.repo_id),
            git_commit=self.optional("ref", ref.git_commit),
            git_branch=self.optional("ref", ref.git_branch),
            confidence_reason=self.optional("ref", ref.confidence_reason),
        )
