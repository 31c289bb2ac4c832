import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../parts/icon-button.tsx'
import { useText } from '../../text/text.tsx'
import type { InputProps } from '../widget-props.ts'
import { textOf } from './textarea.tsx'

/** A new password. What is typed can be looked at; stored passwords never are. */
export function PasswordInput({ field, value, onChange, links }: InputProps) {
  const text = useText().form
  const [isShown, setShown] = useState(false)
  return (
    <div className="password">
      <input
        {...links}
        className="input"
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        placeholder={field.placeholder}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      />
      <IconButton
        label={isShown ? text.hidePassword : text.showPassword}
        icon={isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}
