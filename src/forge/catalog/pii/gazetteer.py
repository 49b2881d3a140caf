"""Common given and last names of many countries, words of streets and of companies. Lower case, without accents."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN_NAMES = _words(
    """
    aarav aaron abigail achieng ada adaeze adam aditya agnieszka ahmad ahmed ahmet aino aisha akira akua alain alan
    albert alejandro aleksandra alessandro alessia alexander alexei alexey alexis alfie ali alice aline ama amanda
    amara amber amelie amina amit amy ana ananya anastasia anders andrea andreas andrei andrew andrzej angela anh
    anil anja anjali ann anna anneliese anouk anthony antoine antonio antti aoi archie arjun arthur ashley astrid
    aurelie austin ava axel ayse barbara beatriz ben benjamin bernard bernd betty beverly billy bjorn bo bob bobby
    boris bradley bram brandon brenda brian brigitte brittany bruce bruna bruno bryan burak busra camila camille carl
    carlos carmen carol carolyn catherine celine cem charles charlotte chen cheryl chiara chinedu chioma chloe
    christian christina christine christopher claudia cristina cynthia daan daiki dana daniel danielle david davide
    deborah debra deepa defne denise dennis diana diane diego dieter divya dmitri dmitry dolores donald donna doris
    dorothy douglas duc dylan edsger edward eero ekaterina elena elif elijah elisa elizabeth ella elodie els elsa
    emeka emi emily emine emma emre eric erik erika erin esra ethan eugene eve evelyn ewa fang fatima fatma fay
    federica felipe felix femke fernanda fernando finn florence florian folake frances francesca francesco francisco
    francois frank freddie freja freya frieda gabriel gabriela gabriele galina gary george gerald giorgia giovanni
    gisela giulia giuseppe gloria grace gregory greta grzegorz guillaume gunther gus gustav gustavo hal hana hannah
    hans hao harold harry haruka haruto hasan hassan hatice heather heidi heike heinz helen helga helmut henk henry
    hina hiroshi horst hugo hui huong huseyin hussein hyun ian ibrahim ifeoma igor ines ingrid irina isabel isabella
    isabelle ishaan isla ivan ivy jack jacob jacqueline jacques jakub james jan janet janice jason javier jean
    jeffrey jennifer jeremy jerry jesse jessica jia jie jiho jill jin jing jiwoo joan joanna joao joe johan johanna
    john joke jolanta jonas jonathan jordan jorge jose josefa joseph joshua joyce juan juana judith judy juhani jules
    julia juliana julie julien jun jurgen justin kaisa kamau kamil karan karen kari karim karin karl katarzyna
    katherine kathleen kathryn katrin kavita kayla kees keiko keith kelly kemal kenji kenneth kevin khaled kim
    kimberly klaus knut kofi krzysztof kwame kyle lakshmi larissa larry lars laura lauren laurent lawrence layla lea
    lee lei leif lena leo leonie leticia li liam lily linda lindiwe linh linus lisa logan lorenzo lori lotte louis
    luc luca lucas lucia ludmila luigi luis lukas lukasz madison magdalena magnus maja malgorzata manfred manon
    manuel marcelo marcin marco margaret margaux maria mariam mariana marie marieke marilyn mario marit mark markus
    marta martha martina mary mason mateus mathieu mats matteo matthew max meera meg megan mehmet mei melissa merve
    mia michael michal michel michelle miguel mikhail mikko min ming minh minjun mohamed mohammed monika moritz
    muhammad murat mustafa na nadine nancy naoki natalia natalie natasha nathalie nathan ned neha ngozi nguyen
    nicholas nicolas nicole niklas nikolai nils noah nomsa noor ole oleg olga oliver olivia olivier olof olumide omar
    omer opal oscar otieno ozlem pablo pamela paola paolo patricia patrick paul paula pavel pawel pedro pekka peter
    petra philip philippe pierre pieter pilar piotr pooja poppy priya qiang quinn rachel rafael rahul rainer raj
    rajesh ralph ramon randy rania raquel raul ravi raymond rebecca remy ren renate rex ricardo richard rita robert
    roberto rodrigo roger rohan ronald rosa roy russell ruth ryan sabine sakura salma sam samantha samir samuel
    sander sandra sandrine sanjay sanna sanne sara sarah saskia satoshi scott sean sebastian selin sem seojun seoyeon
    sergei sergey sergio sharon shirley signe silvia simone sipho sofia solveig soo sophia sota stefan stefano
    stephanie stephen steven sue sunil sunita susan susanne sven svetlana sylvie takashi tao tariq tatiana ted teresa
    terry thabo thanh theo theresa thi thiago thierry thijs thomas tiago tiffany timothy tobias tom tomasz tunde
    tyler una ursula uwe valentina valerie van vic victoria vijay vikram vincent virginia vladimir walter wanjiru
    wayne wei wes willem william willie wojciech wolfgang xena xin xiu yan yasmin yewande ying youssef yu yui yuki
    yumi yuri yusuf yuto yves zachary zack zainab zawadi zeynep zoe zofia алексей анастасия андрей анна владимир
    дмитрий екатерина елена иван игорь ирина мария михаил мохамед наталья николай олег ольга павел светлана сергей
    татьяна أحمد حسن خالد سارة عائشة علي عمر فاطمة ليلى محمد مريم نور يوسف
    """
)
LAST_NAMES = _words(
    """
    abubakar adams adeyemi ahmed alghamdi alharbi ali allen almansour almeida alonso alvarez alves andersen anderson
    andersson arslan aslan aydin bailey baker bakker balogun barbieri barbosa barnes bauer baumann becker begum bell
    bennett berger bernard bertrand bianchi blanc bonnet bos bose braun brooks brown bruno bui butler byrne campbell
    carter carvalho castillo castro celik cetin chatterjee chavez chen cho choi christensen clark coleman collins
    colombo conti cook cooper costa cox cruz curie dabrowski dang das david davis de dejong dekker delgado demir
    devries diaz dijkstra dlamini do dogan doherty dominguez doyle dubois dupont durand edwards einstein eriksson
    esposito evans eze fedorov fernandez ferrari ferreira fischer fisher flores fontaine ford foster fournier frank
    fraser gallagher gallo gao garcia gil girard gomes gomez gonzalez graham gray greco green guerin gunther guo
    gupta gustafsson gutierrez haddad hall hamilton hansen harris hartmann hassan hayashi he henderson hendriks
    hernandez hill hoang hoffmann hofmann hopper howard hu huang huber hughes hussain ibrahim inoue ito ivanov
    ivanova iyer jackson james jang jansen jenkins jensen jimenez johansen johansson johnson jones jung kamau
    kaminska kaminski kang karlsson kato kaur kaya keller kelly kennedy kernighan khalil khan kilic kim kimura king
    klein knuth kobayashi koch kohler korhonen kowalczyk kowalska kowalski kozlowski krause kruger kumar kuznetsov
    lambert lange larsen larsson laurent le lee lefebvre lehmann leroy lewandowska lewandowski lewis li liang lim
    lima lin liskov liu lombardi long lopez lorenz lovelace luca luo lynch ma macdonald mahmoud makinen mancini
    mansour marin marino martin martinez martins matsumoto mayer mccarthy mcdonald mehta meijer mendoza mensah meyer
    michel mikhailov miller mitchell molefe molina moore morales moreau morel moreno moretti morgan morozov morozova
    morris mulder muller munoz murphy murray mwangi myers nair nakamura nasser navarro ndlovu nelson neumann nguyen
    nielsen nieminen nilsson nkosi novikov nowak obrien oconnor okafor okonkwo oliveira olsen olsson ortega ortiz
    otieno owusu ozdemir ozturk park parker patel pedersen pereira perez perry persson peters peterson petrov petrova
    pham phan phillips popov popova powell price ramirez ramos rasmussen reddy reed reyes ribeiro ricci richardson
    richter ritchie rivera rizzo roberts robinson rocha rodrigues rodriguez rogers romano ross rossi rousseau roux
    roy rubio ruiz russell russo ryan sahin saleh sanchez sanders santos sasaki sato schafer schmidt schneider
    schroder schulz schwarz scott serrano shah sharma shimizu silva simmons simon singh smirnov smirnova smit smith
    sokolov sokolova souza stewart sullivan sun suzuki svensson szymanski takahashi tanaka taylor thomas thompson
    torres torvalds tran turing turner vandenberg vasiliev vasquez vazquez verma virtanen visser vogel volkov vos vu
    wagner walker walsh wang ward watanabe watson weber werner white williams wilson winkler wisniewska wisniewski
    wojcik wolf wood wozniak wright wu xu yamada yamaguchi yamamoto yang yildirim yildiz yilmaz yoon yoshida young
    zhang zhao zheng zhou zhu zielinska zielinski zimmermann иванов иванова кузнецов петров петрова попов смирнов
    смирнова соколов 中 井 伊 佐 何 刘 劉 加 吉 吴 周 孙 小 山 张 張 徐 斎 木 朱 李 杨 松 林 梁 清 渡 王 田 罗 胡 赵
    郑 郭 鈴 陈 陳 马 高 黃 黄 강 김 박 윤 이 임 장 정 조 최
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
