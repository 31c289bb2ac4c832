// Members served by Feathers, in the form that its generator writes: Koa, Knex, JWT, validated data and queries. Its arguments are the
// address of the database and the number of users.
import { once } from 'node:events'
import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, parseAuthentication, rest } from '@feathersjs/koa'
import { Ajv, hooks as schemaHooks } from '@feathersjs/schema'
import { getValidator, querySyntax, Type } from '@feathersjs/typebox'
import knex from 'knex'
import pg from 'pg'

const POOL = 10
const BIGINT = 20

const [, , url, users] = process.argv
pg.types.setTypeParser(BIGINT, Number)
const database = knex({ client: 'pg', connection: url, pool: { min: POOL, max: POOL } })

const optional = (type) => Type.Optional(type)
const data = Type.Object(
  {
    username: Type.String({ minLength: 3, maxLength: 150 }),
    email: Type.String({ format: 'email' }),
    first_name: optional(Type.String({ maxLength: 150 })),
    last_name: optional(Type.String({ maxLength: 150 })),
    age: optional(Type.Integer({ minimum: 0, maximum: 150 })),
    score: optional(Type.Number()),
    is_active: optional(Type.Boolean()),
    bio: optional(Type.String()),
  },
  { $id: 'MemberData', additionalProperties: false },
)
const columns = Type.Object({ ...data.properties, id: Type.Number(), created_at: Type.String(), updated_at: Type.String() })
const query = Type.Intersect([querySyntax(columns, { email: { $ilike: Type.String() } })], { $id: 'MemberQuery' })
const formats = { email: /^[^@\s]+@[^@\s]+$/ }
const validators = { data: new Ajv({ formats }), query: new Ajv({ formats, coerceTypes: true }) }

const stamped = async (context) => {
  const now = new Date()
  const stamp = (record) => ({ ...record, created_at: now, updated_at: now })
  context.data = Array.isArray(context.data) ? context.data.map(stamp) : stamp(context.data)
}

const app = koa(feathers())
app.use(errorHandler())
app.use(parseAuthentication())
app.use(bodyParser())
app.configure(rest())

const paginate = { default: 20, max: 100 }
const service = (name) => new KnexService({ Model: database, name: `feathers.${name}`, paginate, multi: true })
app.use('users', service('user'))
app.use('members', service('member'))
app.set('authentication', {
  entity: 'user',
  service: 'users',
  secret: 'the-benchmarks-keep-no-secret-from-anybody',
  authStrategies: ['jwt'],
  jwtOptions: { header: { typ: 'access' }, audience: 'bench', algorithm: 'HS256', expiresIn: '1d' },
})
const authentication = new AuthenticationService(app)
authentication.register('jwt', new JWTStrategy())
app.use('authentication', authentication)
app.service('members').hooks({
  around: { all: [authenticate('jwt')] },
  before: {
    all: [schemaHooks.validateQuery(getValidator(query, validators.query))],
    create: [schemaHooks.validateData(getValidator(data, validators.data)), stamped],
  },
})

const server = await app.listen(0, '127.0.0.1')
await once(server, 'listening')
const ids = Array.from({ length: Number(users) }, (_, index) => String(index + 1))
const tokens = await Promise.all(ids.map((id) => authentication.createAccessToken({ sub: id })))
process.send({ address: `http://127.0.0.1:${server.address().port}`, tokens })
process.once('disconnect', async () => {
  await app.teardown()
  await database.destroy()
})
