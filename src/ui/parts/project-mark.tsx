interface ProjectMarkProps {
  /** Title of the project. */
  readonly title: string
  /** Address of its logo. */
  readonly logo: string | null | undefined
}

/** The logo of the project; without one, the first letter of its title on its colour. The title stands beside it. */
export function ProjectMark({ title, logo }: ProjectMarkProps) {
  if (typeof logo === 'string') return <img src={logo} alt="" className="project-mark" />
  const [letter = ''] = title
  return (
    <span className="project-mark project-letter" aria-hidden>
      {letter.toUpperCase()}
    </span>
  )
}
