import { Check } from 'lucide-react'
import { useLaterText } from '../text/later.ts'

/** The steps of an import, in their order. */
export const IMPORT_STEPS = ['file', 'columns', 'check', 'import'] as const
export type ImportStep = (typeof IMPORT_STEPS)[number]

interface ImportStepsProps {
  readonly step: ImportStep
  /** False while a step cannot be left, and after the import. */
  readonly mayGoBack: boolean
  readonly onBack: (step: ImportStep) => void
}

/** Shows which step the user is in. Former steps are buttons that go back to them. */
export function ImportSteps({ step, mayGoBack, onBack }: ImportStepsProps) {
  const text = useLaterText().import
  const present = IMPORT_STEPS.indexOf(step)
  return (
    <ol className="import-steps" aria-label={text.steps}>
      {IMPORT_STEPS.map((each, index) => {
        const isDone = index < present
        const content = (
          <>
            <span className="import-step-mark" aria-hidden>
              {isDone ? <Check size={14} /> : index + 1}
            </span>
            <span className="import-step-name">{text.stepNames[each]}</span>
          </>
        )
        return (
          <li
            key={each}
            className="import-step"
            aria-current={each === step ? 'step' : undefined}
            data-done={isDone || undefined}
          >
            {isDone && mayGoBack ? (
              <button type="button" className="import-step-button" onClick={() => onBack(each)}>
                {content}
              </button>
            ) : (
              <span className="import-step-button">{content}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
