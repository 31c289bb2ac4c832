import type { DefinedView } from '../../../views/views.ts'
import { formerSource } from '../../field-options.ts'
import { changeExample, type LintRule } from '../../rule.ts'

/** Added, removed and renamed views. */
export const contractView: LintRule = {
  id: 'contract/view',
  severity: 'error',
  summary: 'A view was removed or renamed (breaking), or added',
  details: `Checked only with --against. The name of a form is the form_id in requests, which are rejected if it no longer exists. A removed view
counts as renamed if a view of the same kind, model and fields was added. Keep the old view beside the new one until no client uses it.`,
  invalid: [
    changeExample(
      'views/a.yaml',
      'name: EditPost\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
      'name: »PostForm«\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
    ),
    {
      before: { 'views/a.yaml': 'name: EditPost\nview_type: form\nmodel: Post\nfields: []\n' },
      files: { 'views/a.yaml': '»[«]\n' },
    },
    changeExample(
      'views/a.yaml',
      'name: Posts\nview_type: form\nmodel: Post\nfields: []\n',
      'name: Posts\nview_type: »list«\nmodel: Post\nfields: []\n',
    ),
  ],
  valid: [
    changeExample(
      'views/a.yaml',
      'name: Posts\nview_type: list\nmodel: Post\nfields: []\n',
      'name: Posts\nview_type: list\nmodel: Post\nfields: [{ name: title }]\n',
    ),
    {
      before: { 'views/a.yaml': 'name: Posts\nview_type: list\nmodel: Post\nfields: []\n', 'views/b.yaml': '[]\n' },
      files: { 'views/b.yaml': 'name: Posts\nview_type: list\nmodel: Post\nfields: []\n', 'views/a.yaml': '[]\n' },
    },
  ],
  compare(before, after, report) {
    const added = after.views.filter((is) => !before.views.some((was) => was.view.name === is.view.name))
    for (const was of before.views) {
      const { name, view_type, model } = was.view
      const is = after.views.find(({ view }) => view.name === name)
      if (is === undefined) {
        const renamed = added.find((each) => isLike(each, was))
        if (renamed !== undefined) added.splice(added.indexOf(renamed), 1)
        if (renamed === undefined) {
          report(formerSource(was.source), [], `The ${view_type} view ${name} was removed`, { breaking: true })
        } else {
          const what =
            view_type === 'form'
              ? 'requests with its former name as form_id are rejected'
              : 'front ends no longer find its former name'
          report(renamed.source, ['name'], `The ${view_type} view ${name} was renamed to ${renamed.view.name}: ${what}`, {
            breaking: true,
          })
        }
      } else if (is.view.view_type !== view_type) {
        report(is.source, ['view_type'], `The view ${name} was a ${view_type} and is a ${is.view.view_type}`, { breaking: true })
      } else if (is.modelKey !== was.modelKey) {
        report(is.source, ['model'], `The view ${name} was of ${model} and is of ${is.view.model}`, { breaking: true })
      }
    }
    for (const { view, source } of added)
      report(source, ['name'], `The ${view.view_type} view ${view.name} was added`, { breaking: false })
  },
}

function isLike(a: DefinedView, b: DefinedView): boolean {
  const fields = ({ view }: DefinedView) =>
    view.fields
      .map(({ name }) => name)
      .sort()
      .join()
  return a.modelKey === b.modelKey && a.view.view_type === b.view.view_type && fields(a) === fields(b)
}
