import { formerSource } from '../../field-options.ts'
import { changeExample, type LintRule } from '../../rule.ts'

/** Added and removed models. */
export const contractModel: LintRule = {
  id: 'contract/model',
  severity: 'error',
  summary: 'A model was removed (breaking) or added',
  details: `Checked only with --against. The endpoints of a removed or renamed model answer 404, and its forms no longer exist. Keep
the model until no client uses it, or give the API a new version with api_version.`,
  invalid: [
    changeExample('models/note.yaml', 'name: Note\nfields: []\n', '»name«: Memo\nfields: []\n'),
    { before: { 'models/note.yaml': 'name: Note\nfields: []\n' }, files: { 'models/note.yaml': '»[«]\n' } },
  ],
  valid: [
    changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nlabel: Notes\nfields: []\n'),
    changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nfields:\n  - { name: text, type: text }\n'),
  ],
  compare(before, after, report) {
    for (const { model, definition } of before.models) {
      if (after.registry.get(model.key) !== undefined) continue
      report(formerSource(definition.source), [], `The model ${model.name} was removed; its endpoints answer 404`, {
        breaking: true,
      })
    }
    for (const { model, definition } of after.models) {
      if (before.registry.get(model.key) !== undefined) continue
      report(definition.source, ['name'], `The model ${model.name} was added`, { breaking: false })
    }
  },
}
