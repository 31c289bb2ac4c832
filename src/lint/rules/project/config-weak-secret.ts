import type { Path } from '../../../config/source.ts'
import { secretProblem } from '../../../config/webhook-settings.ts'
import { isObject } from '../../../util/json.ts'
import { configExample, type LintRule } from '../../rule.ts'
import { subscriptionsIn } from '../../subscriptions.ts'

/** A secret with fewer distinct characters was probably typed by a person. */
const MIN_DISTINCT = 10

/** Guessable secrets. */
export const configWeakSecret: LintRule = {
  id: 'config/weak-secret',
  severity: 'error',
  summary: 'A secret is short or easy to guess',
  details: `With secret_key an attacker can create tokens of any user, and with a webhook's secret forge its deliveries. A secret_key
has at least 32 bytes, a webhook's secret 16 characters, and neither consists of few distinct characters or a word.

Generate one with \`openssl rand -base64 32\`. It is safer to omit secret_key from the file: set ADMIN_SECRET_KEY, or let the server
create one in data/secret.`,
  invalid: [
    configExample('secret_key: »hunter2«\n'),
    configExample('secret_key: »changeme-changeme-changeme-changeme«\n'),
    configExample('webhooks:\n  - { url: "https://hooks.example.com", secret: »aaaaaaaaaaaaaaaa« }\n'),
    configExample('webhooks:\n  - { url: "https://hooks.example.com", secret: »whsec_aaaaaaaaaaaa« }\n'),
  ],
  valid: [
    configExample('secret_key: 9fQ2vX7pLkT4sWzB1mNcR8yHdJ6gEaUo\n'),
    configExample('webhooks:\n  - { url: "https://hooks.example.com", secret: k3Jx9QmZ7vTfLw2B }\n'),
  ],
  project({ config }, report) {
    if (config === undefined || !isObject(config.value)) return
    // The loader has already reported secrets that prevent a start.
    const check = (secret: unknown, isAccepted: (secret: string) => boolean, path: Path) => {
      if (typeof secret !== 'string' || !isAccepted(secret)) return
      const distinct = new Set(secret).size
      if (distinct >= MIN_DISTINCT) return
      const what = `'${path.at(-1)}' has only ${distinct} distinct ${distinct === 1 ? 'character' : 'characters'}`
      report(config.source, path, `${what} and is easy to guess; generate one with \`openssl rand -base64 32\``)
    }
    check(config.value.secret_key, (secret) => Buffer.byteLength(secret) >= 32, ['secret_key'])
    for (const { value, path } of subscriptionsIn(config)) {
      const secret = isObject(value) ? value.secret : undefined
      check(secret, (text) => secretProblem(text) === undefined, [...path, 'secret'])
    }
  },
}
