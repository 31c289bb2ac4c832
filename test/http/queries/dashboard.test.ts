import assert from 'node:assert/strict'
import { scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const USER = 'password: a-long-password'

const PRACTICE = {
  files: {
    'models/bill.yaml':
      'name: Bill\nfields:\n  - { name: net, type: decimal }\n  - { name: issued_on, type: date }\n  - { name: case_id, type: foreignkey, model: case }\n',
    'models/case.yaml': 'name: Case\nfields:\n  - { name: title, type: string }\n',
    'roles/desk.yaml': 'name: Desk\npermissions: [view_bill]\n',
    'views/bill.yaml': 'name: BillList\nview_type: list\nmodel: Bill\nfields: [{ name: net }]\n',
    'dashboard.yaml': `panels:
  - { title: Bills, kind: number, model: Bill, sum: net, period: "issued_on:this_year", link: BillList }
  - { title: Of a case, kind: number, model: Bill, filters: [case__title=x] }
  - { title: By month, kind: line, model: Bill, group_by: "issued_on:month", access: { group: Desk }, size: large }
  - { title: For superusers, kind: number, model: Bill, access: superuser }
  - { title: Cases, kind: table, model: Case, sort: [{ field: title, order: desc }, { field: id }], limit: 3 }
  - { title: By case, kind: bars, model: Bill, group_by: case_id, max: net, sort: value, access: { permission: delete_bill }, link: false }
`,
    'seed/user.yaml':
      `- { username: admin, email: a@example.org, ${USER}, is_superuser: true }\n` +
      `- { username: desk, email: d@example.org, ${USER}, groups: [{ name: Desk }] }\n` +
      `- { username: nobody, email: n@example.org, ${USER} }\n`,
  },
}

const SITE = 'GET /admin/api/v1/site'

scenarios('the dashboard of a project', PRACTICE, [
  scenario('is in the site as it is written, in the words of the API', SITE, 200, {
    check({ json }) {
      assert.deepEqual(json.dashboard.length, 6)
      assert.deepEqual(json.dashboard[0], {
        title: 'Bills',
        kind: 'number',
        model: 'bill',
        filters: ['issued_on__within=this_year'],
        group_by: null,
        measure: { name: 'sum', field: 'net' },
        sort: null,
        limit: null,
        link: 'BillList',
        size: null,
      })
      const [, , line, , table, bars] = json.dashboard
      assert.deepEqual([line.group_by, line.measure, line.size], ['issued_on:month', { name: 'count', field: null }, 'large'])
      assert.deepEqual([table.measure, table.sort, table.limit], [null, ['-title', 'id'], 3])
      assert.deepEqual([bars.measure, bars.sort, bars.link], [{ name: 'max', field: 'net' }, 'value', false])
    },
  }),
  scenario('has the panels of those who may view their model and what their filters go through', SITE, 200, {
    as: 'desk',
    check: ({ json }) => assert.deepEqual(valuesOf(json.dashboard, 'title'), ['Bills', 'By month']),
  }),
  scenario('has no panels for who may view nothing', SITE, 200, {
    as: 'nobody',
    check: ({ json }) => assert.deepEqual(json.dashboard, []),
  }),
])

scenarios('a project without a dashboard', [
  scenario('has none in its site', SITE, 200, { check: ({ json }) => assert.equal('dashboard' in json, false) }),
])
