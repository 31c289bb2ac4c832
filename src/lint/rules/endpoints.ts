import { formerSource } from '../field-options.ts'
import type { DefinedEndpoint } from '../project.ts'
import type { Example, LintRule } from '../rule.ts'

const define = (endpoint: string): string => `defineEndpoint(${endpoint})`

const FILE = (exported: string): string => `import { defineEndpoint } from 'admin-folder'\nexport default ${exported}\n`

const example = (exported: string): Example => ({ files: { 'endpoints/shop.js': FILE(exported) } })

const changed = (before: string, after: string): Example => ({
  files: { 'endpoints/shop.js': after },
  before: { 'endpoints/shop.js': FILE(before) },
})

/** A file without an endpoint that it had, which is reported at its beginning. */
const REMOVED = (exported: string): string => FILE(exported).replace('import', '»import«')

const ORDERS = "{ method: 'GET', path: '/orders/{id}', run: () => ({}) }"
const PAID = "{ method: 'POST', path: '/paid', access: 'public', body: 'raw', run: () => {} }"

const nameOf = ({ method, path }: DefinedEndpoint): string => `${method} ${path}`

/** Rules for endpoints of the project. */
export const ENDPOINT_RULES = {
  'code/path-conflict': {
    severity: 'error',
    summary: 'Two endpoints have the same method and path',
    details: `Paths that differ in the names of their parameters only are the same path: /orders/{id} and /orders/{number}. Change one of the two.`,
    invalid: [
      example(`[${define(ORDERS)}, »defineEndpoint«(${ORDERS.replace('{id}', '{number}')})]`),
      example(`[${define(PAID)}, »defineEndpoint«(${PAID.replace('public', 'superuser')})]`),
    ],
    valid: [
      example(`[${define(ORDERS)}, ${define(ORDERS.replace('GET', 'DELETE'))}]`),
      example(`[${define(ORDERS)}, ${define(ORDERS.replace('{id}', 'latest'))}]`),
    ],
  },
  'code/public-endpoint': {
    severity: 'note',
    summary: 'An endpoint takes requests without a token',
    details: `Each is told as a note; admin serve lists them at its start, too. The code of each must decide itself whom it serves,
by the signature of the bytes for instance. Without access: 'public' an endpoint requires a user.`,
    invalid: [example(`»defineEndpoint«(${PAID})`), example(`[${define(ORDERS)}, »defineEndpoint«(${PAID})]`)],
    valid: [example(define(ORDERS)), example(define(PAID.replace('public', 'authenticated')))],
    project({ endpoints }, report) {
      for (const endpoint of endpoints.filter(({ isPublic }) => isPublic)) {
        report(endpoint.source, [], `${nameOf(endpoint)} is public: it takes requests without a token`)
      }
    },
  },
  'contract/endpoint': {
    severity: 'error',
    summary: 'An endpoint was removed (breaking) or added',
    details: `Checked only with --against. A client that calls a removed endpoint gets 404, or 405 if the path has another method. Keep the endpoint
until no client calls it.`,
    invalid: [
      changed(`[${define(ORDERS)}, ${define(PAID)}]`, REMOVED(define(PAID))),
      changed(define(ORDERS), REMOVED(define(ORDERS.replace('GET', 'DELETE')))),
    ],
    valid: [
      changed(`[${define(ORDERS)}, ${define(PAID)}]`, FILE(`[${define(PAID)}, ${define(ORDERS)}]`)),
      changed(define(ORDERS), FILE(define(ORDERS.replace('({})', '1')))),
    ],
    compare(before, after, report) {
      const has = (all: readonly DefinedEndpoint[], one: DefinedEndpoint) => all.some((each) => nameOf(each) === nameOf(one))
      for (const endpoint of before.endpoints.filter((each) => !has(after.endpoints, each))) {
        report(formerSource(endpoint.source), [], `The endpoint ${nameOf(endpoint)} was removed`, { breaking: true })
      }
      for (const endpoint of after.endpoints.filter((each) => !has(before.endpoints, each))) {
        report(endpoint.source, [], `The endpoint ${nameOf(endpoint)} was added`, { breaking: false })
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
