import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { valuesOf } from '../helpers/values-of.ts'
import { viewsFor, viewsOf } from './views.ts'

const view = (name: string, model: string, type: 'form' | 'list' = 'list'): string =>
  `name: ${name}\nview_type: ${type}\nmodel: ${model}\nfields: []\n`

describe('view names are unique in a project', () => {
  const taken = "There is already a view 'Main' (views/1.yaml:1); view names are unique in a project"

  test('in two files', () => void viewsOf([view('Main', 'Post'), view('»Main', 'Post')], [taken]))

  test('for two models', () => void viewsOf([view('Main', 'Post', 'form'), view('»Main', 'Tag', 'form')], [taken]))

  test('for a form and a list', () => void viewsOf([view('Main', 'Post', 'form'), view('»Main', 'Post')], [taken]))

  test('each further one is reported', () => {
    const views = viewsOf([view('Main', 'Post'), view('»Main', 'Tag'), view('»Main', 'User')], [taken, taken])
    assert.deepEqual(
      views.grouped.map(([key]) => key),
      ['post'],
    )
  })

  test('a faulty view still reserves its name', () =>
    void viewsOf([`${view('Main', 'Post')}»titel: x\n`, view('»Main', 'Tag')], ["Unknown key 'titel'", taken]))

  test('names that differ in case are different', () => void viewsOf([view('Main', 'Post'), view('main', 'Post')]))
})

describe('the views of a project', () => {
  const views = viewsOf([view('A', 'Post'), view('B', 'Tag', 'form'), view('C', 'Post', 'form'), view('D', 'User')])

  test('by model, in the order of files', () => {
    assert.deepEqual(valuesOf(viewsFor(views, 'post'), 'name'), ['A', 'C'])
    assert.deepEqual(
      views.grouped.map(([key, each]) => [key, each.length]),
      [
        ['post', 2],
        ['tag', 1],
        ['user', 1],
      ],
    )
  })

  test('the forms, each with its model', () =>
    assert.deepEqual(
      views.forms.map((form) => [form.view.name, form.modelKey]),
      [
        ['B', 'tag'],
        ['C', 'post'],
      ],
    ))

  for (const key of ['group', 'Post', '__proto__', 'constructor', '']) {
    test(`${JSON.stringify(key)} has no views`, () => assert.deepEqual(viewsFor(views, key), []))
  }
})
