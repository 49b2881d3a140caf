"""Names of columns with personal data, in many languages: one list for detection and for required classification.
Words as in a name, side by side; accents do not count."""

from __future__ import annotations

from collections.abc import Mapping


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


PERSONAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "email": _phrases(
        """
        이메일, 전자우편, адрес электронной почты, email id, mail id, correo e, courrier electronique, pec,
        adresse mail, adresse electronique, direccion de correo, email, e mail, mail, mail address, email address,
        correo, correo electronico, courriel, posta elettronica, adres email, eposta, e posta, メール, メールアドレス,
        邮箱, 电子邮件, 電子郵件, البريد, почта, эл почта, электронная почта, epost, e post, e postadress, sahkoposti,
        correio eletronico, endereco eletronico, elektronicka posta, emailova adresa, surel, meeru, meru adoresu,
        poczta elektroniczna, indirizzo mail
        """
    ),
    "phone": _phrases(
        """
        전화, 전화번호, 휴대폰, 휴대전화, 핸드폰, τηλεφωνο, κινητο, phone mobile, сотовый, контактный телефон,
        mobilni, mobitel, mobilny, komorkowy telefon, telefonnummern, mobilephone, whats app, contact number,
        telephone number, phone, mobile, mobile number, fax, msisdn, handy, handynummer, telefon, telefonnummer,
        mobil, mobilnummer, rufnummer, telefono, movil, celular, telephone, portable, telefone, telemovel, cellulare,
        komorka, komorkowy, telefoon, telefoonnummer, mobiel, gsm, cep telefonu, telefon no, numer telefonu, 電話,
        電話番号, 携帯, 携帯番号, 电话, 手机, 手机号, 手机号码, 联系电话, هاتف, رقم الهاتف, الهاتف, جوال, телефон,
        номер телефона, мобильный, whatsapp, whatsapp number, caller number, callback number, телефона, telefonu,
        numero telefono, número de telefone, tlf, tlfn, tfno, telf, telefonnr, mobilnr, mobiltelefon, handynr,
        telephone fixe, fixe, phone fixe, phone portable, puhelin, puhelinnumero, matkapuhelin, telefonszam,
        telefonni cislo, telefonne cislo, denwa, denwa bango, denwabango, keitai, keitai bango, keitai denwa,
        number hp, nomor hp, nomor telepon, telepon, number telp, telp, so dien thoai, dien thoai
        """
    ),
    "ssn": _phrases(
        """
        ssn, soc sec, social security, social security number, social insurance, social insurance number, sin number,
        itin, sozialversicherung, sozialversicherungsnummer, sv nummer, svnr, steuer id, steuerid,
        steueridentifikationsnummer, idnr, national id, national id number, national identifier, national insurance,
        national insurance number, nino, ni number, personnummer, person nummer, personal id number,
        personal identity number, personal number, pesel, cpf, dni, nie, nif, curp, rfc, codice fiscale, cod fiscale,
        aadhaar, aadhar, bsn, burgerservicenummer, numero securite sociale, securite sociale, nir, insee, tckn,
        tc kimlik, tc kimlik number, kimlik no, kimlik numarasi, citizen id, identity number, identity card,
        identity card number, id card number, tax id, tax number, tin, tax file number, tfn, taxpayer id,
        taxpayer number, mynumber, my number, マイナンバー, 个人番号, 身份证, 身份证号, 身份证号码, رقم الهوية,
        الهوية, инн, снилс, ahv, ahv nummer, fodselsnummer, cpr number, hetu, rijksregisternummer, cpr, 주민등록번호,
        주민번호, αφμ, αμκα, numar personal, numero fiscal, numer ubezpieczenia, rsvz, insz, national register number,
        resident id, resident number, id nacional, nhs number, medicare number, rentenversicherungsnummer, rv nummer,
        rvnr, rv number, versicherungsnummer, rodne cislo, rodne c, nik, ktp, number ktp, nomor ktp,
        nomor induk kependudukan, cnp, cod numeric personal, egn, isikukood, personas kods, asmens kodas, oib, jmbg,
        emso, taj szam, amka, rut, cuil, cedula, cedula identidad, numero cedula, documento identidad, kennitala,
        pps number, ppsn, henkilotunnus, personnr, fodselsnr, cpr nr, jumin, rrn, maina nambaa, numer pesel,
        seguridad social, numero seguridad social
        """
    ),
    "credit_card": _phrases(
        """
        credit card, credit card number, card number, card pan, pan, debit card, debit card number, payment card,
        payment card number, kreditkarte, kreditkartennummer, kartennummer, carte bancaire, numero carte,
        carte credit, tarjeta, tarjeta credito, numero tarjeta, cartao, cartao credito, numero cartao, carta credito,
        numero carta, karta kredytowa, numer karty, creditcard, kredi karti, kart number, kart no, カード番号,
        クレジットカード, 信用卡, 信用卡号, 银行卡号, номер карты
        """
    ),
    "iban": _phrases("iban, bank account iban, account iban, iban number, rachunek iban, conto iban"),
    "address": _phrases(
        """
        주소, 도로명주소, διευθυνση, οδος, адрес проживания, адрес доставки, adres dostawy, adres korespondencyjny,
        direccion postal, direccion de envio, adresse de livraison, adresse de facturation, indirizzo di residenza,
        residential address, permanent address, correspondence address, current address, address, street,
        street address, street name, street number, home address, postal address, mailing address, billing address,
        shipping address, delivery address, address line, residence, anschrift, adresse, strasse, hausnummer,
        wohnanschrift, lieferadresse, rechnungsadresse, rue, adresse postale, voie, direccion, calle, domicilio,
        endereco, morada, rua, logradouro, indirizzo, via residenza, adres, ulica, straat, straatnaam,
        adres zamieszkania, adresi, ev adresi, sokak, 住所, 番地, 地址, 住址, 家庭住址, العنوان, عنوان, адрес, улица,
        alamat, alamat rumah, adresa, adresa bydliste, bydliste, trvale bydliste, lakcim, cim, osoite, katuosoite,
        gatuadress, bostadsadress, adresse domicile, wohnadresse, privatadresse, meldeadresse, ulice, jusho, juusho,
        dia chi, adresse privee, lieu residence, prebivaliste, adresa stanovanja
        """
    ),
    "name": _phrases(
        """
        nom de famille, 이름, 성명, 고객명, ονομα, επωνυμο, ονοματεπωνυμο, nimi, roepnaam, tussenvoegsel, adsoyad,
        ad soyadi, isim soyisim, soyisim, имя фамилия, фамилия имя отчество, имя клиента, nom et prenom, nombres,
        nombre y apellidos, nombres y apellidos, nome e cognome, cognome e nome, nome e sobrenome, name surname,
        christian name, first name, last name, full name, family name, given name, maiden name, middle name,
        nick name, customer name, person name, patient name, employee name, contact name, user full name, holder name,
        cardholder, cardholder name, card holder, account holder, account holder name, guest name, passenger name,
        student name, member name, client name, buyer name, seller name, recipient, recipient name, destinatario,
        destinataire, empfanger, odbiorca, sender name, beneficiary name, manager name, doctor name, physician name,
        nurse name, author name, owner name, driver name, teacher name, parent name, guardian name, spouse name,
        emergency contact, emergency contact name, next of kin, legal name, display name, preferred name,
        subscriber name, applicant name, borrower name, caller name, agent name, reporter name, assignee name,
        signatory, signer name, voter name, citizen name, claimant name, resident name, tenant name, landlord name,
        witness name, officer name, player real name, real name, traveler name, traveller name, consignee,
        consignee name, vorname, nachname, familienname, name vorname, kundenname, ansprechpartner, geburtsname,
        mitarbeitername, prenom, nom famille, nom client, apellido, apellidos, nombre completo, nombre cliente,
        sobrenome, nome completo, cognome, nome cliente, imie, nazwisko, imie nazwisko, voornaam, achternaam,
        ad soyad, soyad, soyadi, 氏名, 姓名, お名前, 客户姓名, الاسم الكامل, اسم العائلة, фамилия, фио, отчество,
        fornamn, efternamn, fornavn, etternavn, efternavn, etunimi, sukunimi, jmeno, prijmeni, jmeno prijmeni,
        krestni jmeno, priezvisko, prezime, ime prezime, priimek, keresztnev, vezeteknev, csaladnev, prenume,
        nume familie, nama lengkap, nama depan, nama belakang, nama karyawan, nama pelanggan, ho ten, ho va ten,
        rufname, zuname, nom usage, nom naissance, nom jeune fille, nom epouse, nom salarie, nom patient, nom usuel,
        nombre pasajero, nombre paciente, nombre empleado, nome mae, nome da mae, nome pai, nome do pai, nombre madre,
        nombre padre, nome paciente, nome funcionario, nome aluno, nome dipendente, nome paziente, nome social,
        apelido, primeiro nome, ultimo nome, primer nombre, segundo apellido, primer apellido, shimei, namae, myoji,
        seimei, passenger surname, mother name, father name, ship to name, bill to name, フリガナ, ふりがな, カナ氏名,
        nom prenom, imie i nazwisko
        """
    ),
    "date_of_birth": _phrases(
        """
        生まれ, 생년월일, 생일, ημερομηνια γεννησης, doğum günü, dogum gunu, születési dátum, date of birth d m y,
        birth date, date of birth, birth, birthday, birthdate, dob, birth day, date birth, born, born on,
        geburtsdatum, geburtstag, geb datum, date naissance, date de naissance, naissance, fecha nacimiento,
        fecha de nacimiento, nacimiento, data nascimento, data de nascimento, nascimento, data nascita,
        data di nascita, nascita, data urodzenia, urodzenia, geboortedatum, dogum tarihi, 生年月日, 誕生日, 出生日期,
        生日, تاريخ الميلاد, дата рождения, fec nac, fecha nac, fecnac, f nac, fec nacimiento, date nasc, data nasc,
        dat nasc, nasc, date naiss, dat naiss, ddn, geb date, geb dat, gebdat, gebdatum, geb, data ur, data urodz,
        date ur, datum narozeni, datum narodenia, narozeni, datum rodenja, datum rodjenja, tanggal lahir, tgl lahir,
        tarikh lahir, fodselsdato, fodelsedatum, fodelsedag, syntymaaika, syntymapaiva, data nasterii,
        szuletesi datum, szuletesi ido, szuletett, ngay sinh, seinengappi, tanjobi, birth timestamp, nacido,
        geboren, geboren op, geboren am, ne le, nee le, nato il, nata il, nacido el, nacida el, nascido em, fodt, fodd,
        urodzony, urodzona, narozen, narozena, syntynyt
        """
    ),
    "ip_address": _phrases(
        """
        ip, ip address, ip addr, client ip, remote ip, source ip, remote address, remote addr, login ip, last ip,
        direccion ip, adresse ip, indirizzo ip, x forwarded for
        """
    ),
    "passport": _phrases(
        """
        passport, passport number, passport id, 旅券, 旅券番号, 여권, 여권번호, dokument podrozy, reisepass nummer,
        pass nummer, διαβατηριο, numero de passeport, numero de pasaporte, numero do passaporte, reisepass,
        reisepassnummer, passnummer, passeport, numero passeport, pasaporte, passaporte, passaporto, paszport,
        paspoort, paspoortnummer, pasaport, パスポート, パスポート番号, 护照, 护照号, 护照号码, جواز السفر, паспорт,
        travel document, travel document number, paszportu, numer paszportu, паспорта, номер паспорта, mrz,
        passaporte numero, ryoken, ryoken bango, cestovni pas, cislo pasu, passi, passinumero, passnr, paspor,
        number paspor, utlevel, pasaport numarasi, numero pasaporte
        """
    ),
    "drivers_license": _phrases(
        """
        driver license, driver license number, driving license, driving license number, driver permit, fuhrerschein,
        fuehrerschein, fuhrerscheinnummer, fuehrerscheinnummer, permis conduire, permis de conduire,
        licencia conducir, licencia de conducir, carnet conducir, cnh, carteira motorista, patente guida,
        patente di guida, prawo jazdy, rijbewijs, rijbewijsnummer, ehliyet, ehliyet no, 運転免許, 運転免許証番号,
        驾驶证, 驾驶证号, 驾照, رخصة القيادة, водительское удостоверение, patente, permis, prawa jazdy,
        водительского удостоверения, 免許証番号, korkort, korkortsnummer, forerkort, korekort, ajokortti,
        ridicsky prukaz, vodicsky preukaz, vozacka dozvola, menkyo bango, menkyosho bango, surat izin mengemudi,
        jogositvany, permis numero, führerschein nummer, carta condução, carta conducao, numer prawa jazdy,
        driving permit, chauffeur license, operator license, 운전면허, 운전면허번호, ehliyet numarasi,
        licenta conducere, permis conducere, number permis, numero permis
        """
    ),
}

