import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { Parameters } from '../query/parameters.ts'
import type { JsonObject } from '../util/json.ts'
import type { Views } from '../views/views.ts'
import type { Mocks } from './mocks.ts'

/** Response of the test endpoint of a model. */
export interface ModelTest {
  readonly model: string
  readonly status: 'ok'
  readonly fields: readonly string[]
  readonly forms: readonly string[]
  readonly endpoints: readonly string[]
  readonly sample?: JsonObject
}

/** Endpoints of every model, below its path. */
const ENDPOINTS: readonly (readonly [methods: string, path: string])[] = [
  ['GET POST', ''],
  ['GET PUT PATCH DELETE', '/{record_id}'],
  ['POST', '/{record_id}/restore'],
  ['POST', '/{record_id}/actions/{action}'],
  ['POST', '/actions/{action}'],
  ['POST PUT PATCH DELETE', '/bulk'],
  ['GET', '/search'],
  ['GET', '/aggregate'],
  ['GET', '/export'],
  ['POST', '/import'],
  ['POST', '/import/preview'],
  ['GET', '/mock'],
  ['GET', '/test'],
]

/** Describes a model for clients that check whether it exists. Reads no stored record and names no secret field. */
export class ModelTests {
  readonly #registry: Registry
  readonly #views: Views
  readonly #mocks: Mocks

  constructor(registry: Registry, views: Views, mocks: Mocks) {
    this.#registry = registry
    this.#views = views
    this.#mocks = mocks
  }

  /**
   * @param root root path of the Models API
   * @param query query string, such as `sample=true`
   * @throws {AppError} MODEL_NOT_FOUND, INVALID_REQUEST
   */
  async describe(modelKey: string, root: string, query: string): Promise<{ readonly data: ModelTest }> {
    const model = this.#registry.get(modelKey)
    if (model === undefined || model.internal) throw new AppError('MODEL_NOT_FOUND', `Model '${modelKey}' does not exist`)
    const parameters = new Parameters(new URLSearchParams(query), ['sample'])
    const withSample = parameters.flag('sample')
    parameters.throwIfFaulty()
    const description: ModelTest = {
      model: model.key,
      status: 'ok',
      fields: model.visibleFields.map(({ name }) => name),
      forms: this.#formsOf(model),
      endpoints: ENDPOINTS.flatMap(([methods, path]) =>
        methods.split(' ').map((method) => `${method} ${root}/${model.key}${path}`),
      ),
    }
    return { data: withSample ? { ...description, sample: await this.#mocks.sample(model) } : description }
  }

  #formsOf(model: Model): string[] {
    return this.#views.forms.filter(({ modelKey }) => modelKey === model.key).map(({ view }) => view.name)
  }
}
