"""The words that make a number a code, and those that make it something else, in several languages.

All are folded before use, so case and accents do not matter. Words of scripts without spaces are
looked for anywhere in the text, the others only as whole words or as the end of a compound.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from pipeline.mail import fold

_CODE_WORDS: Final = """
code codes passcode passcodes otp pin tan mtan totp 2fa mfa password passwort kennwort einmalpasswort
wachtwoord contraseña clave senha codice codici código códigos codi koodi kod kodi kodu kodunuz
kodun kóda kódot kódu kode koden koder kodas koda cod codul parola parolanız parolası şifre şifreniz şifresi hasło
heslo lösenord adgangskode passord salasana jelszó код коду кода коди кодом пароль пароля κωδικός κωδικού
רמז קוד סיסמה סיסמא קודך रمز कोड पासवर्ड ओटीपी كود الرمز رمز رمزك kodas kods sandi
"""
COMPOUND_ENDS: Final = (
    "code",
    "codes",
    "kode",
    "koden",
    "kod",
    "koodi",
    "koodisi",
    "koodinne",
    "passwort",
    "passord",
    "losenord",
    "kods",
)
_NOT_COMPOUNDS: Final = (
    "barcode barcodes qrcode zipcode postcode encode decode unicode opcode bytecode opencode vscode shortcode"
    " sourcecode geocode strichcode quellcode spin hairpin underpin nopin leetcode freecode"
    " freecodecamp nocode lowcode"
)
_CODE_SUBSTRINGS: Final = """
验证码 驗證碼 校验码 动态码 動態碼 安全码 安全碼 登录码 登入碼 确认码 確認碼 认证码 認證碼 密码 密碼 代码 代碼 认证号
認証コード 確認コード 認証番号 暗証番号 セキュリティコード ログインコード パスコード ワンタイム パスワード コード
인증번호 코드 일회용 비밀번호
รหัส โอทีพี कोड ओटीपी رمز كود קוד
"""
_CODE_PHRASES: Final = (
    "mã xác",
    "mã otp",
    "mã bảo mật",
    "mã đăng nhập",
    "mã kích hoạt",
    "mật khẩu",
    "mot de passe",
    "one-time",
    "one time",
    "onetime",
    "palavra-passe",
    "usage unique",
    "un solo uso",
    "uso único",
    "engangs",
    "engångs",
    "jednorazow",
    "tek kullanımlık",
    "single-use",
    "einmal-",
)
# What a code is for, said without the word: the number must then look more like a code.
_HINT_WORDS: Final = """
verify verification verifying authenticate authentication login logon signin verifiziere verifizierung
bestätige bestätigen anmeldung anmelden verificar verificación verificação verifica verifiez vérifiez vérifier
vérification connexion connectez accedi accesso verificatie inloggen weryfikacja logowanie ověření ověřte
přihlášení bekräfta inloggning bekræft innlogging vahvista kirjautuminen doğrulama doğrulayın giriş
подтверждение подтвердите вход підтвердження вхід επαλήθευση σύνδεση verifikasi masuk
verificare autentificare megerősítés bejelentkezés
"""
_HINT_PHRASES: Final = (
    "sign in",
    "sign-in",
    "log in",
    "log-in",
    "two-factor",
    "2-step",
    "confirm your email",
    "confirm your account",
    "confirm it's you",
    "iniciar sesión",
    "inicio de sesión",
    "se connecter",
    "xác minh",
    "đăng nhập",
    "登录",
    "登入",
    "ログイン",
    "로그인",
    "تسجيل الدخول",
    "تحقق",
    "כניסה",
    "ยืนยัน",
    "本人確認",
    "验证",
    "驗證",
)
# Codes that open nothing. Taken out of the text before the words above are looked for.
_HARMLESS_PHRASES: Final = (
    "source code",
    "code review",
    "code reviews",
    "code freeze",
    "code of conduct",
    "code challenge",
    "code quality",
    "code coverage",
    "code signing",
    "code scanning",
    "no-code",
    "low-code",
    "open code",
    "error code",
    "status code",
    "exit code",
    "dress code",
    "building code",
    "area code",
    "zip code",
    "postal code",
    "post code",
    "country code",
    "qr code",
    "bar code",
    "promo code",
    "promotion code",
    "promotional code",
    "discount code",
    "coupon code",
    "voucher code",
    "referral code",
    "course code",
    "product code",
    "tax code",
    "code postal",
    "code promo",
    "code de la route",
    "code civil",
    "código postal",
    "código promocional",
    "código de descuento",
    "código fuente",
    "codice fiscale",
    "codice sconto",
    "codice postale",
    "code week",
    "hour of code",
    "code camp",
    "morse code",
    "visual studio code",
    "claude code",
    "pin board",
    "new pins",
    "pins for you",
    "pin up",
    "bowling pin",
    "rabattcode",
    "gutscheincode",
    "kortingscode",
    "rabattkod",
    "rabatkode",
    "kod rabatowy",
    "kod pocztowy",
    "slevový kód",
    "promokod",
    "промокод",
    "indirim kodu",
    "quelltext",
    "优惠码",
    "折扣码",
    "二维码",
    "クーポンコード",
    "qrコード",
    "password manager",
    "password policy",
    "uncode",
)
# Nouns before a number that say what it is.
_NUMBER_NOUNS: Final = """
order orders invoice invoices booking reservation ticket tickets case ref reference number no nr nº n num
po rma tracking shipment parcel issue pr pull request bug job jobs req requisition account acct ending ends
bestellung bestellnummer auftrag rechnung rechnungsnummer rechnungsnr buchung vorgang vorgangsnummer ticketnummer
kundennummer sendung commande facture réservation dossier numéro colis pedido factura reserva referencia número
fatura encomenda nota ordine fattura prenotazione numero bestelling factuur boeking dossiernummer zamówienie
faktura numer objednávka faktury ordre ordrenummer ordernummer bestilling tilaus lasku sipariş fatura
заказ заказа номер счет счёт замовлення paragraf room zimmer flight flug vol train suite apartment version
build release rfc iso din en article section page chapter model top vol volume issue edition
订单 订单号 訂單 發票 注文番号 注文 주문번호 주문 policy claim contract vertrag contrat contrato member loan
"""
_UNITS: Final = """
minutes minute mins min minuten minuti minutos minut hours hour stunden heures horas days day tage jours días
dias jobs job people persons users members items item results points punkte miles km kg followers views new
more photos euros euro dollars usd eur gbp chf kr zł pln czk points steps words credits stk pcs years jahre
"""
_JOINING: Final = """
is ist est es e è é jest er är on to lautet are is: the your dein ihr votre ton tu su seu il tuo number nummer
numéro número is het eto это ist: jest: är: la làː là wynosi je zní of below here
"""
_PROMOTION: Final = (
    "% off",
    "sale",
    "discount",
    "promo",
    "coupon",
    "voucher",
    "free shipping",
    "rabatt",
    "gutschein",
    "soldes",
    "réduction",
    "descuento",
    "rebajas",
    "sconto",
    "saldi",
    "korting",
    "black friday",
    "cyber monday",
    "deal",
    "save ",
    "offer",
    "use code",
)


@cache
def folded(group: str) -> tuple[str, ...]:
    """The entries of one group, folded."""
    groups: dict[str, Sequence[str]] = {
        "code": _CODE_WORDS.split(),
        "inside": _CODE_SUBSTRINGS.split(),
        "phrases": _CODE_PHRASES,
        "hints": _HINT_WORDS.split(),
        "hint_phrases": _HINT_PHRASES,
        "not_compounds": tuple(_NOT_COMPOUNDS.split()),
        "harmless": _HARMLESS_PHRASES,
        "nouns": _NUMBER_NOUNS.split(),
        "units": _UNITS.split(),
        "joining": _JOINING.split(),
        "promotion": _PROMOTION,
    }
    return tuple(dict.fromkeys(fold.fold(entry) for entry in groups[group]))


@cache
def as_set(group: str) -> frozenset[str]:
    """The single words of one group, folded."""
    return frozenset(word for entry in folded(group) for word in fold.words(entry))


def is_code_word(word: str) -> bool:
    """Whether one folded word names a code, alone or as the end of a compound (Bestätigungscode)."""
    if word in as_set("code"):
        return True
    return len(word) > 5 and word.endswith(COMPOUND_ENDS) and word not in as_set("not_compounds")
