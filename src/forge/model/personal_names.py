"""Names of columns with personal data, in twelve languages: one list for detection and for required classification.
Words as in a name, side by side; accents do not count."""

from __future__ import annotations

from collections.abc import Mapping


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


PERSONAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "email": _phrases(
        """
        email, e mail, mail, mail address, email address, correo, correo electronico, courriel, posta elettronica,
        adres email, eposta, e posta, メール, メールアドレス, 邮箱, 电子邮件, 電子郵件, البريد, почта, эл почта,
        электронная почта
        """
    ),
    "phone": _phrases(
        """
        phone, mobile, mobile number, fax, msisdn, handy, handynummer, telefon, telefonnummer, mobil, mobilnummer,
        rufnummer, telefono, movil, celular, telephone, portable, telefone, telemovel, cellulare, komorka,
        komorkowy, telefoon, telefoonnummer, mobiel, gsm, cep telefonu, telefon no, numer telefonu, 電話, 電話番号,
        携帯, 携帯番号, 电话, 手机, 手机号, 手机号码, 联系电话, هاتف, رقم الهاتف, الهاتف, جوال, телефон,
        номер телефона, мобильный, whatsapp, whatsapp number, caller number, callback number, телефона, telefonu,
        numero telefono, número de telefone
        """
    ),
    "ssn": _phrases(
        """
        ssn, social security, social security number, social insurance, social insurance number, sin number, itin,
        sozialversicherung, sozialversicherungsnummer, sv nummer, svnr, steuer id, steuerid,
        steueridentifikationsnummer, idnr, national id, national id number, national identifier,
        national insurance, national insurance number, nino, ni number, personnummer, person nummer,
        personal id number, personal identity number, personal number, pesel, cpf, dni, nie, nif, curp, rfc,
        codice fiscale, cod fiscale, aadhaar, aadhar, bsn, burgerservicenummer, numero securite sociale,
        securite sociale, nir, insee, tckn, tc kimlik, tc kimlik number, kimlik no, kimlik numarasi, citizen id,
        identity number, identity card, identity card number, id card number, tax id, tax number, tin,
        tax file number, tfn, taxpayer id, taxpayer number, mynumber, my number, マイナンバー, 个人番号, 身份证,
        身份证号, 身份证号码, رقم الهوية, الهوية, инн, снилс, ahv, ahv nummer, fodselsnummer, cpr number, hetu,
        rijksregisternummer, nhs number, medicare number
        """
    ),
    "credit_card": _phrases(
        """
        credit card, credit card number, card number, card pan, pan, debit card, debit card number, payment card,
        payment card number, kreditkarte, kreditkartennummer, kartennummer, carte bancaire, numero carte,
        carte credit, tarjeta, tarjeta credito, numero tarjeta, cartao, cartao credito, numero cartao,
        carta credito, numero carta, karta kredytowa, numer karty, creditcard, kredi karti, kart number, kart no,
        カード番号, クレジットカード, 信用卡, 信用卡号, 银行卡号, номер карты
        """
    ),
    "iban": _phrases("iban, bank account iban, account iban, iban number, rachunek iban, conto iban"),
    "address": _phrases(
        """
        address, street, street address, street name, street number, home address, postal address, mailing address,
        billing address, shipping address, delivery address, address line, residence, anschrift, adresse, strasse,
        hausnummer, wohnanschrift, lieferadresse, rechnungsadresse, rue, adresse postale, voie, direccion, calle,
        domicilio, endereco, morada, rua, logradouro, indirizzo, via residenza, adres, ulica, straat, straatnaam,
        adres zamieszkania, adresi, ev adresi, sokak, 住所, 番地, 地址, 住址, 家庭住址, العنوان, عنوان, адрес,
        улица
        """
    ),
    "name": _phrases(
        """
        first name, last name, full name, family name, given name, maiden name, middle name, nick name,
        customer name, person name, patient name, employee name, contact name, user full name, holder name,
        cardholder, cardholder name, card holder, account holder, account holder name, guest name, passenger name,
        student name, member name, client name, buyer name, seller name, recipient, recipient name, destinatario,
        destinataire, empfanger, odbiorca, sender name, beneficiary name, manager name, doctor name,
        physician name, nurse name, author name, owner name, driver name, teacher name, parent name, guardian name,
        spouse name, emergency contact, emergency contact name, next of kin, legal name, display name,
        preferred name, subscriber name, applicant name, borrower name, caller name, agent name, reporter name,
        assignee name, signatory, signer name, voter name, citizen name, claimant name, resident name, tenant name,
        landlord name, witness name, officer name, player real name, real name, traveler name, traveller name,
        consignee, consignee name, vorname, nachname, familienname, name vorname, kundenname, ansprechpartner,
        geburtsname, mitarbeitername, prenom, nom famille, nom client, apellido, apellidos, nombre completo,
        nombre cliente, sobrenome, nome completo, cognome, nome cliente, imie, nazwisko, imie nazwisko, voornaam,
        achternaam, ad soyad, soyad, soyadi, 氏名, 姓名, お名前, 客户姓名, الاسم الكامل, اسم العائلة, фамилия, фио,
        отчество, ship to name, bill to name, フリガナ, ふりがな, カナ氏名, nom prenom, imie i nazwisko
        """
    ),
    "date_of_birth": _phrases(
        """
        birth date, date of birth, birthday, birthdate, dob, birth day, date birth, born, born on, geburtsdatum,
        geburtstag, geb datum, date naissance, date de naissance, naissance, fecha nacimiento, fecha de nacimiento,
        nacimiento, data nascimento, data de nascimento, nascimento, data nascita, data di nascita, nascita,
        data urodzenia, urodzenia, geboortedatum, dogum tarihi, 生年月日, 誕生日, 出生日期, 生日, تاريخ الميلاد,
        дата рождения
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
        passport, passport number, passport id, reisepass, reisepassnummer, passnummer, passeport,
        numero passeport, pasaporte, passaporte, passaporto, paszport, paspoort, paspoortnummer, pasaport,
        パスポート, パスポート番号, 护照, 护照号, 护照号码, جواز السفر, паспорт, travel document number, paszportu,
        numer paszportu, паспорта, номер паспорта, mrz, passaporte numero
        """
    ),
    "drivers_license": _phrases(
        """
        driver license, driver license number, driving license, driving license number, driver permit,
        fuhrerschein, fuehrerschein, fuhrerscheinnummer, fuehrerscheinnummer, permis conduire, permis de conduire,
        licencia conducir, licencia de conducir, carnet conducir, cnh, carteira motorista, patente guida,
        patente di guida, prawo jazdy, rijbewijs, rijbewijsnummer, ehliyet, ehliyet no, 運転免許, 運転免許証番号,
        驾驶证, 驾驶证号, 驾照, رخصة القيادة, водительское удостоверение, patente, permis, prawa jazdy,
        водительского удостоверения, 免許証番号
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
        city, town, municipality, ort, stadt, wohnort, ville, ciudad, cidade, citta, miasto, stad, woonplaats,
        sehir, ilce, 市, 城市, 都市, المدينة, город, commune, birthplace, birth city, place of birth, geburtsort
        """
    ),
    "country": _phrases(
        """
        country, country code, land, pays, pais, paese, kraj, ulke, 国, 国家, 国籍, страна, nationality,
        citizenship, staatsangehorigkeit, nationalite, nacionalidad, nazionalita
        """
    ),
    "region": _phrases(
        """
        state code, state province, province, region, county, bundesland, provincia, estado, 都道府県, 省
        """
    ),
    "gender": _phrases(
        """
        gender, sex, geschlecht, sexe, sexo, genere, sesso, plec, geslacht, cinsiyet, 性別, 性别, الجنس, пол
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
