import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from '../postgres/cluster.ts'
import { untilOpen } from '../until-open.ts'

/** Debian installs it where the PATH of a user may not lead. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']

const PROGRAM = FOLDERS.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path))

/** Why tests with nginx are skipped; false if they can run. */
export const NO_NGINX: string | false = PROGRAM === undefined ? 'nginx is not installed' : false

/** An nginx before a server. */
export interface Nginx {
  /** Its address, without a slash at the end. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts an nginx that compresses JSON, before the server at `upstream`. */
export async function startNginx(upstream: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr error;
events {}
http {
  access_log off; ${folders.join(' ')}
  gzip on; gzip_types application/json; gzip_min_length 1;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }
}
`,
  )
  const child = spawn(PROGRAM ?? 'nginx', ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
  await untilOpen(port, 'nginx')
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await once(child, 'close')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
