import type { LintRule } from '../../rule.ts'

/** Views with the same name. */
export const viewDuplicateName: LintRule = {
  id: 'view/duplicate-name',
  severity: 'error',
  summary: 'Two views have the same name',
  details: `The name of a form is its form_id, which requests use for every model, so view names are unique in a project.`,
  invalid: [
    {
      files: {
        'views/a.yaml': 'name: Edit\nview_type: form\nmodel: Post\nfields: []\n',
        'views/b.yaml': 'name: »Edit«\nview_type: form\nmodel: Tag\nfields: []\n',
      },
    },
    {
      files: {
        'views/a.yaml':
          '- { name: Posts, view_type: list, model: Post, fields: [] }\n- { name: »Posts«, view_type: form, model: Post, fields: [] }\n',
      },
    },
  ],
  valid: [
    {
      files: {
        'views/a.yaml': 'name: EditPost\nview_type: form\nmodel: Post\nfields: []\n',
        'views/b.yaml': 'name: EditTag\nview_type: form\nmodel: Tag\nfields: []\n',
      },
    },
    { files: { 'views/a.yaml': 'name: Edit\nview_type: form\nmodel: Post\nfields: []\n' } },
  ],
}
