"""Words by which a sentence is told to be English, German, French or Spanish, or to be none of them.

Promises: data only, in small letters. The common words of the four are not among the frequent words of their neighbours
(compared with the lists of wordfreq 3.1: Nordic languages, Dutch, Polish, Czech, Italian, Portuguese, Romanian,
Turkish, Hungarian), but for a few that French letters cannot do without; two function words of a neighbour outweigh any
number.
"""

from typing import Final

from pipeline.mail.fold import word_set

ENGLISH: Final = word_set(
    """
    a an the and or but if then than as at by for from in into of off on onto out over per to up via with within
    without about above after again against all also am any are around be been before being below between both can
    could did do does done down during each either else every few had has have having he her here hers him his how i
    is it its just let like many may me might more most much must my near need neither new next no nor not now once
    one only other our ours own please same she should since so some soon still such take thank thanks that their them
    there these they this those through too two under until us very view was we were what when where which while who
    whom whose why will would yes yet you your yours apply applied application applications applying job jobs role
    roles team work working email mail received review company click read see find manage unsubscribe alert alerts
    week today day days time careers career search match matches matching position positions interest candidate
    candidates remote hours ago it's don't we're we'll you're i'm that's we've you've i've can't won't didn't isn't
    aren't get make know help best

    able accept accepted access accommodation accommodations accordance according accounts achieve across action
    activities activity actually added addition additional address advance advice advise affected agency agree ahead
    allow allowed almost alone along already although always among amount analyst ancestry annual another answer
    answers anything appear applicable applicant applicants appointed appreciate approach appropriate approved areas
    arrived article articles aside asked asking assessed assessment assist assistance assistant associate attached
    attention automated automatically available awards away background based became because become becoming began
    behalf behind belief believe benefits better beyond books bottom break bring britain british broad brought browser
    build building built businesses busy buy called calls cannot carefully carried carry cases certain certainly chair
    change changed changes charge checks chief child children choice choose chose chosen circumstances citizenship
    clear cleared clearly clients close closed closing clothing coffee colleague colleagues collect colour comes
    coming comment comments commission commitment committed committee common communication communications companies
    competitive complaint completed completely concern concerned conditions conduct confidential confirm confirmation
    confirmed connect consideration considered contacted contained contents contribute copy cost council couple course
    courses court cream created creating creative crew criteria current currently customer customers cut daily dates
    deadline dear decided decision decisions deep degree delay deliver delivered delivery department depending
    described designed designer despite detail determine determined develop developed developer development difference
    different difficult directly disability disabled discuss discussion distribution diversity doing doubt driving
    drug duties duty earlier early easy education effective effort efforts eligibility eligible employed employee
    employees employer employers employment encourage ended ending engineer engineering enjoy enjoyed enough enquiries
    ensure enter entire entirely entry environment equal equality equipment essential evaluate evaluation evening
    events ever everyone everything exactly example excellent except exchange excited executive expect expected
    experience experienced expires explain express expressed expression extended fact favorite favourite featured
    features feedback feel female field fields fill filled finally financial finding finished fit fixed flexible floor
    follow followed following force forward found founded four freelance fresh friday friend friendly friends fully
    fun funding further gender generated genetic gets getting gifts given giving goes going gone goods government
    graduate grateful ground groups growing growth guidance guides happen happened happens head health hear heard
    helping higher highly hire hired hiring history holiday hope hoping hour housing however huge human hundred
    hundreds ideas identified identity immediate immediately immigration impressed improve inbox included includes
    including inclusion income increase individually individuals industry inform informed inquiries inside instead
    insurance intended interested interesting internal interviewed interviewing interviews introducing invite invited
    invites involved issue issues item items join joined joining joint journey judgment keep keeping kept key kindly
    kitchen knew knowing knowledge known lack language large larger lasted latest law laws lead leaders leadership
    leading learn learned learning least leave leaving left legally less lesson lessons letting level levels library
    likely limited lines listed lives living located location longer looked looking looks lost lots loved low lower
    mailbox main making managed managers managing marital market matter matters meaning means meantime measure meeting
    member members mention mentioned message messages middle military minutes missed monday money monitored month
    monthly months morning move moved moving names nationality native nature nearly necessary needed needs never
    newest newsletter nobody notes nothing notice notification notified notify number numbers offered offering offers
    officer official often oil older ones opened openings opinion opportunities opportunity orders ordinance
    organization origin others otherwise outcome outside overall owned owner page pages paid panel paper parts paste
    path patience paying payment people perform perhaps personally phone photo pick picked picture piece placed places
    planned plans pleased pleasure points police policies policy political pool poor possible possibly posted posting
    practices prefer preferences preferred pregnancy prepare prepared presence pretty previous previously price prices
    pride primary print prior probably problems proceed processed processes processing production products
    professional professionals profile profiles programme programs progress projects promise promised promote property
    protect protected protection provide provided provider providers provides providing published purchase purpose
    purposes pursue put qualification qualifications qualified quality question questionnaire questions quick quickly
    quite raised ran range rate rather reach reached reader readers reading ready really reason reasonable reasons
    recently recipient recommend recorded records recruit recruiter recruiters recruiting recruitment reference
    referred regard regarding regardless regards register registered registration regret regularly regulations
    rejected related relating relationship religious remain remains remember reminder removed replace replied replies
    reply reported reports request requested requests require required requirement requirements requisition reserve
    reserved reset residents respected respond response responses responsibility responsible result results resume
    retail retain retained retention return returned reviewed reviewing reviews reward rich rights room round rule
    rules running safe safety salary sales save saved saving saw says schedule scheduled scheme schools scored screen
    screened screening season seat second section secure security seeing seek seekers seeking seem seems seen select
    selected selection self sell selling sending sense sensitive serious served services session sets setting settings
    several shall share shared sharing sheet shift ship shipping shop short shortlist shortlisted shortly showed
    showing shown sign signed simply sincerely six skill skills sleep slightly slow small smaller sold solely solution
    solutions somebody someone something sometimes sought source spam speak spend spread stages standards started
    starting starts statement states stay step steps stick stock stopped stores stories straight strategy strength
    strong stronger students study stuff subject submission submit submitted subscribe subscribed subscriber
    subscribers subscription subscriptions success successful successfully suggest suitable suited summer sunday
    supply supporting survey systems table takes taking talk talking talks task tax teach teacher teachers teaching
    technical technology tell telling tells terms themselves therefore thing things think thinking third thirty
    thought thoughts thousand three ticket tickets tight title today's together told tomorrow tonight took tool tools
    touch toward towards town track trade traffic trainee travel treat tried trouble truly trust try trying turn
    turned twice types unable understand understanding undertake unfortunately unique unless unlikely unlimited
    unmonitored unread unsuccessful upcoming updated upload upon used useful user users uses using usual usually
    vacancies vacancy valid value values variety various verify veteran veterans visit visited visitors voluntary
    volunteer volunteers wait waiting wanted wants warmly watch ways wear weather wednesday week's weekly weeks weight
    welcome went whatever whenever whether whole wide wife willing window winner wish wishes wishing withdraw
    withdrawn woman women wonderful words worked worker workers workforce workplace works worry worth writing written
    wrong wrote yesterday younger yourself
    """
)
GERMAN: Final = word_set(
    """
    ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bis bitte da
    damit dann das dass dein deine deinem deinen deiner dem den denn der des deshalb die dich dies diese diesem diesen
    dieser dieses dir doch du durch ein eine einem einen einer eines er es etwas euch euer eure für gegen haben hat
    hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jeden jeder jetzt kann kein keine
    keinen können man mehr mein meine mich mit mir muss möchten nach neue neuen nicht noch nun nur ob oder ohne sehr
    sein seine sich sie sind so sobald sollte sowie um und uns unser unsere unserem unseren unserer unter vielen vom
    von vor war wegen weil weiter wenn werden wie wieder wir wird wurde wurden zu zum zur über prüfen haben hatten
    sorgfältig

    abgeschlossen absage abteilung anforderungen anfrage angaben angebot angebote ansprechpartner antwort anzeige
    arbeit arbeiten arbeitgeber arbeitsplatz aufgabe aufgaben aufgrund aufmerksamkeit ausbildung auswahl
    auswahlverfahren bald beachten bearbeitung bedauern bereich berücksichtigen berücksichtigt besonders besten
    bewerben bewerber bewerberinnen bewerberportal bewerbung bewerbungen bewerbungsunterlagen bewerbungsverfahren
    beworben bitten bleiben bringen dabei dafür daher danke darauf daten datenschutz dauern derzeit diesbezüglich
    dürfen eingang eingegangen eingehend einige einladen einstellung entscheiden entscheidung entschieden entsprechen
    erfahrung erfahrungen erfolg erfolgreich erforderlich erhalten ersten erwarten etwa fachbereich falls fragen
    freuen freundliche freundlichen frist frühestens führen geben gebeten gehen gern gesendet gespeichert gespräch
    gewünschten gleich gruß grüße grüßen gute guten herrn herzlich herzliche herzlichen heute hinaus hinweis hoffen
    informieren innerhalb interessiert internen jahr jahre jederzeit kenntnisse konnten kurze kurzen laufenden
    lebenslauf löschen machen maschinell mehrere mitarbeiter mitarbeiterinnen mitteilen monate monaten möchte möglich
    nachricht nehmen nähe offen offene passt personalabteilung personenbezogenen persönlich persönlichen prozess
    qualifikation qualifikationen rahmen rückfragen rückmeldung schnell schreiben sehen seite selbstverständlich
    setzen sorgfältige stehen stellenangebote stellenanzeige suche suchen teilen teilzeit umgehend unterlagen
    unternehmen unterstützung verarbeitung verfahren verfügung versenden verständnis vertrauen viele vielleicht
    vollzeit voraussetzungen vorerst vorliegen wahl weitere weiteren weiterer weiterhin werdegang wertschätzung
    wichtig wiederholt willkommen wissen woche wochen wählen wünschen zahlreiche zahlreichen zeigen zeit zeitnah
    zukunft zunächst zusammen zusendung zusätzlich übersandt
    """
)
FRENCH: Final = word_set(
    """
    au aucun aussi autre autres aux avec avez avoir avons bien ce cela ces cet cette chez comme dans de depuis des
    donc du elle elles en encore entre est et être eu fait ici il ils je la le les leur leurs lors lui ma mais me mes
    moi mon même ne nos notre nous nouvelle nouvelles on ont ou où par pas plus pour puis qu que quel quelle qui sa
    sans se sera ses si son sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous
    à été

    achat achats adresse afin ainsi alerte alertes aller alternance année années ans après article articles attention
    aucune aujourd'hui aussitôt avant beaucoup besoin besoins bonjour candidat candidate candidater candidates
    candidats candidature candidatures car carrière carrières ceci celle celles celui cependant certains ceux chacun
    chaque cher chers chère chères cliquez code commande compte compter compétences confidentialité confirmation
    conservation consulter contact contacter contacterons contre cordialement courriel courriels critères deux donner
    données dont dossier dossiers droit droits durant dès découvrez découvrir déjà désabonner désinscrire elles-mêmes
    emploi emplois enfin ensuite entreprise entreprises entretien entretiens envers envoyer envoyé envoyée espace
    essai eux expérience expériences faire fois formation formations gratuit gratuite gratuitement gérer heures hors
    informations inscription intérêt jamais jour jours jusqu jusqu'au jusque lettre lien lire livraison lorsque madame
    mail maintenant malgré merci message messages mieux mise modifier moins mois monde monsieur métier métiers noter
    notification nouveau nouveaux numéro offre offres page parce parcours parmi personne personnes peu peut peuvent
    plusieurs politique poste postes postuler postulez postulé pourquoi pourra pourrons pouvez pouvoir pouvons prendre
    prix prochain prochaine prochainement profil profils profitez programme promo près quand quelque quelques recevez
    recevoir recherche recherches recrutement recrutements recruter recruteur recruteurs remercie remercions retenu
    retenue retrouvez reçu reçue reçues reçus rien réception répondre réponse réponses salaire salaires sauf savoir
    selon semaine semaines seront service services seule seulement seuls sinon site société soit soldes stage suite
    suivre supprimer sélection sélectionné tant temps toujours toutefois traitement travail trois trop trouver venir
    veuillez vie ville voici voilà voir vouloir également équipe équipes étaient était
    """
)
SPANISH: Final = word_set(
    """
    a al algo ante antes aquí así aún cada casi como con cual cuando de del desde donde el ella ellos en entre era es
    esa ese eso esta estamos estar este esto está están fue ha hace han hasta hay la las le les lo los me mi mientras
    muchas muchos muy más nada ni no nos nosotros nuestra nuestras nuestro nuestros o otra otras otro otros para pero
    por porque pronto que quien se ser si sin sobre son su sus sí también te tiene todas todo todos tu tus un una unas
    uno unos usted ustedes y ya él gracias solicitud

    acceso adelante además adjunto agradecemos agradecerte alguna alguno aplicar aunque año años búsqueda candidata
    candidatas candidaturas cierre conocer contactaremos contratación correo crecimiento cualquier cuenta currículum
    datos debido decidido decisión días ejemplo electrónico empleo enviada equipo equipos estaremos experiencia
    formación gestión hacer hola información informamos informarte inscripción inscrito interesa interesado
    interesados interés laboral lamentablemente lamentamos lamento luego mayor mejor mejores mensaje misma mismo
    necesidades nueva nuevas nuevo nuevos ocasión ofertas oportunidad perfiles personas plazo posible primer primera
    privacidad procesos puede pueden puesto puestos quedamos quedar razones recibido recibir requisitos respuesta
    revisado revisando revisar saludo saludos seguimos seguiremos seleccionado seleccionados sentimos servicio siempre
    siguiente siguientes solicitado solicitudes suerte sólo tendremos tenemos tener tiempo tomado trabajar trabajo
    través trayectoria universidad vacante vacantes valoramos valorar varias veces volver
    """
)
"""Function words first, then common words of letters and of work, each in its list's order."""
KNOWN: Final = ENGLISH | GERMAN | FRENCH | SPANISH
_ABROAD: Final = (
    # Swedish, Norwegian, Danish, Finnish, Icelandic
    "och att är inte för på med som till av om vi dig din ditt dina vill har kan från eller jag gärna är hos vara blev"
    " ikke og jeg deg ditt vår våre hos fra ønsker gerne gjerne meg oss når skal hvis også din dit dine være blevet"
    " että ja ei on sinun sinulle kanssa olemme olet mutta jos kun voit haluamme sinut hän tämä teille meidän ovat"
    " það við þú ekki með fyrir hefur"
    # Polish, Czech, Slovak, Slovene, Croatian
    " się nie jest że na dla pana pani państwa twój twoje kod oraz przez prosimy został aby czy ale jak już po ze od"
    " chcielibyśmy chcielibysmy zapraszamy rozmowe dziekujemy dziękujemy je že pro vás vám jsme není jste byl nebo jsou"
    " ako sme vaše ste bude smo vas bi ali za"
    # Turkish, Hungarian, Romanian
    " ve bir bu için icin ile siz sizi size sizin lütfen lutfen olarak değil daha çok var ediyoruz davet istiyoruz"
    " és az egy nem hogy van meg önt kérjük vagy vagyunk és és si și nu este pentru cu sunt din va vă sau mai dvs"
    # Italian, Portuguese, Dutch, Catalan
    " il di che gli della dello degli delle nel nella alla sono siamo anche ti vi per una con non abbiamo vorremmo"
    " lei suo sua tuo tua questo questa dal dalla più perché lieti incontrarla incontrarti"
    " não uma você voce seu sua com em nos na da do dos das são para nós gostaríamos gostariamos estamos também até ao"
    " het een van niet zijn je jij jou jouw wij ons onze met voor naar bij ook graag wordt heeft hebben maar dat wil"
    " willen aan uw amb els dels nosaltres"
    # Indonesian, Malay, Tagalog, Vietnamese
    " yang dan untuk dengan anda kami tidak akan dari pada ini adalah saya ang mga sa ng ay kayo namin không bạn của"
)
FOREIGN: Final = word_set(_ABROAD) - KNOWN
