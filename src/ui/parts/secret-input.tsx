import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useText } from '../text/text.tsx'
import { IconButton } from './button.tsx'

/** An input for a password, with a button that shows what is typed. */
export function SecretInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  const text = useText().form
  const [isShown, setShown] = useState(false)
  return (
    <div className="password">
      <input {...props} className="input" type={isShown ? 'text' : 'password'} />
      <IconButton
        label={isShown ? text.hidePassword : text.showPassword}
        icon={isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}
