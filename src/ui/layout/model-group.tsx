import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { ModelIcon } from '../parts/model-icon.tsx'
import { useLanguage } from '../text/text.tsx'
import { usePreference } from '../use-preference.ts'

interface ModelGroupProps {
  readonly title: string
  readonly models: readonly SiteModel[]
  /** True while the menu shows matches, which a folded group must not hide. */
  readonly isFiltered: boolean
}

/** The models of a group of the menu. The browser remembers which groups are folded. */
export function ModelGroup({ title, models, isFiltered }: ModelGroupProps) {
  const language = useLanguage()
  const list = useId()
  const [folded = [], setFolded] = usePreference('foldedGroups')
  const isOpen = isFiltered || !folded.includes(title)
  const toggle = () => setFolded(folded.includes(title) ? folded.filter((name) => name !== title) : [...folded, title])
  return (
    <section className="menu-group">
      <h2 className="menu-group-title">
        <button type="button" className="menu-fold" aria-expanded={isOpen} aria-controls={list} onClick={toggle}>
          <span className="menu-link-text">{title}</span>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        </button>
      </h2>
      <ul className="menu-list" id={list} hidden={!isOpen}>
        {isOpen &&
          models.map((model) => (
            <li key={model.key}>
              <Link to="/models/$model" params={{ model: model.key }} className="menu-link" title={model.label}>
                <ModelIcon name={model.icon} />
                <span className="menu-link-text">{model.label}</span>
                {model.count !== undefined && <span className="menu-count">{model.count.toLocaleString(language)}</span>}
              </Link>
            </li>
          ))}
      </ul>
    </section>
  )
}
