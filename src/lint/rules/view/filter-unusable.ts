import { type LintRule, listExample } from '../../rule.ts'

/** Fields that a list offers as filters and that the API cannot filter by. */
export const viewFilterUnusable: LintRule = {
  id: 'view/filter-unusable',
  severity: 'error',
  summary: 'A list offers a filter by a field that cannot be filtered by',
  details: `The fields in filters are offered first when a filter is added. Passwords have no operators, so the API rejects filters by them.`,
  invalid: [
    {
      files: {
        'models/door.yaml': 'name: Door\nfields:\n  - { name: name, type: string }\n  - { name: pin, type: password }\n',
        'views/door.yaml': 'name: DoorList\nview_type: list\nmodel: Door\nfields: [{ name: name }]\nfilters: [name, »pin«]\n',
      },
    },
    {
      files: {
        'models/user.yaml': 'extends: user\nfields: [{ name: nick, type: string }]\n',
        'views/user.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields: [{ name: nick }]\nfilters: [»password«]\n',
      },
    },
  ],
  valid: [
    listExample('fields: [{ name: title }]\nfilters: [status, published_at, author_id]\n'),
    listExample('fields: [{ name: title }]\nfilters: [tags, is_featured]\n'),
  ],
  view({ view, source, fieldOf }, report) {
    const filters = view.view_type === 'list' ? (view.filters ?? []) : []
    for (const [index, name] of filters.entries()) {
      const type = fieldOf(name)?.type
      if (type === undefined || (!type.secret && type.operators.length > 0)) continue
      report(source, ['filters', index], `A ${type.name} field such as '${name}' cannot be filtered by; remove it`)
    }
  },
}
