import assert from 'node:assert/strict'
import { AppError, type FieldMessages } from '../../src/errors.ts'
import { Parameters } from '../../src/query/parameters.ts'
import { BLOG, registryOf } from '../model/models.ts'

export const registry = registryOf(...BLOG)
export const post = registry.expect('post')

/** The parameters of a query string that takes these. */
export const parametersOf = (query: string, ...known: readonly string[]): Parameters =>
  new Parameters(new URLSearchParams(query), known)

/** What is wrong with them; nothing when they are fine. */
export function faultsIn(parameters: Parameters): FieldMessages {
  return faultsOf(() => parameters.throwIfFaulty())
}

/** What a refused request is told; nothing when it is not refused. */
export function faultsOf(action: () => unknown): FieldMessages {
  try {
    action()
    return {}
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'INVALID_REQUEST')
    assert.ok(typeof error.details === 'object')
    return error.details
  }
}

/** A query string of `filters`, each as a person writes it. */
export const filtersQuery = (...filters: readonly string[]): string =>
  filters.map((filter) => `filters=${encodeURIComponent(filter)}`).join('&')
