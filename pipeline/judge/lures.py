"""What frauds say: accounts and parcels that need the reader, deadlines, inheritances, threats; several languages.

Promises: weak alone, for honest mail says the same; the levels count them beside who sends and where links lead.

    all_signs_in(" please verify your account", PATTERNS, stems)     # {'lure'}
"""

import re
from typing import Final

from pipeline.judge import schemes
from pipeline.judge.patterns import Pattern, pattern

_GAP: Final = r"\W+(?:\w+\W+){0,4}?"
_THING: Final = (
    r"(?:accounts?|password|passcode|identity|wallet|mailbox|e-?mail|billing|payment|"
    r"credentials|log-?in|sign-?in|apple id|"
    r"seed phrase|recovery phrase|bank details|personal (?:details|information)|ownership|"
    r"subscription|membership|webmail|domain)"
)

PATTERNS: Final[tuple[Pattern, ...]] = (
    pattern(
        "lure",
        "verify|confirm|update your|validate|validat|re-activate|reactivate|restore|unlock|"
        "secure your|upgrade your|keep your|retain",
        r"\b(?:verify|re-?confirm|confirm|update|re-?validate|re-?activate|restore|unlock|secure|"
        r"upgrade|keep|retain|validating|verifying|confirming)" + _GAP + _THING + r"\b",
    ),
    pattern(
        "lure",
        "verification|validation|authentication",
        r"\b(?:wallet|account|mailbox|identity|payment|security)\W+(?:verification|validation|authentication)\b|"
        r"\bverification" + _GAP + r"(?:wallet|account|mailbox|identity)\b",
    ),
    pattern(
        "lure",
        "suspen|locked|blocked|limited|restrict|expire|expiring|expiry|deactivat|terminat|"
        "disabled|compromis|on hold|unauthori|declined|closed|exceeded|almost full|is full",
        r"\b(?:account|mailbox|wallet|password|access|subscription|payment|card|profile|"
        r"membership|storage|quota|apple id|plan|domain|service|points?|certificate)"
        + _GAP
        + r"(?:suspen\w+|locked|blocked|limited|restrict\w*|expir\w+|deactivat\w+|terminat\w+|"
        r"disabled|compromis\w+|on hold|unauthori\w+|declined|closed|exceeded|full)\b|"
        r"\b(?:suspen\w+|locked|blocked|restrict\w*|deactivat\w+|terminat\w+|disabled)"
        + _GAP
        + r"(?:account|mailbox|wallet|access|card|profile|service)\b",
    ),
    pattern(
        "lure",
        "unusual|suspicious|unauthori|unrecogni|someone tried|new sign|new log|new device|"
        "login attempt|sign-in attempt",
        r"\b(?:unusual|suspicious|unauthori\w+|unrecogni\w+|new)\W+(?:\w+\W+){0,2}?(?:sign-?in|"
        r"log-?in|activity|activities|access|transaction|device|attempts?|charge)\b|"
        r"\bsomeone (?:tried|attempted|has|is)\b|\b(?:login|sign-in) attempt",
    ),
    pattern(
        "lure",
        "pending|undelivered|undeliverable|withheld|quarantine|incoming|held |on hold|returned|"
        "failed delivery|failed to deliver",
        r"\b(?:pending|undeliver\w+|withheld|quarantined?|held|incoming|"
        r"failed)\W+(?:\w+\W+){0,3}?(?:messages?|e-?mails?|package|parcel|delivery|payment|refund|"
        r"transfer|mails|document|deposit)\b|"
        r"\b(?:messages?|e-?mails?|package|parcel|delivery|payment|refund|"
        r"transfer)\b[^.!?]{0,40}?\b(?:pending|undeliver\w+|withheld|quarantined?|on hold|"
        r"returned|failed)\b",
    ),
    pattern(
        "lure",
        "package|parcel|shipment|delivery|customs",
        r"\b(?:package|parcel|shipment|delivery)\b[^.!?]{0,60}?\b(?:fee|customs|reschedul\w+|"
        r"unable|could not|incomplete|missing|wrong address|waiting|warehouse|confirm)\b|"
        r"\bcustoms (?:fee|charge|duty)",
    ),
    pattern(
        "lure",
        "reward|prize|gift|bonus|points|airdrop|free mint|nft|voucher|compensation|giveaway|"
        "winner|you have won|you've won|selected|sweepstake",
        r"\b(?:claim|redeem|collect|receive|get|win|won)\b[^.!?]{0,50}?\b(?:rewards?|prize|"
        r"gift ?card|gift|bonus|points|airdrop|mint|voucher|compensation)\b|"
        r"\b(?:you have|you've|you are|been)\W+(?:\w+\W+){0,2}?(?:won|selected|chosen|winner)\b|"
        r"\bsweepstakes?\b|\b(?:nft|free) (?:launch|mint|airdrop)\b",
    ),
    pattern(
        "lure",
        "invoice|remittance|wire transfer|payment advice|purchase order|swift copy|docusign|"
        "shared a file|shared document|shared with you|voicemail|voice message|fax ",
        r"\b(?:attached|overdue|unpaid|outstanding|new|your|view|review|see|"
        r"open)\W+(?:\w+\W+){0,3}?(?:invoice|remittance|payment advice|purchase order|swift copy|"
        r"voicemail|voice message|fax|document)\b|"
        r"\b(?:shared a (?:file|document)|shared with you|has sent you a (?:document|file|fax|voice))",
    ),
    pattern(
        "lure",
        "wallet|seed phrase|recovery phrase|bitcoin|crypto|metamask|withdraw",
        r"\b(?:wallet|crypto\w*|bitcoin|seed phrase|recovery phrase)\b[^.!?]{0,60}?\b(?:verif\w+|"
        r"confirm|secure|restore|migrat\w+|synchron\w+|upgrade|update|suspend\w*|validate|connect|"
        r"withdraw\w*|claim|profit)\b|"
        r"\b(?:verif\w+|connect|validate|withdraw\w*)\b[^.!?]{0,40}?\b(?:wallet|crypto\w*|bitcoin|successful)\b",
    ),
    pattern(
        "lure",
        "refund|tax return|overpayment|reimburse",
        r"\b(?:tax|your|a|pending|eligible for)\W+(?:\w+\W+){0,2}?(?:refund|rebate|reimbursement)\b|\boverpayment\b",
    ),
    pattern(
        "lure",
        "renew|auto-renew|subscription|geek squad|charged|debited",
        r"\b(?:renew\w*|subscription|order)\b[^.!?]{0,80}?\b(?:\$ ?\d|usd ?\d|\d+\.\d\d|charged|debited|cancel)\b",
    ),
    pattern(
        "lure",
        "toll|road charge|parking charge|penalty",
        r"\b(?:unpaid|outstanding|overdue|pending|missed) (?:\w+ )?(?:tolls?|road charges?)\b|"
        r"\btoll (?:account|balance|invoice|charges?)\b",
    ),
    pattern(
        "lure",
        "signature|sign the|review and sign|e-sign",
        r"\b(?:requests?|requested|awaiting|needs?|requires?) your (?:\w+ )?signature\b|\breview (?:and|&) sign\b|"
        r"\bsignature (?:requested|required)\b",
    ),
    pattern(
        "lure",
        "direct deposit|payroll|payslip|salary|termination|human resources|bonus",
        r"\b(?:direct deposit|payroll|payslip|salary|bonus)\b[^.!?]{0,60}\b(?:chang\w+|updat\w+|review|adjust\w+|"
        r"verify|confirm|log ?in|sign ?in)\b|\btermination (?:review|discussion|notice|meeting)\b",
    ),
    pattern(
        "lure",
        "sign in with|log in with|login with|connect your|requires your e|enter your",
        r"\b(?:sign|log) ?in with your\b|\bconnect your (?:account|wallet|bank)|\brequires your e-?mail log-?in\b|"
        r"\benter your (?:\w+ ){0,2}?(?:password|credentials|pin|card)\b",
    ),
    pattern(
        "lure",
        "ssn|social security|fsa id|pre-approved|preapproved|loan forgiveness|debt relief|mother's maiden",
        r"\b(?:ssn|social security number|fsa id)\b|\bpre-?approved\b|\bloan forgiveness\b|\bdebt relief\b",
    ),
    pattern(
        "lure",
        "did not|didn't|not place|not make|not authori",
        r"\bif you (?:did not|didn't|have not|haven't) (?:place|make|authori[sz]e|request|recogni[sz]e)\b[^!?]{0,120}?"
        r"(?:\bcall\b|\bcancel\b|\btoll.free\b|\bhelp ?line\b|\+?1?\W?\(?8(?:00|33|44|55|66|77|88|05|08)\)?\W)",
    ),
    pattern(
        "impersonal",
        "dear |hello |attention ",
        r"\b(?:dear|hello|attention) (?:valued |our |e-?mail |account |esteemed |webmail )*"
        r"(?:customer|user|client|member|account holder|subscriber|beneficiary|taxpayer|cardholder|owner)\b",
    ),
    # other languages
    pattern(
        "lure",
        "conta |contas|senha|pontos|cadastro|fatura|cartao|boleto|resgat|encomenda|beneficio",
        r"\b(?:conta|acesso|senha|cadastro|cartao)\b[^.!?]{0,50}?\b(?:bloquead\w*|suspens\w*|"
        r"expir\w*|desativ\w*|atualiz\w*|irregular\w*|vencid\w*)|"
        r"\b(?:atualiz\w+|confirm\w+|verifi\w+|regulariz\w+|desbloque\w+|"
        r"valid\w+)\W+(?:\w+\W+){0,3}?(?:conta|dados|cadastro|acesso|senha|cartao)\b|"
        r"\bpontos\b[^.!?]{0,60}?\b(?:expir\w*|venc\w*|resgat\w*)|"
        r"\bresgat\w+\b[^.!?]{0,40}?\b(?:pontos|premio|beneficio|milhas)\b|\b(?:encomenda|"
        r"entrega)\b[^.!?]{0,50}?\b(?:taxa|retid\w*|pagamento|pendente)|\b(?:fatura|"
        r"boleto)\b[^.!?]{0,40}?\b(?:anexo|vencid\w*|abert\w*|disponivel)\b",
    ),
    pattern(
        "lure",
        "cuenta|contrasena|paquete|factura|premio|tarjeta",
        r"\b(?:cuenta|acceso|contrasena|tarjeta)\b[^.!?]{0,50}?\b(?:bloquead\w*|suspendid\w*|"
        r"limitad\w*|caduc\w*|desactiv\w*)|\b(?:verifi\w+|confirm\w+|actuali\w+|"
        r"valid\w+)\W+(?:\w+\W+){0,3}?(?:cuenta|datos|identidad|acceso|contrasena)\b|"
        r"\bpaquete\b[^.!?]{0,50}?\b(?:pendiente|aduana|entrega\w*|pago|gastos)|\bpremio\b",
    ),
    pattern(
        "lure",
        "compte|mot de passe|colis|facture|carte vitale|remboursement|identite",
        r"\b(?:compte|acces|carte|mot de passe|abonnement)\b[^.!?]{0,50}?\b(?:suspendu\w*|"
        r"bloque\w*|limite\w*|expir\w*|desactiv\w*)|\b(?:verifi\w+|confirm\w+|actualis\w+|"
        r"valid\w+|mettre a jour)\W+(?:\w+\W+){0,3}?(?:compte|identite|coordonnees|informations|"
        r"acces)\b|"
        r"\bcolis\b[^.!?]{0,50}?\b(?:attente|frais|livr\w+|douane|bloque)|"
        r"\bremboursement\b[^.!?]{0,40}?\b(?:attente|disponible|recevoir)",
    ),
    pattern(
        "lure",
        "konto|passwort|paket|rechnung|sendung|postfach|identitat|karte",
        r"\b(?:konto|zugang|karte|postfach|passwort)\b[^.!?]{0,60}?\b(?:gesperrt|eingeschrankt|"
        r"gekundigt|ablauf\w*|abgelaufen|deaktivier\w*|bestatig\w*|verifizier\w*|aktualisier\w*)|"
        r"\b(?:bestatig\w+|verifizier\w+|aktualisier\w+)\W+(?:\w+\W+){0,3}?(?:konto|daten|"
        r"identitat|angaben|zugang)\b|\b(?:paket|sendung)\b[^.!?]{0,60}?\b(?:gebuhr|zoll|"
        r"nicht zugestellt|zustell\w+|wartet|zuruck)",
    ),
    pattern(
        "lure",
        "account|rekening|pakket|bankpas|conto|pacco|wachtwoord|spedizione",
        r"\b(?:account|rekening|bankpas|pakket)\b[^.!?]{0,50}?\b(?:geblokkeerd|verlopen|verloopt|"
        r"bevestig\w*|opgeschort|kosten|bezorg\w*)|\b(?:bevestig|verifieer|"
        r"controleer)\W+(?:\w+\W+){0,3}?(?:account|gegevens|rekening|identiteit)\b|"
        r"\b(?:conto|account|carta)\b[^.!?]{0,50}?\b(?:sospes\w*|bloccat\w*|limitat\w*|scadut\w*)|"
        r"\b(?:pacco|spedizione)\b[^.!?]{0,50}?\b(?:attesa|dogan\w*|consegn\w*|spese)",
    ),
    pattern(
        "pressure",
        "within|hours|hrs|24h|48h|next 2|next 4",
        r"\b(?:within|in|next)\W+(?:the\W+)?(?:next\W+)?(?:\d{1,3}|two|three|few|twenty-four|"
        r"forty-eight)\W*(?:hours?|hrs|h)\b",
    ),
    pattern(
        "pressure",
        "immediate|urgent|final notice|final warning|final reminder|last chance|last warning|"
        "last reminder|action required|attention required|expire|permanently|to avoid|"
        "legal action|failure to|deadline|hoje|urgente|imediat|inmediat|dringend|umgehend|"
        "as soon as possible|act now",
        r"\bimmediate\w*|\burgen\w+|\b(?:final|last) (?:notice|warning|reminder|chance)\b|"
        r"\b(?:action|attention) required\b|\bexpires? (?:today|soon|in|on)\b|\bpermanently\b|"
        r"\bto avoid\b|\blegal action\b|\bfailure to\b|\bhoje\b|\burgente\b|\bimediat\w+|"
        r"\binmediat\w+|\bdringend\b|\bumgehend\b|\bact now\b",
    ),
)
STEMS: Final = schemes.STEMS.union(*(one.stems for one in PATTERNS))

