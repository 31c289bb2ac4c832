import type { Example, LintRule } from './rule.ts'

type Kind = 'form' | 'list'

const view = (kind: Kind): string =>
  `name: Post${kind === 'form' ? 'Form' : 'List'}\nview_type: ${kind}\nmodel: Post\nfields: []\n`

/** A project whose model Post has a view of this kind only. */
const project = (models: string, kind?: Kind): Example => ({
  files: { 'models/example.yaml': models, ...(kind === undefined ? {} : { 'views/post.yaml': view(kind) }) },
})

/**
 * The parts that the rules about models without a form or without a list share.
 *
 * @param kind the kind of view that is missing
 */
export const missingView = (kind: Kind): Pick<LintRule, 'severity' | 'summary' | 'invalid' | 'valid' | 'model'> => ({
  severity: 'warn',
  summary: `A model has no ${kind} view`,
  invalid: [
    project('name: »Post«\nfields:\n  - { name: title, type: string }\n', kind === 'form' ? 'list' : 'form'),
    project('- name: Post\n  fields: []\n- name: »Tag«\n  fields: []\n', kind),
  ],
  valid: [project('name: Post\nfields: []\n', kind), project('name: Post\nfields: []\n')],
  model({ project: { intendedViews }, model, source }, report) {
    if (intendedViews.length === 0) return
    // A faulty view may be the missing one.
    const has = intendedViews.some((each) => (each.model ?? model.name) === model.name && (each.kind ?? kind) === kind)
    if (!has) report(source, ['name'], `The model ${model.name} has no ${kind} view; add one, or disable this rule for it`)
  },
})
