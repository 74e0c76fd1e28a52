"""Given names, words for kin, and titles: what the name of a person has and that of a firm has not.

In list mail, "Priya Nair" under an address that says nothing is a person, "Harbour Analytics" is not; and a rule on a
sender's word that is a name would catch a person (lint.py). A name that is missing here costs nothing where the address
repeats it or where the mail is no list mail; what lint misses, stored mail tells (lint_mail.py).
"""

from typing import Final

from pipeline.mail.fold import word_set

GIVEN_NAMES: Final = word_set(
    """
    aaliyah aarav aaron abdallah abdul abdulrahman abebe abena abigail achieng ada adaeze adam adama aditi aditya
    adrian adriana agnes agnieszka agustin ahmed aidan aiden aiko aino aisha ajay akash akira akosua alan alana alba
    albert alec alejandro aleksander aleksandra alessandro alex alexander alexandra alexandre alexei alexis alfie
    alfonso alfred ali alice alicia alina alison aliyah alma alonso alvaro alvin amanda amara amber amelia amelie
    amina aminata amir amit amparo amy ana ananya anastasia anastasiya anders andras andrea andreas andrei andrej
    andres andrew andrzej andy angela angelika angus anika anil anita anja anjali anke ankit ann anna annabel
    annabelle anne annette annika anthony antje antoine anton antonia antonio anya april archie ariana ariel arjun
    arlene arnaud arne arnold artem arthur arturo arun arvid arvind asha ashley ashok asma astrid attila audrey
    aurelie ava axel ayesha ayse ayumi babatunde balazs barbara barry bart bartosz bastian beate beatrice beatrix
    beatriz becky begona belinda ben benjamin benoit bernadette bernard bernd bernhard bernice bertha beryl beth
    bettina betty beverly bhavna bianca birgit bjarne bjorn bob bogdan bohdan bonnie boris brad brandon brenda brett
    brian bridget brigitte britta bruce bruno bryan bryony burak byron caleb callum calvin camelia camila camille
    candela candice carina carl carla carlos carly carmela carmen carol carole caroline carolyn carrie casper
    cassandra catalin catherine cathy cecile cecilia cedric celia celine cesar chad charles charlie charlotte chen
    cheryl chester chiara chidi chioma chipo chloe chris christa christian christiane christina christine christoph
    christophe christopher chukwu cindy ciprian claire clara clarissa claude claudia claus clement clifford clive
    colin colleen concepcion connor conor consuelo cora corinna corinne craig cristian cristina csaba curtis cynthia
    cyril cyrus dagmar daisuke damian damien damon dan dana daniel daniela daniele danielle daphne darius dariya
    darren dave david dean deborah debra deepa deepak deirdre denis denise deniz dennis derek desiree desmond diana
    diego dieter dietmar dimitri dimitris dina dinesh dirk divya dmitri dmitry dmytro doina dolly dolores dominic
    dominick dominik dominique don donald donna dora doris dorota dorothea dorothy doug douglas dragos duane duncan
    dwayne dwight dylan ebony eddie edgar edith edmund edna eduardo edward edwin eileen eino ekaterina elaine
    eleanor elena eleni elias elif elihu elijah elisa elisabeth elise elizabeth elke ella ellen ellinor elliot
    elliott elodie eloise elsa elsie elvira emanuel emeka emil emilia emilie emilio emily emine emma emmanuel emre
    encarna enrico enrique eric erica erik erika erin erlend ernest ernst errol esperanza esra esther eszter ethan
    ethel eugene eunice eva evan evangeline eve evelyn ezra fabian fabien fabio fabiola faisal farah farai fatima
    fatma fatou federico felicia felicity felipe felix ferenc fergus fermin fernanda fernando filip finlay finn
    fiona florence florent florian florin floyd folake frances francesca francesco francis francisco francois
    francoise frank franz franziska fraser fred freda frederic frederik freja freya frida friedrich gabor gabriel
    gabriela gabriele gaelle gail galina gareth gary gaurav gavin gemma geoff geoffrey georg george georgia georgina
    gerald geraldine gerard gerhard gheorghe gianni gilbert gillian gina giorgos giovanni gisela gita giulia
    giuseppe gladys glen glenda glenn gloria godfrey gonzalo gordon grace graham greg gregor gregory greta guadalupe
    gudrun guido guillaume gunnar gunther gustav gustavo guy gwen gwendolyn gyorgy hakan hamish hamza hana hanna
    hannah hannes hans harald harish harold harriet harry haruka haruto hassan hatice hattie heather hector hege
    heidi heike heiko heinrich heinz helen helena helene helga helmi helmut hendrik henri henrietta henrik henry
    herbert hernan hilary hilda hinata hiroshi holger holly horst howard hubert huda hugh hugo huong huseyin hussein
    hyun ian ibrahim ibrahima ida ifeoma ignacio igor ilie ilona ilse imelda imogen imran imre ines inga inge ingo
    ingrid ingvild inmaculada ioan ioana ioannis ionut irene irina iris irma irving iryna isaac isabel isabella
    isabelle isha isla istvan itziar ivan ivor jack jackie jacob jacqueline jacques jadwiga jaime jake jakob jakub
    jamal james jamie jan jana jane janet janine jannik janos jared jarek jasmin jasmine jason jasper javier jay
    jayden jean jeanette jeanne jeff jeffrey jemima jennifer jenny jens jeremy jerome jerry jess jesse jessica jesus
    jihoon jill jim jin jiwoo jo joachim joan joanna joanne joao joaquin jocelyn jochen jodie joe joel joelle johan
    johann johanna johannes john johnny jon jonas jonathan jordan jorg jorge jose josef joseph josephine josh joshua
    josiah joy joyce jozsef juan juana juanita jude judit judith jukka julia julian juliana juliane julianne julie
    julien juliet julius jun june jung jurgen justin justine justyna jutta jyoti kai kaito kalle kamal kamau kareem
    karen kari karim karin karina karl karla karsten kasia katalin katarzyna kate katerina katharina katherine
    kathleen kathrin kathryn kathy katie katja katrin katy katya kavita kavya kay kayla keiko keira keith kelly
    kelvin ken kendra kenji kenneth kenta kerry kerstin kevin khalid kieran kim kimberly kiran kirsten kirstin
    kirsty kjell klaus knut kofi konrad kostas krishna kristen kristin kristina kristof krzysztof kseniya kumar kurt
    kwame kyle lachlan lajos lakshmi lana lara larry lars lasse laszlo laura lauren laurence laurent layla lea leah
    leandro lee leif leigh leila lena lennart leo leon leona leonard leonardo leonie leopold lerato leslie lester li
    liam lidia lillian lily lina linda lindsay linh linnea lionel lisa liu livia liviu liz lois lorena lorenzo lorna
    lorraine lothar louie louis louise lourdes luc luca lucas lucia lucie lucille lucinda lucy ludwig luigi luis
    luisa luka lukas luke luminita luna luther lutz lydia lynn lyudmila mabel macarena maciej madeleine madhu mads
    maeve magda magdalena magnus mahesh mahmoud maike maksim malak malcolm malgorzata malik mamadou manfred manish
    manon manuel manuela mara marc marcel marcela marcella marcia marcin marco marcos marcus marek margaret
    margarita margery margot maria mariam marian mariana marianna marianne maribel marie marielle marin marina mario
    marion marisa marisol marissa marit marius marjorie mark markus marlene marlon marta martha martin martina
    martine marton marvin mary masha mateo mateus mateusz mathias mathieu mathilde matt matteo matthew matthias
    matthieu matti maud maureen maurice mavis max maxime maximilian maxine maya meena megan megumi mehmet mei
    melanie melinda melissa melvin mercedes meredith merve mia michael michaela michal michel michele michelle
    miguel mihaela mihai mika mike mikhail mikko mila milagros milan mildred milena millie milos milton mina mingyu
    minh minjun mircea miriam mirko misaki mo mohamed mohammad mohammed mohan moira molly monica monika monique
    montserrat morgan moritz mostafa moussa muhammad mukesh murat muriel mustafa mykola myra myrtle nabil nadezhda
    nadia nadine nancy nanette naoko naomi natalia natalie natalya natasha nathalie nathan naveen ned neha neil
    nelson nerea neville ngoc ngozi nicholas nick nico nicola nicolae nicolas nicole niels nigel nikhil nikita
    niklas nikola nikolai nikos nils nina nisha njeri nkechi noah noel noelle noemie nomsa noor nora norbert norma
    norman nour nuno nuria oana obinna octavia odile okonkwo oksana olaf ole oleg oleksandr olena olga oliver olivia
    olivier olumide oluwaseun omar orla orsolya oscar oskar osman oswald otieno otis otto oumar ousmane pablo paddy
    padma paloma pam pamela panagiotis paola paolo pascal patricia patrick patrizia patsy paul paula paulina pauline
    pavel pavlo pedro pekka penelope pepe percy perry petar pete peter petra petteri phil philip philipp philippa
    philippe phoebe phuong phyllis pia pierre pietro pilar piotr polly pooja pradeep prakash pranav preeti priya
    qing quentin quinn rachel radek radu rafael ragnar rahul rainer raj rajesh rajiv rakesh ralf ralph ramon ramona
    randall rani rania raphael raquel rashid rashmi raul ravi ray raymond razvan rebecca reem reggie regina reginald
    reiner reinhard rekha renata renate rene reuben rhiannon rhoda rhys ricardo richard richie rick rita ritu rob
    robert roberta roberto robin rocio rodney rodolfo rodrigo rogelio roger rohan rohit roland rolf romain roman
    ronald ronan ronja ronnie rory rosa rosalie rosalind rosanna rosario roseanne rosemary rosie ross rowan roxana
    roxane roxanne roy ruben rudolf rufus rupert russell ruth ryan sabine sabrina sachin sadie said sakura salim
    sally salma salvador sam samantha sami samir samira samuel sandeep sandra sandrine sandy sanjana sanjay sanna
    santiago sapna sara sarah sascha sasha saskia satoshi saul scott sean sebastian sebastien selam selina selma
    seoyeon serena serge sergei sergey sergio seth seydou shane shannon sharon shaun shawn sheena sheila shelley
    sherry shinji shirley shreya shruti sian sibylle sidney signe sigrid sigurd siiri silas silke silvia silviu
    simeon simon simona simone sina sinead siobhan sipho sneha sofia soledad solveig sonia sonja sophia sophie sorin
    spyros srinivas stacey stacy stan stanislav stefan stefania stefanie stefano stella stephan stephane stephanie
    stephen steve steven stewart stig stuart sue sujin sunil sunita suresh susan susanna susanne suzanne svein sven
    svenja svetlana svitlana swati sybil sylvester sylvia sylvie tabitha takashi takeshi tamara tamer tamsin tania
    tanja tapio tara taras tariq tatiana ted tendai terence teresa terry tesfaye tetiana thabo thanh thao thea
    thelma theo theodor theodore theresa therese thierry thomas thorsten thuy tiago tiffany tilly tilman tim timo
    timothy tina tobias toby todd tom tomas tomasz tommy tomoko tony torsten tracey tracy trang trevor tricia trish
    tristan trudy tuan tudor tunde tuomas tyler tyrone uche udo ulf uli ulla ulrich ulrike una ursula usha uta ute
    uwe valentin valentina valeria valerie vandana vanessa varun vasile vasilis vasyl veikko vera vernon veronica
    veronika veronique vicente vicky victor victoria vijay vikram viktor viktoriya vince vincent vinod viola
    virginia virginie vivek vivian vivien vladimir vladislav volker volodymyr waleed wallace wally walter wanda
    wanjiru wayne wei wendell wendy werner wiebke wilbur wilfred wilhelm will willa william wilma winifred winston
    wojciech wolfgang xavier xiaoming xinyi yan yana yannick yannis yara yaroslav yasmin yasmine yelena yetunde yi
    yifan yoko yolanda yoshiko youssef yuki yulia yumi yuri yusuf yves yvette yvonne zachariah zachary zaid zainab
    zanele zara zbigniew zdenek zelda zeynep zhang zhiwei zoe zofia zoltan zsofia zsolt zuzana
    """
)
"""Some of the commonest, folded, in many languages."""
KIN: Final = word_set(
    """
    mum mummy mom mommy mama mamma dad daddy papa grandma grandpa granny grandad granddad nana oma opa mutti vati
    papi mami abuela abuelo nonna nonno mamie papy auntie aunty aunt uncle tante onkel tata baba
    """
)
"""What one's own people are called and call themselves."""
TITLES: Final = word_set(
    "mr mrs ms miss mx dr prof professor sir dame herr frau"
    " mme mlle monsieur madame senor senora sr sra srta don dona dott rev"
)
"""What stands before a person's name and says nothing of it."""
EVERYDAY: Final = word_set(
    """
    ada alba alma april ava barry bart bob brad bruce cindy claude dan dean don ella esperanza eve grace guy holly
    ida iris isla jack jay jin jo jordan joy jude june kay ken lee leo li luna marin max mercedes mike mo morgan
    nelson norman pepe pilar polly ray rob robin rosario roy salvador sandy shelley sherry soledad sue ted una will
    yan yi
    """
)
"""Given names that are everyday words or other things' names too: a rule may well mean the word."""