ADVANCE_FEE: Final = (
    *(
        "next of kin",
        "inheritance",
        "beneficiary",
        "late husband",
        "late father",
        "late client",
        "deceased",
        "donation",
        "donate",
    ),
    *(
        "transfer of",
        "the sum of",
        "million united",
        "million dollars",
        "million us",
        "us$",
        "u.s. dollars",
        "confidential",
        "barrister",
    ),
    *(
        "diplomat",
        "consignment",
        "trunk box",
        "philanthrop",
        "your assistance",
        "god bless",
        "dear friend",
        "beloved",
        "foreign partner",
    ),
    *(
        "foreign account",
        "lottery",
        "attorney",
        "modalit",
        "security company",
        "foreigner",
        "strictly",
        "risk free",
        "risk-free",
        "widow",
    ),
    *(
        "percent of",
        "% of the total",
        "fund into",
        "funds into",
        "your account",
        "business proposal",
        "urgent reply",
        "reply urgently",
    ),
    *(
        "private email",
        "alternative email",
        "contract sum",
        "over-invoiced",
        "bank manager",
        "personal fortune",
        "late wife",
        "unclaimed",
        "atm card",
        "undisclosed",
        "mutual benefit",
        "decided to donate",
        "cancer",
        "orphan",
        "compensation fund",
        "million",
        "lucky",
        "randomly selected",
        "get back to me",
        "strictly confidential",
    ),
)
"""Words of which a stranger's offer of a fortune uses many; a few alone say nothing."""
FEE_STEMS: Final = frozenset(ADVANCE_FEE)

COIN: Final = re.compile(r"\b(?:bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34}|0x[a-fA-F0-9]{40})\b")
THREATS: Final = frozenset(
    {"webcam", "hacked", "malware", "recorded", "your contacts", "masturbat"}
    | {"porn", "ransom", "trojan", "your device", "adult site", "intimate"}
)
"""Beside a coin address, two of these are a threat."""
LURE_WORDS: Final = frozenset(
    {"account", "password", "login", "invoice", "payment", "important", "security", "support"}
    | {"microsoft", "paypal", "notification", "verify", "update", "mailbox", "delivery", "billing"}
    | {"service", "official", "facebook", "instagram", "office365", "confirm", "urgent", "message"}
    | {"customer", "alert"}
)
"""Words that fraud writes with other letters so that filters do not see them."""
