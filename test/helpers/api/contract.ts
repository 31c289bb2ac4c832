import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { apiDocument } from '../../../src/http/api.ts'
import type { Registry } from '../../../src/model/registry.ts'
import { resolved } from '../../../src/openapi/components.ts'
import type { OperationObject, RequestBody, ResponseObject } from '../../../src/openapi/operation.ts'
import type { Project } from '../../../src/project/project.ts'
import type { TestApp } from './app.ts'

/** What was asked and what came back, as far as the contract speaks of it. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** What was sent as JSON, if anything was. */
  readonly body?: unknown
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Contracts by the text of their document: compiling one takes longer than most tests. */
const byText = new Map<string, Contract>()
/** Contracts by the models, which all copies of a fixture share, and by the text of the settings. */
const byModels = new WeakMap<Registry, Map<string, Contract>>()
const byProject = new WeakMap<Project, Contract>()

/** Validates a response against the OpenAPI document of the application that sent it. */
export function assertContract({ app }: TestApp, exchange: Exchange): void {
  const contract = byProject.get(app.project) ?? contractOf(app)
  byProject.set(app.project, contract)
  contract.check(exchange, app.settings.base_path)
}

function contractOf({ project, settings }: TestApp['app']): Contract {
  const bySettings = byModels.get(project.registry) ?? new Map<string, Contract>()
  byModels.set(project.registry, bySettings)
  const key = JSON.stringify(settings)
  const contract = bySettings.get(key) ?? contractWithText(JSON.stringify(apiDocument({ ...project, settings })))
  bySettings.set(key, contract)
  return contract
}

function contractWithText(text: string): Contract {
  const contract = byText.get(text) ?? new Contract(text)
  byText.set(text, contract)
  return contract
}

class Contract {
  readonly #document: ReturnType<typeof apiDocument>
  readonly #ajv: Ajv2020
  /** Of schemas, by whether records may lack members. */
  readonly #partly = new Map<object, ValidateFunction>()
  readonly #whole = new Map<object, ValidateFunction>()

  constructor(text: string) {
    this.#document = JSON.parse(text)
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'document', components: strict(this.#document.components) })
  }

  check({ method, url, body, status, headers, text }: Exchange, basePath: string): void {
    const path = (url.split('?')[0] ?? '').slice(basePath.length).replace(/(?<=.)\/$/, '')
    const operation = this.#operation(method.toLowerCase(), path)
    // What leads nowhere, and preflights, are no part of the contract. An error has the shape of one nevertheless.
    const response = operation === undefined ? undefined : this.#response(operation, status)
    const named = `${method} ${url} answered ${status}`
    if (operation === undefined) {
      if (status >= 400) this.#validate(ANY_ERROR, text, named)
      return
    }
    assert.ok(response !== undefined, `${named}, which is not in the contract (${operation.operationId})`)
    // What is taken must be allowed to be sent: the contract is not narrower than the server.
    if (status < 300 && body !== undefined) {
      const sendable = resolved<RequestBody>(this.#document.components, operation.requestBody ?? NO_BODY).content[
        'application/json'
      ]
      this.#validate(sendable?.schema ?? {}, JSON.stringify(body), `the body of ${named}`)
    }
    for (const name of Object.keys(response.headers ?? {})) {
      if (!/RateLimit|^Set-Cookie$/.test(name)) assert.ok(headers[name.toLowerCase()] !== undefined, `${named} without ${name}`)
    }
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    if (response.content === undefined) assert.equal(text, '', `${named} with a body that is not in the contract`)
    else {
      assert.ok(type in response.content || '*/*' in response.content, `${named} as ${type}, which is not in the contract`)
      if (type === 'application/json') this.#validate(response.content[type]?.schema ?? {}, text, named, mayBePart(method, url))
    }
  }

  #operation(method: string, path: string): OperationObject | undefined {
    const steps = path.split('/')
    const matches = Object.entries(this.#document.paths).filter(([template]) => fits(template.split('/'), steps))
    // A path that is written out goes before one with parameters.
    const [, item] = matches.sort(([one], [other]) => one.split('{').length - other.split('{').length)[0] ?? []
    return item?.[method as keyof typeof item]
  }

  #response(operation: OperationObject, status: number): ResponseObject | undefined {
    const found =
      operation.responses[String(status)] ?? (OF_EVERY_OPERATION.has(status) ? operation.responses.default : undefined)
    return found === undefined ? undefined : resolved<ResponseObject>(this.#document.components, found)
  }

  #validate(schema: object, text: string, named: string, isPartly = false): void {
    const compiled = isPartly ? this.#partly : this.#whole
    const validate = compiled.get(schema) ?? this.#ajv.compile(strict(schema, isPartly))
    compiled.set(schema, validate)
    const isValid = validate(JSON.parse(text))
    const errors = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`)
    assert.ok(isValid, `${named}, which breaks the contract: ${errors.join('; ')}\n${text.slice(0, 500)}`)
  }
}

const ANY_ERROR = { anyOf: [{ $ref: '#/components/schemas/error' }, { $ref: '#/components/schemas/fieldErrors' }] }

/** The statuses that `default` describes. */
const OF_EVERY_OPERATION: ReadonlySet<number> = new Set([408, 413, 415, 431, 500, 503])

const NO_BODY: RequestBody = { required: false, content: {} }

/** A value of a path parameter is whatever stands there. */
const fits = (template: readonly string[], steps: readonly string[]): boolean =>
  template.length === steps.length && template.every((step, index) => step.startsWith('{') || step === steps[index])

/** Writes with a large result are answered with ids, and reads with the requested members. */
const mayBePart = (method: string, url: string): boolean => method !== 'GET' || /[?&](fields|include)=/.test(url)

/**
 * The same schemas without additional members: a member beyond the contract is a leak.
 *
 * @param isPartly records may lack members; otherwise the request was for all of them
 */
function strict(value: object, isPartly = true): object {
  const within = (member: unknown) => (typeof member === 'object' && member !== null ? strict(member, isPartly) : member)
  if (Array.isArray(value)) return value.filter((item) => isPartly || !isPart(item)).map(within)
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === '$ref' ? `document${member}` : within(member)]),
  )
  const closes = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined
  return closes ? { ...copy, additionalProperties: false } : copy
}

const isPart = (schema: { readonly $ref?: string } | undefined): boolean => schema?.$ref?.endsWith('.part') === true
