import { type Peer, withParameters } from './peer.ts'

const OPERATORS: Readonly<Record<string, string>> = { is: '', gte: '[$gte]', lt: '[$lt]', icontains: '[$ilike]' }

interface Page {
  readonly total: number
  readonly data: readonly { readonly id: number }[]
}

/** Feathers with Koa and Knex, as its generator sets them up. Its table has our indexes. */
export const FEATHERS: Peer = {
  name: 'Feathers',
  folder: 'feathers',
  prepare: [
    'create schema feathers',
    'create table feathers.member (like admin.member including all)',
    'create table feathers."user" as select id, username, email from admin."user"',
    'alter table feathers."user" add primary key (id)',
  ],
  fill: [
    'insert into feathers.member select * from admin.member',
    `select setval(pg_get_serial_sequence('feathers.member', 'id'), max(id)) from feathers.member`,
    'vacuum analyze',
  ],
  start: ({ url, users }) => ({ args: [url, String(users)], env: {} }),
  translate(work) {
    switch (work.kind) {
      case 'read':
        return { method: 'GET', path: `/members/${work.id}` }
      case 'create':
        return { method: 'POST', path: '/members', body: JSON.stringify(work.data) }
      case 'create many':
        return { method: 'POST', path: '/members', body: JSON.stringify(work.records) }
      case 'list': {
        const filters = work.filters.map(({ field, operator, value }): [string, string] => [
          `${field}${OPERATORS[operator]}`,
          operator === 'icontains' ? `%${value}%` : value,
        ])
        const order: [string, number][] = work.order === 'by id' ? [] : [['$sort[created_at]', -1]]
        const paging: [string, number][] = [
          ['$limit', work.pageSize],
          ['$skip', (work.page - 1) * work.pageSize],
        ]
        return { method: 'GET', path: withParameters('/members', [...paging, ...order, ['$sort[id]', 1], ...filters]) }
      }
    }
  },
  found(answer) {
    if (!('data' in (answer as object))) return { ids: [(answer as { id: number }).id], total: undefined }
    const { data, total } = answer as Page
    return { ids: data.map(({ id }) => id), total }
  },
}
