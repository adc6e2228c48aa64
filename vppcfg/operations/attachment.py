"""Operations that carry attachments, what others configured on an interface or table, over its recreation.

An attachment is removed before its holder is deleted, and restored when the holder is there again.
"""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.attachment import BYTES, INDEX_OF, ApiCall, Attachment
from vppcfg.model.iproute2 import command
from vppcfg.model.linux_setting import LinuxSetting
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class AttachmentOperation(Operation):
    """An operation on something that no section of the file manages."""

    why_unrehearsed = "a rehearsal has nothing of what others configured"

    attachment: Attachment

    @property
    def subject(self) -> str:
        """Return the interface, FIB table or bridge domain that holds it."""
        return self.attachment.holder

    @property
    def aspect(self) -> str:
        return self.attachment.kind


@record
class RemoveAttachment(AttachmentOperation):
    """Remove an attachment, which VPP would otherwise leave to the next interface or table with the index.

    Its message is the call `take` of the attachment.
    """

    def precondition_error(self, working: WorkingState) -> str | None:
        has_it = self.attachment in working.unmanaged.get(self.subject, ())
        return None if has_it else f"{self.subject} has no {self.attachment.label}"

    def apply_to(self, working: WorkingState) -> None:
        working.unmanaged[self.subject].discard(self.attachment)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.attachment.take, self, indexes)

    def cli(self) -> str | None:
        return self.attachment.removal or None


@record
class RestoreAttachment(AttachmentOperation):
    """Bring an attachment back as it was read."""

    def precondition_error(self, working: WorkingState) -> str | None:
        has_it = self.attachment in working.unmanaged.get(self.subject, ())
        return self._refusal(working) or (f"{self.subject} has its {self.attachment.label}" if has_it else None)

    def apply_to(self, working: WorkingState) -> None:
        working.unmanaged.setdefault(self.subject, set()).add(self.attachment)


@record
class RestoreInVpp(RestoreAttachment):
    """Bring an attachment back in VPP, by the call `put` of the attachment."""

    def _refusal(self, working: WorkingState) -> str | None:
        call = self.attachment.put
        missing = [name for name in (call.refers() if call is not None else ()) if not working.has_holder(name)]
        return f"{missing[0]} does not exist" if missing else None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.attachment.put, self, indexes)

    def cli(self) -> str | None:
        lines = self.attachment.lines
        return lines[0] if len(lines) == 1 else None


@record
class RestoreInLinux(RestoreAttachment):
    """Bring an attachment back on the Linux device of an interface."""

    needs_vpp = False

    netns: str
    setting: LinuxSetting
    """What is restored, with the names that the devices have then: a recreated interface may have another one."""

    def _refusal(self, working: WorkingState) -> str | None:
        needed = (self.subject, *(self.attachment.linux.interfaces() if self.attachment.linux is not None else ()))
        missing = [name for name in needed if name not in working.linux]
        return f"{missing[0]} has no Linux device" if missing else None

    def cli(self) -> str | None:
        line = command(self.setting, self.netns)
        return f"comment {{ {line} }}" if line is not None else None


def _request(call: ApiCall | None, operation: AttachmentOperation, indexes: Indexes) -> Request:
    """Return the message of a call. Raise ValueError for an attachment that no call removes or brings back."""
    if call is None:
        raise ValueError(f"VPP has no message for {operation.attachment.label} of {operation.subject}")
    elements = [_values(element.split(" "), indexes) for element in call.elements]
    return Request(call.message, _values(call.values, indexes), call.list_name, elements, call.text)


def _values(pairs: Iterable[str], indexes: Indexes) -> dict[str, Value]:
    """Return the values of a stored call by their paths, such as of `sw_if_index=@loop0`, `is_add=1` and `tag=x6162`.

    `@` stands for the index of an interface, `x` for bytes in hexadecimal; all else is a whole number.
    """
    return {path: _value(text, indexes) for path, _, text in (pair.partition("=") for pair in pairs)}


def _value(text: str, indexes: Indexes) -> Value:
    if text.startswith(INDEX_OF):
        return indexes.interface(text.removeprefix(INDEX_OF))
    return bytes.fromhex(text.removeprefix(BYTES)) if text.startswith(BYTES) else int(text)
