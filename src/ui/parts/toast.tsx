import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useText } from '../text/text.tsx'
import { focusContent } from './page-header.tsx'

/** What a message offers to do, such as to undo. */
interface ToastAction {
  readonly label: string
  /** Called once; the message goes then. */
  readonly run: () => void
}

/** Shows short messages at the top of the page. */
interface Toasts {
  /** A message about something that was done; it goes after a few seconds, with an action later. */
  readonly done: (message: string, action?: ToastAction) => void
  /** A message about something that failed; it stays until it is closed. */
  readonly failed: (message: string, detail?: string) => void
  /** A message about something that runs; it stays until that has ended. */
  readonly running: (message: string) => RunningToast
}

/** A message about something that runs, which becomes that of its end, also if it was closed meanwhile. */
export interface RunningToast {
  /** Says how far it is. */
  readonly say: (message: string) => void
  /** With a detail, the message stays until it is closed. */
  readonly done: (message: string, detail?: string) => void
  readonly failed: (message: string, detail?: string) => void
}

/** Milliseconds for which a message stays. */
const DONE_MS = 4_000
/** The same of a message with an action. */
const ACTION_MS = 10_000

const failure = (title: string, description: string | undefined) =>
  ({ title, description, type: 'failed', timeout: 0, priority: 'high' }) as const

/** Functions that show messages. */
export function useToasts(): Toasts {
  const { add, close, update } = Toast.useToastManager()
  return useMemo(
    () => ({
      done: (message, action) => {
        let isDone = false
        const id = add({ title: message, type: 'done', ...(action && { timeout: ACTION_MS, actionProps: actionProps(action) }) })
        function actionProps({ label, run }: ToastAction) {
          return {
            children: label,
            onClick: () => {
              // A second click may come before the message has gone.
              if (isDone) return
              isDone = true
              close(id)
              // The button that has the focus goes with the message.
              focusContent()
              run()
            },
          }
        }
      },
      failed: (message, detail) => void add(failure(message, detail)),
      running: (message) => {
        const id = add({ title: message, type: 'loading' })
        return {
          // A screen reader tells the end, not each step.
          say: (now) => update(id, { title: <span aria-live="off">{now}</span> }),
          done: (end, detail) =>
            void add({ id, title: end, description: detail, type: 'done', timeout: detail === undefined ? DONE_MS : 0 }),
          // The user waits for it, so that it need not interrupt.
          failed: (end, detail) => void add({ id, ...failure(end, detail), priority: 'low' }),
        }
      },
    }),
    [add, close, update],
  )
}

/** Holds the messages of the components within. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider timeout={DONE_MS}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts } = Toast.useToastManager()
  const text = useText()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" aria-busy={toast.type === 'loading' || undefined}>
      <Toast.Content className="toast-content">
        <ToastIcon type={toast.type} />
        <div className="toast-text">
          <Toast.Title className="toast-title" render={<p />} />
          <Toast.Description className="toast-detail" />
        </div>
        <Toast.Action className="toast-action" />
        <Toast.Close className="icon-button" aria-label={text.common.close}>
          <X size={16} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}

function ToastIcon({ type }: { readonly type: string | undefined }) {
  if (type === 'loading') return <LoaderCircle size={16} aria-hidden />
  return type === 'failed' ? <CircleAlert size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />
}
