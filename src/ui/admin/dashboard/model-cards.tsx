import { Link } from '@tanstack/react-router'
import type { SiteModel } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { ModelIcon } from '../../parts/model-icon.tsx'
import { useText } from '../../text/text.tsx'

/** The models that the user may access, with their numbers of records. */
export function ModelCards({ models }: { readonly models: readonly SiteModel[] }) {
  const text = useText().dashboard
  const locale = useLocale()
  return (
    <ul className="cards">
      {models.map(({ key, icon, label, count }) => (
        <li key={key}>
          <Link to="/models/$model" params={{ model: key }} className="card">
            <span className="card-title">
              <ModelIcon name={icon} />
              <span>{label}</span>
            </span>
            <span className={count === undefined ? 'muted' : 'card-number'}>
              {count === undefined ? text.addOnly : count.toLocaleString(locale)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
