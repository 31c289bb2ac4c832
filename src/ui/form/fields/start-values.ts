import type { SiteModel } from '../../../client/client.ts'
import { fieldOf } from '../../data/site.ts'
import type { FieldView } from '../../data/views.ts'
import { widgetKind } from '../../widgets/kind.ts'
import type { Values } from './values.ts'

/**
 * The values of a new record at first: the defaults of the view. A checkbox without one is off, since an empty one looks like it.
 *
 * @param userId id of the user who creates, for the default `{user: id}`
 * @param now the present time, for the defaults `today` (in UTC, as on the server) and `now`
 */
export function startValues(fields: readonly FieldView[], model: SiteModel, userId: number | null, now: Date): Values {
  const values = fields.flatMap((field): [string, unknown][] => {
    const modelField = fieldOf(model, field.name)
    if (modelField === undefined) return []
    if (field.default_value !== undefined && field.default_value !== null) {
      return [[field.name, startValue(field.default_value, modelField.type, userId, now)]]
    }
    const kind = widgetKind(field, modelField)
    return kind === 'checkbox' || kind === 'switch' ? [[field.name, false]] : []
  })
  return Object.fromEntries(values)
}

function startValue(value: unknown, type: string, userId: number | null, now: Date): unknown {
  if (isUserDefault(value)) return userId
  if (value === 'today' && type === 'date') return now.toISOString().slice(0, 10)
  return value === 'now' && type === 'datetime' ? now.toISOString() : value
}

const isUserDefault = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'user' in value && value.user === 'id' && Object.keys(value).length === 1
