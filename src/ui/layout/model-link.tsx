import { useRouter } from '@tanstack/react-router'
import { memo } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { formatNumber } from '../cells/format.ts'
import { useLocale } from '../cells/use-locale.ts'
import { ModelIcon } from '../parts/icons/model-icon.tsx'
import { plainClick } from '../plain-click.ts'

interface ModelLinkProps {
  readonly model: SiteModel
  /** True on the pages of the model. */
  readonly isActive: boolean
}

/** A model in the menu, with the number of its records. The menu of a large project has hundreds, for which a `Link` costs too much. */
export const ModelLink = memo(function ModelLink({ model, isActive }: ModelLinkProps) {
  const { key, label, icon, count } = model
  const router = useRouter()
  const locale = useLocale()
  return (
    <a
      href={`${router.basepath}/models/${encodeURIComponent(key)}`}
      className="menu-link"
      title={label}
      data-status={isActive ? 'active' : undefined}
      aria-current={isActive ? 'page' : undefined}
      onClick={plainClick(() => void router.navigate({ to: '/models/$model', params: { model: key } }))}
    >
      <ModelIcon name={icon} />
      <span className="menu-link-text">{label}</span>
      {count !== undefined && <span className="menu-count">{formatNumber(count, locale)}</span>}
    </a>
  )
})
