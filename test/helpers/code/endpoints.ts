import { ADMIN_SEED, openTestApp, type TestApp, type TestAppOptions } from '../api/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
type Json = any

const PROJECT = {
  ...ADMIN_SEED,
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }
- { username: ann, email: ann@example.org, password: a-long-password, groups: [1] }
`,
  'roles/cashiers.yaml': 'name: Cashiers\npermissions: [view_product]\n',
  'models/product.yaml': `name: Product
fields:
  - { name: name, type: string, required: true, unique: true }
  - { name: stock, type: integer, required: true, gte: 0 }
`,
  'seed/product.yaml': '- { name: Pen, stock: 5 }\n- { name: Ink, stock: 9 }\n',
}

/** What an endpoint answered. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly json: Json
}

interface Call {
  /** The user who calls; nobody by default. */
  readonly as?: 'admin' | 'ann'
  readonly body?: object | string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** A project with endpoints. */
export interface EndpointShop extends AsyncDisposable {
  readonly app: TestApp
  /** @param path below `/ext` */
  call(method: string, path: string, call?: Call): Promise<Answer>
}

/** The text of a file of endpoints. Its positions are those of the given text, which begins in the second line. */
export const endpointFile = (text: string): string =>
  `import { defineEndpoint, refuse } from 'admin-folder'; import { setTimeout as wait } from 'node:timers/promises'\n${text}`

/** Opens a project with the endpoints that a file exports. */
export async function openEndpoints(
  exported: string,
  options: TestAppOptions = {},
  files: Readonly<Record<string, string>> = {},
): Promise<EndpointShop> {
  const app = await openTestApp({
    ...options,
    files: { ...PROJECT, 'endpoints/shop.ts': endpointFile(`export default ${exported}\n`), ...files },
  })
  return {
    app,
    async call(method, path, { as, body, headers } = {}) {
      const authorization = as === undefined ? {} : { authorization: `Bearer ${await app.tokenOf(as)}` }
      const answer = await app.server.inject({
        ...{ method, url: `/api/v1/ext${path}`, headers: { ...authorization, ...headers } },
        ...(body === undefined ? {} : { payload: body }),
      })
      const text = answer.payload
      const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== ''
      return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined }
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}
