"""Common given and last names of many countries, words of streets and of companies. Lower case, without accents."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN_NAMES = _words(
    """
    aaliyah aarav aaron abby abdul abdullah abdulrahman abebe abena abigail achieng ada adaeze adam adele adeline
    aditi aditya adrian adriana adriano agata agathe agnes agneta agnieszka agus agustin ahmad ahmed ahmet aidan
    aiden aiko ailsa aimee aino aisha aissatou ajay akemi akihiko akiko akira akosua akua alain alan alastair alba
    alban albane albert albrecht alec alejandra alejandro aleksander aleksandra aleksei alessandro alessia alex
    alexander alexandra alexandre alexei alexey alexis alfie alfonso alfred alfredo ali alice alicia alicja alina
    aline alison alix allan allison almudena alvaro alyssa ama amadeu amaka amalia amanda amandine amara amaury
    amber amelia amelie americo amina amir amira amit amparo amy ana anabela anais ananya anastasia anatol anders
    andi andre andrea andreas andree andrei andrew andri andrzej aneta angela angelica angelique angharad angus anh
    anil anita anja anjali anke ankit ann anna annabel anne anneke annelies anneliese annick annie annika anong
    anouk ante anthony antje antoine antoinette anton antonia antonio antti anu aoi aoife apolline araceli arantxa
    archie ariane arjun arkadiusz armando armelle armin arnaldo arnaud artem arthur artur arun asa asami asep ashley
    ashok ashton assunta astrid atieno atsushi attila aubin aude audrey augustin augusto aurelie aurelio aurore
    austin ava avery avi awa axel axelle ayaka ayse ayu ayumi azadeh babatunde balazs bambang bao baptiste barbara
    barry bartek bartosz bastian bastien bayu beata beate beatrice beatriz becky begona behzad bekele belen ben
    benedicte benedikt benedita benedito bengt benito benjamin benoit berenice bernadette bernard bernd bertrand
    beth bethany bettina betty beverly biljana bill billy birger birgit birgitta bjorn blake blanca blandine bo bob
    bobby bogdan boguslaw bohdan bohumil bongani bonnie boris borja bozena brad bradford bradley bram brandon
    brayden brenda brendan brian brice bridget brigitte brittany bronwen brooke bruce bruna bruno bryan bryce budi
    burak busra caitlin caleb callum calvin cameron camila camilla camille candela candice capucine carina carl
    carla carlos carlota carlotta carmela carmen carol carole carolina caroline carolyn carrie cassandra catalin
    catalina catarina catherine catriona cecil cecile cecilia cedric celia celine cem cerys cesar chad chantal chao
    charlene charles charlie charlotte charo cheikh chelsea chema chen cheng cheryl chester chiara chidi chie
    chinedu chinwe chioma chloe christa christel christelle christer christian christina christine christophe
    christopher chukwuemeka ciara cillian citlali claire clara clare clarence clarice clarisse claudia claudio
    clayton cleber clemence clement clementine clifford clive clothilde clyde cody colette colton concepcion
    concetta connor conor constance consuelo coralie corentin corinne cormac cornelia cornelis courtney craig
    cristiano cristina curtis cynthia cyril cyrille daan dagmar daichi daiki daisuke dale dalibor dalva damian
    damien damon dana daniel daniela danielle danuta darcy dario darnell darren darryl david davide dawid dawit dean
    debora deborah debra declan dedi deepa deepika defne deirdre deise delphine denis denise dennis derek derya
    deshawn desi desmond despina detlef dewi dexter dian diana diane diarmuid didier diego dieter dimitrios dimitris
    dina dinesh diogo dirk divya dmitri dmitry dolores domingo dominic dominik dominique donald donna donovan doris
    dorota dorothy douglas dragan drahomira duarte duc duncan dung dusan dustin dwi dwight dylan earl ebba ebony
    ebru eckhard edgar edith edmund edoardo edouard edsger edson eduardo edward edwin eero eeva efua egon eiji
    eileen eitan eka ekaterina eko elaine eleanor elena eleni eleonore eli eliane elias elif elijah elin elina elisa
    elisabeth elisangela elise eliza elizabeth ella ellen elliot elliott ellis elodie eloise eloy els elsa elsie
    elvira elzbieta emeka emelie emeline emi emil emilia emiliano emilie emily emine emma emmanuel emmett emre
    encarna encarnacion endang enrico enrique enzo eoin eric erica erik erika erin ernest ernesto ernst erzsebet esi
    esme esperanza esra esteban estelle ester esther eszter ethan etienne etsuko ettore eugene eugenie eulalia eun
    eusebio eva evan eve evelyn evelyne everton evgeni evgeny ewa ewan fabian fabiana fabien fabienne fabio fabrice
    fabricio fallon fang fanny farah farai farhad fatima fatma fatou faustine fay federica felicia felicie felicity
    felipe felisa felix femke ferenc fergus fermin fernand fernanda fernando fidel filip finn fiona fitri flavia
    flavio fletcher fleur florence florent florentina florian floyd folake frances francesca francesco francine
    francisco franck francois frank frantisek franz freddie frederic frederik frederique fredrik freja freya frieda
    friederike friedrich fritz fumiko funmilayo gabor gabriel gabriela gabriele gael gaelle gaetan galina ganesh
    gareth garrett gary gaspard gauthier gavin gayle geeta gema genevieve geoffrey geoffroy georg george georgia
    georgina georgios gerald geraldine geraldo gerard gerardo gerda gerhard germain german gheorghe ghislaine
    giannis gilbert gilberto gilles gillian gilson gines ginevra giorgia giorgos giovana giovanni gisela gisele
    giulia giuseppe gizem glen glenn gloria goncalo gonzalo goran gordon graca grace graham greg gregoire gregorio
    gregory greta grzegorz guadalupe gudrun guido guilherme guillaume guillermo gun gunilla gunnar gunter gunther
    gurpreet gus gustav gustavo gwen gwenaelle hadi hailey hajime hakan hal halina hamish hana hanan hanh hanna
    hannah hanne hannelore hans hao harald harold harper harpreet harriet harry hartmut haruka haruki haruto harvey
    hasan hassan hatice heather hector heidi heike heinrich heinz helder helen helena helene helga helio helmut
    hendra hendrik henk henri henriette henrik henrique henry henryk herbert herman hermann herve hideo hilary hilda
    hilde hina hiroki hiroko hiroshi hisako hitomi hoa holger hollis holly honore horst hortense hortensia hossein
    howard hrvoje hubert huda hugh hugo hui hung huong huseyin hussein huy hye hynek hyun iain ian iara ibrahim
    ibrahima ichiro ida ifeoma ignacio igor iker ilan ilaria ildiko ilse imani imogen indah indra ines inga inge
    ingeborg ingela ingmar ingo ingrid inmaculada ioana ion iona ira irem irena irene irina irma irwan iryna isaac
    isabel isabella isabelle isadora ishaan ishita isidro isla ismail istvan itai itzel itziar ivan ivana ivo ivone
    ivy izabela jacinto jacira jack jacob jacobo jacqueline jacques jadwiga jaime jair jake jakub jamal james jamie
    jan jana janaina jane janet janice janina janusz jared jarmila jarmo jaroslav jaroslaw jarvis jason jasper
    jaspreet jaume javier jay jayden jean jeanette jeanne jeannine jeff jeffrey jelena jemima jenna jennifer jenny
    jens jeremiah jeremy jeroen jerome jeronimo jerry jerzy jesper jesse jessica jia jian jie jiho jihoon jill jim
    jimena jin jindrich jing jiri jitka jiwoo joachim joakim joan joana joanna joanne joao joaquim joaquin jocelyne
    jochen jodie joe joel johan johann johanna johannes john joke joko jolanda jolanta jonas jonathan jonna joost
    jordan jordi jorge jose josef josefa josefin josefina joseph josephine josette josh joshua josiane josip josue
    joyce jozef juan juana jucelia judicael judith judy juergen juha juhani jukka jules julia julian juliana julie
    julien juliet julio jun junko jure jurgen jussara justin justine kacper kaisa kamau kamil kamila kanya kaori
    karan kareem karel karen kari karim karin karina karine karl karolina karthik kartika kaspar kasper katalin
    katarzyna kate katerina katharina katherine kathleen kathryn katie katja katrin katsumi katya kaveh kavita kavya
    kay kayden kayla kazuko kazuo kees kei keiko keira keisha keisuke keith kelechi kelly kelvin kemal kendra
    kenichi kenji kenneth kenny kent kenta kerry kerstin kevin khadija khaled khalid khanh kiera kieran kim kimberly
    kipchoge kiran kirill kirsten kirsty kjell klara klaus knut kofi koichi kojo konrad konstantin konstantinos
    kostas kouji krishnan kristen krister kristian kristin kristina krzysztof kuldeep kumiko kurt kveta kwabena
    kwame kweku kyle kyoko kyung ladislav laetitia laia lais lakshmi lana lance landon larissa larry lars lasse
    laszlo latoya laura laure lauren laurence laurent laurie lawrence layla lea leah leandre leandro leanne lee lei
    leif leila leire leland lena lenka lennart leo leonard leonardo leonie leonor lerato leslie lestari lester
    leszek leticia lewis li liam liang libor lidia lilian liliana lillian lilou lily lina linda lindiwe linh linnea
    linus lisa lise lloyd logan loic lois lola loredana lorena lorenzo loretta lori loris lorna lorraine lotta lotte
    lou louane louis louise lourdes luana lubos luc luca lucas lucia luciana luciano lucie lucien lucile lucille
    lucinda lucy ludivine ludmila ludovic ludovico ludvig ludwig luigi luis luisa luiz luiza luka lukas lukasz luke
    lurdes lutz lydia lydie lynn lyudmila maaike mabel macarena mackenzie madalena madeleine madison mads mael
    maelle maelys maeve mafalda magali magda magdalena magnus mahesh mahmoud maite maja makena makoto maksim malcolm
    malee malgorzata malik malin malte mamadou mandla mandy manfred manoj manolo manon manpreet manuel manuela marc
    marcel marcela marcelle marcelo marcia marcin marcio marco marcos marcus marek margaret margareta margarete
    margarida margarita margaux marguerite mari maria mariam marian mariana marianne mariano maribel marie marieke
    marielle mariko marilyn marina marine mario marion marisa marisol marit marius mariusz marjorie mark marketa
    marko markus marlene marloes marquis marshall marta martha martial martin martina martine marvin mary maryam
    masahiro masaki masako masao masaru mason massimo matej mateo mateus mateusz mathieu mathilde mathis matias
    matilda matilde mats matteo matthew matthias matthieu matti mattias maud maude maureen maurice mauricio mauro
    mavis max maxence maxime maximilian maximo maxine mayumi meera meg megan megumi mehdi mehmet mei melanie melissa
    melvin meredith merve mervyn meryem mette mia micaela michael michaela michal michel michele michelle michiko
    mick mickael miguel mihaela mihai miho mika mikael mike mikhail mikkel mikko mikolaj milan mildred milena miles
    milica millie min ming minh minjun minnie minoru minseo miranda mireia mireille mirella miriam mirjana miroslav
    miroslaw misaki mitchell mitsuko miyuki mohamed mohammad mohammed moira moises molly mona monica monika monique
    monserrat montserrat morag morgan morgane moritz morten moshe moussa muhammad mukesh murat muriel mustafa mwende
    mykola myra myrtle na nacho nadege nadia nadine nancy naoki naoko naomi nasrin natalia natalie nataliya natasha
    nathalie nathan nathanael natividad natsuki nattapong naveen navid nazli ned neha neil nell nelson nerea nestor
    neusa nga ngozi nguyen nia niall niamh nicholas nicola nicolas nicole niels nigel nikhil niklas nikola nikolai
    nikolaos nikos nils nilton nina nisha njeri nneka noa noah noe noelia noemi noemie nomsa noor nora norbert
    noriko norma norman nour novi nuala nuno nuria nurul obinna oceane octavio odete odette odile oihane oisin
    oksana olaf ole oleg oleksandr olga oliver olivia olivier oliwia olle olof olumide oluwaseun omar ombeline omer
    omid ondrej onyango opal oren oriol orla osamu oscar oskar osman osvaldo otakar otavio otieno otto ousmane
    ovidio owain owen ozlem pablo paco padraig paige paivi pallavi paloma pamela panagiotis paola paolo parisa
    pascal patricia patrick patrik patrizia patryk patsy paul paula paulina pauline paulo pavel pavla pawel pedro
    peggy pekka penelope peng pepa per pere pernilla perrine perry petar peter petr petra peyton phil philip
    philippe philippine phoebe phuong phyllis pia piero pierre piers pieter pietro pilar piotr piper polly pontus
    pooja poppy pradeep prasert preston primoz priscila priya przemyslaw purificacion putri qiang qing quang quentin
    quinn rachel radek radha radim radka rafa rafael rafaela rafal rahayu rahul raimund raimundo rainer raj rajesh
    ralf ralph ramesh ramiro ramon ramona randy rania raphael raquel rashid rasmus ratna raul ravi raymond raymonde
    rebecca reese regina reginald regis reiko reinaldo reinhard reka rekha remedios remi remy ren renan renata
    renate renato renaud rene rex reynald reza rhona rhys ricarda ricardo riccardo richard rie riitta rina rini rita
    ritu rivka rizki robert roberta roberto rocio roderick rodney rodolfo rodolphe rodrigo rogelio roger rogerio
    rohan rohit roisin roland rolf romain romane romeu ron ronald ronaldo ronan ronit roque rory rosa rosalia
    rosalie rosalind rosana rosangela rosemary rosie ross rostislav roxana roxane roxanne roy ruben rudi rudolf
    rufus rui rune rupert russell rute rutendo ruth ruud ruzena ryan ryo ryosuke ryota ryszard sabine sabrina
    sachiko sakura sally salma salome salvador salvatore sam samantha samir samira sampo samuel sandeep sander
    sandor sandra sandrine sanjay sanna sanne santiago saoirse sara sarah sarka saskia satomi satoshi saul sayaka
    scarlett scott seamus sean sebastian sebastiao sebastien segolene selam selim selin selina sem seojun seoyeon
    serge sergei sergey sergi sergio serkan seth severin severine severino sevgi shane shannon shanti sharon shaun
    sheila shelley sheryl shigeru shin shinji shira shirin shirley shizuka shlomo shota shreya shun sian siddharth
    sidney signe sigrid silke silvana silvia silvio simao simon simona simone simran sinead siobhan sipho siriporn
    sita siti sjoerd skyler slawomir sneha sofia sofie solange soledad solene solveig somchai somsak sonia sonja soo
    sophia sophie soraya soren sota spela sri stacey stan stanislas stanislav stanislaw stanley stefan stefania
    stefano steffen sten stepan stephane stephanie stephen steven stewart stig stuart sture sue sugeng suharto sule
    sung sunil sunita suparman suresh susan susana susanne susanti susilo susumu suzanne sven svenja svetlana swati
    sylvain sylvaine sylvia sylvie sylwia szymon tabitha tadashi tadeusz taiki takahiro takashi takeshi takuya tamar
    tamara tamas tanguy tania tanisha tanja tao tara taras tarek tariq taro tatiana tatiane tatsuya ted teguh telma
    temitope tendai teodor teodoro terence teresa tereza terry tess tessa tetsuya thabo thais thandiwe thanh thea
    thelma theo theophile theresa therese thi thiago thibault thibaut thierry thijs thilo thomas thorsten thu thuy
    tiago tiffany tigist tim timo timothee timothy tina tobias toby todd tolga tom tomas tomasz tomislav tommaso
    tommy tomoko tony torbjorn torsten toru toshio tracey tracy trang trevor tristan trudy tsubasa tuan tunde tuula
    tyler tyrone uchenna udo ulf ulla ulrich ulrika ulrike umar una unai urban ursula ute uwe vaclav valdir valentin
    valentina valentine valeria valerie valter van vanesa vanessa varun vasile vasiliki veikko vera verena vernon
    veronica veronika veronique vesna vic vicenta vicente vicky victoria viera vijay vikram viktor viktoria ville
    vince vincent vincenzo vinicius viola virginia virginie vit vitor vitoria vivek vivian viviana viviane vivien
    vladimir vladimira vlasta vlastimil vojtech volkan volker volodymyr wagner wahyu waldemar wallace walter
    waltraud wambui wanda wanderley wanjiru warren wati wawan wayan wayne wei wellington wen wendy werner wes wesley
    whitney wieslaw wiktoria wilfred wilfried wilhelm willem william willie wilma winfried winifred winston witold
    wojciech wolfgang woo wouter wulan wyatt xabier xavier xena xiang xiao ximena xin xiu xochitl xue yael yago
    yaiza yan yang yann yannick yannis yanti yara yash yasmin yasmine yasuko yaw yelena yetunde yewande ying yohan
    yoko yolanda yong yosef yoshiko yoshio yousef youssef yu yuan yudi yui yuka yuki yukiko yuko yulia yumi yumiko
    yun yuni yuri yusuf yusuke yuto yvan yves yvette yvonne zacharie zachary zack zainab zanele zara zawadi zbigniew
    zdenek zdenka zeinab zelia zeynep zhen zlatuse zoe zofia zoila zoltan zoran zsuzsanna zuzana zygmunt александр
    алексей анастасия андрей анна антон артем борис вадим валентина валерий василий виктор виктория владимир галина
    григорий дарья денис дмитрий евгений екатерина елена иван игорь ирина кирилл константин ксения людмила максим
    марина мария михаил мохамед надежда наталья никита николай олег ольга павел петр полина роман светлана сергей
    татьяна юлия юрий ярослав أحمد إبراهيم حسن حسين خالد خديجة زينب سارة سعيد سلطان سلمى سمير طارق عائشة عبد عبدالله
    علي عمر فاطمة فهد كريم ليلى ماجد محمد محمود مريم مصطفى نور هدى يوسف
    """
)
LAST_NAMES = _words(
    """
    abbasi abbott abe abercrombie aberg abernathy abreu abubakar adamczyk adams adebayo adewale adeyemi adkins
    afolabi agarwal aguiar aguilar aguirre agyeman ahlberg ahmadi ahmed ahn akesson albrecht aldridge alekseev
    alexander alghamdi alharbi ali allen alm almansour almeida alonso alvarez alves amaral amorim andersen anderson
    andersson andre andreasson andreev andrews andrzejewski ansari antunes aoki appiah aquino arai araujo archer
    arias armstrong arnaud arnold aronsson arora arroyo arslan asante ashton ashworth aslan atkins atkinson aubert
    aubry avila axelsson aydin azevedo aziz babic bailey bailly bak baker bakker baldwin ballard balogh balogun
    banerjee baran barber barbier barbieri barbosa barker barlow barnes baron barre barrett barrientos barros barry
    barta barth barthelemy barton bates batista bauer baumann baumgartner bautista baxter beck becker beckett begum
    behrens bell benard benes bengtsson benitez bennett benoit benson bento berger berggren berglund bergman
    bergmann bergqvist bergstrom bernard bertrand besson bezerra bhatia bhatt bianchi bird biton bjork blackburn
    blackwood blaha blair blake blanc blanchard blaszczyk blom blomqvist boateng bock bohm bondarenko bonnet booker
    borges borkowski bos bose bostrom boucher bouchet boulanger bourdin bourgeois bowen bowman boyd boyer boyko
    bradley bradshaw brady braga brandt braun brennan breton brewer briggs brinkmann brito brooks brouwer brown
    brunet bruno bruschi bryant brzezinski buchanan bui burgess burke burns burton busch butler byrd byrne caballero
    cabral cabrera cai cain caldeira caldwell calvo camargo cameron campbell campos cano cao cardenas cardoso carey
    carlier carlson carmona carneiro caron carpentier carr carrasco carroll carson carter cartwright caruso carvalho
    casey castellano castillo castro cavalcanti celik cermak cerny cervenka cetin chambers chan chapman charles
    charpentier chatterjee chaudhry chauhan chavez chen cheng cheung chevalier chmielewski cho choi chopra chow
    christensen christie chua chukwu cieslak cizek claesson clark clarke clayton clement coelho cohen coleman collet
    collins colombo connor conrad constantin conti contreras conway cook cooper corbett correia cortes costa
    coulibaly cousin couto cox craig crawford crespo cruz cuesta cummings cunha cunningham curie curtis czarnecka
    czarnecki czerwinski dabrowski dahlberg dalton daly dang daniel daniels danielsson dantas das david davidson
    davies davis dawson de dean dejong dekker dela delacroix delgado demir dempsey deng denis dennis desai deschamps
    deshpande devries dewit dhillon diallo dias diaz dietrich dijkstra dimitriou ding dinh diop dixon djordjevic
    dlamini do dodd dogan doherty dolezal domingues dominguez donovan dostal douglas doyle dreyer drummond duarte
    dubois duda dudek duffy dufour dumas dumitru dumont duncan dunn duong dupont dupuis duran durand dusek dutta
    duval dvorak eastwood eaton ebert economou edwards egorov einstein ek eklund ekstrom elliott ellis ellison
    emerson endo engelhardt engstrom erdogan eriksson ernst escobar espinosa espinoza esposito esteban esteves
    etienne evans evrard eze fabre fairfax falcao faria farias farkas farouk farrell faulkner faure favre fedorov
    ferguson fernandez ferrara ferrari ferreira ferri fiala fiedler figueiredo figueroa finch fischer fisher
    fitzgerald fitzpatrick fleming fletcher fleury flores flynn fonseca fontaine fontana forbes ford forsberg
    forslund foster fournier fowler franca francis francois frank franke franklin fransson fraser fredriksson
    freeman freire freitas french friedman friedrich fritsch fuchs fuentes fujii fujita fujiwara fukuda fuller funk
    gaillard gajewska gajewski gallagher gallardo gallego gallo gao garcia gardner garner garnier garrett garrido
    gaspar gauthier gautier gebhardt geiger george georgiou gerard germain gheorghe ghosh gibbons gibbs gibson gil
    gilbert giles gill gimenez girard giraud glover glowacki goddard godinho goh goldberg gomes gomez goncalves
    gonzalez goodman goodwin gordon gorski goto gould grabowski graham grantham grasso graves gray greco green
    greene gregory griffin griffiths grondin guerin guerra guerrero guillaume guillemin guillot guimaraes gunnarsson
    gunther guo gupta gustafsson gutierrez haas haddad hagen hagglund hahn haile hajek hakansson hale hall
    hamalainen hamdan hamilton hammond hamon han hancock handayani hansen hanson hara harada harding hargrove harper
    harrington harris harrison hart hartmann hartono harvey hasegawa hashimoto hashmi hassan havel hawkins hawthorne
    hayashi hayes haynes he heath hebert hedberg hedlund heikkinen heine heinrich heinz hellstrom henderson hendriks
    henriksson henriques henry herbert hermansson hernandez herrera herrero herrmann herve herzog hess hewitt hicks
    hidalgo hidayat higgins hill hinz hirano hirata hlavacek hoang hobbs hodges hodgson hoffmann hofmann hogan
    holden holland hollingsworth holloway holmberg holmes holmgren holmqvist holt holub hooper hopkins hopper horak
    horton horvat horvath hosseini houghton howard howe howell hruska hu huang hubbard huber hubert hudson huet
    hughes humphrey hunt hurst hussain hussein hutchinson huynh hwang ibanez ibrahim iglesias igwe ikeda ilic imai
    ingram inoue ionescu irwin isaksson ishida ishii ishikawa ito ivanov ivanova iwasaki iyengar iyer jablonski
    jackson jacob jacobs jacquet jager jahn jain jakobsson jakubowski james jang jankowski jansen jansson jarvinen
    jarvis jaworski jean jelinek jenkins jennings jensen jeon jiang jimenez jirasek johansen johansson johnson
    johnston joly jonasson jones jonsson josefsson joshi joubert jovanovic joyce juarez juhasz julien jung juric
    kaczmarek kaczor kadlec kaiser kalinowski kamau kaminska kaminski kaneko kang kapoor karimi karlsson karlstrom
    kato katz kaur kavanagh kawai kawasaki kaya keita keith keller kelly kemp kendall kendrick kennedy kent
    kernighan kerr kessler khalil khan khanna khoury khumalo kikuchi kilic kim kimura king kinoshita kiprop kirby
    kirchner kirk klein kluge knowles knuth kobayashi koc koch koh kohler kolar kolodziej kondo kone konstantinou
    kopec kopecky korhonen korkmaz koskinen kovacevic kovacs kovalenko kovar kowalczyk kowalewski kowalska kowalski
    kozak kozlov kozlowska kozlowski krajewski krajnc kral kramer kratochvil kraus krause kravchenko krawczyk krejci
    kristiansen kriz krol kruger krupa kubat kubiak kucera kucharski kudo kuhlmann kuhn kuipers kulkarni kumar kunz
    kurniawan kurosawa kusuma kuznetsov kwiatkowski kwok kwon lacroix laine lakatos lambert lamy lange langley
    langlois laporte larsen larson larsson lau laurent lawrence lawson le leach lebedev leclerc leclercq lecomte lee
    lefebvre lefevre legrand legros lehmann lehtonen leite lejeune lemaire lemoine leonard leroy lestari leung
    leveque levy lewandowska lewandowski lewis li liang lim lima lin lindberg lindblom lindemann lindgren lindholm
    lindner lindqvist lindsay lindstrom lis liskov liu llewellyn lloyd lockhart lofgren logan loiseau lombardi long
    lopes lopez lorenz lorenzo loureiro lourenco lovelace lowe lozano lu luca lucas ludwig lundberg lundgren lundin
    lundqvist lundstrom luo lutz lynch lyons ma macdonald mace macedo machacek machado maciejewski mack mackenzie
    maddox madsen maeda magalhaes magnusson maguire mahmoud maia maier majewski makarov makela makinen makowska
    makowski malek malhotra malik malinowski mallet mancini manning manrique mansour marchal marchand marchetti
    marciniak marechal marek mares mariani maric marin marino markovic marques marquez marshall martel martensson
    martin martinez martins martinsson marty maruyama marx masek masson masuda matei matejka mathieu matias matos
    matsuda matsui matsumoto matsuoka matthews mattsson maulana maxwell mayer mayr mazur mazurek mcallister mccall
    mccarthy mccormick mcdonald mcgrath mcguire mckenzie mclean mcmillan medeiros medina mehta meier meijer melnyk
    melo menard mendes mendez mendoza menezes menon mensah menzel mercier merino merriweather mesquita metzger
    meunier meyer michalak michalski michaud michel mikhailov miles miller millet miranda mirza mishra mitchell
    miura miyamoto miyazaki mizrahi mohammadi mokoena moldovan molefe molina moller molnar monnier monteiro montero
    montgomery montoya moore mora morais morales moran moravec moreau moreira morel moreno moretti morgan mori
    morita morozov morozova morris morrison morrow mortensen morton moss moulin moura moyo mroz mukherjee mulder
    muller mullins munoz munro munteanu murakami murata murphy murray musa musil mutua mwangi myers nagai nagel nagy
    naidu nair najjar nakagawa nakajima nakamura nakano nakayama nascimento nash nasser naumann navarro navratil
    nawrocki ncube ndiaye ndlovu neal nelson nemec nemeth neumann neves newman newton ngo nguyen nichols nicholson
    nicolas nielsen nieminen nieto nikolaev nikolaidis nikolic nilsen nilsson nishida nishimura nixon njoroge nkosi
    noack nobrega noda noguchi nogueira nolan nomura norberg nordin nordstrom norman norris norton novak novakova
    novikov novotny nowak nowakowski nugroho nunes nunez nunn nwachukwu nwosu nyberg nyman nystrom oberg obi obrien
    ocampo ochieng ochoa oconnor oda odhiambo odonnell ogawa ogunleye ohman okada okafor okamoto okonkwo olawale
    oliveira olivier olofsson olsen olsson olszewski oneil oneill ong ono orlov ortega ortiz osborne osei ostlund
    ostrowska ostrowski osullivan ota otieno otsuka otto owen owens owusu ozdemir ozkan ozturk pacheco padilla paiva
    palacios palmer pandey papadopoulos pappas park parker parra parsons pascual pasquier pastor patel patil
    patterson patton paul pavlov pawlak pawlowski payet payne pearce pearson peck pedersen peixoto pellegrini
    pelletier pemberton pena peng peralta pereira peretz perez perkins permana perret perrin perrot perry persson
    peters peterson petersson petrov petrova petrovic pettersson pfeiffer pham phan phelps philippe phillips piatek
    picard pichon pickering pierce pierre pietrzak pillai pimentel pineda pinheiro pinto piotrowska piotrowski pires
    pittman pohl poirier pokorny polak ponce poole popescu popov popova portela pospisil postma potts poulain
    poulsen powell powers pranata prasetyo pratama pratt prescott preston prevost price prieto pritchard prochazka
    pruitt przybylski pugh purnomo queiroz quinn quintana quintero qureshi rahman ramirez ramos randall rankin
    rantala rasmussen reddy reed reeves reid remy renard renaud renault resende reuter rey reyes reynaud reynolds
    rezaei rezende rhodes ribeiro ricci richards richardson richter riedel riley rios ritchie rivas rivera riviere
    rizzo roach robbins robert roberts robertson robinson robles robson rocha roche rodrigues rodriguez roger rogers
    rojas rolland romano rosales rosenberg ross rossi roth rousseau roussel rousselet roux rowe rowland roy royer
    rubio rudolph rueda ruiz russell russo rusu rutherford rutkowski ruzicka ryan sadowski sahin saito sakai
    sakamoto sakurai salas salazar saleh salgado salonen sampaio samuelsson sanchez sandberg sanders sandhu
    sandstrom sani sanna sano santoro santos santoso sanz saputra saraiva sasaki sato sauer saunders sawicki
    schaefer schafer scherer schilling schindler schlegel schmid schmidt schmitt schmitz schneider schofield scholz
    schreiber schroder schroeder schubert schulte schulz schulze schumacher schuster schwab schwarz scott sedlacek
    sedlak seidel seifert semenov seo sepulveda sequeira serban serrano sethi setiawan shah shapiro sharma sharpe
    shaw sheikh shelton shen shepherd sheppard sherman shevchenko shibata shimada shimizu shin siddiqui sikora
    sikorski silva simanjuntak simek simmons simoes simon simpson simsek sinclair singh siqueira siregar sjoberg
    sjogren skinner skoglund slater slavik sloan smirnov smirnova smit smith snyder soares sobczak soderberg
    soderstrom sokolov sokolova sokolowski soler solis sommer sorensen soto sotomayor soukup sousa souza spencer
    stanek stastny steiner stenberg stepanov stephan stephens stephenson stepien stevens stevenson stewart stoica
    stojanovic stokes straub strickland strombeg stroud su suarez sugawara sugiyama suharto sulistyo sullivan sun
    sundberg sundstrom susanto sutanto sutherland sutton suzuki svensson svoboda svobodova syahputra sykora szabo
    szczepaniak szewczyk szilagyi szulc szymanska szymanski takada takagi takahashi takeda takeuchi talbot tamura
    tanaka tang taniguchi tapia tate tavares taylor tehrani teixeira teles teo tesfaye tessier testa texier thakur
    thiel thomas thompson thornton tiwari tkachenko tomaszewski torres torvalds toth toure tran traore trivedi
    trujillo truong tsang tsuchiya tucker tuominen turing turner tyler ucar uchida ueda ueno ullrich underwood urban
    urbanski urrutia vacek valdez valenta valente valenzuela valero vance vandenberg vandijk vanek varela varga
    vargas vasconcelos vasilakis vasiliev vasquez vasseur vaughan vavra vaz vazquez veenstra vega velasco vera verma
    vesely vicente vidal vieira viklund vilela villani villanueva vincent virtanen visser vlcek vo vogel vogt voigt
    volkov vondracek vos voss vu wada wade wagner wahyuni walczak walker wallace wallin wallis walsh walters walton
    wang wanjala ward warner warren wasilewski watanabe watkins watson watts weaver webb weber webster wegner weiss
    welch wells wendt wenzel werner weston wetzel wheeler whitaker white whitehead whitfield wibowo widodo wieczorek
    wiese wijaya wikstrom wilcox wilk wilkins wilkinson williams willis wilson winkler winslow wirth wisniewska
    wisniewski witkowski witt wlodarczyk wojciechowski wojcik wolf wolfe wolff wong wood woodard woodward wozniak
    wright wrobel wroblewski wu wulandari wyatt wysocki xavier xiao xie xu yadav yamada yamaguchi yamamoto yang yao
    yates yildirim yildiz yilmaz yokoyama yoon yoshida yoshikawa young yuan yulianto zajac zak zakharov zalewski
    zamora zander zapata zawadzki zeman zeng zhang zhao zheng zhong zhou zhu ziegler zielinska zielinski zimmermann
    ziolkowski zulu zuniga бондаренко васильев васильева волков волкова голубев голубева зайцев зайцева захаров
    захарова иванов иванова коваленко козлов козлова кузнецов кузнецова лебедев лебедева макаров макарова михайлов
    михайлова морозов морозова никитин никитина новиков новикова орлов орлова павлов павлова петров петрова попов
    попова семенов семенова смирнов смирнова соколов соколова ткаченко федоров федорова шевченко الحداد الحربي الحسن
    الخطيب الزهراني السيد الشامي الشمري العتيبي العمري الغامدي القحطاني المصري النجار الهاشمي 丁 万 三 上 中 久 于
    井 今 任 伊 佐 何 余 侯 傅 内 冯 刘 前 劉 加 千 卢 原 史 叶 吉 吕 吴 呂 周 和 唐 坂 夏 大 太 姚 姜 孔 孙 孟 安
    宋 宮 小 山 岡 岩 島 崔 工 市 平 康 廖 张 張 彭 後 徐 戴 斉 斎 新 方 曹 曾 服 木 本 朱 杉 李 村 杜 杨 松 林 柴
    桜 梁 森 横 橋 段 毛 水 江 池 汤 汪 沈 河 浜 清 渡 潘 熊 王 田 白 盧 石 福 秦 程 竹 罗 羅 胡 苏 范 菅 菊 萧 葉
    董 蒋 蔡 蔣 薛 藤 蘇 袁 西 許 謝 许 谢 谭 谷 贾 赵 近 遠 邓 邱 邵 邹 郑 郝 郭 鄧 鄭 酒 野 金 鈴 钟 钱 長 阎 阿
    陆 陈 陳 青 韓 韩 顾 馬 馮 马 高 魏 黃 黄 龙 강 고 권 김 남 류 문 박 배 백 서 손 송 신 심 안 양 오 윤 이 임 장
    전 정 조 최 한 허 홍 황
    """
)
# Places whose names people have, too; and the best known of the others.
PLACES = _words(
    """
    aberdeen adelaide alexandria amsterdam athens atlanta auckland aurora austin baltimore bangkok barcelona beijing
    belfast berlin birmingham bogota boston brasilia bristol brooklyn brussels budapest cairo calgary cambridge canberra
    cardiff carolina charleston charlotte chelsea chester chicago christchurch cleveland colombo columbus copenhagen
    dakota dallas delhi denver detroit dublin durham edinburgh edmonton florence florida frankfurt geneva genoa georgia
    glasgow hamburg hamilton hanoi helena helsinki houston hudson indiana istanbul jackson jakarta jamaica jefferson
    jerusalem jordan kingston kyiv lancaster lima lincoln lisbon liverpool london louisville lyon madison madrid malaga
    manchester manila marion marseille medina melbourne memphis miami milan milwaukee monroe montana montreal moscow
    mumbai munich nairobi naples nashville nelson nevada newcastle orlando osaka oslo ottawa oxford palermo paris perth
    philadelphia phoenix pittsburgh portland porto prague quebec regina reno rome salem santiago savannah seattle
    seoul shanghai siena singapore sofia stockholm sydney tampa tokyo toronto trinidad troy turin valencia vancouver
    venice vienna virginia victoria warsaw washington wellington winnipeg york zurich
    """
)
STREET_WORDS = _words(
    """
    al alameda aleja allee apt av ave avenida avenue blvd boulevard bulvari cadde caddesi calle camino carrera chemin
    circle close corso cours court crescent ct dr drive estrada flat gasse gatan highway hwy impasse laan lane largo
    ln mah mahallesi mews os parkway paseo piazza pl plac place platz plaza praca prospekt quai rd road row rua rue
    sharia sk sokak square st str straat strasse street suite terrace trail travessa ul ulica ulitsa unit vagen via
    viale vicolo way weg переулок проспект улица שדרות شارع
    """
)
COMPANY_WORDS = _words(
    """
    ab ag airlines as association bank bv center centre clinic co company consulting corp corporation department
    energy foods foundation global gmbh group holding holdings hospital hotel inc industries institute insurance
    international kg kgaa labs llc logistics ltd ltda market media motors nv office ohg oy partners pharma plc
    restaurant sa sarl sas school services shop sl software solutions spa srl store studio systems technologies trust
    university
    """
)
