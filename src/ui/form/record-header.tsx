import { useLaterText } from '../text/later.ts'
import '../styles/records.css'
import { Link } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Skeleton } from '../parts/states.tsx'
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
  /** Undefined while it is being loaded. */
  readonly title: string | undefined
  readonly isDirty: boolean
  /** Takes the changes back; undefined where the page cannot. */
  readonly onDiscard?: (() => void) | undefined
  /** The only button of the page that saves; undefined where nothing can be saved. */
  readonly save: HeaderSave | undefined
  /** Other buttons, before the one that saves. */
  readonly children?: ReactNode
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
        {title === undefined ? (
          <div className="record-title-wait skeleton-line" />
        ) : (
          <h1 className="page-title" title={title}>
            {title}
          </h1>
        )}
      </div>
      <div className="record-actions">
        {isDirty && onDiscard !== undefined && (
          <Button kind="quiet" className="button-folding" icon={<Undo2 size={16} aria-hidden />} onClick={passing(onDiscard)}>
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

/** The head and the fields of a record that is being loaded, in their places. @param title that of a new record */
export function RecordSkeleton({ model, title }: { readonly model: SiteModel; readonly title?: string }) {
  const text = useText()
  const later = useLaterText()
  return (
    <>
      <RecordHeader model={model} title={title} isDirty={false} save={undefined} />
      <div className="record">
        <div className="record-main">
          {title === undefined && model.history && (
            <div className="tabs record-tabs-wait" aria-hidden>
              <span className="tab" data-active="">
                {text.form.formTab}
              </span>
              <span className="tab">{later.history.title}</span>
            </div>
          )}
          <Skeleton shape="fields" lines={12} />
        </div>
      </div>
    </>
  )
}
