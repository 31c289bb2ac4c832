import { commonModels, fieldPath, modelSource } from '../../field-options.ts'
import { fieldChangeExample, type LintRule } from '../../rule.ts'

/** Fields whose type has changed. */
export const contractType: LintRule = {
  id: 'contract/type',
  severity: 'error',
  summary: 'A field changed its type, or a relation its target model (breaking)',
  details: `Checked only with --against. Clients that read the field receive unexpected values, and what they send is rejected. Between
string and text nothing changes for clients. Add a field with another name instead, and remove the old one when no client uses it.`,
  invalid: [
    fieldChangeExample('{ name: size, type: string }', '»{ name: size, type: integer }«'),
    fieldChangeExample('{ name: by_id, type: foreignkey, model: user }', '»{ name: by_id, type: foreignkey, model: group }«'),
  ],
  valid: [
    fieldChangeExample('{ name: text, type: string }', '{ name: text, type: string, label: Text }'),
    fieldChangeExample(
      '{ name: by_id, type: foreignkey, model: user }',
      '{ name: by_id, type: foreignkey, model: user, on_delete: set_null }',
    ),
  ],
  compare(before, after, report) {
    for (const [was, is] of commonModels(before, after)) {
      const { source, value } = modelSource(after, is)
      for (const { name, type, relation } of is.fields.values()) {
        const old = was.fields.get(name)
        if (old === undefined) continue
        const say = (message: string, breaking: boolean) => report(source, fieldPath(value, name), message, { breaking })
        if (old.type.name !== type.name) {
          const isText = [old.type.name, type.name].every((each) => each === 'string' || each === 'text')
          say(`The field '${name}' of ${is.name} was of type ${old.type.name} and is of type ${type.name}`, !isText)
        } else if (old.relation?.target !== relation?.target) {
          say(`The field '${name}' of ${is.name} referred to ${old.relation?.target} and refers to ${relation?.target}`, true)
        }
      }
    }
  },
}
