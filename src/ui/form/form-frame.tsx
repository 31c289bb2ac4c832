import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { type FormView, labelIn } from '../data/views.ts'
import { FailureText, Notice } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import type { Problems } from './problems.ts'
import { isSaveKey } from './use-save-key.ts'

interface FormFrameProps {
  /** Id of the form, for a button outside of it that submits it. */
  readonly id?: string | undefined
  readonly form: FormView
  readonly model: SiteModel
  /** What kept the last attempt to save from succeeding; undefined for nothing. */
  readonly problems: Problems | undefined
  /** Names of the fields that show their messages themselves. */
  readonly shown: readonly string[]
  readonly onSave: () => void
  /** True while a save must not miss what is typed: the fields take no input. */
  readonly isLocked?: boolean
  /**
   * The first input gets the focus when the form appears, and again when this number changes; never without it. On a phone not at first,
   * since its keyboard would cover the form.
   */
  readonly round?: number
  readonly children: ReactNode
  /** The buttons below the fields, as in a dialog; none for a form that a header saves. */
  readonly actions?: ReactNode | undefined
}

/** A form: messages that belong to no input stand above; after a failed attempt the first faulty input gets the focus. */
export function FormFrame({
  id,
  form,
  model,
  problems,
  shown,
  onSave,
  isLocked = false,
  round,
  children,
  actions,
}: FormFrameProps) {
  const text = useText().form
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problems !== undefined && element.current !== null) focusFirstFault(element.current)
  }, [problems])
  useEffect(() => {
    if (round === undefined || element.current === null) return
    if (round > 0 || matchMedia('(pointer: fine)').matches) inputIn(element.current)?.focus()
  }, [round])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog within a form has a form of its own.
    event.stopPropagation()
    onSave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSaveKey(event)) return
    event.preventDefault()
    event.stopPropagation()
    onSave()
  }
  return (
    <form ref={element} id={id} className="form" noValidate onSubmit={submit} onKeyDown={onKeyDown}>
      {problems !== undefined && (
        <div className="form-problems" tabIndex={-1}>
          <Notice kind="error">
            <ProblemText
              problems={problems}
              shown={shown}
              labels={(name) => labelIn(form, model, name)}
              summary={text.problems}
            />
          </Notice>
        </div>
      )}
      <div className="form-content" inert={isLocked}>
        {children}
      </div>
      {actions !== undefined && <div className="form-actions">{actions}</div>}
    </form>
  )
}

interface ProblemTextProps {
  readonly problems: Problems
  readonly shown: readonly string[]
  readonly labels: (name: string) => string
  readonly summary: (count: number) => string
}

function ProblemText({ problems: { error, fields }, shown, labels, summary }: ProblemTextProps) {
  const names = Object.keys(fields)
  if (names.length === 0) return <FailureText error={error} />
  const elsewhere = names.filter((name) => !shown.includes(name))
  const placed = names.length - elsewhere.length
  return (
    <>
      {placed > 0 && <p>{summary(placed)}</p>}
      {elsewhere.flatMap((name) =>
        (fields[name] ?? []).map((message) => (
          <p key={`${name} ${message}`}>{message.startsWith(labels(name)) ? message : `${labels(name)}: ${message}`}</p>
        )),
      )}
    </>
  )
}

const INPUTS = ['input', 'textarea', 'button'].map((name) => `[data-field] ${name}:not(:disabled)`).join()

/** The first input of an element of a form. */
const inputIn = (element: ParentNode): HTMLElement | null => element.querySelector<HTMLElement>(INPUTS)

/** Moves the focus to the first faulty input, otherwise to the messages above the form. */
function focusFirstFault(form: HTMLFormElement): void {
  const faulty = form.querySelector('[data-field][data-invalid]')
  // Groups unfold with their messages; an input in a folded one cannot have the focus.
  faulty?.closest('details')?.setAttribute('open', '')
  const target = (faulty === null ? undefined : inputIn(faulty)) ?? form.querySelector<HTMLElement>('.form-problems')
  target?.focus()
}

/** Moves the focus to the content of the page, after the element that had it has gone with the former page. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true })
}
