"""What column names say: the phrases of each kind of personal data, and the words that take it back.

A phrase counts where its words stand side by side. Words after it that make it a property of the thing (`email_count`,
`passport_expiry`, `phone_model`) or before it that make it another thing (`product_name`, `mac_address`) veto it."""

from __future__ import annotations

from collections.abc import Mapping

from forge.catalog.pii.tokens import Words, phrases, words_in
from forge.model.personal_names import PERSONAL_NAMES, QUASI_NAMES

PII_PHRASES: Mapping[str, tuple[Words, ...]] = {
    kind: phrases(",".join(names)) for kind, names in PERSONAL_NAMES.items()
}
QUASI_PHRASES: Mapping[str, tuple[Words, ...]] = {kind: phrases(",".join(names)) for kind, names in QUASI_NAMES.items()}
GEOGRAPHIC = ("postal code", "city", "country", "region")

# After a phrase: what it is then about is a property, a count, a flag, a time or a setting.
# The plain word for a name, which everything has: its values decide.
GENERIC_NAMES = words_in(
    [
        phrases("""
        name, nom, nombre, nome, naam, adi, isim, nazwa, 名前, 名字, 名, 姓, الاسم, اسم, имя, наименование
        """)
    ]
)
PROPERTIES = words_in(
    [
        phrases(
            """
        count, total, flag, opt, optin, optout, verified, verification, valid, validated, validity, confirmed, status,
        state, type, kind, category, class, domain, provider, host, template, subject, body, sent, delivered, bounced,
        bounce, opened, clicked, clicks, campaign, frequency, preference, preferences, enabled, disabled, allowed,
        required, length, len, size, format, pattern, regex, mask, model, brand, plan, carrier, operator, os, price,
        cost, fee, expiry, expires, expiration, expire, exp, issue, issued, issuer, issuing, authority, network,
        scheme, version, score, rate, ratio, pct, percent, percentage, rank, index, position, source, channel,
        language, lang, locale, timezone, created, updated, changed, modified, deleted, date, time, timestamp, at,
        year, month, label, ref, uuid, guid, book, list, group, prefix, suffix, quality, confidence, match, matches,
        queue, server, port, range, pool, block, subnet, ttl, attempts, errors, error, consent, subscribed,
        unsubscribed, subscription, url, link, icon, image, photo, file, path, limit, balance, points, bin, usage,
        minutes, duration, calls, battery, screen, present, missing, exists, known, given, bool, is, collected,
        recorded, quarter, reminder, notification, notifications, alert, alerts, log, policy, fraud, risk, order,
        sort, hint, placeholder, column, field, unit, weight, cohort, weekday, season, decade, dpi, ppi, display,
        chat, support, mb, gb, kb, bytes, tipo, typ, estado, statut, cantidad, anzahl, liczba, количество, тип,
        zusatz, validee, valide, verifie, verifiee, verificado, verificada, confirmado, confirmada, bestatigt,
        gepruft, zweryfikowany, potwierdzony, enviado, envoye, gesendet, wyslany, history, rating, ratings, protocol,
        session, sessions, app, apps, device, devices, traffic, whitelist, blacklist, allowlist, months, days,
        interview, included, imputed, priority, prioridade, prioridad, anlage, case
        """
        )
    ]
)
# Names that say nothing: as `field_7`, `attr1` and `value`.
MEANINGLESS = words_in(
    [
        phrases("""
        field, column, col, attribute, attr, value, val, variable, var, data, unnamed, x, y, c, f, v, feature, item,
        element, entry, info, misc, raw, text, string, extra, custom, spalte, campo, colonne, feld, 列
        """)
    ]
)
# What is numbered, where it is no person: such numbers often have the form of another one.
OTHER_NUMBERS = words_in(
    [
        phrases("""
        order, orders, invoice, case, ticket, part, sku, isbn, item, product, batch, lot, serial, tracking, shipment,
        parcel, claim, contract, po, purchase, receipt, transaction, docket, permit, model, catalog, catalogue, asset,
        imei, iccid, barcode, ean, upc, gtin, voucher, coupon, container, pallet, work, job, project, bestellung,
        bestellnummer, auftrag, auftragsnummer, rechnung, rechnungsnummer, artikel, artikelnummer, pedido, factura,
        commande, facture, ordine, fattura, zamowienie, zamowienia, faktura
        """)
    ]
)
# Words that make hashes and stand-ins of what is named: reported as quasi-identifiers.
HASHES = words_in(
    [
        phrases(
            """
        hash, hashed, sha, sha1, sha256, sha512, md5, hmac, digest, token, tokenized, encrypted, pseudonym, masked
        """
        )
    ]
)
# Before a phrase: flags and counts.
FLAGS = words_in(
    [
        phrases("""
        has, is, tipo, typ, tip, count, total, distinct, unique, without, invalid, missing, avg, max, min, sum, allow
        """)
    ]
)
# Before `name`, `address` and their like: the things that have one, too.
THINGS = words_in(
    [
        phrases(
            """
        product, company, file, folder, host, domain, table, column, schema, field, event, campaign, brand, vendor,
        supplier, store, shop, branch, category, project, team, department, role, group, plan, app, application,
        device, model, service, server, cluster, database, topic, queue, job, task, pipeline, function, class,
        package, module, city, country, state, region, street, bank, school, university, hospital, clinic, ward,
        hotel, restaurant, airport, station, course, subject, drug, medication, medicine, procedure, diagnosis, test,
        lab, item, sku, part, component, material, color, size, font, icon, image, video, song, track, album, artist,
        game, level, map, weapon, character, guild, clan, realm, season, tournament, sensor, gateway, network, wifi,
        ssid, carrier, operator, tariff, bundle, promo, promotion, coupon, discount, segment, audience, cohort,
        experiment, variant, feature, metric, dashboard, report, query, dataset, source, system, tenant, organization,
        organisation, org, business, merchant, agency, office, site, location, place, venue, building, room, floor,
        warehouse, port, vessel, aircraft, vehicle, car, make, species, breed, pet, plant, crop, policy, contract,
        form, template, document, page, screen, menu, button, key, parameter, param, variable, attribute, property,
        label, tag, codec, protocol, mac, ip, memory, wallet, bitcoin, ethereum, eth, btc, web, url, register, bus,
        i2c, multicast, broadcast, loopback, email, e, mail, return, firma, firmen, produkt, producto, produit,
        prodotto, empresa, entreprise, societe, azienda, archivo, fichier, datei, ort, stadt, birim, urun, sirket,
        firm, bedrijf, bedrijfs, 会社, 商品, 公司, 产品, 部署, 部门, corporate, employer, employers, position, title,
        status, type, process, thread, zone, repo, repository, git, stage, step, rule, check, program, programme,
        benefit, allergy, allergen, vaccine, treatment, unit, cost, center, ministry, authority, law, election, party,
        district, parish, road, line, route, stop, trip, quest, skill, avatar, firmware, bucket, blob, container, pod,
        namespace, node, edge, manufacturer, maker, publisher, studio, genre, channel, show, series, episode,
        playlist, magasin, boutique, tienda, marca, marque, transportista, productos, loja, negozio, sklep, sklepu,
        magazin, winkel, 店舗, 店铺, المنتج, المتجر, товар, товара, магазин, магазина, filiale, abteilung, projekt,
        proyecto, projet, progetto, categoria, categorie, kategorie, kategoria, ville, ciudad, pais, proveedor,
        fournisseur, fornitore, dostawcy, lieferant, hersteller, jdbc, odbc, db, digital, booth, stand, rack, shelf,
        freezer, storage, locker, cabinet, hall, slot, slave, block, equipe, equipo, equipa, zespol, hotelu, geraete,
        gerate, stations, formation, formacion, curso, corso, kurs, offre, oferta, offer, pacote, paquete, pakiet,
        tarif, tarifa, plano, codec, trunk, apn, cell, gene, perfume, wine, estate, hurricane, storm, food, dish,
        roster, workshop, warsztatu, wariant, variante, barang, shohin, heya, diagnos, oddeleni, servicio,
        departamento, dzialu, dzial
        """
        )
    ]
)

