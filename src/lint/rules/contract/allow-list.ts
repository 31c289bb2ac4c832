import { isSettable } from '../../../model/field.ts'
import { commonForms } from '../../field-options.ts'
import { ALLOW_LISTS, allowLists, changeExample, type LintRule, quoted } from '../../rule.ts'

/** Forms that accept other fields than before. */
export const contractAllowList: LintRule = {
  id: 'contract/allow-list',
  severity: 'error',
  summary: 'An allow-list of a form was narrowed (breaking) or widened',
  details: `Checked only with --against. A request is rejected as a whole if it sends a field that creation_fields or allowed_update_fields no
longer names. A form without the list accepts every field; without allowed_update_fields, updates use creation_fields.`,
  invalid: [
    changeExample(
      'views/a.yaml',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\nallowed_update_fields: [title]\n',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: body }]\ncreation_fields: »[title]«\nallowed_update_fields: [title]\n',
    ),
    changeExample(
      'views/a.yaml',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }]\ncreation_fields: [title]\n',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }]\ncreation_fields: [title]\nallowed_update_fields: »[]«\n',
    ),
  ],
  valid: [
    changeExample(
      'views/a.yaml',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }]\ncreation_fields: [title]\n',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }]\ncreation_fields: [title]\nallowed_update_fields: [title]\n',
    ),
    changeExample(
      'views/a.yaml',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\n',
      'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: body }]\ncreation_fields: [body, title]\n',
    ),
  ],
  compare(before, after, report) {
    for (const { was, is, model } of commonForms(before, after)) {
      const every = [...model.fields.values()].filter(isSettable).map(({ name }) => name)
      const [old, now] = [allowLists(was), allowLists(is.view)]
      for (const [kind, list] of [
        ['create', ALLOW_LISTS[0]],
        ['update', ALLOW_LISTS[1]],
      ] as const) {
        const [passed, passes] = [old[kind] ?? every, now[kind] ?? every]
        // Without a list of its own, an update is limited by the other list.
        const written = is.view[list] === undefined ? ALLOW_LISTS[0] : list
        const say = (names: readonly string[], what: string, breaking: boolean) => {
          if (names.length === 0) return
          const action = kind === 'create' ? 'set at creation' : 'changed'
          report(is.source, [written], `${quoted(names)} can ${what} be ${action} by the form ${was.name}`, { breaking })
        }
        say(
          passed.filter((name) => !passes.includes(name) && model.fields.has(name)),
          'no longer',
          true,
        )
        say(
          passes.filter((name) => !passed.includes(name)),
          'now',
          false,
        )
      }
    }
  },
}
