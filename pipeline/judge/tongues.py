"""The plainest order to a machine, to drop what it was told, in more languages than the patterns cover.

Promises: a verb of dropping and a noun of what was told, within one sentence, in either order, of one language; folded
like all text. Two languages never add up to an order.

    signs_in(plain(" игнорируй все инструкции"), PATTERNS, stems)     # {'instruction'}
"""

import re
from typing import Final

from pipeline.judge.patterns import Pattern
from pipeline.mail.matcher import plain

# language: beginnings of verbs of dropping | beginnings of nouns of what a machine is told
_LISTED: Final = """
    ru: игнорируй, проигнорируй, забудь, не обращай внимания | инструкци, указани, промпт
    uk: ігноруй, проігноруй, забудь | інструкці, вказівк, промпт
    bg: игнорирай, забрави | инструкци, указани
    pl: zignoruj, ignoruj, zapomnij, pomin | instrukcj, polecen, wytyczn, wskazow
    cs: ignoruj, zapomen, nedbej | instrukc, pokyn, prikaz
    sk: ignoruj, zabudni | instrukc, pokyn
    hr: ignoriraj, zanemari, zaboravi | upute, uputa, instrukcij
    sl: ignoriraj, prezri, pozabi | navodil
    sv: ignorera, glom, bortse fran | instruktion, anvisning
    da: ignorer, glem, se bort fra | instruks, instruktion, anvisning
    no: ignorer, glem, se bort fra | instruks, instruksjon, anvisning
    fi: ohita, unohda, jata huomiotta | ohjee, ohjeit, kehot
    et: ignoreeri, unusta, eira | juhis
    lv: ignore, aizmirsti | noradijum, instrukcij
    lt: ignoruok, pamirsk | nurodym, instrukcij
    hu: hagyd figyelmen kivul, felejtsd el, mellozd | utasitas, parancs
    ro: ignora, uita | instructiun, indicatii
    el: αγνοησε, αγνοηστε, ξεχασε | οδηγι, εντολ
    sq: injoro, shperfill, harro | udhezim
    tr: yok say, gormezden gel, dikkate alma | talimat, komut, yonerge
    ga: dean neamhaird, dearmad | treorach, treoir
    gd: leig seachad, diochuimhnich | stiuiridh
    cy: anwybydd, anghofi | cyfarwyddiad
    eu: ez ikusi, ahaztu | jarraibide, argibide
    ca: ignora, oblida | instruccion, indicacion
    gl: ignora, esquece | instrucion
    is: hunsadu, gleymdu | fyrirmal, leidbeining
    mt: tinjora, injora, insa | istruzzjoni
    zu: nganaki, shaya indiva, khohlwa | imiyalelo, umyalelo
    xh: ungahoyi, libala | imiyalelo
    af: ignoreer, vergeet | instruksie, opdrag
    sw: puuza, sahau | maagizo, maelekezo
    id: abaikan, lupakan | instruksi, perintah, petunjuk
    ms: abaikan, lupakan | arahan
    tl: balewalain, kalimutan, huwag pansinin | tagubilin
    vi: bo qua, phot lo | huong dan, chi thi, chi dan
    zh: 忽略, 无视, 忽視, 無視 | 指令, 指示, 提示词, 命令
    ja: 無視 | 指示, 命令, プロンプト, 指令
    ko: 무시 | 지시, 명령, 프롬프트
    ar: تجاهل, انس | تعليمات, اوامر, توجيهات
    fa: ناديده, فراموش | دستور
    he: התעלם, תשכח, שכח | הוראות, הנחיות
    hi: अनदेखा, नजरअंदाज, भूल | निर्देश, आदेश
    bn: উপেক্ষা, ভুলে | নির্দেশ
    th: เพิกเฉย, ละเว้น, ไม่สนใจ | คำสั่ง, คำแนะนำ
"""
_NOT_BEFORE: Final = r"(?<!nie )(?<!не )(?<!ne )(?<!nu )(?<!no )(?<!non )(?<!na )(?<!nem )(?<!mos )"
_NOT_AFTER: Final = r"(?!\w*\W+(?:ikke|inte|ekki|nie)\b)"
"""Do not forget the instructions: an honest sentence in every language."""
_GAP: Final = r"[^.!?。！？]{0,50}?"


def _read(line: str) -> Pattern:
    """One language's pattern; its stems are the nouns, which are rarer than the verbs."""
    _, _, words = line.partition(":")
    verbs, _, nouns = words.partition("|")
    drop, told = f"{_NOT_BEFORE}{_starts(verbs)}{_NOT_AFTER}", _starts(nouns)
    return Pattern(
        "instruction",
        frozenset(map(str.strip, map(plain, nouns.split(",")))),
        re.compile(f"{drop}{_GAP}{told}|{told}{_GAP}{drop}"),
    )


def _starts(listed: str) -> str:
    words = [plain(word) for word in listed.split(",")]
    return "(?:" + "|".join(rf"(?<![a-z]){re.escape(word)}" for word in words) + ")"


PATTERNS: Final = tuple(_read(line) for line in _LISTED.splitlines() if line.strip())
