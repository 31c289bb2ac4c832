import { Link } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'

/** How a header saves what its page edits. */
export interface HeaderSave {
  /** Id of the form that the button submits, so that Enter in its inputs does the same; undefined while the form is not shown. */
  readonly form: string | undefined
  readonly onSave: () => void
  readonly isBusy: boolean
  /** True while there is nothing to save. */
  readonly isIdle?: boolean
}

interface RecordHeaderProps {
  readonly model: SiteModel
  readonly title: string
  readonly isDirty: boolean
  /** Takes the changes back; undefined where the page cannot. */
  readonly onDiscard?: (() => void) | undefined
  /** The only button of the page that saves; undefined where nothing can be saved. */
  readonly save: HeaderSave | undefined
  /** Other buttons, before the one that saves. */
  readonly children: ReactNode
}

/** The head of a record or a new one, which stays at the top: where it belongs, its title, whether it has unsaved changes, what can be done. */
export function RecordHeader({ model, title, isDirty, onDiscard, save, children }: RecordHeaderProps) {
  const text = useText()
  return (
    <header className="record-header" data-dirty={isDirty || undefined}>
      <div className="record-heading">
        <div className="record-above">
          {may(model, 'view') ? (
            <Link to="/models/$model" params={{ model: model.key }}>
              {model.label}
            </Link>
          ) : (
            <span>{model.label}</span>
          )}
          <span className="record-state" role="status">
            {isDirty ? text.form.unsaved : ''}
          </span>
        </div>
        <h1 className="page-title" title={title}>
          {title}
        </h1>
      </div>
      <div className="record-actions">
        {isDirty && onDiscard !== undefined && (
          <Button kind="quiet" className="button-folding" icon={<Undo2 size={16} aria-hidden />} onClick={onDiscard}>
            {text.form.discard}
          </Button>
        )}
        {children}
        {save !== undefined && (
          <Button
            kind="primary"
            type={save.form === undefined ? 'button' : 'submit'}
            form={save.form}
            onClick={save.form === undefined ? save.onSave : undefined}
            isBusy={save.isBusy}
            aria-disabled={save.isIdle || undefined}
          >
            {text.common.save}
          </Button>
        )}
      </div>
    </header>
  )
}
