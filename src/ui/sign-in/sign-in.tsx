import '../styles/sign-in.css'

// One part for all that is shown without a session, so that it is loaded at once.
export { readMethods as prepare } from '../data/sign-in.ts'
export { Interruption } from './interruption.tsx'
export { LinkPage } from './link-page.tsx'
export { LoginPage } from './login-page.tsx'
