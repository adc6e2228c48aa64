"""What others configured on an interface: taken off before the interface goes, put back when it is there again."""

from __future__ import annotations

from vppcfg.model.attachment import Attachment
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import Operation
from vppcfg.record import record


@record
class AttachmentOperation(Operation):
    """An operation on something that no section of the file manages."""

    attachment: Attachment

    @property
    def subject(self) -> str:
        """Return the interface or the FIB table that holds it."""
        return self.attachment.holder


@record
class TakeOff(AttachmentOperation):
    """Remove an attachment, which VPP would otherwise leave to the next interface or table with the index.

    The message is that of the attachment.
    """

    def refusal(self, draft: Draft) -> str | None:
        """Return why VPP would refuse it in this state."""
        has_it = self.attachment in draft.unmanaged.get(self.subject, ())
        return None if has_it else f"{self.subject} has no {self.attachment.label}"

    def carry_out(self, draft: Draft) -> None:
        """Remove it."""
        draft.unmanaged[self.subject].discard(self.attachment)


@record
class PutBack(AttachmentOperation):
    """Bring an attachment back as it was read."""

    def refusal(self, draft: Draft) -> str | None:
        """Return why VPP would refuse it in this state."""
        call = self.attachment.put
        missing = [name for name in (call.interfaces() if call is not None else ()) if name not in draft.interfaces]
        if missing:
            return f"{missing[0]} does not exist"
        has_it = self.attachment in draft.unmanaged.get(self.subject, ())
        return f"{self.subject} has its {self.attachment.label}" if has_it else None

    def carry_out(self, draft: Draft) -> None:
        """Bring it back."""
        draft.unmanaged.setdefault(self.subject, set()).add(self.attachment)
