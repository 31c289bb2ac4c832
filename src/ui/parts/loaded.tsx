import { Component, type ReactNode, Suspense } from 'react'
import { LoadFailure } from '../load-failure.ts'
import { errorMessage } from '../text/error-message.ts'
import { useText } from '../text/text.tsx'
import { Failure } from './states.tsx'
import { useToasts } from './toast.tsx'

interface BoundaryProps {
  /** Stands for the children until they are loaded. */
  readonly fallback?: ReactNode
  /** Stands for the children that failed. */
  readonly instead: (error: unknown, retry: () => void) => ReactNode
  readonly onCatch?: (error: unknown) => void
  readonly children: ReactNode
}

interface BoundaryState {
  readonly caught: { readonly error: unknown } | undefined
}

/** Keeps the failure of its children from what is around them. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { caught: undefined }

  static getDerivedStateFromError = (error: unknown): BoundaryState => ({ caught: { error } })

  override componentDidCatch(error: unknown) {
    if (error instanceof LoadFailure) error.forget()
    this.props.onCatch?.(error)
  }

  override render() {
    const { fallback, instead, children } = this.props
    const { caught } = this.state
    if (caught !== undefined) return instead(caught.error, () => this.setState({ caught: undefined }))
    return <Suspense fallback={fallback}>{children}</Suspense>
  }
}

interface LoadedProps extends Pick<BoundaryProps, 'fallback' | 'children'> {
  /** True for parts of which there are many, or which the page can do without: the fallback stays in place of a message. */
  readonly isQuiet?: boolean
}

/** Lazy parts. Where one cannot be loaded, a message with "Try again" stands in its place, and the page around it stays as it is. */
export const Loaded = ({ isQuiet = false, fallback, children }: LoadedProps) => (
  <Boundary fallback={fallback} instead={(error, retry) => (isQuiet ? fallback : <Failure error={error} onRetry={retry} />)}>
    {children}
  </Boundary>
)

interface LoadedPopupProps extends Pick<BoundaryProps, 'fallback' | 'children'> {
  /** Closes it, so that it is loaded again when it is next opened. */
  readonly onFail: () => void
}

/** A lazy dialog, drawer or menu; rendered while it is open. Where it cannot be loaded it closes, and a message says so. */
export function LoadedPopup({ onFail, fallback, children }: LoadedPopupProps) {
  const text = useText().errors
  const toasts = useToasts()
  const fail = (error: unknown) => {
    toasts.failed(errorMessage(error, text))
    onFail()
  }
  return (
    <Boundary fallback={fallback} instead={() => fallback} onCatch={fail}>
      {children}
    </Boundary>
  )
}
