import type { Rule } from '../../rule.ts'

/** Models without a form view. */
export const viewNoForm: Rule = {
  id: 'view/no-form',
  severity: 'warn',
  summary: 'A model has no form view',
  details: `In a project with views, front ends display what the views describe: a model without a form cannot be edited there. Add a form. For a model that
people do not edit (a log, a link table), set "view/no-form: off" under lint.rules, or add a comment above its name. A project without any views is not checked.`,
  invalid: [
    {
      files: {
        'models/example.yaml': 'name: »Post«\nfields:\n  - { name: title, type: string }\n',
        'views/post.yaml': 'name: PostList\nview_type: list\nmodel: Post\nfields: []\n',
      },
    },
    {
      files: {
        'models/example.yaml': '- name: Post\n  fields: []\n- name: »Tag«\n  fields: []\n',
        'views/post.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: []\n',
      },
    },
  ],
  valid: [
    {
      files: {
        'models/example.yaml': 'name: Post\nfields: []\n',
        'views/post.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: []\n',
      },
    },
    { files: { 'models/example.yaml': 'name: Post\nfields: []\n' } },
  ],
  model({ project, model, source }, report) {
    if (project.intendedViews.length === 0) return
    // A faulty view may be the missing one.
    const has = project.intendedViews.some(
      (view) => (view.model ?? model.name) === model.name && (view.kind ?? 'form') === 'form',
    )
    if (!has) report(source, ['name'], `The model ${model.name} has no form view`)
  },
}
