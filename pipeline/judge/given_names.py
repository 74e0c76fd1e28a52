"""Given names: in list mail, "Priya Nair" under an address that says nothing is a person, "Harbour Analytics" is not.

A name that is missing here costs nothing where the address repeats it or where the mail is no list mail.
"""

from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN_NAMES: Final = _names(
    """
    aaron abigail ada adam adrian agnes ahmed aiko aisha alan albert alejandro alessandro alex alexander alexandra
    alexandre alexis ali alice alicia alina alison amanda amber amelia amelie amina amir amit amy ana anastasia andrea
    andreas andrei andres andrew andy angela angelika anika anita anja anke ann anna anne annette annika antje anthony
    antoine anton antonia antonio anya april ariel arjun arne arthur ashley asma astrid audrey aurelie ava axel ayesha
    barbara bart bastian beate beatrice ben benjamin benoit bernard bernd bernhard beth bettina bianca birgit bjorn bob
    bogdan brad brandon brenda brian bridget britta bruce bruno bryan caleb camila camille carl carla carlos carmen
    carol carole caroline carolyn cassandra catherine cecile cecilia celine chad charles charlie charlotte chen chiara
    chloe chris christa christian christiane christina christine christoph christophe christopher cindy claire clara
    clarissa claude claudia claus clement colin connor corinna corinne cristina cynthia cyril dan dana daniel daniela
    danielle darren dave david dean deborah debra deepak denis denise dennis derek desmond diana diego dieter dietmar
    dimitri dirk dominic dominik dominique don donald donna doris dorothea dorothy doug douglas duncan dylan ebony eddie
    edgar eduardo edward eileen elaine elena eleanor elias elif elisa elisabeth elise elizabeth elke ella ellen elodie
    emanuel emilia emilie emily emma emmanuel enrico enrique erica eric erik erika erin ernst esra esther ethan eugene
    eva evan eve evelyn fabian fabien fabio fatima federico felicia felix fernanda fernando fiona florence florent
    florian frances francesca francesco francis francisco francois francoise frank franz fred frederic frederik
    friedrich gabriel gabriela gabriele gaelle gary gavin gemma geoff geoffrey georg george georgia gerald gerard
    gerhard gianni gina giovanni gisela giulia giuseppe glen glenn gloria gordon grace graham greg gregor gregory greta
    guido guillaume gunnar gunther gustav guy hana hanna hannah hannes hans harald harriet harry hassan heather hector
    heidi heike heiko heinz helen helena helene helga helmut hendrik henri henrik henry herbert hiroshi holger holly
    horst howard hugh hugo ian ibrahim ida ignacio igor ilona ilse imran ines inga inge ingo ingrid ioana irene irina
    iris isaac isabel isabella isabelle ivan jack jackie jacob jacqueline jacques jaime jake jakob james jamie jan jana
    jane janet janine jannik jasmin jasmine jason javier jay jayden jean jeanne jeff jeffrey jennifer jenny jens jeremy
    jerome jerry jess jesse jessica jesus jill jim jin jo joachim joan joanna joanne jochen joe joel joelle johan
    johann johanna johannes john johnny jon jonas jonathan jordan jorg jorge jose josef joseph josephine josh joshua
    joy joyce juan juana judith julia julian juliane julie julien juliet julius jun june jung jurgen justin justine
    jutta kai kamal karen karim karin karina karl karla karsten kate katharina katherine kathleen kathrin kathryn kathy
    katie katja katrin kay keith kelly ken kenneth kenji kerry kerstin kevin khalid kim kimberly kirsten kirstin klaus
    knut konrad kristen kristin kristina kristof kurt kyle lara larry lars laura laurence laurent lauren lea leah lee
    leila lena lennart leo leon leonard leonie leslie li lidia liam lily lina linda lindsay lisa liu livia liz lorenzo
    lothar louis louise luc luca lucas lucia lucie lucy ludwig luigi luis luisa luka lukas luke luna lutz lydia lynn
    mads magda magdalena maike malik manfred manon manuel manuela mara marc marcel marcela marcella marco marcos marcus
    margaret margarita margot maria mariana marianne marie marielle marina mario marion marisa marissa marius mark
    markus marlene marta martha martin martina martine mary masha mateo mathias mathieu mathilde matt matteo matthew
    matthias matthieu maurice max maxime maximilian maya megan mehmet mei melanie melissa mercedes mia michael michaela
    michal michel michele michelle miguel mika mike mila milan mina miriam mirko mo mohamed mohammed moira molly monica
    monika monique morgan moritz muhammad nadia nadine nancy naomi natalia natalie natasha nathalie nathan neha neil
    nelson ngozi nicholas nick nico nicola nicolas nicole niels nikita nikhil niklas nikolai nils nina noah noel noemie
    nora norbert norman nuno octavia odile olaf ole oleg olga oliver olivia olivier omar oscar otto pablo pamela paola
    paolo pascal patricia patrick patrizia paul paula pauline pavel pedro penelope perry petar peter petra phil philip
    philipp philippa philippe phoebe pia pierre pietro piotr polly priya qing quentin quinn rachel rafael rahul rainer
    raj ralf ralph ramon rani raquel rashid raul ravi ray raymond rebecca regina reiner reinhard renata renate rene
    ricardo richard rick rita rob robert roberta roberto robin rodrigo roger roland rolf roman romain rosa rosalie
    rosie ross roxane roy ruben rudolf rupert russell ruth ryan sabine sabrina said sally sam samantha samira samuel
    sandra sandrine sandy sanjay sara sarah sascha saskia scott sean sebastian sebastien selina selma serge sergei
    sergio seth shannon sharon shaun sheila sibylle sidney sigrid silke silvia simon simone sina sofia sonia sonja
    sophia sophie stacey stan stanislav stefan stefanie stella stephan stephane stephanie stephen steve steven stuart
    sue sunil susan susanna susanne suzanne sven svenja svetlana sylvia sylvie tamara tanja tania tara tariq tatiana
    ted teresa terry thea theo theodor theresa therese thierry thomas thorsten tiffany tilman tim timo timothy tina
    tobias todd tom tomas tony torsten tracey tracy tristan udo ulf uli ulrich ulrike ursula uta ute uwe valentin
    valentina valeria valerie vanessa vera vernon veronica veronika veronique victor victoria vijay viktor vincent
    viola virginia virginie vladimir volker walter wanda wayne wei wendy werner wilhelm will william wolfgang xavier
    yan yasmin yasmine yi yolanda yuki yusuf yves yvonne zachary zara zhang zoe zoltan
    """
)
