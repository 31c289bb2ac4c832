import { CSPProvider } from '@base-ui/react/csp-provider'
import type { ReactNode } from 'react'
import { ToastProvider } from './popups/toast.tsx'
import { Tooltip } from './popups/tooltip.tsx'

/** What the parts need around them. The content security policy of the page forbids style elements. */
export function PartsProvider({ children }: { readonly children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <ToastProvider>{children}</ToastProvider>
      <Tooltip />
    </CSPProvider>
  )
}
