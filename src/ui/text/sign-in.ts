import { enSignIn, type SignInText } from './en-sign-in.ts'
import { useLanguage } from './text.tsx'

const files = import.meta.glob<{ readonly default: SignInText }>('./??-sign-in.ts', { eager: true })

const texts = new Map(
  Object.entries(files).map(([path, module]) => [path.slice('./'.length, -'-sign-in.ts'.length), module.default]),
)

/** The texts of the pages without a session, in the present language. The first list does not load them. */
export const useSignInText = (): SignInText => texts.get(useLanguage()) ?? enSignIn

/** The text of a failure at a provider. @param code as the server names it in the fragment */
export const refusalText = (faults: SignInText['finish']['faults'], code: string): string =>
  Object.hasOwn(faults, code) ? faults[code as keyof typeof faults] : faults.other
