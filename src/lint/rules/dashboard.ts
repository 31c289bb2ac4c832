import { isObject } from '../../util/json.ts'
import { didYouMean } from '../../util/suggest.ts'
import type { Example, LintRule } from '../rule.ts'

/** A dashboard with one panel of the model Post. */
const panelExample = (rest: string): Example => ({
  files: { 'dashboard.yaml': `panels:\n  - title: Posts\n    model: Post\n${rest.replace(/^/gm, '    ').trimEnd()}\n` },
})

/** A panel with access, beside the role Editors. */
const roleExample = (access: string): Example => ({
  files: {
    ...panelExample(`kind: number\n${access}\n`).files,
    'roles/editors.yaml': 'name: Editors\npermissions: [view_post]\n',
  },
})

/** Rules for the dashboard. The loader finds most of their faults. */
export const DASHBOARD_RULES = {
  'dashboard/invalid': {
    severity: 'error',
    summary: 'A panel of the dashboard is malformed',
    details: `A panel has a title, a kind (number, bars, line or table) and the class name of its model. Bars and lines need \`group_by\`, a line
with a period of a date, such as created_at:week. A number has no groups, and a table of records no measure. A panel has one
measure at most: count, sum, avg, min or max. \`link\` is a list view of the model, or false.

The message names the key or value, and what the kind of the panel takes instead.`,
    invalid: [
      panelExample('kind: »pie«\n'),
      panelExample('kind: number\n»colour«: red\n'),
      panelExample('kind: number\ngroup_by: »status«\n'),
      panelExample('kind: line\ngroup_by: »status«\n'),
      panelExample('kind: table\nsum: »rating«\n'),
      panelExample('kind: table\nsort: [{ field: title }, { field: »title« }]\n'),
      panelExample('kind: number\nlink: »PostTabel«\n'),
      panelExample('kind: table\naccess: { permission: »veiw_post« }\n'),
    ],
    valid: [
      panelExample('kind: number\n'),
      panelExample('kind: bars\ngroup_by: status\nsort: value\n'),
      panelExample('kind: table\nsort: [{ field: title }]\nlimit: 5\naccess: { group: Editors }\n'),
    ],
  },
  'dashboard/unknown-model': {
    severity: 'error',
    summary: 'A panel refers to a model that does not exist',
    details: `\`model\` is the class name of a model of the project, as in a view. After a model was renamed, its panels name it as well.`,
    invalid: [
      { files: { 'dashboard.yaml': 'panels: [{ title: Posts, kind: number, model: »Pst« }]\n' } },
      { files: { 'dashboard.yaml': 'panels:\n  - { title: Posts, kind: bars, model: »post«, group_by: title }\n' } },
    ],
    valid: [
      { files: { 'dashboard.yaml': 'panels: [{ title: Posts, kind: number, model: Post }]\n' } },
      { files: { 'dashboard.yaml': 'panels: []\n' } },
    ],
  },
  'dashboard/query-invalid': {
    severity: 'error',
    summary: 'A panel asks for what the API would refuse',
    details: `The filters, groups, measures, periods and sort keys of a panel are those of the list and aggregate API: the fields exist, a filter
is written \`<field>__<operator>=<value>\` with a value of the field, sums and averages are of numbers, and periods of dates. After a
field was renamed, its panels name it as well.`,
    invalid: [
      panelExample('kind: number\nfilters: [»statos=draft«]\n'),
      panelExample('kind: number\nsum: »title«\n'),
      panelExample('kind: bars\ngroup_by: »titel«\n'),
      panelExample('kind: line\ngroup_by: »created_at:decade«\n'),
      panelExample('kind: number\nperiod: »title:today«\n'),
      panelExample('kind: table\nsort: [{ field: »titel« }]\n'),
    ],
    valid: [
      panelExample('kind: number\nfilters: [title__icontains=a]\n'),
      panelExample('kind: bars\ngroup_by: title\n'),
      panelExample('kind: table\nsort: [{ field: title, order: desc }]\n'),
    ],
  },
  'dashboard/unknown-group': {
    severity: 'warn',
    summary: 'A panel is for a group whose name is nearly that of a role',
    details: `Only superusers see a panel for a group that does not exist. Groups are records, so that only a name beside one of
roles/ is found; upper and lower case count.`,
    invalid: [roleExample('access: { group: »Editor« }'), roleExample('access: { group: »editors« }')],
    valid: [
      roleExample('access: { group: Editors }'),
      roleExample('access: { group: Accountants }'),
      panelExample('kind: number\naccess: { group: Editor }\n'),
    ],
    project: ({ dashboard, roles }, report) => {
      if (dashboard === undefined || !isObject(dashboard.value) || !Array.isArray(dashboard.value.panels)) return
      for (const [index, panel] of dashboard.value.panels.entries()) {
        const access: unknown = isObject(panel) ? panel.access : undefined
        const group = isObject(access) ? access.group : undefined
        if (typeof group !== 'string' || roles.includes(group)) continue
        const meant = didYouMean(group, roles)
        if (meant !== '') report(dashboard.source, ['panels', index, 'access', 'group'], `There is no role '${group}'${meant}`)
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
