import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useText } from '../text/text.tsx'

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
}

/** Milliseconds for which a message with an action stays. */
const ACTION_MS = 10_000

/** Functions that show messages. */
export function useToasts(): Toasts {
  const { add, close } = Toast.useToastManager()
  return useMemo(
    () => ({
      done: (message, action) => {
        const id = add({ title: message, type: 'done', ...(action && { timeout: ACTION_MS, actionProps: actionProps(action) }) })
        function actionProps({ label, run }: ToastAction) {
          return {
            children: label,
            onClick: () => {
              close(id)
              run()
            },
          }
        }
      },
      failed: (message, detail) =>
        void add({ title: message, description: detail, type: 'failed', timeout: 0, priority: 'high' }),
    }),
    [add, close],
  )
}

/** Holds the messages of the components within. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider timeout={4000}>
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
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Content className="toast-content">
        {toast.type === 'failed' ? <CircleAlert size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />}
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
