import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import deLater from '../../../src/ui/text/de-later.ts'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose as chooseOption } from '../../helpers/browser-typing.ts'
import { excelWorkbook } from '../../helpers/excel-workbook.ts'
import { GERMAN_CSV, GERMAN_PATIENTS, GERMAN_SHEET } from '../../helpers/german-patients.ts'

const inClinic = browserSite({ fixture: 'clinic' })
const ADMIN = { username: 'admin', password: 'alder-lane-admin-26' }

const chooseFile = (page: Page, name: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })

/** The texts of the cells of the rows of a table. */
async function cellsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole('region', { name }).last().locator('tbody tr').all()
  const texts = (row: (typeof rows)[number]) => row.locator(':is(td, th)').allInnerTexts()
  return (await Promise.all(rows.map(texts))).map((cells) => cells.map((cell) => cell.trim()))
}

async function downloaded(page: Page, button: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const started = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).click()
  const download: Download = await started
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** The text in the encoding of German Windows. All characters of the tests are the same in Latin-1. */
const windows1252 = (text: string) => Buffer.from(text, 'latin1')

inClinic(
  'a German CSV is imported without editing it, in German, and its errors are downloaded by row',
  { as: ADMIN, at: '/models/patient/import', allows: ['400 /import'] },
  async ({ page, server, checkAccess, variant }) => {
    await page.addInitScript({ content: "Object.defineProperty(navigator, 'languages', { get: () => ['de-DE', 'en'] })" })
    await page.reload()
    const { import: de } = deLater
    const heading = (name: string) => page.getByRole('heading', { level: 2, name }).waitFor()
    const next = () => page.getByRole('button', { name: de.next, exact: true }).click()
    const check = () => page.getByRole('button', { name: de.check }).click()
    await heading(de.stepTitles.file)
    assert.equal(await page.getByRole('button', { name: de.next, exact: true }).isDisabled(), true)
    const template = await downloaded(page, de.templateCsv)
    assert.match(template.bytes.toString(), /^\uFEFF"Patient number";"Name";"Date of birth";"Sex";/)
    assert.doesNotMatch(template.bytes.toString(), /Scans|Created|\bID\b/)

    // Numbers of the test's own variant, since all variants may share a server.
    const digit = variant.width === 360 ? 1 : variant.width === 768 ? 2 : 3
    const prefix = `P-9${digit + (variant.scheme === 'dark' ? 3 : 0)}00`
    // No two patients have the same name and date of birth.
    const csv = GERMAN_CSV.replaceAll('P-9000', prefix).replace('Jutta', 'Judith').replace('Karl', 'Kurt')
    const faulty = csv
      .replace('03.04.1961', '31.02.1961')
      .replace('71,5', '71.5')
      .replace(/;;01\.02/, ';Dr. Niemand;01.02')
    await chooseFile(page, 'patienten.csv', windows1252(faulty))
    await page.getByText(de.found(2, '2', 9)).waitFor()
    await page.getByText(de.detected(de.encodings['windows-1252'])).waitFor()
    await page.getByText(de.detected(de.delimiters.semicolon)).waitFor()
    await checkAccess()
    await next()
    await heading(de.stepTitles.columns)
    await assertBecomes(() => page.locator('.import-heading:focus').count(), 1)
    await page.getByRole('region', { name: de.previewTitle }).getByText('31.02.1961', { exact: true }).waitFor()
    await assertBecomes(
      async () => (await cellsOf(page, de.columnsTitle)).map(([header, , field]) => [header, field]),
      [
        ['Patient number', de.required('Patient number')],
        ['Name', de.required('Name')],
        ['Date of birth', de.required('Date of birth')],
        ['Sex', de.required('Sex')],
        ['Phone', de.required('Phone')],
        ['Weight in kg', 'Weight in kg'],
        ['Usual doctor', 'Usual doctor'],
        ['Registered on', 'Registered on'],
        ['Restricted record', 'Restricted record'],
      ],
    )
    await checkAccess()
    await page.getByLabel(de.formatsOf.dates).getByText(de.detected('28.11.2026')).waitFor()
    // 71.5 and 83 are numbers in many formats.
    await chooseOption(page.getByLabel(de.formatsOf.numbers), '1.234,56')
    await check()
    await heading(de.stepTitles.check)
    await page.getByText(de.rejected(3, 2)).waitFor()
    const errors = await cellsOf(page, de.errorsTitle)
    assert.deepEqual(
      errors.map((cells) => cells.slice(0, 3)),
      [
        ['1', '2', 'Date of birth'],
        ['1', '2', 'Weight in kg'],
        ['2', '3', 'Usual doctor'],
      ],
    )
    assert.match(errors[0]?.[3] ?? '', /^Date of birth muss ein Datum wie .*: '31\.02\.1961'$/)
    assert.match(errors[2]?.[3] ?? '', /^Usual doctor nennt keinen Datensatz: .*Dr\. Niemand/)
    const file = await downloaded(page, de.saveErrors)
    assert.equal(file.name, `${de.errorsName('patienten.csv')}.csv`)
    const [head, first, , third] = file.bytes.toString().split('\r\n')
    assert.equal(head, `\uFEFF"${de.row}";"${de.line}";"${de.column}";"${de.message}"`)
    assert.match(first ?? '', /^1;2;"Date of birth";"Date of birth muss ein Datum/)
    assert.match(third ?? '', /^2;3;"Usual doctor";/)
    await checkAccess()

    // Back keeps what was chosen.
    await page.getByRole('button', { name: de.back }).click()
    await page.getByLabel(de.formatsOf.numbers).getByText('1.234,56').waitFor()
    await page.getByRole('list', { name: de.steps }).getByRole('button', { name: de.stepNames.file }).click()
    await page.getByText('patienten.csv').waitFor()

    await chooseFile(page, 'patienten.csv', windows1252(csv))
    await page.getByText(de.found(2, '2', 9)).waitFor()
    await next()
    // What was chosen for the faulty file is kept for the mended one.
    await page.getByText(de.remembered).waitFor()
    await page.getByLabel(de.formatsOf.dates).getByText('28.11.2026').waitFor()
    await page.getByLabel(de.formatsOf.numbers).getByText('1.234,56').waitFor()
    const [shown] = await cellsOf(page, de.previewTitle)
    assert.deepEqual(shown?.slice(1, 8), [
      `${prefix}1`,
      'Groß, Judith',
      '03.04.1961',
      'Female',
      '0301234567',
      '71,5',
      'Dr. Jürgen Weiß',
    ])
    await check()
    await page.getByRole('button', { name: de.startRows(2, '2') }).click()
    await page.getByText(de.done).waitFor()
    const { data } = await (await apiOf(server, ADMIN))
      .model('patient')
      .list({ filters: [`number__startswith=${prefix}`], sort: ['id'] })
    for (const [index, { number: _, name: __, ...expected }] of GERMAN_PATIENTS.entries()) {
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(data[index]?.[name], value, name)
    }
    await page.getByRole('link', { name: de.toList('Patients') }).click()
    await page.getByText('Groß, Judith').first().waitFor()
  },
)

inClinic(
  'workbooks and pasted cells are imported, and the fields of their columns are remembered',
  { as: ADMIN, at: '/models/patient/import' },
  async ({ page, server, checkAccess, variant }) => {
    const patients = (await apiOf(server, ADMIN)).model('patient')
    const stored = async (numbers: string) => (await patients.list({ filters: [`number__in=${numbers}`], sort: ['number'] })).data
    const next = () => page.getByRole('button', { name: 'Next' }).click()
    const workers: string[] = []
    page.on('worker', (worker) => workers.push(worker.url()))
    const update = async () => {
      await chooseOption(page.getByLabel('Existing records'), 'Update those with the same Patient number')
    }
    const importAll = async (count: number) => {
      await page.getByRole('button', { name: 'Check file' }).click()
      await page.getByRole('button', { name: count === 1 ? 'Import 1 record' : `Import ${count} records` }).click()
      await page.getByText('Import finished.').waitFor()
    }

    // A workbook as Excel writes it.
    await chooseFile(page, 'excel.xlsx', await excelWorkbook(GERMAN_SHEET))
    await page.getByText('2 rows and 9 columns found.').waitFor()
    assert.equal(workers.length, 1)
    await next()
    await page.getByRole('region', { name: 'First rows' }).getByText('Groß, Jutta').waitFor()
    await update()
    await importAll(2)
    const first = await stored('P-90001,P-90002')
    for (const [index, expected] of GERMAN_PATIENTS.entries()) {
      for (const [name, value] of Object.entries(expected)) {
        const sheet = name === 'phone' && index === 1 ? '307654321' : value
        assert.deepEqual(first[index]?.[name], sheet, name)
      }
    }

    // One that write-excel-file has made, with the records in its second sheet.
    await page.getByRole('button', { name: 'Import another file' }).click()
    await chooseFile(page, 'patients.xlsx', await readFile('test/helpers/workbooks/patients-of-write-excel-file.xlsx'))
    await page.getByText('2 rows and 9 columns found.').waitFor()
    assert.equal((await page.getByLabel('Sheet').innerText()).trim(), 'Patienten')
    await chooseOption(page.getByLabel('Sheet'), 'Info')
    await page.getByText('1 row and 1 column found.').waitFor()
    await chooseOption(page.getByLabel('Sheet'), 'Patienten')
    await page.getByText('2 rows and 9 columns found.').waitFor()
    await next()
    await page.getByText('Matched as in your last import').waitFor()
    await update()
    await importAll(2)
    const [jutta, karl] = await stored('P-95001,P-95002')
    assert.deepEqual([jutta?.date_of_birth, jutta?.weight, jutta?.doctor_id], ['1961-04-03', '71.1', 4])
    assert.deepEqual([karl?.registered_on, karl?.is_restricted, karl?.doctor_id], ['2026-02-01', true, null])

    // Cells that were copied: the names say nothing, and days can be read in two ways.
    const cells = (number: string) =>
      [
        'Nr\tWho\tBorn\tm/f\tTel\tRemark\tDoctor',
        `${number}\t"Gray, ""Jo"""\t03/04/1961\tFemale\t0301234567\t5" needle\tMD-17365`,
        '\t\t\t\t\t\t',
      ].join('\r\n')
    const number = `P-96${String(variant.width + (variant.scheme === 'dark' ? 1 : 0)).slice(0, 3)}`
    const field = (column: string) => page.getByLabel(`Field for ${column}`)
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.getByLabel('Or paste cells').fill(cells(number))
    await page.getByText('1 row and 7 columns found.').waitFor()
    await next()
    await page.getByText('No columns for the required fields Patient number, Name, Date of birth, Phone').waitFor()
    await field('m/f').getByText('Sex (required)').waitFor()
    await chooseOption(field('Nr'), 'Patient number (required)')
    await chooseOption(field('Who'), 'Name (required)')
    await chooseOption(field('Tel'), 'Phone (required)')
    await chooseOption(field('Doctor'), 'Usual doctor, by Licence number')
    await chooseOption(field('Born'), 'Date of birth (required)')
    await page.getByText('The dates can be read in several ways.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Check file' }).isDisabled())
    await checkAccess()
    await chooseOption(page.getByLabel('Dates in the file'), '28/11/2026')
    await page.getByText('The dates can be read in several ways.').waitFor({ state: 'detached' })

    // What was pasted and chosen is not left without a question.
    await page.getByRole('main').getByRole('link', { name: 'Patients' }).click()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await leaving.getByRole('button', { name: 'Stay' }).click()
    await leaving.waitFor({ state: 'detached' })
    await field('Who').getByText('Name (required)').waitFor()
    await importAll(1)
    const [gray] = await stored(number)
    assert.deepEqual([gray?.name, gray?.date_of_birth, gray?.doctor_id], ['Gray, "Jo"', '1961-04-03', 4])

    // The next file with these columns needs no choice, also after the page was loaded again.
    await page.reload()
    await page.getByLabel('Or paste cells').fill(cells(number).replace('1961', '1962'))
    await next()
    await page.getByText('Matched as in your last import').waitFor()
    await field('Doctor').getByText('Usual doctor, by Licence number').waitFor()
    await field('Remark').getByText('Leave out').waitFor()
    await update()
    await importAll(1)
    assert.equal((await stored(number))[0]?.date_of_birth, '1962-04-03')
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.getByLabel('Or paste cells').fill(cells(number))
    await next()
    await page.getByRole('button', { name: 'Match again' }).click()
    await field('Doctor').getByText('Leave out').waitFor()
  },
)

