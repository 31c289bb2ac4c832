import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { play, send } from '../../helpers/api/scenario.ts'
import { GERMAN_CSV, GERMAN_PATIENTS } from '../../helpers/german-patients.ts'

const PATIENT = '/api/v1/models/patient'
const CSV = { 'content-type': 'text/csv' }
const JSON_TYPE = { 'content-type': 'application/json' }

const query = (map: object, more = '') => `?map=${encodeURIComponent(JSON.stringify(map))}${more}`
const HEAD = 'Patient number;Name;Date of birth;Sex;Phone'
const row = (number: number, born: string, rest = '') => `P-9100${number};Nobody ${number};${born};Female;0301234567${rest}`

test('a file with labels, names and local formats is imported with a locale or a map, and what is ambiguous is refused', async (t) => {
  await using app = await openTestApp({ fixture: 'clinic' })
  const post = (path: string, rawBody: string, status = 200, headers: Record<string, string> = CSV) =>
    play(app, { request: `POST ${PATIENT}${path}`, rawBody, headers, status })
  const errorsOf = async (path: string, rawBody: string, headers = CSV) =>
    (await post(path, rawBody, 400, headers)).json.detail.error
  const dry = (map: object) => `/import${query(map, '&dry_run=true')}`

  await t.test('a German CSV', async () => {
    await post('/import?dry_run=true', GERMAN_CSV, 400)
    assert.equal((await post('/import?locale=de', GERMAN_CSV)).json.created, 2)
    const { json } = await send(app, { request: `GET ${PATIENT}?filters=number__startswith%3DP-9000&sort_by=id` })
    for (const [index, expected] of GERMAN_PATIENTS.entries()) {
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(json.data[index][name], value, name)
    }
  })

  await t.test('columns are renamed, left out, and filled in', async () => {
    const map = {
      columns: { Nr: 'number', Bemerkung: null, Arzt: 'doctor_id.licence_number' },
      dates: 'mm/dd/yyyy',
      constants: { sex: 'other' },
    }
    const rows = 'Nr,Name,Date of birth,Phone,Bemerkung,Arzt\nP-92001,A,04/03/1961,0301234567,left out,MD-17365\n'
    assert.equal((await post(`/import${query(map)}`, rows)).json.created, 1)
    const { json } = await send(app, { request: `GET ${PATIENT}?filters=number%3DP-92001` })
    const [{ date_of_birth, doctor_id, sex }] = json.data
    assert.deepEqual([date_of_birth, doctor_id, sex], ['1961-04-03', 4, 'other'])
  })

  await t.test('values in another format are refused, with the cell', async () => {
    const rows = [
      `${HEAD};Weight in kg`,
      row(1, '04/03/1961', ';71.5'),
      row(2, '31.02.1961', ';1.23'),
      row(3, '3.4.61', ';1.234,5'),
      '',
    ].join('\n')
    assert.deepEqual(await errorsOf(dry({ locale: 'de' }), rows), {
      '1.date_of_birth': ["date_of_birth must be a date such as dd.mm.yyyy, the date format of the file: '04/03/1961'"],
      '1.weight': ["weight must be a number such as 1.234,56, the number format of the file: '71.5'"],
      '2.date_of_birth': ["date_of_birth must be a date such as dd.mm.yyyy, the date format of the file: '31.02.1961'"],
      '2.weight': ["weight must be a number such as 1.234,56, the number format of the file: '1.23'"],
      '3.date_of_birth': ["date_of_birth must be a date such as dd.mm.yyyy, the date format of the file: '3.4.61'"],
      '3.weight': ['weight must be less than or equal to 400'],
    })
    const { '1.date_of_birth': unnamed } = await errorsOf(dry({}), rows)
    assert.match(String(unnamed), /name the date format of the file: '04\/03\/1961'/)
  })

  await t.test('a name of two records, and one of none, are faults of their cell', async () => {
    const appointment = (path: string, rawBody: string, status: number) =>
      play(app, { request: `POST /api/v1/models/appointment${path}`, rawBody, headers: CSV, status })
    const rows = (patient: string, header = 'Patient') =>
      `${header};Doctor;Starts at;Reason for visit\n${patient};Dr. Jürgen Weiß;01.02.2027 10:30;Cough\n`
    const map = { locale: 'de', time_zone: 'Europe/Berlin' }
    const { json: twice } = await appointment(dry(map), rows('Müller, Anna'), 400)
    assert.match(
      String(twice.detail.error['1.patient_id']),
      /ambiguous: several records of patient may be meant by 'Müller, Anna'; map the column/,
    )
    const { json: none } = await appointment(dry(map), rows('Nobody'), 400)
    assert.deepEqual(none.detail.error['1.patient_id']?.[0], "patient_id refers to no patient: none has the name 'Nobody'")
    await appointment(`/import${query(map)}`, rows('P-10002', 'Patient Patient number'), 200)
    const { json } = await send(app, { request: 'GET /api/v1/models/appointment?sort_by=id&sort_order=desc&page_size=1' })
    assert.deepEqual([json.data[0].patient_id, json.data[0].starts_at], [2, '2027-02-01T09:30:00.000Z'])
  })

  await t.test('typed values of JSON have one meaning in every format', async () => {
    const patient = {
      'Patient number': 'P-93001',
      Name: 'B',
      'Date of birth': '1961-04-03',
      Sex: 'Male',
      Phone: 3012345678,
      'Weight in kg': 71.5,
    }
    await post(`/import${query({ locale: 'de' })}`, JSON.stringify([patient]), 200, JSON_TYPE)
    const { json } = await send(app, { request: `GET ${PATIENT}?filters=number%3DP-93001` })
    assert.deepEqual([json.data[0].weight, json.data[0].phone], ['71.5', '3012345678'])
  })

  await t.test('a faulty map is refused', async () => {
    const faulty = {
      columns: { A: 'nmae', B: 'name.x', C: 'doctor_id.phone' },
      dates: 'dd.mm.yy',
      numbers: '1,2',
      locale: 'deutsch!',
      time_zone: 'Berlin',
      more: 1,
    }
    const { json } = await post(`/import${query(faulty)}`, GERMAN_CSV, 400)
    const text = json.details.map.join('\n')
    for (const part of [
      /'nmae', which does not exist; did you mean 'name'/,
      /'name' is no relation/,
      /no doctor is named by 'phone'/,
      /'dates' must be one of/,
      /'numbers' must/,
      /'locale' must/,
      /'time_zone' must/,
      /has no 'more'/,
    ]) {
      assert.match(text, part)
    }
    await post('/import?map=%7B', GERMAN_CSV, 400)
    const both = await post(dry({ constants: { name: 'x' } }), GERMAN_CSV, 400)
    assert.match(both.text, /'constants' both set the field 'name'/)
  })

  await t.test('a preview guesses the map and shows the first rows as they would be stored', async () => {
    const file = GERMAN_CSV.replace('Sex', 'Geschlecht').replace('Name', 'Bemerkung').replaceAll('P-9000', 'P-9400')
    const { data } = (await post('/import/preview', file)).json
    assert.deepEqual([data.map.dates, data.map.numbers, data.ambiguous], ['dd.mm.yyyy', '1.234,56', []])
    assert.deepEqual(data.map.columns.Geschlecht, 'sex', 'by its content')
    assert.equal(data.map.columns.Bemerkung, null)
    assert.equal(data.rows[0].texts.weight, '71,5')
    assert.deepEqual([data.rows[0].values.weight, data.rows[0].values.doctor_id], ['71.5', 4])
    assert.deepEqual(data.rows[0].errors, { name: ['name is mandatory'] })
    assert.equal(data.rows[0].line, 2)
    const faulty = await post('/import/preview', [HEAD, row(1, '31.02.1961'), row(2, '03.04.1962')].join('\n'))
    assert.equal(faulty.json.data.map.dates, 'dd.mm.yyyy', 'a value that is a fault in every format is left out')
    assert.deepEqual(Object.keys(faulty.json.data.rows[0].errors), ['date_of_birth'])
    const small = await post('/import/preview', ['Weight in kg;Height in cm', '7,15E+1;1,8E+02'].join('\n'))
    const { numbers } = small.json.data.map
    assert.deepEqual([numbers, small.json.data.rows[0].values.weight], ['1.234,56', '71.5'], 'as spreadsheets write them')
    const sheet = [{ Name: 'A', 'Height in cm': 181, 'Weight in kg': 71.125 }]
    const typed = await post('/import/preview', JSON.stringify(sheet), 200, JSON_TYPE)
    assert.deepEqual(typed.json.data.ambiguous, [], 'numbers of JSON have one meaning')
    const open = await post('/import/preview', [HEAD, row(1, '03/04/1961'), row(2, '05/06/1962')].join('\n'))
    assert.deepEqual(open.json.data.ambiguous, ['dates'])
    const total = async () => (await send(app, { request: `GET ${PATIENT}?filters=number__startswith%3DP-9400` })).json.total
    assert.equal(await total(), 0)
  })
})
