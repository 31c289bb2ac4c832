import { type ReactNode, useEffect } from 'react'
import { usePageSettings } from '../hooks.ts'
import { ProjectMark } from '../parts/project-mark.tsx'

interface CardProps {
  readonly title: string
  /** Title of the window, where it is a shorter one. */
  readonly windowTitle?: string
  readonly children: ReactNode
}

/** A page without a session: a card in the middle, with the mark of the project. */
export function Card({ title, windowTitle = title, children }: CardProps) {
  const settings = usePageSettings()
  useEffect(() => {
    document.title = `${windowTitle} · ${settings.title}`
  }, [windowTitle, settings.title])
  return (
    <main className="login">
      <div className="login-card">
        <header className="login-header">
          <ProjectMark title={settings.title} logo={settings.logo} />
          <h1 className="login-title">{title}</h1>
        </header>
        {children}
      </div>
    </main>
  )
}
