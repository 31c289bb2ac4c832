import { Link } from '@tanstack/react-router'
import type { SiteModel } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { groupsOf } from '../../data/site.ts'
import { ModelIcon } from '../../parts/icons/model-icon.tsx'
import { useText } from '../../text/text.tsx'

/** The models that the user may access, in the groups of the menu, with their numbers of records. */
export function ModelCards({ models }: { readonly models: readonly SiteModel[] }) {
  const { otherModels } = useText().shell
  const groups = groupsOf(models, otherModels)
  return (
    <div className="card-groups">
      {groups.map(([title, members]) => (
        <section key={title} aria-label={title}>
          {groups.length > 1 && <h2 className="card-group-title">{title}</h2>}
          <ul className="cards">
            {members.map((model) => (
              <ModelCard key={model.key} model={model} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function ModelCard({ model: { key, icon, label, count } }: { readonly model: SiteModel }) {
  const text = useText().dashboard
  const locale = useLocale()
  return (
    <li>
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
  )
}
