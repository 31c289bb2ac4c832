// The bare server of the start benchmark: the same framework, one route, a constant response.
import Hapi from '@hapi/hapi'

const server = Hapi.server({ host: '127.0.0.1', port: 0 })
server.route({ method: 'GET', path: '/', handler: () => ({ data: {} }) })
await server.start()
process.stdout.write(`Listening on ${server.info.uri}\n`)
process.once('SIGINT', () => server.stop())
