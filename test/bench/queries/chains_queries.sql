-- Each query begins with its number, by which kits.sh divides the file. They follow foreign keys at random, with conditions at random.

-- 1: reading, meter, model, maker
SELECT model.id, count(*), sum(reading.value) FROM reading JOIN meter ON reading.meter = meter.id JOIN model ON
    meter.model = model.id JOIN maker ON model.maker = maker.id WHERE model.is_smart GROUP BY model.id ORDER BY 3 DESC,
    1 LIMIT 10;
-- 2: meter, contract, reading, model
SELECT count(*), sum(reading.value) FROM meter JOIN contract ON meter.contract = contract.id JOIN reading ON
    reading.meter = meter.id JOIN model ON meter.model = model.id WHERE meter.state = 34;
-- 3: complaint, customer, employee, city, station, country
SELECT city.name, count(*), sum(customer.id) FROM complaint JOIN customer ON complaint.customer = customer.id JOIN
    employee ON complaint.employee = employee.id JOIN city ON employee.city = city.id JOIN station ON station.city =
    city.id JOIN country ON city.country = country.id WHERE customer.score = 53 AND city.country = 16 AND employee.since
    > '2011-01-01' GROUP BY city.name ORDER BY 3 DESC, 1 LIMIT 10;
-- 4: payment, invoice
SELECT count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id WHERE payment.amount >
    2100 AND invoice.state = 5;
-- 5: station, meter, model, maker, reading, city, employee
SELECT station.id, count(*), sum(reading.value) FROM station JOIN meter ON meter.station = station.id LEFT JOIN model ON
    meter.model = model.id JOIN maker ON model.maker = maker.id JOIN reading ON reading.meter = meter.id LEFT JOIN city
    ON station.city = city.id JOIN employee ON employee.city = city.id WHERE station.city < 151 GROUP BY station.id
    ORDER BY 3 DESC, 1 LIMIT 10;
-- 6: reading, meter, station, model, maker, contract
SELECT count(*), sum(reading.value) FROM reading JOIN meter ON reading.meter = meter.id JOIN station ON meter.station =
    station.id JOIN model ON meter.model = model.id LEFT JOIN maker ON model.maker = maker.id JOIN contract ON
    meter.contract = contract.id WHERE model.is_smart;
-- 7: contract, meter, tariff
SELECT tariff.name, count(*), sum(meter.id) FROM contract JOIN meter ON meter.contract = contract.id JOIN tariff ON
    contract.tariff = tariff.id WHERE meter.model = 375 AND tariff.name = 'tariff 13' GROUP BY tariff.name ORDER BY 3
    DESC, 1 LIMIT 10;
-- 8: complaint, customer, employee, city
SELECT count(*), sum(customer.id) FROM complaint JOIN customer ON complaint.customer = customer.id JOIN employee ON
    complaint.employee = employee.id JOIN city ON customer.city = city.id WHERE complaint.topic = 1;
-- 9: contract, meter, invoice, station, reading, payment
SELECT meter.id, count(*), sum(reading.value) FROM contract LEFT JOIN meter ON meter.contract = contract.id JOIN invoice
    ON invoice.contract = contract.id JOIN station ON meter.station = station.id JOIN reading ON reading.meter =
    meter.id JOIN payment ON payment.invoice = invoice.id WHERE contract.tariff = 1 AND meter.station = 4 GROUP BY
    meter.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 10: meter, model, station, maker, city
SELECT count(*), sum(meter.id) FROM meter JOIN model ON meter.model = model.id JOIN station ON meter.station =
    station.id JOIN maker ON model.maker = maker.id JOIN city ON station.city = city.id WHERE meter.state = 2;
-- 11: complaint, employee, customer
SELECT count(*), sum(customer.id) FROM complaint JOIN employee ON complaint.employee = employee.id JOIN customer ON
    complaint.customer = customer.id WHERE employee.role = 1;
