import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { FieldErrors, SiteModel } from '../../client/client.ts'
import { type FormView, labelIn } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { FailureText, Notice } from '../parts/states.tsx'
import type { Text } from '../text/en.ts'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { joinedMessages, type Problems } from './problems.ts'
import type { FormRows } from './use-rows.ts'
import { isSaveKey } from './use-save-key.ts'
import type { FormValues } from './values.ts'

interface FormFrameProps {
  /** Id of the form, for a button outside of it that submits it. */
  readonly id?: string | undefined
  readonly form: FormView
  readonly model: SiteModel
  /** What kept the last attempt to save from succeeding; undefined for nothing. */
  readonly problems: Problems | undefined
  /** Those that the form edits, if any. */
  readonly rows?: FormRows
  /** Names of the fields that show their messages themselves, in their order. */
  readonly shown: readonly string[]
  /** What is typed. */
  readonly values: FormValues
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
  problems: found,
  rows,
  shown,
  values,
  onSave,
  isLocked = false,
  round,
  children,
  actions,
}: FormFrameProps) {
  const text = useText()
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // A faulty row of a table takes the focus itself.
    const isInRow = found?.rows?.length && found.retry === undefined && Object.keys(found.fields).length === 0
    if (found !== undefined && !isInRow && element.current !== null) focusFirstFault(element.current)
  }, [found])
  useEffect(() => {
    if (round === undefined || element.current === null) return
    if (round > 0 || matchMedia('(pointer: fine)').matches) inputIn(element.current)?.focus()
  }, [round])
  const left = found?.rows?.filter(({ isSettled }) => rows === undefined || isSettled?.(rows) !== true)
  const isOver = found?.rows?.length && left?.length === 0 && Object.keys(found.fields).length === 0
  const problems = found === undefined || isOver ? undefined : { ...found, rows: left ?? [] }
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
          <Notice
            kind="error"
            actions={problems.retry !== undefined && <Button onClick={problems.retry}>{text.common.retry}</Button>}
          >
            <ProblemText
              {...{ problems, shown, values }}
              labels={(name) => labelIn(form, model, name)}
              onOpen={(name) => {
                if (element.current !== null) focusField(element.current, `[data-field="${CSS.escape(name)}"]`)
              }}
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
  readonly values: FormValues
  readonly labels: (name: string) => string
  /** Moves the focus to a field. */
  readonly onOpen: (name: string) => void
}

/** The messages of a failed attempt. Those of fields that the form displays lead to them. */
function ProblemText({ problems: { error, fields, rows = [] }, shown, values, labels, onOpen }: ProblemTextProps) {
  const { form: text, errors } = useText()
  const names = Object.keys(fields)
  if (names.length === 0 && rows.length === 0) return <FailureText error={error} />
  // In the order of the form, those without an input last.
  const ordered = [...shown.filter((name) => names.includes(name)), ...names.filter((name) => !shown.includes(name))]
  const placed = names.filter((name) => shown.includes(name)).length + rows.reduce((sum, row) => sum + row.fields, 0)
  const messages = ordered.flatMap((name) =>
    messagesOf(name, fields, values, text).map((message) => ({
      name,
      message: (message.startsWith(labels(name)) ? '' : `${labels(name)}: `) + errors.fromServer(message),
    })),
  )
  return (
    <>
      {placed > 0 && <p>{text.problems(placed)}</p>}
      <ul className="form-faults">
        {messages.map(({ name, message }) => (
          <li key={`${name} ${message}`}>
            {shown.includes(name) ? (
              <a
                href={`#${name}`}
                className="form-fault"
                onClick={(event) => {
                  event.preventDefault()
                  onOpen(name)
                }}
              >
                {message}
              </a>
            ) : (
              message
            )}
          </li>
        ))}
        {rows.map(({ key, title, messages: own, unparsed, open }) => (
          <li key={key}>
            <button type="button" className="form-fault" onClick={open}>
              {title}:{' '}
              {joinedMessages([...unparsed.flatMap((each) => faultsOf(each, text, true)), ...own].map(errors.fromServer))}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The messages of a field: that of a typed text that is no value, and those of the server. */
const messagesOf = (name: string, fields: FieldErrors, values: FormValues, text: Text['form']): readonly string[] => [
  ...faultsOf(values[name], text, true),
  ...(fields[name] ?? []),
]

const INPUTS = ['input', 'textarea', 'button'].map((name) => `[data-field] ${name}:not(:disabled)`).join()

/** The first input of an element of a form. */
const inputIn = (element: ParentNode): HTMLElement | null => element.querySelector<HTMLElement>(INPUTS)

/** Moves the focus to the first faulty input, otherwise to the messages above the form. */
function focusFirstFault(form: HTMLFormElement): void {
  if (!focusField(form, '[data-field][data-invalid]')) form.querySelector<HTMLElement>('.form-problems')?.focus()
}

/** Moves the focus to the input of a field, and unfolds the group that it is in. @returns false if there is none */
function focusField(form: HTMLFormElement, selector: string): boolean {
  const field = form.querySelector(selector)
  // Groups unfold with their messages; an input in a folded one cannot have the focus.
  field?.closest('details')?.setAttribute('open', '')
  const input = field?.querySelector<HTMLElement>('[aria-invalid]') ?? (field && inputIn(field))
  input?.focus()
  return input !== null && input !== undefined
}