inClinic(
  'a file of 50,000 rows does not freeze the page; of what is no workbook the page says so',
  { as: ADMIN, at: '/models/patient/import', widths: [1280] },
  async ({ page }) => {
    await page.getByRole('heading', { level: 2, name: 'Choose a file' }).waitFor()
    await chooseFile(page, 'no.xlsx', Buffer.from('name;number'))
    await page.getByText('The file is no Excel workbook that can be read.').waitFor()

    const head = ['Patient number', 'Name', 'Date of birth', 'Sex', 'Phone', 'Weight in kg']
    const rows = Array.from({ length: 50_000 }, (_, index) => [
      `P-${String(index).padStart(5, '0')}`,
      'Nobody',
      { day: 22374 },
      'Male',
      '0301234567',
      71.5,
    ])
    await chooseFile(page, 'large.xlsx', await excelWorkbook([head, ...rows]))
    // A turn of the page that takes long delays its timers.
    const longest = page.evaluate(`new Promise((resolve) => {
      let last = performance.now(), longest = 0
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
        if (!document.body.innerText.includes('50,000 rows and 6 columns found.')) return
        clearInterval(timer)
        resolve(longest)
      }, 10)
    })`)
    await page.getByText('50,000 rows and 6 columns found.').waitFor()
    assert.ok(Number(await longest) < 1000, `${await longest} ms`)
    const sent: number[] = []
    page.on('request', (request) => {
      if (request.url().includes('/import/preview')) sent.push(request.postDataBuffer()?.length ?? 0)
    })
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('region', { name: 'First rows' }).getByText('P-00000').waitFor()
    assert.ok(
      sent.every((bytes) => bytes < 250_000),
      `${sent}`,
    )
  },
)

inClinic(
  'a workbook whose reader cannot be loaded can be read again',
  { as: ADMIN, at: '/models/patient/import' },
  async ({ page, checkAccess }) => {
    await page.getByRole('button', { name: 'Next' }).waitFor()
    for (const chunk of [/\/assets\/workbook-(?!worker)/, /\/assets\/workbook-worker/]) {
      await page.route(chunk, (route) => route.abort('connectionrefused'))
      await chooseFile(page, 'patients.xlsx', await excelWorkbook([['Name'], ['Karl']]))
      const message = page.getByRole('alert').filter({ hasText: 'This could not be loaded. Check your connection' })
      await message.waitFor()
      await checkAccess()
      await page.unroute(chunk)
      await message.getByRole('button', { name: 'Try again' }).click()
      await message.waitFor({ state: 'detached' })
      await page.getByText('1 row and 1 column found.').waitFor()
    }
  },
)