-- 12: payment, invoice, contract, meter, tariff, station
SELECT tariff.name, count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id LEFT JOIN
    contract ON invoice.contract = contract.id JOIN meter ON meter.contract = contract.id JOIN tariff ON contract.tariff
    = tariff.id JOIN station ON meter.station = station.id WHERE payment.way = 6 GROUP BY tariff.name ORDER BY 3 DESC, 1
    LIMIT 10;
-- 13: invoice, payment, contract, customer, city
SELECT count(*), sum(payment.amount) FROM invoice JOIN payment ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id JOIN customer ON contract.customer = customer.id JOIN city ON customer.city = city.id
    WHERE payment.id < 80000;
-- 14: invoice, contract, payment, meter, model
SELECT count(*), sum(payment.amount) FROM invoice JOIN contract ON invoice.contract = contract.id JOIN payment ON
    payment.invoice = invoice.id JOIN meter ON meter.contract = contract.id JOIN model ON meter.model = model.id WHERE
    payment.id < 78000;
-- 15: meter, model
SELECT count(*), sum(meter.id) FROM meter JOIN model ON meter.model = model.id WHERE model.maker = 20;
-- 16: model, maker, meter
SELECT count(*), sum(meter.id) FROM model JOIN maker ON model.maker = maker.id JOIN meter ON meter.model = model.id
    WHERE maker.name = 'maker 13';
-- 17: customer, city, contract, station
SELECT customer.id, count(*), sum(contract.id) FROM customer JOIN city ON customer.city = city.id JOIN contract ON
    contract.customer = customer.id JOIN station ON station.city = city.id WHERE contract.tariff = 2 GROUP BY
    customer.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 18: invoice, payment, contract
SELECT count(*), sum(payment.amount) FROM invoice JOIN payment ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id WHERE invoice.day > '2022-03-01' AND contract.since > '2014-06-01';
-- 19: payment, invoice, contract, meter
SELECT meter.id, count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract
    ON invoice.contract = contract.id JOIN meter ON meter.contract = contract.id WHERE invoice.total > 4900 AND
    contract.since > '2016-06-01' GROUP BY meter.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 20: customer, contract, invoice
SELECT contract.id, count(*), sum(invoice.total) FROM customer JOIN contract ON contract.customer = customer.id JOIN
    invoice ON invoice.contract = contract.id WHERE invoice.day > '2020-03-01' AND customer.score = 32 GROUP BY
    contract.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 21: reading, meter, station, model, city
SELECT count(*), sum(reading.value) FROM reading LEFT JOIN meter ON reading.meter = meter.id JOIN station ON
    meter.station = station.id JOIN model ON meter.model = model.id JOIN city ON station.city = city.id WHERE
    meter.station = 1085 AND city.country = 10;
-- 22: model, maker, meter, contract, reading, invoice
SELECT meter.id, count(*), sum(reading.value) FROM model JOIN maker ON model.maker = maker.id JOIN meter ON meter.model
    = model.id JOIN contract ON meter.contract = contract.id JOIN reading ON reading.meter = meter.id JOIN invoice ON
    invoice.contract = contract.id WHERE maker.country = 7 GROUP BY meter.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 23: customer, contract, meter, city, country, reading
SELECT count(*), sum(reading.value) FROM customer JOIN contract ON contract.customer = customer.id JOIN meter ON
    meter.contract = contract.id JOIN city ON customer.city = city.id LEFT JOIN country ON city.country = country.id
    JOIN reading ON reading.meter = meter.id WHERE customer.score = 63 AND country.zone = 3 AND reading.value > 1400;
-- 24: contract, customer, meter
SELECT count(*), sum(meter.id) FROM contract LEFT JOIN customer ON contract.customer = customer.id JOIN meter ON
    meter.contract = contract.id WHERE NOT contract.is_valid;
-- 25: meter, reading, station, contract
SELECT contract.id, count(*), sum(reading.value) FROM meter JOIN reading ON reading.meter = meter.id JOIN station ON
    meter.station = station.id JOIN contract ON meter.contract = contract.id WHERE station.kind = 8 AND reading.value >
    5600 AND contract.tariff = 12 GROUP BY contract.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 26: payment, invoice, contract, customer, complaint, employee, city
