// The bare server of the baseline: the same framework and paths. It verifies the token, reads the payload and returns a constant. The
// parent process sends the constants in a message; the secret is the first argument.
import Hapi from '@hapi/hapi'
import Jwt from '@hapi/jwt'

let constants = { read: '{}', created: '{}' }

const server = Hapi.server({ host: '127.0.0.1', port: 0 })
await server.register(Jwt)
server.auth.strategy('jwt', 'jwt', {
  keys: { key: process.argv[2], algorithms: ['HS256'] },
  verify: { aud: 'admin-folder', iss: 'admin-folder', sub: false, nbf: true, exp: true },
  validate: () => ({ isValid: true }),
})
server.auth.default('jwt')

const read = (_, h) => h.response(constants.read).type('application/json')
const create = (_, h) => h.response(constants.created).type('application/json').code(201)
const update = (_, h) => h.response(constants.created).type('application/json')
server.route([
  { method: 'GET', path: '/api/v1/models/{model}', handler: read },
  { method: 'GET', path: '/api/v1/models/{model}/{record_id}', handler: read },
  { method: 'POST', path: '/api/v1/models/{model}', handler: create },
  { method: 'PUT', path: '/api/v1/models/{model}/{record_id}', handler: update },
])

await server.start()
process.on('message', (message) => {
  constants = message
  process.send('ready')
})
process.once('disconnect', () => server.stop())
process.stdout.write(`Listening on ${server.info.uri}\n`)
