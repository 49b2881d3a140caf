"""Common given and last names of many countries, words of streets and of companies. Lower case, without accents."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN_NAMES = _words(
    """
    aarav aaron abby abigail achieng ada adaeze adam adele adeline aditya adrian adriana adriano agata agathe agnes
    agneta agnieszka agus agustin ahmad ahmed ahmet aidan aiko aimee aino aisha akemi akihiko akiko akira akua alain
    alan alastair alba alban albane albert albrecht alec alejandro aleksander aleksandra alessandro alessia alex
    alexander alexandra alexandre alexei alexey alexis alfie alfonso alfred alfredo ali alice alicia alicja alina
    aline alison alix allan allison almudena alvaro alyssa ama amadeu amalia amanda amandine amara amaury amber
    amelia amelie americo amina amit amparo amy ana anabela anais ananya anastasia anatol anders andi andre andrea
    andreas andree andrei andrew andri andrzej aneta angela angelica angelique angus anh anil anita anja anjali ann
    anna annabel anne anneke anneliese annick annie annika anouk anthony antje antoine antoinette antonia antonio
    antti aoi apolline araceli arantxa archie ariane arjun arkadiusz armando armelle armin arnaldo arnaud arthur
    artur asa asami asep ashley ashton astrid atsushi aubin aude audrey augustin augusto aurelie aurelio aurore
    austin ava axel axelle ayaka ayse ayu ayumi bambang baptiste barbara barry bartek bartosz bastian bastien bayu
    beata beate beatrice beatriz becky begona belen ben benedicte benedikt benedita benedito bengt benito benjamin
    benoit berenice bernadette bernard bernd bertrand beth bethany bettina betty beverly bill billy birger birgit
    birgitta bjorn blake blanca blandine bo bob bobby bogdan boguslaw bohdan bohumil bonnie boris borja bozena brad
    bradford bradley bram brandon brenda brendan brian brice bridget brigitte brittany brooke bruce bruna bruno
    bryan bryce budi burak busra caitlin caleb calvin cameron camila camilla camille candela candice capucine carina
    carl carla carlos carlota carlotta carmela carmen carol carole carolina caroline carolyn carrie cassandra
    catalina catarina catherine catriona cecil cecile cecilia cedric celia celine cem cesar chad chantal charlene
    charles charlie charlotte charo chelsea chema chen cheryl chester chiara chie chinedu chioma chloe christa
    christel christelle christer christian christina christine christophe christopher claire clara clare clarence
    clarice clarisse claudia claudio clayton cleber clemence clement clementine clifford clive clothilde clyde cody
    colette concepcion connor conor constance consuelo coralie corentin corinne cornelia courtney craig cristiano
    cristina curtis cynthia cyril cyrille daan dagmar daichi daiki daisuke dale dalibor dalva damian damien damon
    dana daniel daniela danielle danuta darcy dario darren darryl david davide dawid dean debora deborah debra
    declan dedi deepa defne deirdre deise delphine denis denise dennis derek desi desmond detlef dewi dexter dian
    diana diane diarmuid didier diego dieter diogo dirk divya dmitri dmitry dolores domingo dominic dominik
    dominique donald donna donovan doris dorota dorothy douglas drahomira duarte duc duncan dustin dwi dwight dylan
    earl ebba eckhard edgar edith edmund edouard edsger edson eduardo edward edwin eero egon eiji eileen eka
    ekaterina eko elaine eleanor elena eleonore eli eliane elias elif elijah elin elina elisa elisabeth elisangela
    elise eliza elizabeth ella ellen elliot elliott ellis elodie eloise eloy els elsa elsie elvira elzbieta emeka
    emelie emeline emi emil emilia emiliano emilie emily emine emma emmanuel emmett emre encarna encarnacion endang
    enrico enrique enzo eric erica erik erika erin ernest ernesto ernst esme esperanza esra esteban estelle ester
    esther ethan etienne etsuko eugene eugenie eulalia eusebio eva evan eve evelyn evelyne everton ewa ewan fabian
    fabiana fabien fabienne fabio fabrice fabricio fallon fang fanny fatima fatma faustine fay federica felicia
    felicie felicity felipe felisa felix femke fergus fermin fernand fernanda fernando fidel filip finn fiona fitri
    flavia flavio fletcher florence florent florentina florian floyd folake frances francesca francesco francine
    francisco franck francois frank frantisek franz freddie frederic frederique fredrik freja freya frieda friedrich
    fritz fumiko gabriel gabriela gabriele gael gaelle gaetan galina gareth garrett gary gaspard gauthier gavin
    gayle gema genevieve geoffrey geoffroy georg george georgia georgina gerald geraldine geraldo gerard gerardo
    gerda gerhard germain german ghislaine gilbert gilberto gilles gillian gilson gines giorgia giovana giovanni
    gisela gisele giulia giuseppe glen glenn gloria gonzalo goran gordon graca grace graham greg gregoire gregorio
    gregory greta grzegorz guadalupe gudrun guido guilherme guillaume guillermo gun gunilla gunnar gunter gunther
    gus gustav gustavo gwen gwenaelle hadi hailey hajime hakan hal halina hamish hana hanna hannah hanne hans hao
    harald harold harper harriet harry hartmut haruka haruki haruto harvey hasan hassan hatice heather hector heidi
    heike heinrich heinz helder helen helena helene helga helio helmut hendra henk henri henriette henrik henrique
    henry henryk herbert herman hermann herve hideo hilary hilda hilde hina hiroki hiroko hiroshi hisako hitomi
    holger hollis holly honore horst hortense hortensia howard hubert hugh hugo hui huong huseyin hussein hynek hyun
    ian iara ibrahim ichiro ida ifeoma ignacio igor iker ilan ilse imogen indah indra ines inga inge ingela ingmar
    ingo ingrid inmaculada iona ira irena irene irina irma irwan isaac isabel isabella isabelle isadora ishaan
    isidro isla itziar ivan ivana ivo ivone ivy izabela jacinto jacira jack jacob jacobo jacqueline jacques jaime
    jair jake jakub james jamie jan jana janaina jane janet janice janina janusz jared jarmila jaroslav jaroslaw
    jarvis jason jasper jaume javier jay jean jeanette jeanne jeannine jeff jeffrey jemima jenna jennifer jenny
    jeremiah jeremy jerome jeronimo jerry jerzy jesper jesse jessica jia jie jiho jill jim jimena jin jindrich jing
    jiri jitka jiwoo joachim joakim joan joana joanna joanne joao joaquim joaquin jocelyne jochen jodie joe joel
    johan johann johanna johannes john joke joko jolanda jolanta jonas jonathan jonna jordan jordi jorge jose josef
    josefa josefin josefina joseph josephine josette josh joshua josiane josue joyce jozef juan juana jucelia
    judicael judith judy juergen juhani jules julia julian juliana julie julien juliet julio jun junko jurgen
    jussara justin justine kaisa kamau kamil kamila kaori karan karel karen kari karim karin karina karine karl
    karolina kartika kaspar kasper katarzyna kate katerina katharina katherine kathleen kathryn katie katja katrin
    katsumi kavita kay kayla kazuko kazuo kees kei keiko keira keisuke keith kelly kelvin kemal kendra kenichi kenji
    kenneth kenny kent kenta kerry kerstin kevin khaled kiera kieran kim kimberly kirsten kirsty kjell klara klaus
    knut kofi koichi konrad konstantin kouji kristen krister kristian kristin kristina krzysztof kumiko kurt kveta
    kwame kyle kyoko ladislav laetitia laia lais lakshmi lana lance larissa larry lars lasse laura laure lauren
    laurence laurent laurie lawrence layla lea leah leandre leandro leanne lee lei leif leire leland lena lenka leo
    leonard leonardo leonie leonor leslie lestari lester leszek leticia lewis li liam libor lidia lilian liliana
    lillian lilou lily lina linda lindiwe linh linnea linus lisa lise lloyd logan loic lois lola lorena lorenzo
    loretta lori loris lorna lorraine lotta lotte lou louis louise lourdes luana lubos luc luca lucas lucia luciana
    luciano lucie lucien lucile lucille lucinda lucy ludivine ludmila ludovic ludwig luigi luis luisa luiz luiza
    lukas lukasz luke lurdes lutz lydia lydie lynn mabel macarena mackenzie madalena madeleine madison mael maelle
    maelys maeve mafalda magali magda magdalena magnus maite maja makoto malcolm malgorzata malin malte mandy
    manfred manolo manon manuel manuela marc marcel marcela marcelle marcelo marcia marcin marcio marco marcos
    marcus marek margaret margareta margarete margarida margarita margaux marguerite mari maria mariam marian
    mariana marianne mariano maribel marie marieke marielle mariko marilyn marina marine mario marion marisa marit
    marius mariusz marjorie mark marketa markus marlene marshall marta martha martial martin martina martine marvin
    mary masahiro masaki masako masao masaru mason massimo mateo mateus mateusz mathieu mathilde mathis matias
    matilda matilde mats matteo matthew matthias matthieu mattias maud maude maureen maurice mauricio mauro mavis
    max maxence maxime maximilian maximo maxine mayumi meera meg megan megumi mehmet mei melanie melissa melvin
    meredith merve mervyn mia micaela michael michaela michal michel michele michelle michiko mick mickael miguel
    miho mika mikael mike mikhail mikko mikolaj milan mildred milena miles millie min ming minh minjun minnie minoru
    miranda mireia mireille mirella miriam miroslav miroslaw misaki mitchell mitsuko miyuki mohamed mohammed moira
    moises molly mona monica monika monique monserrat montserrat morgan morgane moritz muhammad murat muriel mustafa
    myra myrtle na nacho nadege nadia nadine nancy naoki naoko naomi natalia natalie natasha nathalie nathan
    nathanael natividad natsuki ned neha neil nell nelson nerea nestor neusa ngozi nguyen nia niall nicholas nicola
    nicolas nicole niels nigel niklas nikolai nils nilton nina noah noe noelia noemi noemie nomsa noor nora norbert
    noriko norma norman novi nuala nuno nuria nurul oceane octavio odete odette odile oihane olaf ole oleg olga
    oliver olivia olivier oliwia olle olof olumide omar ombeline omer ondrej opal oriol orla osamu oscar oskar
    osvaldo otakar otavio otieno otto ovidio owen ozlem pablo paco paige paloma pamela paola paolo pascal patricia
    patrick patrik patrizia patryk patsy paul paula paulina pauline paulo pavel pavla pawel pedro peggy pekka
    penelope pepa per pere pernilla perrine perry peter petr petra phil philip philippe philippine phoebe phyllis
    pia piero pierre piers pieter pilar piotr polly pontus pooja poppy preston priscila priya przemyslaw
    purificacion putri qiang quentin quinn rachel radek radim radka rafa rafael rafaela rafal rahayu rahul raimund
    raimundo rainer raj rajesh ralf ralph ramiro ramon ramona randy rania raphael raquel rasmus ratna raul ravi
    raymond raymonde rebecca regina reginald regis reiko reinaldo reinhard remedios remi remy ren renan renata
    renate renato renaud rene rex reynald rhona rhys ricarda ricardo richard rie rina rini rita rizki robert roberta
    roberto rocio roderick rodney rodolfo rodolphe rodrigo rogelio roger rogerio rohan roisin roland rolf romain
    romane romeu ron ronald ronaldo ronan roque rory rosa rosalia rosalie rosalind rosana rosangela rosemary rosie
    ross rostislav roxane roxanne roy ruben rudi rudolf rufus rui rune rupert russell rute ruth ruzena ryan ryo
    ryosuke ryota ryszard sabine sabrina sachiko sakura sally salma salome salvador salvatore sam samantha samir
    samuel sander sandra sandrine sanjay sanna sanne sara sarah sarka saskia satomi satoshi saul sayaka scarlett
    scott sean sebastian sebastiao sebastien segolene selin selina sem seojun seoyeon serge sergei sergey sergi
    sergio seth severin severine severino shane shannon sharon shaun sheila shelley sheryl shigeru shin shinji
    shirley shizuka shota shun sian sidney signe sigrid silke silvana silvia silvio simao simon simona simone sinead
    siobhan sipho siti slawomir sofia sofie solange soledad solene solveig sonia sonja soo sophia sophie soren sota
    sri stacey stan stanislas stanislav stanislaw stanley stefan stefania stefano steffen sten stepan stephane
    stephanie stephen steven stewart stig stuart sture sue sugeng suharto sunil sunita suparman susan susana susanne
    susanti susilo susumu suzanne sven svenja svetlana sylvain sylvaine sylvia sylvie sylwia szymon tabitha tadashi
    tadeusz taiki takahiro takashi takeshi takuya tamara tanguy tania tanja tao tara tariq taro tatiana tatsuya ted
    teguh telma teodor teodoro terence teresa tereza terry tess tessa tetsuya thabo thais thanh thea thelma theo
    theophile theresa therese thi thiago thibault thibaut thierry thijs thilo thomas thorsten tiago tiffany tim
    timothee timothy tina tobias toby todd tom tomas tomasz tommy tomoko tony torbjorn torsten toru toshio tracey
    tracy trevor tristan trudy tsubasa tunde tyler tyrone udo ulf ulla ulrich ulrika ulrike una unai urban ursula
    ute uwe vaclav valdir valentin valentina valentine valeria valerie valter van vanesa vanessa vera verena vernon
    veronica veronika veronique vic vicenta vicente vicky victoria viera vijay vikram viktor viktoria vince vincent
    vincenzo vinicius viola virginia virginie vit vitor vitoria vivian viviana viviane vivien vladimir vladimira
    vlasta vlastimil vojtech volker wagner wahyu waldemar wallace walter wanda wanderley wanjiru warren wati wawan
    wayan wayne wei wellington wendy werner wes wesley whitney wieslaw wiktoria wilfred wilfried wilhelm willem
    william willie winfried winifred winston witold wojciech wolfgang wulan xabier xavier xena ximena xin xiu yago
    yaiza yan yann yannick yannis yanti yara yasmin yasuko yewande ying yohan yoko yolanda yoshiko yoshio youssef yu
    yudi yui yuka yuki yukiko yuko yumi yumiko yuni yuri yusuf yusuke yuto yvan yves yvette yvonne zacharie zachary
    zack zainab zara zawadi zbigniew zdenek zdenka zelia zeynep zlatuse zoe zofia zoila zuzana zygmunt алексей
    анастасия андрей анна владимир дмитрий екатерина елена иван игорь ирина мария михаил мохамед наталья николай
    олег ольга павел светлана сергей татьяна أحمد حسن خالد سارة عائشة علي عمر فاطمة ليلى محمد مريم نور يوسف
    """
)
LAST_NAMES = _words(
    """
    abbott abe abercrombie aberg abreu abubakar adamczyk adams adeyemi adkins aguiar aguilar aguirre ahlberg ahmed
    akesson albrecht aldridge alexander alghamdi alharbi ali allen alm almansour almeida alonso alvarez alves amaral
    amorim andersen anderson andersson andre andreasson andrews andrzejewski antunes aoki arai araujo archer arias
    armstrong arnaud arnold aronsson arroyo arslan ashton aslan atkins atkinson aubert aubry avila axelsson aydin
    azevedo bailey bailly bak baker bakker baldwin ballard balogun baran barber barbier barbieri barbosa barker
    barlow barnes baron barre barrett barrientos barros barry barta barth barthelemy barton bates batista bauer
    baumann bautista baxter beck becker begum behrens bell benard benes bengtsson benitez bennett benoit benson
    bento berger berggren berglund bergman bergmann bergqvist bergstrom bernard bertrand besson bezerra bianchi bird
    bjork blackburn blackwood blaha blair blake blanc blanchard blaszczyk blom blomqvist bock bohm bonnet borges
    borkowski bos bose bostrom boucher bouchet boulanger bourdin bourgeois bowen bowman boyd boyer bradley bradshaw
    brady braga brandt braun breton brewer briggs brinkmann brito brooks brown brunet bruno bryant brzezinski
    buchanan bui burgess burke burns burton busch butler byrd byrne caballero cabral cabrera cain caldeira caldwell
    calvo camargo cameron campbell campos cano cardoso carey carlier carlson carmona carneiro caron carpentier carr
    carrasco carroll carson carter cartwright carvalho casey castillo castro celik cermak cerny cervenka cetin
    chambers chapman charles charpentier chatterjee chavez chen chevalier chmielewski cho choi christensen christie
    cieslak cizek claesson clark clarke clayton clement coelho coleman collet collins colombo connor conrad conti
    contreras conway cook cooper corbett correia cortes costa cousin couto cox craig crawford crespo cruz cuesta
    cummings cunha cunningham curie curtis czarnecka czarnecki czerwinski dabrowski dahlberg dalton daly dang daniel
    daniels danielsson dantas das david davidson davies davis dawson de dean dejong dekker delgado demir dempsey
    denis dennis deschamps devries dias diaz dietrich dijkstra dixon dlamini do dodd dogan doherty dolezal domingues
    dominguez donovan dostal douglas doyle dreyer drummond duarte dubois duda dudek duffy dufour dumas dumont duncan
    dunn dupont dupuis duran durand dusek duval dvorak eastwood eaton ebert edwards einstein ek eklund ekstrom
    elliott ellis emerson endo engstrom eriksson ernst espinosa esposito esteban esteves etienne evans evrard eze
    fabre falcao faria farias farrell faulkner faure favre fedorov ferguson fernandez ferrari ferreira fiala fiedler
    figueiredo finch fischer fisher fitzgerald fitzpatrick fleming fletcher fleury flores flynn fonseca fontaine
    forbes ford forsberg forslund foster fournier fowler franca francis francois frank franke franklin fransson
    fraser fredriksson freeman freire freitas french friedrich fritsch fuchs fuentes fujii fujita fujiwara fukuda
    fuller funk gaillard gajewska gajewski gallagher gallardo gallego gallo gao garcia gardner garner garnier
    garrett garrido gaspar gauthier gautier gebhardt geiger george gerard germain gibbons gibbs gibson gil gilbert
    giles gill gimenez girard giraud glover glowacki goddard godinho gomes gomez goncalves gonzalez goodman goodwin
    gordon gorski goto gould grabowski graham grantham graves gray greco green greene gregory griffin griffiths
    grondin guerin guerra guerrero guillaume guillemin guillot guimaraes gunnarsson gunther guo gupta gustafsson
    gutierrez haas haddad hagen hagglund hahn hajek hakansson hale hall hamilton hammond hamon hancock handayani
    hansen hanson hara harada harding harper harrington harris harrison hart hartmann hartono harvey hasegawa
    hashimoto hassan havel hawkins hayashi hayes haynes he heath hebert hedberg hedlund heine heinrich heinz
    hellstrom henderson hendriks henriksson henriques henry herbert hermansson hernandez herrera herrero herrmann
    herve herzog hess hewitt hicks hidalgo hidayat higgins hill hinz hirano hirata hlavacek hoang hobbs hodges
    hodgson hoffmann hofmann hogan holden holland hollingsworth holloway holmberg holmes holmgren holmqvist holt
    holub hooper hopkins hopper horak horton houghton howard howe howell hruska hu huang hubbard huber hubert hudson
    huet hughes humphrey hunt hurst hussain hutchinson ibanez ibrahim iglesias ikeda imai ingram inoue irwin
    isaksson ishida ishii ishikawa ito ivanov ivanova iwasaki iyer jablonski jackson jacob jacobs jacquet jager jahn
    jakobsson jakubowski james jang jankowski jansen jansson jarvis jaworski jean jelinek jenkins jennings jensen
    jimenez jirasek johansen johansson johnson johnston joly jonasson jones jonsson josefsson joubert joyce juarez
    julien jung kaczmarek kaczor kadlec kaiser kalinowski kamau kaminska kaminski kaneko kang karlsson karlstrom
    kato kaur kawai kawasaki kaya keith keller kelly kemp kendall kendrick kennedy kent kernighan kerr kessler
    khalil khan kikuchi kilic kim kimura king kinoshita kirby kirchner kirk klein kluge knowles knuth kobayashi koch
    kohler kolar kolodziej kondo kopec kopecky korhonen kovar kowalczyk kowalewski kowalska kowalski kozak kozlowska
    kozlowski krajewski kral kramer kratochvil kraus krause krawczyk krejci kriz krol kruger krupa kubat kubiak
    kucera kucharski kudo kuhlmann kuhn kumar kunz kurniawan kurosawa kusuma kuznetsov kwiatkowski lacroix lambert
    lamy lange langlois laporte larsen larson larsson laurent lawrence lawson le leach leclerc leclercq lecomte lee
    lefebvre lefevre legrand legros lehmann leite lejeune lemaire lemoine leonard leroy lestari leveque lewandowska
    lewandowski lewis li liang lim lima lin lindberg lindblom lindgren lindholm lindner lindqvist lindsay lindstrom
    lis liskov liu lloyd lockhart lofgren logan loiseau lombardi long lopes lopez lorenz lorenzo loureiro lourenco
    lovelace lowe lozano luca lucas ludwig lundberg lundgren lundin lundqvist lundstrom luo lutz lynch lyons ma
    macdonald mace macedo machacek machado maciejewski mack mackenzie maeda magalhaes magnusson maguire mahmoud maia
    maier majewski makinen makowska makowski malek malinowski mallet mancini manning manrique mansour marchal
    marchand marciniak marechal marek mares marin marino marques marquez marshall martel martensson martin martinez
    martins martinsson marty maruyama marx masek masson masuda matejka mathieu matias matos matsuda matsui matsumoto
    matsuoka matthews mattsson maulana maxwell mayer mayr mazur mazurek mccall mccarthy mccormick mcdonald mcgrath
    mcguire mckenzie mclean mcmillan medeiros medina mehta meijer melo menard mendes mendez mendoza menezes mensah
    menzel mercier merino merriweather mesquita metzger meunier meyer michalak michalski michaud michel mikhailov
    miles miller millet miranda mitchell miura miyamoto miyazaki molefe molina moller monnier monteiro montero
    montgomery moore mora morais morales moran moravec moreau moreira morel moreno moretti morgan mori morita
    morozov morozova morris morrison morrow morton moss moulin moura mroz mulder muller mullins munoz munro murakami
    murata murphy murray musil mwangi myers nagai nagel nair nakagawa nakajima nakamura nakano nakayama nascimento
    nash nasser naumann navarro navratil nawrocki ndlovu neal nelson nemec neumann neves newman newton nguyen
    nichols nicholson nicolas nielsen nieminen nieto nilsson nishida nishimura nixon nkosi noack nobrega noda
    noguchi nogueira nolan nomura norberg nordin nordstrom norman norris norton novak novakova novikov novotny nowak
    nowakowski nugroho nunes nunez nunn nyberg nyman nystrom oberg obrien ochoa oconnor oda ogawa ohman okada okafor
    okamoto okonkwo oliveira olivier olofsson olsen olsson olszewski oneill ono ortega ortiz osborne ostlund
    ostrowska ostrowski ota otieno otsuka otto owen owens owusu ozdemir ozturk pacheco padilla paiva palacios palmer
    park parker parra parsons pascual pasquier pastor patel patterson patton paul pawlak pawlowski payet payne
    pearce pearson peck pedersen peixoto pelletier pena peralta pereira perez perkins permana perret perrin perrot
    perry persson peters peterson petersson petrov petrova pettersson pfeiffer pham phan phelps philippe phillips
    piatek picard pichon pickering pierce pierre pietrzak pimentel pineda pinheiro pinto piotrowski pires pittman
    pohl poirier pokorny polak ponce poole popov popova portela pospisil potts poulain powell powers pranata
    prasetyo pratama pratt preston prevost price prieto pritchard prochazka przybylski pugh purnomo queiroz quinn
    quintana rahman ramirez ramos randall rankin rasmussen reddy reed reeves reid remy renard renaud renault resende
    reuter rey reyes reynaud reynolds rezende rhodes ribeiro ricci richards richardson richter riedel riley rios
    ritchie rivas rivera riviere rizzo roach robbins robert roberts robertson robinson robles robson rocha roche
    rodrigues rodriguez roger rogers rojas rolland romano rosales ross rossi roth rousseau roussel rousselet roux
    rowe rowland roy royer rubio rudolph rueda ruiz russell russo rutkowski ruzicka ryan sadowski sahin saito sakai
    sakamoto sakurai salas salazar saleh salgado sampaio samuelsson sanchez sandberg sanders sandstrom sano santos
    santoso sanz saputra saraiva sasaki sato sauer saunders sawicki schaefer schafer scherer schilling schindler
    schlegel schmid schmidt schmitt schmitz schneider schofield scholz schreiber schroder schroeder schubert schulte
    schulz schulze schumacher schuster schwab schwarz scott sedlacek sedlak seidel seifert sepulveda sequeira
    serrano setiawan shah sharma sharpe shaw shelton shepherd sheppard sherman shibata shimada shimizu sikora
    sikorski silva simanjuntak simek simmons simoes simon simpson sinclair singh siqueira siregar sjoberg sjogren
    skinner skoglund slater slavik sloan smirnov smirnova smit smith snyder soares sobczak soderberg soderstrom
    sokolov sokolova sokolowski soler solis sommer soto sotomayor soukup sousa souza spencer stanek stastny steiner
    stenberg stephan stephens stephenson stepien stevens stevenson stewart stokes straub strickland strombeg suarez
    sugawara sugiyama suharto sulistyo sullivan sun sundberg sundstrom susanto sutanto sutherland sutton suzuki
    svensson svoboda svobodova syahputra sykora szczepaniak szewczyk szulc szymanska szymanski takada takagi
    takahashi takeda takeuchi talbot tamura tanaka taniguchi tapia tate tavares taylor teixeira teles tessier texier
    thiel thomas thompson thornton tomaszewski torres torvalds tran trujillo tsuchiya tucker turing turner tyler
    uchida ueda ueno ullrich underwood urban urbanski urrutia vacek valdez valenta valente valero vance vandenberg
    vanek varela vargas vasconcelos vasiliev vasquez vasseur vaughan vavra vaz vazquez vega velasco vera verma
    vesely vicente vidal vieira viklund vilela villanueva vincent virtanen visser vlcek vogel vogt voigt volkov
    vondracek vos voss vu wada wade wagner wahyuni walczak walker wallace wallin wallis walsh walters walton wang
    ward warner warren wasilewski watanabe watkins watson watts weaver webb weber webster wegner welch wells wendt
    wenzel werner weston wetzel wheeler whitaker white whitehead whitfield wibowo widodo wieczorek wiese wijaya
    wikstrom wilcox wilk wilkins wilkinson williams willis wilson winkler wirth wisniewska wisniewski witkowski witt
    wlodarczyk wojcik wolf wolfe wolff wood woodard woodward wozniak wright wrobel wroblewski wu wulandari wyatt
    wysocki xavier xu yamada yamaguchi yamamoto yang yates yildirim yildiz yilmaz yokoyama yoon yoshida yoshikawa
    young yulianto zajac zak zalewski zander zapata zawadzki zeman zhang zhao zheng zhou zhu ziegler zielinska
    zielinski zimmermann ziolkowski zuniga иванов иванова кузнецов петров петрова попов смирнов смирнова соколов 中
    井 伊 佐 何 刘 劉 加 吉 吴 周 孙 小 山 张 張 徐 斎 木 朱 李 杨 松 林 梁 清 渡 王 田 罗 胡 赵 郑 郭 鈴 陈 陳 马
    高 黃 黄 강 김 박 윤 이 임 장 정 조 최
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
