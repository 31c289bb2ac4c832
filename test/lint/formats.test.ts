import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { validateXML } from 'xmllint-wasm'
import type { Finding, LintResult } from '../../src/lint/finding.ts'
import { FORMAT_NAMES, type FormatContext, REPORT_FORMATS, REPORT_SCHEMA } from '../../src/lint/formats.ts'
import { assertSnapshot } from '../helpers/snapshot.ts'
import { FAULTY } from './faulty.ts'
import { lintFiles } from './projects.ts'

const context: FormatContext = { paint: (_, text) => text, version: '1.2.3', failOn: 'error' }

const finding = (rest: Partial<Finding>): Finding => ({
  rule: 'view/unknown-field',
  severity: 'error',
  message: "Model 'Post' has no field 'titel'",
  file: 'views/post.yaml',
  line: 2,
  column: 5,
  end: { line: 2, column: 10 },
  stopsServe: true,
  ...rest,
})

const report = (...findings: readonly Finding[]): LintResult => ({
  findings,
  files: 2,
  fixed: 0,
  checkedRecords: false,
  texts: new Map([
    ['views/post.yaml', 'one: 1\ntwo: titel\nthree: 3\n'],
    ['models/post.yaml', 'name: Post\n'],
  ]),
})

/** One finding of every kind, with every character that a format has to escape. */
const MIXED = report(
  finding({}),
  finding({
    severity: 'warn',
    rule: 'view/missing-title',
    message: '100 %, "quoted" <b> & \u0007\nnext: line',
    stopsServe: false,
  }),
  finding({
    file: 'models/ä b,c:d.yaml',
    end: { line: 4, column: 1 },
    fix: { file: 'x', from: 0, to: 1, text: '', change: { kind: 'remove', path: [] } },
  }),
  finding({ severity: 'note', rule: 'contract/view', breaking: false, message: 'The form view A was added', stopsServe: false }),
  finding({ rule: 'contract/view', breaking: true, stopsServe: false }),
  finding({ rule: 'data/invalid-record', record: { model: 'post', id: 7, field: 'title' }, stopsServe: false }),
)

describe('every format', () => {
  for (const name of FORMAT_NAMES) {
    test(`${name} matches its snapshot`, () => {
      assertSnapshot(REPORT_FORMATS[name](MIXED, context), join(import.meta.dirname, `snapshots/mixed.${name}.txt`))
    })
  }
})

describe('json', () => {
  const isValid = new Ajv2020({ allErrors: true }).compile(REPORT_SCHEMA)

  test('matches its schema', async () => {
    for (const each of [MIXED, report(), await lintFiles(FAULTY)]) {
      assert.ok(isValid(JSON.parse(REPORT_FORMATS.json(each, context))), JSON.stringify(isValid.errors))
    }
    assert.ok(!isValid({ version: 2, summary: {}, findings: [] }), 'the schema refuses what is wrong')
  })

  test('every member of the output is in the schema', () => {
    const { findings, summary } = JSON.parse(REPORT_FORMATS.json(MIXED, context)) as { findings: object[]; summary: object }
    const known = Object.keys(REPORT_SCHEMA.properties.findings.items.properties)
    assert.deepEqual(
      [...new Set(findings.flatMap(Object.keys))].filter((key) => !known.includes(key)),
      [],
    )
    assert.deepEqual(Object.keys(summary), Object.keys(REPORT_SCHEMA.properties.summary.properties))
  })
})

test('sarif conforms to the schema of SARIF 2.1.0', async () => {
  const schema = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    unicodeRegExp: false,
    formats: { uri: true, 'uri-reference': true, 'date-time': true },
  })
  // The schema has `id`, the keyword of an older draft.
  const { $schema: _, id: __, ...definition } = JSON.parse(readFileSync(schema, 'utf8')) as { $schema: string; id: string }
  const isValid = ajv.compile(definition)
  for (const each of [MIXED, report(), await lintFiles(FAULTY)]) {
    const log: unknown = JSON.parse(REPORT_FORMATS.sarif(each, context))
    assert.ok(isValid(log), JSON.stringify(isValid.errors))
  }
  assert.ok(!isValid({ version: '2.1.0', runs: [{}] }), 'the schema refuses what is wrong')
})

