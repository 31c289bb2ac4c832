import type { SiteModel } from '../../client/client.ts'
import { fieldOf } from './site.ts'

/** Names models as users see them. */
interface Titles {
  readonly models: readonly SiteModel[]
  /** What one record of a model is called. */
  readonly nounOf: (model: SiteModel) => string
}

/**
 * A sentence of the API about restored records, with the titles of models and fields in place of their names: `Post with ID 3: slug must be
 * unique` is `Post #3: Permalink must be unique`. The names of unknown ones stay.
 */
export function titledSentence(sentence: string, { models, nounOf }: Titles): string {
  const modelOf = (name: string) => models.find((model) => model.name === name)
  const labelOf = (name: string) => modelOf(name)?.label ?? name
  const titleOf = (name: string, field: string) => {
    const model = modelOf(name)
    return (model && fieldOf(model, field)?.label) ?? field
  }
  return sentence
    .replace(/(\w+)( with ID \d+: )(\w+)/g, (_, name: string, id: string, field: string) => name + id + titleOf(name, field))
    .replace(/(?<=has no )(\w+) of (\w+)/, (_, field: string, name: string) => `${titleOf(name, field)} of ${name}`)
    .replace(/(?<=history of |of it with )\w+/g, labelOf)
    .replace(/(\w+) with ID (\d+)/g, (whole, name: string, id: string) => {
      const model = modelOf(name)
      return model === undefined ? whole : `${nounOf(model)} #${id}`
    })
}
