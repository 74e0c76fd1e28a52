"""First names by which a sender word would catch a person. A few hundred of the commonest, folded, in many languages.

No list is complete; what it lacks, stored mail tells (`lint_mail`). Names that are everyday words or brands too (may,
will, chase, grant, april, mark, rose, art) are left out: a rule may well mean the word.
"""

from typing import Final

_NAMES: Final = """
aaron abdul abigail adam adriana agnieszka ahmed aisha alan alejandro aleksandra alessandro alex alexander alexandra
alexei alfonso ali alice alicia alison aliyah amanda amelia amina amir amit amy ana anastasia anders andrea andreas
andrei andres andrew andrzej angela angelika anita anja anjali anna anne annette annika antoine anton antonio anya
arjun arnaud arthur arvind astrid aurelie axel ayesha barbara bartosz beatriz ben benjamin bernard bernd birgit bjorn
brandon brian brigitte bruno camila camille carina carla carlos carmen carol caroline casper catherine cecilia celine
charlotte chen chiara chloe christian christina christine christoph christopher claire clara claudia clement conor
cristina cynthia dagmar damien daniel daniela daniele danielle darius david deborah deepak denise dennis diana diego
dieter dimitri dmitri dominik donna dorota dorothea eduardo edward eileen elena elias elisabeth elise elizabeth ellen
emily emma enrique erik erika esther eva evelyn fabian fabio fatima felix fernando filip finn fiona florian francesca
francesco francisco francois franziska frederic frederik gabriel gabriela georg george gerard gerhard giovanni
giulia gloria gonzalo gregory greta guillaume gunther gustavo hannah hans harald hassan heather heidi heike heinrich
helen helena henrik henry hiroshi hugo hussein ian ibrahim ignacio ines ingrid irene isaac isabel isabella isabelle
ivan jacob jacques jakub james jan jane janet janine javier jean jeffrey jennifer jens jeremy jessica joan joanna
joao jonas jonathan jorge joseph josephine joshua juan julia julian juliana julie jurgen justin justyna kaito karen
karim karin karl katarzyna kate katharina katherine kathrin katja kayla kenneth kerstin kevin khalid kimberly klaus
kristina krzysztof kumar lars laura lauren laurent lea lena leon leonardo leonie lindsay lisa lorenzo louis louise
luca lucas lucia luis luisa lukas maciej magdalena malgorzata manfred manon manuel manuela marc marcel marcin marco
maria mariam mariana marie marina mario marion markus marta martin martina mary mateo mateusz mathilde matteo matthew
matthias maurice mehmet mei melanie melissa michael michal michel michelle miguel mikhail milena miriam mohamed
mohammad mohammed monica monika monique mustafa nadia nadine nancy naomi natalia natalie nathan nicholas nicola nicolas
nicole niklas nikolai nina noah nora olaf olga oliver olivia olivier omar oscar otto pablo pamela patricia patrick
paul paula paulina pavel pedro peter petra philip philipp philippe pierre piotr priya rachel rafael raj rajesh ralf
ramon raquel rashid raul rebecca regina reinhard renata renate ricardo richard robert roberto rodrigo roland romain
roman ronald rosa roxana ruben rudolf ruth ryan sabine sabrina said salma samantha samir samuel sandra sandrine
santiago sara sarah sebastian sergei sergio sharon silke silvia simon simone sofia sonia sonja sophia sophie stefan
stefanie stefano stephan stephanie stephen steven sunita susan susanne sven sylvie tamara tanja tatiana thomas
thorsten tiago tim timothy tobias tomas tomasz torsten ulrich ulrike ursula uwe valentina valerie vanessa veronica
veronika vicente victoria viktor vincent virginia vladimir walter wei werner wiebke wojciech wolfgang xavier yannick
yasmin yolanda youssef yuki yusuf yvonne zainab zbigniew zoe zofia
"""
FIRST_NAMES: Final = frozenset(_NAMES.split())
