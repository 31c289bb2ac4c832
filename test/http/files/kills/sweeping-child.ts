// Serves the project of a folder until the process is killed, and removes what no record has without pause, however young it is.
// Prints its address, and then an access token of the first user.
import { setTimeout as delay } from 'node:timers/promises'
import { openApp } from '../../../../src/app.ts'
import { connectTo } from '../../../../src/http/in-process.ts'
import { jwtCodec } from '../../../../src/http/jwt-codec.ts'
import { LiveServer } from '../../../../src/http/live-server.ts'
import { loadProject } from '../../../../src/project/project.ts'
import { sweepOf } from './sweeps.ts'

/** Uploads and files of former values are kept for so long, in milliseconds. */
const KEPT_MS = 100

/** Pause between sweeps, in milliseconds. */
const PAUSE_MS = 10

const [folder = '', env = '{}'] = process.argv.slice(2)
const project = await loadProject({ folder, env: JSON.parse(env), flags: { port: 0 } })
const app = await openApp(project, 'write', { tokenCodec: jwtCodec, connect: connectTo })
const live = await LiveServer.create(app, {})
await live.start()
const [user] = await app.store.get('user', [1])
if (user === undefined) throw new Error('The project has no user')
process.stdout.write(`${live.server.info.uri}\n${await app.logins.issueAccessToken(user)}\n`)

const sweep = sweepOf(app, KEPT_MS)
for (;;) {
  await sweep.removeRows()
  await sweep.removeBytes(0)
  await delay(PAUSE_MS)
}
