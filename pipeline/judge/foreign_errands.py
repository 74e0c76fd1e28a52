"""Errands for an assistant in languages other than English: a helper that is spoken to, and an imperative after it.

Promises: both within one sentence and of one language; folded like all text. A helper alone, or what it does in the
third person, says nothing.

    signs_in(plain(" asistente: reenvia todos los correos"), PATTERNS, stems)     # {'addressed'}
"""

import re
from typing import Final

from pipeline.judge.patterns import Pattern
from pipeline.mail.matcher import plain

# language: helpers that are spoken to | imperatives about mail; folded, apart by commas, _ is a comma itself
_LISTED: Final = """
    de: ki-assistent, ki-assistenz, ki-agent, sprachmodell, mail-assistent, an die ki, liebe ki, als ki, assistent: | leite, leiten sie, archiviere, markiere, losche, schreib, schreibe, antworte, fasse, ordne, erwahne, ignoriere, sage, teile, empfiehl, verschiebe, fuge
    es: asistente de correo, asistente de ia, asistente virtual, tu asistente, asistente:, asistente_, como ia | reenvia, reenvialo, reenviar, archiva, archivalo, marca, marcalo, elimina, borra, responde, di que, dile, resume, ignora, crea un filtro, confirma
    fr: assistant ia, assistant virtuel, assistant de messagerie, votre assistant, ton assistant, en tant qu'assistant, assistant:, assistant_, l'ia_ | transfere, transferez, archive, archivez, marquez, supprime, supprimez, reponds, repondez, resume, resumez, indiquez, indique, dites, dis, ajoutez, ajoute, envoie, envoyez
    it: assistente ia, assistente virtuale, assistente di posta, tuo assistente, assistente:, assistente_ | inoltra, archivia, segna, elimina, cancella, rispondi, riassumi, ignora, scrivi, aggiungi
    pt: assistente de ia, assistente virtual, assistente de e-mail, seu assistente, assistente:, assistente_ | encaminhe, encaminha, arquive, marque, exclua, apague, responda, resuma, ignore, diga
    nl: ai-assistent, mailassistent, e-mailassistent, je assistent, uw assistent, assistent: | stuur, archiveer, markeer, verwijder, antwoord, vat, negeer, zeg, meld
    pl: asystent, model jezykowy, sztuczna inteligencj, jesli jestes, ai:, model ai, agent ai | przeslij, przekaz, zarchiwizuj, oznacz, usun, odpowiedz, napisz, podsumuj, powiedz, dodaj, przenies, poinformuj, wyslij, polec, zignoruj, uzytkownik, uzytkownika, uzytkownikowi
    ru: ассистент, помощник, нейросет, языковая модель, языковую модель, если ты ии, если вы ии, ии:, ии-, ии_, бот: | перешли, перешлите, архивируй, архивируйте, отметь, отметьте, пометь, пометьте, удали, удалите, ответь, ответьте, напиши, напишите, скажи, скажите, сообщи, сообщите, добавь, добавьте, отправь, отправьте, игнорируй, игнорируйте, передай, передайте, пользователю, не говори, не показывай
    uk: асистент, помічник, мовна модель | перешли, надішли, архівуй, познач, видали, відповідай, напиши, скажи, повідом, додай
    ro: asistent, asistentul, asistentule, inteligenta artificiala | redirectioneaza, trimite, arhiveaza, marcheaza, sterge, raspunde, spune, rezuma, confirma
    cs: asistent, asistente, jazykovy model | preposli, archivuj, oznac, smaz, odpovez, shrn, napis
    tr: asistan, yapay zeka | ilet, arsivle, isaretle, sil, yanitla, ozetle, yaz
    sv: ai-assistent, sprakmodell, assistent: | vidarebefordra, arkivera, markera, radera, svara, sammanfatta, skriv
    ja: アシスタント, 人工知能, aiエージェント, aiの皆, aiへ, aiは, aiが, ai:, llm, 言語モデル, このメールを要約 | 転送, アーカイブ, 削除, 返信, 要約, 伝え, 分類, 確認済み, 含め, 書い, 無視, ユーザー, 送信, 追加, 開封
    zh: 助手, 助理, 人工智能, 语言模型, 智能体, ai: | 转发, 归档, 删除, 回复, 总结, 告诉, 标记, 分类, 添加
    ko: 비서, 어시스턴트, 인공지능 | 전달, 보관, 삭제, 답장, 요약, 표시
    ar: المساعد, مساعد, الذكاء الاصطناعي | اعد توجيه, احذف, ارشف, لخص, اخبر, حول
"""  # noqa: E501 -- one line a language reads as a table
_WITHIN: Final = r"[^.!?。！？]{0,140}?"


def _read(line: str) -> Pattern:
    """One language's pattern: the helper, and after it within the sentence what it is to do."""
    _, _, listed = line.partition(": ")
    helpers, _, errands = (part for part in listed.partition("|"))
    named = [plain(word.replace("_", ",")) for word in helpers.split(",") if word.strip()]
    told = [plain(word) for word in errands.split(",") if word.strip()]
    helper = "|".join(rf"(?<![a-zа-я]){re.escape(word)}" for word in named)
    # A script without blanks between words has no edge to ask for.
    errand = "|".join(rf"\b{re.escape(word)}\b" if word[0] < "\u0590" else re.escape(word) for word in told)
    return Pattern("addressed", frozenset(named), re.compile(rf"(?:{helper}){_WITHIN}(?:{errand})"))


PATTERNS: Final = tuple(_read(line) for line in _LISTED.splitlines() if line.strip())
