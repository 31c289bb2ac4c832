import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { plainClick } from '../plain-click.ts'

interface RecordLinkProps {
  /** Key of the model. */
  readonly model: string
  readonly id: string
  readonly className: string
  readonly children: ReactNode
}

/** A link to the page of a record. It costs less than a `Link`, of which a list would have hundreds: it does not follow the address. */
export function RecordLink({ model, id, className, children }: RecordLinkProps) {
  const router = useRouter()
  return (
    <a
      href={`${router.basepath}/models/${encodeURIComponent(model)}/${encodeURIComponent(id)}`}
      className={className}
      onClick={plainClick(() => void router.navigate({ to: '/models/$model/$id', params: { model, id } }))}
    >
      {children}
    </a>
  )
}