# Who a person is to whoever keeps the table: where values have the form of names, they are.
ROLES = words_in(
    [
        phrases(
            """
        passenger, traveller, traveler, guest, captain, pilot, doctor, physician, surgeon, nurse, investigator,
        examiner, inspector, auditor, trainer, teacher, instructor, tutor, lecturer, agent, broker, adjuster, advisor,
        insured, policyholder, holder, subscriber, client, customer, patient, employee, worker, manager, supervisor,
        author, reviewer, approver, editor, owner, driver, courier, witness, tenant, landlord, buyer, seller, sender,
        recipient, applicant, candidate, student, pupil, mother, father, spouse, parent, child, guardian, kin, crew,
        actor, operator, technician, installer, engineer, cashier, lawyer, judge, notary, signatory, requester,
        assignee, reporter, beneficiary, by, lead, leader, ceo, founder, principal, coach, chef, mayor, director,
        performer, speaker, contact, delegate, resident, citizen, taxpayer, pasajero, huesped, medico, paciente,
        empleado, titular, asegurado, abonado, cliente, conductor, propietario, profesor, maestro, testigo,
        solicitante, madre, padre, tutor, comercial, gestor, firmante, inquilino, passager, voyageur, hote, capitaine,
        medecin, infirmier, salarie, titulaire, assure, abonne, conducteur, proprietaire, professeur, formateur,
        formatrice, temoin, demandeur, mere, pere, locataire, signataire, auteur, passageiro, hospede, funcionario,
        segurado, assinante, motorista, proprietario, professor, testemunha, mae, pai, inquilina, beneficiario,
        pasazer, lekarz, pacjent, pracownik, ubezpieczony, abonent, kierowca, wlasciciel, nauczyciel, swiadek, matka,
        ojciec, likwidator, klient, najemca, opiekun, fahrgast, passagier, gast, arzt, hausarzt, arztin, mitarbeiter,
        inhaber, versicherter, versicherungsnehmer, kunde, fahrer, eigentumer, lehrer, zeuge, mieter, sachbearbeiter,
        betreuer, mutter, vater, bearbeiter, dipendente, intestatario, assicurato, abbonato, conducente, insegnante,
        testimone, medewerker, klant, eigenaar, bestuurder, leraar, arts, lakare, kund, anstalld, forare, agare,
        potilas, asiakas, zamestnanec, zakaznik, ridic, lekar, pacient, karyawan, pelanggan, dokter, hasta, musteri,
        calisan, surucu, sahibi
        """
        )
    ]
)

KNOWN_WORDS = words_in([*PII_PHRASES.values(), *QUASI_PHRASES.values()]) | PROPERTIES | HASHES | THINGS | {
    "user", "customer", "client", "number", "code", "of", "in", "line", "home", "work", "primary", "secondary", "holder"
}  # fmt: skip
