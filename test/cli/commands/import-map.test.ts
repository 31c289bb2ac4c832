import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { excelWorkbook } from '../../helpers/excel-workbook.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { GERMAN_CSV, GERMAN_PATIENTS, GERMAN_SHEET } from '../../helpers/german-patients.ts'

test('a workbook, a German CSV and an export for people are imported without editing them', async () => {
  const folder = await copyFixture('clinic')
  try {
    const run = (line: string) => runCli(line.split(' '), { cwd: folder.path })
    const ok = async (line: string) => {
      const { code, stdout, stderr } = await run(line)
      assert.equal(code, 0, stderr)
      return { stdout, stderr }
    }
    await writeFile(join(folder.path, 'excel.xlsx'), await excelWorkbook(GERMAN_SHEET))
    await writeFile(join(folder.path, 'german.csv'), GERMAN_CSV)
    assert.match((await ok('import patient excel.xlsx --locale de')).stderr, /^Imported 2 records\n$/)
    const stored = async () =>
      JSON.parse((await ok('export patient --format json --filters number__startswith=P-9000 --sort-by id')).stdout)
    const first = await stored()
    for (const [index, expected] of GERMAN_PATIENTS.entries()) {
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(first[index][name], value, name)
    }
    assert.equal(first[1].phone, '307654321')

    assert.match((await ok('import patient german.csv --locale de --upsert-by number')).stderr, /2 updated/)
    assert.deepEqual((await stored())[0].date_of_birth, '1961-04-03')
    const taken = await run('import patient excel.xlsx --locale de')
    assert.match(taken.stderr, /excel\.xlsx:4: number must be unique/, 'lines are rows of the sheet')

    await writeFile(join(folder.path, 'map.yaml'), 'columns: { Name: null }\ndates: dd.mm.yyyy\nnumbers: 1.234,56\n')
    assert.match((await run('import patient german.csv --map map.yaml')).stderr, /name is mandatory/)
    assert.match((await run('import patient excel.xlsx --sheet Other')).stderr, /has no sheet 'Other'/)
    assert.match((await run('import patient german.csv --sheet Other')).stderr, /--sheet is for XLSX/)
    await writeFile(join(folder.path, 'no.xlsx'), GERMAN_CSV)
    assert.match((await run('import patient no.xlsx')).stderr, /no XLSX workbook/)

    const written = join(import.meta.dirname, '../../helpers/workbooks/patients-of-write-excel-file.xlsx')
    await copyFile(written, join(folder.path, 'written.xlsx'))
    assert.match((await ok('import patient written.xlsx --sheet Patienten --dry-run')).stderr, /^2 records would be imported/)
    assert.match(
      (await ok('import patient written.xlsx --dry-run')).stderr,
      /^Reads the sheet 'Patienten'.*\n2 records would be imported/,
    )

    await ok('export patient --format xlsx --labels --filters number__startswith=P-9000 -o own.xlsx')
    assert.match((await ok('import patient own.xlsx --upsert-by number --dry-run')).stderr, /0 created, 2 updated/)
  } finally {
    await folder.remove()
  }
})
