import { parseText } from '../../src/config/text-source.ts'
import type { ViewDefinition } from '../../src/views/definition.ts'
import { buildViews, type Views } from '../../src/views/views.ts'
import { assertLines, linesOf, unmark } from '../config/marks.ts'
import { BLOG, registryOf } from '../model/models.ts'

export const registry = registryOf(...BLOG)

/** The views of a model; empty if it has none. */
export const viewsFor = (views: Views, key: string): readonly ViewDefinition[] => new Map(views.grouped).get(key) ?? []

/** Builds views from files (YAML, one view each), and compares their faults with one message for each mark `»`. */
export function viewsOf(marked: readonly string[], messages: readonly string[] = []): Views {
  const places: string[] = []
  const definitions = marked.map((each, index) => {
    const { text, places: own } = unmark(each)
    places.push(...own.map((place) => `views/${index + 1}.yaml:${place}`))
    return parseText(text, `views/${index + 1}.yaml`, 'yaml').definition
  })
  const { views, faults } = buildViews(definitions, registry)
  assertLines(
    linesOf(faults.list),
    messages.map((message, index) => `${places[index]}: ${message}`),
  )
  return views
}
