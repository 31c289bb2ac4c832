import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import de from '../../src/ui/text/de.ts'
import deLater from '../../src/ui/text/de-later.ts'
import deSignIn from '../../src/ui/text/de-sign-in.ts'
import { en } from '../../src/ui/text/en.ts'
import { enLater } from '../../src/ui/text/en-later.ts'
import { enSignIn } from '../../src/ui/text/en-sign-in.ts'

const FOLDER = join(import.meta.dirname, '../../src/ui/text')

/** The names of all texts, such as `login.title`, with the number of their arguments. */
function namesOf(texts: object, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === 'object') return namesOf(text, `${prefix}${name}.`)
    return typeof text === 'function' ? `${prefix}${name}(${text.length})` : prefix + name
  })
}

/** The languages but English, by file, beside the English texts. */
const LANGUAGES = {
  'de-later.ts': [deLater, enLater],
  'de-sign-in.ts': [deSignIn, enSignIn],
  'de.ts': [de, en],
} as const

test('every language is tested, and has three files', () => {
  const files = readdirSync(FOLDER).filter((name) => /^(?!en)[a-z]{2}(-later|-sign-in)?\.ts$/.test(name))
  assert.deepEqual(files.sort(), Object.keys(LANGUAGES))
})

for (const [file, [texts, english]] of Object.entries(LANGUAGES)) {
  test(`${file} has the texts of English, all of them, and none is empty`, () => {
    assert.deepEqual(namesOf(texts).sort(), namesOf(english).sort())
    assert.doesNotMatch(JSON.stringify(texts), /:""/)
  })
}

/** The texts by name; one with arguments as the source of its function. */
const sourcesOf = (texts: object, prefix = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'object' ? sourcesOf(text, `${prefix}${name}.`) : [[prefix + name, String(text)]],
  )

/** Words that German shares with English. */
const SHARED = [
  'API',
  'CSV',
  'Code',
  'Details',
  'Enter',
  'Excel',
  'Filter',
  'Format',
  'Hook',
  'Import',
  'Job',
  'Jobs',
  'Link',
  'Mac Roman',
  'Median',
  'Name',
  'Standard',
  'Status',
  'Superuser',
  'System',
  'URL',
  'UTF',
  'Webhooks',
  'hhmm',
]

/** The words of a text without its arguments. */
const wordsOf = (text: string): string =>
  text
    .replace(/^[^`]*`/, '')
    .replace(/\$\{[^}]*\}/g, '')
    .replace(/[^\p{L} ]/gu, '')
    .trim()

test('no text of German is that of English, but for words that both languages have', () => {
  const german = new Map(sourcesOf({ ...de, later: deLater, signIn: deSignIn }))
  const same = sourcesOf({ ...en, later: enLater, signIn: enSignIn }).filter(
    ([name, text]) => german.get(name) === text && wordsOf(text) !== '',
  )
  assert.deepEqual(
    same.filter(([, text]) => !SHARED.includes(wordsOf(text))),
    [],
  )
})

test('numbers of findings have the plural of their number', () => {
  assert.equal(enLater.tools.lintSummary(1, 1, 0, 2), '1 file: 1 error, 0 warnings, 2 notes')
  assert.equal(enLater.tools.lintSummary(3, 2, 1, 1), '3 files: 2 errors, 1 warning, 1 note')
})

/** Messages of the specification about fields, and those of a refused login, password or right. */
const OF_THE_SERVER = [
  ...['is mandatory', 'must be a string', 'must be a number', 'must be a boolean', 'must be an integer'],
  ...[
    'must be at least 3 characters long',
    'must be at most 12 characters long',
    'format is invalid',
    "format is invalid: 'a b'",
  ],
  ...[
    'must be greater than 0',
    'must be less than 100',
    'must be greater than or equal to 1',
    'must be less than or equal to 60',
  ],
  ...['must be a valid date', 'must be a valid time', 'must be a valid datetime', 'must be one of: red, green'],
  ...['must be unique', 'must be unique together with Day', 'references a non-existent record', 'value violates constraint'],
  'is wrong, or the account is locked',
  "must be a date such as dd.mm.yyyy, the date format of the file: '31.02.1961'",
  "must be a date with a time such as dd.mm.yyyy, the date format of the file: '1. Mai'",
  "must be a date such as 2026-11-28; name the date format of the file: '03/04/1961'",
  "must be a number such as 1.234,56, the number format of the file: '1.5'",
  "refers to no doctor: none has the name 'Dr. Who'",
  "is ambiguous: several records of doctor may be meant by 'Dr. A'; map the column to a unique field, such as doctor_id.id",
  "is ambiguous: 'Open' means 'a' and 'b'; write the value",
]

test('messages of the server are shown in German, and those of the project as they are', () => {
  const { fromServer } = de.errors
  for (const message of OF_THE_SERVER) {
    const shown = fromServer(`Net amount ${message}`)
    assert.match(shown, /^Net amount [a-zäöüß]+ /)
    assert.doesNotMatch(shown, /\b(?:must|is|format|references|violates|the)\b/, message)
  }
  assert.equal(fromServer('Name is mandatory; Day must be unique'), 'Name ist ein Pflichtfeld; Day ist schon vergeben')
  assert.equal(fromServer('A paid invoice has a day of payment'), 'A paid invoice has a day of payment')
})
