import { urlProblem } from '../../../config/webhook-settings.ts'
import { isObject } from '../../../util/json.ts'
import { configExample, type LintRule } from '../../rule.ts'
import { subscriptionsIn } from '../../subscriptions.ts'

/** Webhook URLs that cannot or should not be used. */
export const configWebhookUrl: LintRule = {
  id: 'config/webhook-url',
  severity: 'warn',
  summary: 'The url of a webhook is invalid or unencrypted',
  details: `The url of a subscription must be an absolute http or https URL. Over http, records are sent unencrypted, unless the receiver is on
the same machine. A name and password in the url would appear in every log with the url; receivers verify the signature instead.`,
  invalid: [
    configExample('webhooks:\n  - { url: »hooks.example.com«, events: [create] }\n'),
    configExample('webhooks:\n  - { url: »"http://hooks.example.com/in"« }\n'),
    configExample('webhooks:\n  subscriptions:\n    - url: »https://ann:secret@hooks.example.com«\n'),
  ],
  valid: [
    configExample('webhooks:\n  - { url: "https://hooks.example.com/in", events: [create] }\n'),
    configExample('webhooks:\n  subscriptions:\n    - url: http://localhost:3000/in\n'),
  ],
  project({ config }, report) {
    if (config === undefined) return
    for (const { value, path } of subscriptionsIn(config)) {
      const address = isObject(value) ? value.url : undefined
      // The loader has already reported URLs that prevent a start.
      if (typeof address !== 'string' || urlProblem(address) !== undefined) continue
      const { protocol, hostname, host } = new URL(address)
      if (protocol === 'http:' && !isLocal(hostname)) {
        report(config.source, [...path, 'url'], `Deliveries to ${host} are not encrypted; use https`)
      }
    }
  },
}

const isLocal = (host: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host)
