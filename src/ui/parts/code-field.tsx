import { useSignInText } from '../text/sign-in.ts'
import { Button } from './button.tsx'
import { LabelledField } from './field.tsx'

interface CodeFieldProps {
  /** True for a recovery code, which has letters. */
  readonly isRecovery?: boolean
  readonly errors?: readonly string[] | undefined
}

/** The input `otp` for a code of an authenticator app, which browsers and phones fill in. */
export function CodeField({ isRecovery = false, errors }: CodeFieldProps) {
  const text = useSignInText().code
  return (
    <LabelledField
      label={isRecovery ? text.recovery : text.label}
      help={isRecovery ? text.recoveryHelp : text.help}
      errors={errors}
    >
      {(links) => (
        <input
          {...links}
          key={String(isRecovery)}
          className="input mono"
          name="otp"
          autoComplete="one-time-code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </LabelledField>
  )
}

interface RecoverySwitchProps {
  readonly isRecovery: boolean
  readonly onChange: (isRecovery: boolean) => void
}

/** Changes between the code of the app and a recovery code. */
export function RecoverySwitch({ isRecovery, onChange }: RecoverySwitchProps) {
  const text = useSignInText().code
  return (
    <Button kind="quiet" onClick={() => onChange(!isRecovery)}>
      {isRecovery ? text.useApp : text.useRecovery}
    </Button>
  )
}
