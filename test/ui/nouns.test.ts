import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteModel } from '../../src/client/client.ts'
import { localSite, nounOf } from '../../src/ui/data/site.ts'
import de from '../../src/ui/text/de.ts'
import { en } from '../../src/ui/text/en.ts'
import { siteField, siteModel } from './site-fixture.ts'

const ROWS = [
  { key: 'invoiceline', name: 'InvoiceLine', label: 'Invoice lines', english: 'Invoice line', german: 'Invoice line' },
  { key: 'category', name: 'Category', label: 'Categories', english: 'Category', german: 'Category' },
  { key: 'termin', name: 'Termin', label: 'Termine', english: 'Termin', german: 'Termin' },
  { key: 'buch', name: 'Buch', label: 'Bücher', english: 'Buch', german: 'Buch' },
  // The name is English, the label German: the label stands for one record, too.
  { key: 'appointment', name: 'Appointment', label: 'Termine', english: 'Appointment', german: 'Termine' },
  { key: 'person', name: 'Person', label: 'People', english: 'Person', german: 'People' },
]

for (const { english, german, ...model } of ROWS) {
  test(`one of ${model.label} is called ${english}, or ${german} in German`, () => {
    assert.equal(nounOf(model as SiteModel, en, 'en-GB'), english)
    assert.equal(nounOf(model as SiteModel, de, 'de-DE'), german)
  })
}

test('saved views have help and choices in each language', () => {
  const defaultFor = siteField('default_for', 'choice', { choices: [{ value: 'all' }], help_text: 'Opens with the list' })
  const site = { models: [siteModel('savedview', 'name', [defaultFor])] } as never
  for (const [{ accounts }, help, choice] of [
    [de, 'Öffnet sich mit der Liste: nur für den Benutzer, oder für alle, die die Ansicht sehen', 'Alle, die sie sehen'],
    [en, 'Opens with the list: for the user alone, or for all who see the view', 'All who see it'],
  ] as const) {
    const [field] = localSite(site, accounts).models[0]?.fields ?? []
    assert.deepEqual([field?.help_text, field?.choices], [help, [{ value: 'all', label: choice }]])
  }
})

test('built-in models have a name in each language, unless the project names them', () => {
  const group = { key: 'group', name: 'Group' }
  assert.equal(nounOf({ ...group, label: 'Gruppen' } as SiteModel, de, 'de-DE'), 'Gruppe')
  assert.equal(nounOf({ ...group, label: 'Teams' } as SiteModel, de, 'de-DE'), 'Teams')
})
