"""One planned mail, written out to its exact bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from twin.demo import mime
from twin.demo.dates import central, header_date
from twin.demo.dice import Dice
from twin.demo.envelope import address_of, bulk, sender_of, trace
from twin.demo.letters import plain, to_html
from twin.demo.schedule import Planned
from twin.demo.slots import Filler
from twin.demo.templates import Part, Sender, Template, read_text

_ADDRESSES = ("From", "To", "Cc", "Reply-To")


@dataclass(frozen=True, slots=True)
class Writer:
    """All that every mail is written with. `earlier` names the mails of a thread, oldest first."""

    dice: Dice
    owner: str
    owner_name: str
    pools: Mapping[str, tuple[str, ...]]
    senders: Mapping[str, Sender]

    def write(self, mail: Planned, earlier: tuple[Planned, ...]) -> bytes:
        """The RFC 822 bytes, lines ending in CRLF."""
        filler, template = Filler(self.dice, mail, self.pools), mail.template
        head = self._head(mail, filler, earlier)
        body = self._body(mail, filler)
        raw_charset = template.header_charset or "ascii"
        return (head.encode(raw_charset) + body.as_bytes()).replace(b"\n", b"\r\n")

    def message_id(self, mail: Planned) -> str:
        """The Message-ID, at the sender's own domain."""
        domain = address_of(self._from(mail, Filler(self.dice, mail, self.pools))).rpartition("@")[2]
        return f"<{self.dice.token(24, mail.id, 'message-id')}@{domain}>"

    def _from(self, mail: Planned, filler: Filler) -> str:
        sender = mail.template.sender
        return f"{self.owner_name} <{self.owner}>" if sender == "me" else filler.fill(sender)

    def _head(self, mail: Planned, filler: Filler, earlier: tuple[Planned, ...]) -> str:
        source = self._from(mail, filler)
        address, is_own = address_of(source), mail.template.sender == "me"
        sender = sender_of(address, self.senders)
        front = "" if is_own else trace(self.dice, mail, address, self.owner, sender)
        back = "" if is_own else bulk(self.dice, mail, address, sender)
        return front + self._written(mail, filler, source, earlier) + back + "MIME-Version: 1.0\n"

    def _written(self, mail: Planned, filler: Filler, source: str, earlier: tuple[Planned, ...]) -> str:
        template, ids = mail.template, [self.message_id(other) for other in earlier]
        fields = {
            "Message-ID": self.message_id(mail),
            "Date": header_date(mail.received_ms, central(mail.received_ms)),
            "From": source,
            "To": filler.fill(template.to),
            "Cc": filler.fill(template.cc),
            "Reply-To": filler.fill(template.reply_to),
            "Subject": filler.fill(template.subject),
            "In-Reply-To": ids[-1] if ids else "",
            "References": "\n ".join(ids),
        }
        kept = {name: value for name, value in fields.items() if value and name not in template.drop}
        lines = "".join(_line(name, value, template) for name, value in kept.items())
        return lines + filler.fill(template.headers)

    def _body(self, mail: Planned, filler: Filler) -> mime.Entity:
        readable = [part for part in mail.template.parts if part.kind != "attach"]
        readings = [entity for part in readable for entity in self._readings(mail, filler, part)]
        files_ = [_attached(part, filler) for part in mail.template.parts if part.kind == "attach"]
        inner = mime.multipart("alternative", tuple(readings), "000000" + self.dice.token(22, mail.id, "alt"))
        return mime.multipart("mixed", (inner, *files_), "000000" + self.dice.token(22, mail.id, "mix"))

    def _readings(self, mail: Planned, filler: Filler, part: Part) -> tuple[mime.Entity, ...]:
        template, text = mail.template, filler.fill(part.body)
        if part.kind == "calendar":
            return (_text(template, text, "text/calendar; method=REQUEST"),)
        if part.kind == "html":
            return (_text(template, text, "text/html"),)
        sender = sender_of(address_of(self._from(mail, filler)), self.senders)
        footer = filler.fill(sender.footer)
        shown = plain(text + (f"\n{footer}\n" if footer else ""))
        written = _text(template, shown, "text/plain")
        if not template.layout:
            return (written,)
        layout = read_text("layouts", f"{template.layout}.html")
        return (written, _text(template, to_html(text, layout, sender.brand, footer), "text/html"))


def _line(name: str, value: str, template: Template) -> str:
    shown = {"lower": name.lower(), "upper": name.upper()}.get(template.header_case, name)
    if template.header_charset:
        return f"{shown}: {value}\n"
    encoded = (mime.encode_address if name in _ADDRESSES else mime.encode_words)(value, template.charset)
    return f"{shown}: {encoded}\n"


def _text(template: Template, text: str, content_type: str) -> mime.Entity:
    declared = template.declared or template.charset
    return mime.text_part(text, content_type, template.charset, declared, template.transfer)


def _attached(part: Part, filler: Filler) -> mime.Entity:
    content_type, file_name = part.words
    if content_type == "message/rfc822":
        return mime.embedded(filler.fill(part.body))
    if part.body.strip():
        return mime.attachment(filler.fill(part.body).encode("utf-8"), content_type, file_name)
    stored = files("twin.demo").joinpath("mail", "attachments", file_name)
    return mime.attachment(stored.read_bytes(), content_type, file_name)
