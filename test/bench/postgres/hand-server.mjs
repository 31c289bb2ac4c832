// The server of the baseline, written by hand for one table: the same framework, tokens, driver and pool, one statement a request. Its
// arguments are the secret and the address of the database.
import Hapi from '@hapi/hapi'
import Jwt from '@hapi/jwt'
import pg from 'pg'

const POOL = 10
const BIGINT = 20
const TEXT_COLUMNS = ['username', 'email', 'first_name', 'last_name', 'age', 'score', 'is_active', 'bio']
const COLUMNS = ['id', ...TEXT_COLUMNS, 'created_at', 'updated_at'].join(', ')
const TYPES = ['text', 'text', 'text', 'text', 'bigint', 'double precision', 'boolean', 'text']
const OPERATORS = { '': '=', gte: '>=', lt: '<', icontains: 'ilike' }

const [, , secret, connectionString] = process.argv
pg.types.setTypeParser(BIGINT, Number)
const pool = new pg.Pool({ connectionString, max: POOL })

const server = Hapi.server({ host: '127.0.0.1', port: 0 })
await server.register(Jwt)
server.auth.strategy('jwt', 'jwt', {
  keys: { key: secret, algorithms: ['HS256'] },
  verify: { aud: 'admin-folder', iss: 'admin-folder', sub: false, nbf: true, exp: true },
  validate: () => ({ isValid: true }),
})
server.auth.default('jwt')

async function read({ params }, h) {
  const { rows } = await pool.query(`select ${COLUMNS} from hand.member where id = $1`, [params.id])
  return rows.length === 0 ? h.response({ error: 'not found' }).code(404) : { data: rows[0] }
}

/** The condition of a list: filters such as `age__gte=18`, with parameters from $1. */
function conditionOf(filters, values) {
  const conditions = [filters ?? []].flat().map((filter) => {
    const [, column, operator = '', value] = /^(\w+?)(?:__(\w+))?=(.*)$/.exec(filter)
    if (!TEXT_COLUMNS.includes(column)) throw new Error(`There is no column ${column}`)
    values.push(operator === 'icontains' ? `%${value.replace(/[\\%_]/g, '\\$&')}%` : value)
    return `${column} ${OPERATORS[operator]} $${values.length}`
  })
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

const list =
  ({ isCounted }) =>
  async ({ query }) => {
    const size = Number(query.page_size ?? 20)
    const page = Number(query.page ?? 1)
    const values = []
    const where = conditionOf(query.filters, values)
    const order = query.sort_by === 'created_at' ? 'created_at desc, id' : 'id'
    const rows = `select ${COLUMNS} from hand.member${where} order by ${order} limit ${size} offset ${(page - 1) * size}`
    if (!isCounted) return { data: (await pool.query(rows, values)).rows, page, page_size: size }
    const text = `select t.total, p.* from (select count(*) as total from hand.member${where}) t left join (${rows}) p on true`
    const found = (await pool.query(text, values)).rows
    const { total } = found[0]
    const data = found.filter(({ id }) => id !== null).map(({ total: _, ...record }) => record)
    return { data, page, page_size: size, total, total_pages: Math.ceil(total / size) }
  }

const INSERT = `insert into hand.member (${TEXT_COLUMNS.join(', ')}, created_at, updated_at)`
const ONE = `${INSERT} values (${TYPES.map((_, index) => `$${index + 1}`).join(', ')}, now(), now()) returning ${COLUMNS}`
const MANY = `${INSERT} select *, now(), now() from unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
  returning ${COLUMNS}`
// The outbox of the pattern: the event is stored with the record.
const NOTED = `with added as (${ONE}), noted as (
  insert into hand.outbox (event, model, record_id, data) select 'create', 'member', id, row_to_json(added)::text from added)
  select * from added`

const valuesOf = (data) => TEXT_COLUMNS.map((column) => data[column] ?? null)
const create = (statement) => async (request, h) => {
  const { rows } = await pool.query(statement, valuesOf(request.payload.data))
  return h.response({ data: rows[0] }).code(201)
}

/** Locks the row before it is updated, as an update does that depends on the present values. */
async function update({ params, payload: { data } }, h) {
  const columns = TEXT_COLUMNS.filter((column) => column in data)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const locked = await client.query(`select ${COLUMNS} from hand.member where id = $1 for update`, [params.id])
    if (locked.rows.length === 0) return h.response({ error: 'not found' }).code(404)
    const values = columns.map((column, index) => `${column} = $${index + 2}`)
    const { rows } = await client.query(
      `update hand.member set ${values.join(', ')}, updated_at = now() where id = $1 returning ${COLUMNS}`,
      [params.id, ...columns.map((column) => data[column])],
    )
    await client.query('commit')
    return { data: rows[0] }
  } finally {
    client.release()
  }
}

async function createMany({ payload: { records } }, h) {
  const values = TEXT_COLUMNS.map((column) => records.map((record) => record[column] ?? null))
  const { rows } = await pool.query(MANY, values)
  return h.response({ data: rows, total: rows.length }).code(201)
}

server.route([
  { method: 'GET', path: '/api/v1/models/member/{id}', handler: read },
  { method: 'GET', path: '/api/v1/models/member', handler: list({ isCounted: true }) },
  { method: 'GET', path: '/uncounted', handler: list({ isCounted: false }) },
  { method: 'POST', path: '/api/v1/models/member', handler: create(ONE) },
  { method: 'PUT', path: '/api/v1/models/member/{id}', handler: update },
  { method: 'POST', path: '/noted', handler: create(NOTED) },
  { method: 'POST', path: '/api/v1/models/member/bulk', handler: createMany },
])

await server.start()
process.once('disconnect', async () => {
  await server.stop()
  await pool.end()
})
process.stdout.write(`Listening on ${server.info.uri}\n`)
