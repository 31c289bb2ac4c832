import type { Rule } from '../../rule.ts'

/** Views of unknown models. */
export const viewUnknownModel: Rule = {
  id: 'view/unknown-model',
  severity: 'error',
  summary: 'A view is of a model that does not exist',
  details: `A view names its model by the class name, such as Post, in the same case as the model's file has it. Write the name that is
suggested, or add the model.`,
  invalid: [
    { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: »Psot«\nfields: []\n' } },
    { files: { 'views/a.json': '{ "name": "PostList", "view_type": "list", "model": »"post"«, "fields": [] }\n' } },
  ],
  valid: [
    { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: []\n' } },
    { files: { 'views/a.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields: []\n' } },
  ],
}