test('a sarif result has its location and refers to its rule', () => {
  const { runs } = JSON.parse(REPORT_FORMATS.sarif(MIXED, context)) as {
    runs: {
      tool: { driver: { rules: { id: string }[] } }
      results: { ruleId: string; ruleIndex: number; locations: object[] }[]
    }[]
  }
  const { tool, results } = runs[0] ?? assert.fail('there is a run')
  assert.deepEqual(results[2]?.locations, [
    {
      physicalLocation: {
        artifactLocation: { uri: 'models/%C3%A4%20b%2Cc%3Ad.yaml', uriBaseId: '%SRCROOT%' },
        region: { startLine: 2, startColumn: 5, endLine: 4, endColumn: 1 },
      },
    },
  ])
  for (const { ruleId, ruleIndex } of results) assert.equal(tool.driver.rules[ruleIndex]?.id, ruleId)
})

describe('junit', () => {
  const schema = { fileName: 'junit.xsd', contents: readFileSync(join(import.meta.dirname, 'junit.xsd'), 'utf8') }
  const validate = (contents: string) => validateXML({ xml: [{ fileName: 'report.xml', contents }], schema: [schema] })

  test('conforms to its schema', async () => {
    for (const each of [MIXED, report(), await lintFiles(FAULTY)]) {
      const { valid, errors } = await validate(REPORT_FORMATS.junit(each, context))
      assert.ok(valid, JSON.stringify(errors))
    }
    const { valid } = await validate('<testsuites><testsuite/></testsuites>')
    assert.ok(!valid, 'the schema refuses what is wrong')
  })

  test('counts findings that fail the run as failures', () => {
    const failures = (failOn: FormatContext['failOn']) =>
      REPORT_FORMATS.junit(MIXED, { ...context, failOn }).match(/<failure /g)?.length
    assert.equal(failures('error'), 4)
    assert.equal(failures('warn'), 5)
  })
})

describe('github', () => {
  const lines = REPORT_FORMATS.github(MIXED, context).split('\n')

  test('is a workflow command for each finding, with special characters escaped', () => {
    assert.equal(
      lines[0],
      "::error file=views/post.yaml,line=2,endLine=2,col=5,endColumn=10,title=view/unknown-field::Model 'Post' has no field 'titel'",
    )
    assert.match(lines[1] ?? '', /^::warning .*,title=view\/missing-title::100 %25, "quoted" <b> & .%0Anext: line$/)
    assert.match(lines[3] ?? '', /^::notice /)
    assert.equal(lines.length, MIXED.findings.length + 1)
  })

  test('omits columns of a span over several lines, which GitHub rejects', () =>
    assert.match(lines[2] ?? '', /^::error file=models\/ä b%2Cc%3Ad\.yaml,line=2,endLine=4,title=/))
})

describe('pretty', () => {
  test('underlines the finding only', () => {
    const text = REPORT_FORMATS.pretty(report(finding({ column: 6, end: { line: 2, column: 11 } })), context)
    const [, , written, marks] = text.split('\n')
    assert.equal(written, '  2 | two: titel')
    assert.equal(marks, '    |      ^^^^^')
  })

  test('colours only through paint', () => {
    const painted = REPORT_FORMATS.pretty(MIXED, { ...context, paint: (style, text) => `<${style}>${text}</>` })
    assert.ok(
      painted.includes('<red>error</>') && painted.includes('<yellow>warn</>') && painted.includes('<red>^^^^^</>'),
      painted,
    )
  })

  test('reports that there are no findings', () =>
    assert.equal(REPORT_FORMATS.pretty(report(), context), 'No findings in 2 files.\n'))
})