SELECT count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id JOIN customer ON contract.customer = customer.id JOIN complaint ON complaint.customer
    = customer.id JOIN employee ON complaint.employee = employee.id JOIN city ON customer.city = city.id WHERE
    employee.role = 2;
-- 27: invoice, contract, tariff, customer
SELECT count(*), sum(invoice.total) FROM invoice JOIN contract ON invoice.contract = contract.id JOIN tariff ON
    contract.tariff = tariff.id JOIN customer ON contract.customer = customer.id WHERE customer.score = 3 AND
    tariff.name = 'tariff 20' AND invoice.day > '2024-03-01';
-- 28: reading, meter, contract
SELECT contract.id, count(*), sum(reading.value) FROM reading JOIN meter ON reading.meter = meter.id JOIN contract ON
    meter.contract = contract.id WHERE contract.tariff = 16 AND meter.station = 528 AND reading.quality = 3 GROUP BY
    contract.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 29: invoice, contract, meter, reading, customer, model, station
SELECT count(*), sum(reading.value) FROM invoice JOIN contract ON invoice.contract = contract.id JOIN meter ON
    meter.contract = contract.id JOIN reading ON reading.meter = meter.id LEFT JOIN customer ON contract.customer =
    customer.id JOIN model ON meter.model = model.id JOIN station ON meter.station = station.id WHERE meter.model = 108;
-- 30: customer, contract, meter, complaint, reading, city, tariff
SELECT city.name, count(*), sum(reading.value) FROM customer JOIN contract ON contract.customer = customer.id JOIN meter
    ON meter.contract = contract.id JOIN complaint ON complaint.customer = customer.id JOIN reading ON reading.meter =
    meter.id JOIN city ON customer.city = city.id JOIN tariff ON contract.tariff = tariff.id WHERE meter.station = 358
    GROUP BY city.name ORDER BY 3 DESC, 1 LIMIT 10;
-- 31: invoice, contract, tariff, meter, payment
SELECT count(*), sum(payment.amount) FROM invoice JOIN contract ON invoice.contract = contract.id JOIN tariff ON
    contract.tariff = tariff.id LEFT JOIN meter ON meter.contract = contract.id JOIN payment ON payment.invoice =
    invoice.id WHERE payment.way = 1 AND contract.since > '2013-06-01';
-- 32: model, maker, meter, reading
SELECT count(*), sum(reading.value) FROM model JOIN maker ON model.maker = maker.id JOIN meter ON meter.model = model.id
    JOIN reading ON reading.meter = meter.id WHERE model.is_smart AND maker.country = 13;
-- 33: meter, contract, reading, invoice, customer
SELECT count(*), sum(reading.value) FROM meter JOIN contract ON meter.contract = contract.id JOIN reading ON
    reading.meter = meter.id JOIN invoice ON invoice.contract = contract.id LEFT JOIN customer ON contract.customer =
    customer.id WHERE customer.city = 667;
-- 34: complaint, employee, customer, city, contract
SELECT count(*), sum(contract.id) FROM complaint JOIN employee ON complaint.employee = employee.id JOIN customer ON
    complaint.customer = customer.id JOIN city ON customer.city = city.id JOIN contract ON contract.customer =
    customer.id WHERE city.inhabitants > 726000;
-- 35: contract, customer
SELECT count(*), sum(contract.id) FROM contract JOIN customer ON contract.customer = customer.id WHERE customer.name
    LIKE 'customer 49%' AND NOT contract.is_valid;
-- 36: complaint, employee, customer, contract, meter
SELECT count(*), sum(meter.id) FROM complaint LEFT JOIN employee ON complaint.employee = employee.id JOIN customer ON
    complaint.customer = customer.id JOIN contract ON contract.customer = customer.id JOIN meter ON meter.contract =
    contract.id WHERE meter.station = 22;
-- 37: payment, invoice, contract, tariff
SELECT count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id JOIN tariff ON contract.tariff = tariff.id WHERE contract.since > '2018-06-01' AND
    tariff.kind = 1;