# Quasi-identifiers: identifying only together with others.
QUASI_NAMES: Mapping[str, tuple[str, ...]] = {
    "postal code": _phrases(
        """
        zip, zip code, postal code, postcode, post code, plz, postleitzahl, code postal, codigo postal, cep, cap,
        kod pocztowy, postcode nl, posta kodu, 郵便番号, 邮编, 邮政编码, индекс
        """
    ),
    "city": _phrases(
        """
        city, town, municipality, ort, stadt, wohnort, ville, ciudad, cidade, citta, miasto, stad, woonplaats, sehir,
        ilce, municipio, localidad, localite, comune, miejscowosc, obec, mesto, kota, kunta, gemeente, 市, 城市, 都市,
        المدينة, город, commune, birthplace, birth city, place of birth, geburtsort
        """
    ),
    "country": _phrases(
        """
        country, country code, land, pays, pais, paese, kraj, ulke, 国, 国家, страна
        """
    ),
    "nationality": _phrases(
        """
        国籍, nationality, citizenship, staatsangehorigkeit, nationalite, nacionalidad, nacionalidade, nazionalita,
        narodowosc, obywatelstwo, nationaliteit, uyruk
        """
    ),
    "region": _phrases(
        """
        state code, state province, province, region, county, bundesland, provincia, estado, 都道府県, 省
        """
    ),
    "gender": _phrases(
        """
        gender, sex, geschlecht, sexe, sexo, genere, sesso, plec, geslacht, cinsiyet, kjonn, sukupuoli, pohlavi,
        seibetsu, jenis kelamin, 性別, 性别, الجنس, пол
        """
    ),
    "age": _phrases(
        """
        age, alter, edad, idade, eta, wiek, leeftijd, yas, 年齢, 年龄, العمر, возраст, age group, age band
        """
    ),
    "birth year": _phrases(
        """
        birth year, year of birth, yob, geburtsjahr, annee naissance, ano nacimiento, ano nascimento, anno nascita,
        geboortejaar, dogum yili
        """
    ),
}
