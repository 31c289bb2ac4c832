import { useEffect } from 'react'
import { useText } from '../text/text.tsx'
import { LoginForm } from './login-form.tsx'

/** Asks a visitor to log in. The address stays, so that the page that was asked for opens afterwards. */
export function LoginPage() {
  const text = useText().login
  useEffect(() => {
    document.title = text.title
  }, [text])
  return (
    <main className="login">
      <h1 className="login-title">{text.title}</h1>
      <LoginForm />
    </main>
  )
}
