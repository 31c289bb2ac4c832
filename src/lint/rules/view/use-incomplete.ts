import type { DefinedForm } from '../../../views/views.ts'
import type { Example, LintRule } from '../../rule.ts'

const forms = (...uses: readonly string[]): Example => ({
  files: {
    'views/post.yaml': uses
      .map((use, index) => `- { name: Form${index}, view_type: form, model: Post, fields: [{ name: title }]${use} }\n`)
      .join(''),
  },
})

/** Models whose forms leave an operation without a form. */
export const viewUseIncomplete: LintRule = {
  id: 'view/use-incomplete',
  severity: 'warn',
  summary: 'The use of its forms leaves a model without a form to create or to update with',
  details: `A form with use opens for these operations only. If all forms of a model have use and none names create, a front end has no form
to create a record with, nor to update one if none names update. Add the operation to a form, or a form without use. A model that is
not created (or not updated) in a front end needs a directive that disables this rule.`,
  invalid: [forms(', use: »[update]«'), forms(', use: »[create]«'), forms(', use: »[create]«', ', use: [create]')],
  valid: [forms(''), forms(', use: [create, update]'), forms(', use: [create]', ', use: [update]'), forms(', use: [create]', '')],
  view({ project, form, model, source }, report) {
    if (form?.use === undefined) return
    const all = project.views.filter((each): each is DefinedForm => each.modelKey === model.key && each.view.view_type === 'form')
    // Once a model, at its first form with `use`.
    if (all.find(({ view }) => view.use !== undefined)?.view !== form) return
    for (const operation of ['create', 'update'] as const) {
      if (all.some(({ view: { use } }) => use?.includes(operation) ?? true)) continue
      const verb = operation === 'create' ? 'creates' : 'updates'
      report(
        source,
        ['use'],
        `No form of ${model.name} ${verb} records; add ${operation} to the use of a form, or a form without use`,
      )
    }
  },
}
