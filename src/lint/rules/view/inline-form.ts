import { meantOrKnown } from '../../../util/suggest.ts'
import { type Example, type LintRule, listExample } from '../../rule.ts'

const withForm = (inlineForm: string): Example => ({
  files: {
    'views/list.yaml': `name: PostList\nview_type: list\nmodel: Post\nfields: [{ name: title }]\ninline_form: ${inlineForm}\n`,
    'views/form.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
    'views/tag.yaml': 'name: TagForm\nview_type: form\nmodel: Tag\nfields: [{ name: name }]\n',
  },
})

/** Forms for editing in a list that do not fit its model. */
export const viewInlineForm: LintRule = {
  id: 'view/inline-form',
  severity: 'error',
  summary: 'The inline_form of a list does not name a form of its model',
  details: `Cells of a list are edited through inline_form: a change is sent with this name as form_id. The API rejects an unknown form and one of
another model. Without inline_form, cells cannot be edited.`,
  invalid: [
    listExample('fields: [{ name: title }]\ninline_form: »PostForm«\n'),
    withForm('»PostFrom«'),
    withForm('»TagForm«'),
    withForm('»PostList«'),
  ],
  valid: [withForm('PostForm'), listExample('fields: [{ name: title }]\n')],
  view({ project, view, model, source }, report) {
    if (view.view_type !== 'list' || view.inline_form === undefined) return
    const name = view.inline_form
    const forms = project.views.filter(({ view: each }) => each.view_type === 'form')
    const meant = forms.find((each) => each.view.name === name)
    if (meant?.modelKey === model.key) return
    const own = forms.filter(({ modelKey }) => modelKey === model.key).map((each) => each.view.name)
    const message =
      meant === undefined
        ? `There is no form '${name}' of the model ${model.name}${meantOrKnown(name, own)}`
        : `'${name}' is a form of the model ${meant.view.model}, and this list is of ${model.name}${meantOrKnown(name, own)}`
    report(source, ['inline_form'], message)
  },
}
