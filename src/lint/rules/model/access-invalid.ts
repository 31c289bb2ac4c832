import { type LintRule, modelExample } from '../../rule.ts'

const NOTE = (access: string): string =>
  `name: Note\nfields:\n  - { name: title, type: string }\n  - { name: tags, type: many_to_many, model: tag }\n  - { name: author_id, type: foreignkey, model: user }\naccess:\n  ${access}\n`

/** Access conditions that no store can execute. */
export const modelAccessInvalid: LintRule = {
  id: 'model/access-invalid',
  severity: 'error',
  summary: 'A condition of access is invalid, or cannot be a filter',
  details: `Conditions of access are compiled to filters, so that lists and totals stay fast. They compare fields of self, or of a record
that it refers to, with values: constants, or what user has. They may use in, startsWith, endsWith, &&, || and !.`,
  invalid: [
    modelExample(NOTE('view: »self.athor_id == user.id«')),
    modelExample(NOTE('change: »editors«')),
    modelExample(NOTE('view: »size(self.title) > 3«')),
    modelExample(NOTE('view: »self.title == self.author.username«')),
    modelExample(NOTE('view: »self.author_id == "me"«')),
  ],
  valid: [
    modelExample(NOTE('{ view: public, add: authenticated, change: self.author_id == user.id, delete: { group: editors } }')),
    modelExample(NOTE('view: user.id in self.tags || self.author.is_active && !self.title.startsWith("_")')),
  ],
}
