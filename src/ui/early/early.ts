// Runs before the first paint, while the modules of the page are loaded. It is a classic script: a module would run after the document.
import { readPageSettings } from '../page-settings.ts'
import { preferences } from '../preferences.ts'
import { mayHaveSession } from '../session/session-hint.ts'
import { sendEarly } from './early-requests.ts'
import { applyTheme } from './theme.ts'

applyTheme(preferences)
if (mayHaveSession(preferences)) globalThis.earlyResponses = sendEarly(readPageSettings(document), location.pathname)