-- 38: meter, contract, invoice, customer
SELECT contract.id, count(*), sum(invoice.total) FROM meter JOIN contract ON meter.contract = contract.id JOIN invoice
    ON invoice.contract = contract.id JOIN customer ON contract.customer = customer.id WHERE meter.state = 17 AND
    customer.name LIKE 'customer 11%' GROUP BY contract.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 39: contract, tariff, invoice, meter
SELECT count(*), sum(invoice.total) FROM contract JOIN tariff ON contract.tariff = tariff.id JOIN invoice ON
    invoice.contract = contract.id JOIN meter ON meter.contract = contract.id WHERE contract.since > '2022-06-01' AND
    tariff.name = 'tariff 25' AND invoice.state = 4;
-- 40: meter, station, reading
SELECT count(*), sum(reading.value) FROM meter JOIN station ON meter.station = station.id JOIN reading ON reading.meter
    = meter.id WHERE reading.day > '2022-08-01';
-- 41: contract, customer, city, station, meter, invoice
SELECT count(*), sum(invoice.total) FROM contract JOIN customer ON contract.customer = customer.id JOIN city ON
    customer.city = city.id JOIN station ON station.city = city.id JOIN meter ON meter.station = station.id JOIN invoice
    ON invoice.contract = contract.id WHERE contract.tariff = 1;
-- 42: contract, meter, customer, city
SELECT count(*), sum(meter.id) FROM contract LEFT JOIN meter ON meter.contract = contract.id JOIN customer ON
    contract.customer = customer.id LEFT JOIN city ON customer.city = city.id WHERE NOT contract.is_valid AND
    customer.kind = 3 AND city.name LIKE 'city 2%';
-- 43: complaint, employee, city, country, customer
SELECT count(*), sum(customer.id) FROM complaint JOIN employee ON complaint.employee = employee.id JOIN city ON
    employee.city = city.id JOIN country ON city.country = country.id JOIN customer ON complaint.customer = customer.id
    WHERE customer.name LIKE 'customer 10%' AND country.name = 'country 1';
-- 44: reading, meter, contract, model, station, maker, invoice
SELECT count(*), sum(reading.value) FROM reading JOIN meter ON reading.meter = meter.id JOIN contract ON meter.contract
    = contract.id JOIN model ON meter.model = model.id JOIN station ON meter.station = station.id JOIN maker ON
    model.maker = maker.id JOIN invoice ON invoice.contract = contract.id WHERE maker.country = 26;
-- 45: meter, station, contract
SELECT count(*), sum(meter.id) FROM meter JOIN station ON meter.station = station.id JOIN contract ON meter.contract =
    contract.id WHERE meter.state = 43 AND station.kind = 8;
-- 46: model, meter, reading
SELECT model.id, count(*), sum(reading.value) FROM model JOIN meter ON meter.model = model.id JOIN reading ON
    reading.meter = meter.id WHERE reading.id = 897732 GROUP BY model.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 47: station, city, employee, complaint, customer, country, contract
SELECT country.name, count(*), sum(contract.id) FROM station JOIN city ON station.city = city.id JOIN employee ON
    employee.city = city.id JOIN complaint ON complaint.employee = employee.id JOIN customer ON complaint.customer =
    customer.id JOIN country ON city.country = country.id JOIN contract ON contract.customer = customer.id WHERE
    complaint.id < 16500 AND city.country = 21 GROUP BY country.name ORDER BY 3 DESC, 1 LIMIT 10;
-- 48: payment, invoice, contract, customer
SELECT invoice.id, count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract
    ON invoice.contract = contract.id JOIN customer ON contract.customer = customer.id WHERE invoice.total > 4300 GROUP
    BY invoice.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 49: reading, meter, contract, model, maker
SELECT count(*), sum(reading.value) FROM reading JOIN meter ON reading.meter = meter.id LEFT JOIN contract ON
    meter.contract = contract.id JOIN model ON meter.model = model.id JOIN maker ON model.maker = maker.id WHERE
    model.maker = 23 AND maker.name = 'maker 34';
