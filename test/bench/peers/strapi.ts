import { type Peer, withParameters } from './peer.ts'

const OPERATORS: Readonly<Record<string, string>> = { is: '$eq', gte: '$gte', lt: '$lt', icontains: '$containsi' }

interface Entry {
  readonly id: number
}

interface Answer {
  readonly data: Entry | readonly Entry[]
  readonly meta: { readonly pagination?: { readonly total: number } }
}

/** Strapi without its admin panel, asked with an API token. It creates its table, with indexes of its own, and has no bulk create. */
export const STRAPI: Peer = {
  name: 'Strapi',
  folder: 'strapi',
  prepare: ['create schema strapi'],
  fill: [
    `insert into strapi.members (id, document_id, username, email, first_name, last_name, age, score, is_active, bio, created_at,
      updated_at, published_at) select id, id::text, username, email, first_name, last_name, age, score, is_active, bio, created_at,
      updated_at, created_at from admin.member`,
    `select setval(pg_get_serial_sequence('strapi.members', 'id'), max(id)) from strapi.members`,
    'vacuum analyze',
  ],
  start: ({ url, port }) => ({ args: [], env: { PEER_DATABASE: url, PEER_PORT: String(port) } }),
  translate(work) {
    switch (work.kind) {
      case 'read':
        return { method: 'GET', path: `/api/members/${work.id}` }
      case 'create':
        return { method: 'POST', path: '/api/members', body: JSON.stringify({ data: work.data }) }
      case 'create many':
        return undefined
      case 'list': {
        const filters = work.filters.map(({ field, operator, value }): [string, string] => [
          `filters[${field}][${OPERATORS[operator]}]`,
          value,
        ])
        const paging: [string, number][] = [
          ['pagination[page]', work.page],
          ['pagination[pageSize]', work.pageSize],
        ]
        const order = work.order === 'by id' ? 'id' : 'createdAt:desc,id'
        return { method: 'GET', path: withParameters('/api/members', [...paging, ['sort', order], ...filters]) }
      }
    }
  },
  found(answer) {
    const { data, meta } = answer as Answer
    return { ids: [data].flat().map(({ id }) => id), total: meta.pagination?.total }
  },
}
