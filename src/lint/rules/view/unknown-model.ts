import type { LintRule } from '../../rule.ts'

/** Views of unknown models. */
export const viewUnknownModel: LintRule = {
  id: 'view/unknown-model',
  severity: 'error',
  summary: 'A view names an unknown model',
  details: `A view names its model by the class name, such as Post, with the same case as in the model's file. Use the suggested
name, or add the model.`,
  invalid: [
    { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: »Psot«\nfields: []\n' } },
    { files: { 'views/a.json': '{ "name": "PostList", "view_type": "list", "model": »"post"«, "fields": [] }\n' } },
  ],
  valid: [
    { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: []\n' } },
    { files: { 'views/a.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields: []\n' } },
  ],
}
