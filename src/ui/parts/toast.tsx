import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useText } from '../text/text.tsx'

/** Shows short messages at the edge of the page. */
export interface Toasts {
  /** A message about something that was done; it goes after a few seconds. */
  readonly done: (message: string) => void
  /** A message about something that failed; it stays until it is closed. */
  readonly failed: (message: string, detail?: string) => void
}

/** Functions that show messages. */
export function useToasts(): Toasts {
  const { add } = Toast.useToastManager()
  return useMemo(
    () => ({
      done: (message) => void add({ title: message, type: 'done' }),
      failed: (message, detail) =>
        void add({ title: message, description: detail, type: 'failed', timeout: 0, priority: 'high' }),
    }),
    [add],
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
        <div>
          <Toast.Title className="toast-title" render={<p />} />
          <Toast.Description className="toast-detail" />
        </div>
        <Toast.Close className="icon-button" aria-label={text.common.close}>
          <X size={16} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
