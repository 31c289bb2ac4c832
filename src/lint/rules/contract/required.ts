import { type Field, hasDefault } from '../../../model/field.ts'
import { commonForms, commonModels, fieldPath, modelSource } from '../../field-options.ts'
import { changeExample, fieldChangeExample, type LintRule } from '../../rule.ts'

/** Fields that have become mandatory. */
export const contractRequired: LintRule = {
  id: 'contract/required',
  severity: 'error',
  summary: 'A field is newly required (breaking), or no longer',
  details: `Checked only with --against. Requests without the field used to be valid and are rejected. Give the field a default in the model, or
require it only in a form with a new name.`,
  invalid: [
    fieldChangeExample('{ name: text, type: string }', '»{ name: text, type: string, required: true }«'),
    changeExample(
      'models/note.yaml',
      'name: Note\nfields: []\n',
      'name: Note\nfields:\n  - »{ name: text, type: string, required: true }«\n',
    ),
    changeExample(
      'views/a.yaml',
      'name: EditPost\nview_type: form\nmodel: Post\nfields:\n  - { name: body }\n',
      'name: EditPost\nview_type: form\nmodel: Post\nfields:\n  - »{ name: body, required: true }«\n',
    ),
  ],
  valid: [
    fieldChangeExample('{ name: text, type: string }', '{ name: text, type: string, required: true, default: none }'),
    changeExample(
      'views/a.yaml',
      'name: EditPost\nview_type: form\nmodel: Post\nfields:\n  - { name: title }\n',
      'name: EditPost\nview_type: form\nmodel: Post\nfields:\n  - { name: title, required: true }\n',
    ),
  ],
  compare(before, after, report) {
    for (const [was, is] of commonModels(before, after)) {
      const { source, value } = modelSource(after, is)
      for (const field of is.fields.values()) {
        if (field.system || mustBeSent(field) === mustBeSent(was.fields.get(field.name))) continue
        const breaking = mustBeSent(field)
        const what = breaking
          ? was.fields.has(field.name)
            ? 'is newly required'
            : 'is new and required'
          : 'is no longer required'
        report(source, fieldPath(value, field.name), `The field '${field.name}' of ${is.name} ${what}`, { breaking })
      }
    }
    for (const { was, is, model } of commonForms(before, after)) {
      for (const [index, { name, required = false }] of is.view.fields.entries()) {
        const old = was.fields.find((each) => each.name === name)?.required ?? false
        // A field that the model requires without a default was mandatory before.
        if (old === required || mustBeSent(model.fields.get(name))) continue
        const what = required ? 'is newly required' : 'is no longer required'
        report(is.source, ['fields', index], `'${name}' ${what} in the form ${was.name}`, { breaking: required })
      }
    }
  },
}

const mustBeSent = (field: Field | undefined): boolean => field?.required === true && !hasDefault(field)
