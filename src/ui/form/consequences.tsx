import { Link } from '@tanstack/react-router'
import type { RemovalForecast } from '../../client/client.ts'
import { useLocale } from '../cells/use-locale.ts'
import { fieldOf, may, modelOf, useSite } from '../data/site.ts'
import { useText } from '../text/text.tsx'

interface ConsequencesProps {
  readonly forecast: Pick<RemovalForecast, 'consequences' | 'blocked_by'>
  /** The record that is to be deleted, if it is one: what refers to it is then linked. */
  readonly id?: number
}

/** What goes with records that are to be deleted, or keeps them from it. */
export function Consequences({ forecast: { consequences, blocked_by: blocked }, id }: ConsequencesProps) {
  const text = useText().remove
  const site = useSite()
  const locale = useLocale()
  const labelOf = (key: string) => modelOf(site, key)?.label ?? key
  if (consequences.length + blocked.length === 0) return <p>{text.alone}</p>
  return (
    <ul className="consequences">
      {blocked.map(({ model: key, field, count }) => {
        const model = modelOf(site, key)
        const name = (model === undefined ? undefined : fieldOf(model, field)?.label) ?? field
        const sentence = text.blocks(count.toLocaleString(locale), labelOf(key), name)
        return (
          <li key={`${key} ${field}`}>
            {id !== undefined && may(model, 'view') ? (
              <Link to="/models/$model" params={{ model: key }} search={{ filter: `${field}=${id}` }}>
                {sentence}
              </Link>
            ) : (
              sentence
            )}
          </li>
        )
      })}
      {consequences.map(({ model: key, action, count }) => (
        <li key={`${key} ${action}`} data-action={action}>
          {text[action](count.toLocaleString(locale), labelOf(key))}
        </li>
      ))}
    </ul>
  )
}