-- 50: payment, invoice, contract, customer, meter, tariff
SELECT count(*), sum(payment.amount) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id JOIN customer ON contract.customer = customer.id JOIN meter ON meter.contract =
    contract.id JOIN tariff ON contract.tariff = tariff.id WHERE payment.amount > 1000 AND NOT contract.is_valid;
-- 51: invoice, contract, meter
SELECT contract.id, count(*), sum(invoice.total) FROM invoice JOIN contract ON invoice.contract = contract.id JOIN meter
    ON meter.contract = contract.id WHERE contract.tariff = 6 AND meter.state = 12 GROUP BY contract.id ORDER BY 3 DESC,
    1 LIMIT 10;
-- 52: complaint, employee, city
SELECT count(*), sum(complaint.id) FROM complaint JOIN employee ON complaint.employee = employee.id JOIN city ON
    employee.city = city.id WHERE city.inhabitants > 773000 AND employee.role = 4;
-- 53: payment, invoice, contract, meter, model, reading, maker
SELECT count(*), sum(reading.value) FROM payment JOIN invoice ON payment.invoice = invoice.id JOIN contract ON
    invoice.contract = contract.id JOIN meter ON meter.contract = contract.id JOIN model ON meter.model = model.id JOIN
    reading ON reading.meter = meter.id JOIN maker ON model.maker = maker.id WHERE model.year = 2006 AND payment.amount
    > 4400 AND meter.state = 37;
-- 54: model, maker, meter, station, reading
SELECT station.id, count(*), sum(reading.value) FROM model JOIN maker ON model.maker = maker.id JOIN meter ON
    meter.model = model.id JOIN station ON meter.station = station.id JOIN reading ON reading.meter = meter.id WHERE
    meter.state = 26 AND model.maker = 38 GROUP BY station.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 55: model, maker, country, meter, contract, tariff, reading
SELECT count(*), sum(reading.value) FROM model JOIN maker ON model.maker = maker.id JOIN country ON maker.country =
    country.id JOIN meter ON meter.model = model.id JOIN contract ON meter.contract = contract.id JOIN tariff ON
    contract.tariff = tariff.id JOIN reading ON reading.meter = meter.id WHERE country.name = 'country 6';
-- 56: complaint, customer, city, employee, country
SELECT count(*), sum(customer.id) FROM complaint JOIN customer ON complaint.customer = customer.id JOIN city ON
    customer.city = city.id JOIN employee ON complaint.employee = employee.id JOIN country ON city.country = country.id
    WHERE employee.since > '2013-01-01' AND customer.city = 749 AND city.inhabitants > 200000;
-- 57: contract, meter, invoice, payment, station, reading, customer
SELECT meter.id, count(*), sum(reading.value) FROM contract JOIN meter ON meter.contract = contract.id JOIN invoice ON
    invoice.contract = contract.id JOIN payment ON payment.invoice = invoice.id JOIN station ON meter.station =
    station.id LEFT JOIN reading ON reading.meter = meter.id JOIN customer ON contract.customer = customer.id WHERE NOT
    contract.is_valid GROUP BY meter.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 58: complaint, employee, customer, city
SELECT city.name, count(*), sum(customer.id) FROM complaint JOIN employee ON complaint.employee = employee.id JOIN
    customer ON complaint.customer = customer.id JOIN city ON employee.city = city.id WHERE employee.since >
    '2013-01-01' GROUP BY city.name ORDER BY 3 DESC, 1 LIMIT 10;
-- 59: contract, customer, meter, reading
SELECT customer.id, count(*), sum(reading.value) FROM contract JOIN customer ON contract.customer = customer.id JOIN
    meter ON meter.contract = contract.id JOIN reading ON reading.meter = meter.id WHERE meter.model = 347 AND
    reading.value > 8900 GROUP BY customer.id ORDER BY 3 DESC, 1 LIMIT 10;
-- 60: model, meter, maker, contract, invoice
SELECT count(*), sum(invoice.total) FROM model JOIN meter ON meter.model = model.id JOIN maker ON model.maker = maker.id
    LEFT JOIN contract ON meter.contract = contract.id JOIN invoice ON invoice.contract = contract.id WHERE meter.state
    = 13 AND contract.since > '2017-06-01';
