import { ENTRA_HOST, providersIn } from '../../config/provider-settings.ts'
import { flatSource, type Path, type Source } from '../../config/source.ts'
import { secretProblem, subscriptionsIn, urlProblem } from '../../config/webhook-settings.ts'
import { isObject } from '../../util/json.ts'
import { didYouMean, meantOrKnown } from '../../util/suggest.ts'
import { parseUrl } from '../../util/urls.ts'
import { directivesIn } from '../directives.ts'
import { configExample, type Example, formExample, type LintRule } from '../rule.ts'

/** A secret with fewer distinct characters was probably typed by a person. */
const MIN_DISTINCT = 10

const roleExample = (text: string): Example => ({ files: { 'roles/editors.yaml': text } })

/** Settings with one provider. */
const providerText = (members: string): string =>
  `accounts:\n  providers:\n    - { name: sso, ${members.includes('issuer:') ? '' : 'issuer: "https://accounts.example.com", '}client_id: admin, ${members} }\n`

const providerExample = (members: string): Example => configExample(providerText(members))

const MODEL = 'name: Note\nfields:\n  - { name: text, type: string, unique: true, max_length: 9 }\n'

const seedExample = (file: string, text: string): Example => ({ files: { 'models/note.yaml': MODEL, [file]: text } })

/** Rules for the settings, the roles and the seed records, and for files that cannot be read. */
export const PROJECT_FILE_RULES = {
  'file/invalid': {
    severity: 'error',
    summary: 'A file of the project cannot be read',
    details: `A file in models/, views/ or seed/, or the settings, is not valid YAML or JSON, cannot be loaded as a module, has an
unsupported format, or is in the wrong place. It is not ignored, since its definitions would be missing.

Correct the cause that the message names. For a module, it is the error thrown while loading it.`,
    invalid: [
      { files: { 'models/other.yaml': 'name: Other\n»name«: Another\nfields: []\n' } },
      { files: { 'views/post.json': '{ "name": »x« }\n' } },
      { files: { 'views/post.toml': '»n«ame = "PostList"\n' } },
      { files: { 'models/other.ts': "throw »new« Error('not today')\n" } },
    ],
    valid: [
      { files: { 'models/other.yaml': 'name: Other\nfields: []\n' } },
      { files: { 'models/other.json': '{ "name": "Other", "fields": [] }\n' } },
    ],
  },
  'config/invalid': {
    severity: 'error',
    summary: 'A setting has an invalid value',
    details: `The settings of a project, in admin.config or in the environment, are validated before use. The message states
which values are allowed. In a file, numbers and true or false are written without quotes.`,
    invalid: [
      configExample('port: »"8000"«\n'),
      configExample('jwt: { algorithm: »none« }\n'),
      configExample('store: »mysql://db.example.com/shop«\n'),
    ],
    valid: [
      configExample('port: 8000\n'),
      configExample('jwt: { algorithm: HS512 }\n'),
      configExample('store: postgres://shop@db.example.com/shop\n'),
    ],
  },
  'config/unknown-key': {
    severity: 'error',
    summary: 'A setting does not exist',
    details: `An unknown name in admin.config is usually a typing error, and the intended setting keeps its default. Use the
suggested name, or remove the line.`,
    invalid: [configExample('»prot«: 8000\n'), configExample('rate_limits: { »defualt«: 50 }\n')],
    valid: [configExample('port: 8000\n'), configExample('rate_limits: { default: 50 }\n')],
  },
  'config/unknown-rule': {
    severity: 'error',
    summary: 'A rule that is set or disabled does not exist',
    details: `Settings under lint.rules in admin.config, and comments "# admin-lint-disable-next-line <id>", name rules by id. An
unknown id has no effect. \`admin lint --explain\` lists all ids.`,
    invalid: [
      configExample('lint: { rules: { »view/no-from«: off } }\n'),
      formExample('# admin-lint-disable-next-line »view/mising-title«\nfields: [{ name: title }]\n'),
    ],
    valid: [
      configExample('lint: { rules: { view/no-form: off } }\n'),
      formExample('# admin-lint-disable-next-line view/missing-title\nfields: [{ name: title }]\n'),
    ],
    project({ config, texts, ruleIds }, report) {
      const unknown = (source: Source, id: string, path: readonly string[]) => {
        if (!ruleIds.includes(id)) {
          report(source, path, `There is no rule '${id}'${didYouMean(id, ruleIds)}`, { part: 'key' })
        }
      }
      const lint = isObject(config?.value) && isObject(config.value.lint) ? config.value.lint : {}
      if (config !== undefined && isObject(lint.rules)) {
        for (const id of Object.keys(lint.rules)) unknown(config.source, id, ['lint', 'rules', id])
      }
      for (const [file, text] of texts) {
        for (const { ids } of directivesIn(file, text)) {
          for (const { id, line, column } of ids) {
            const position = { file, line, column, end: { line, column: column + id.length } }
            unknown({ ...flatSource(file), at: () => position }, id, [])
          }
        }
      }
    },
  },
  'config/weak-secret': {
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
  },
  'config/webhook-url': {
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
  },
  'config/provider-accounts': {
    severity: 'warn',
    summary: 'A provider gives accounts to more, or fewer, people than it seems',
    details: `With create: true and no domains, everyone with an account at the provider gets one here: at Google, everyone. Name the domains of
your addresses in domains.

Microsoft Entra ID never says that an address is verified, so with it create and link: verified_email have no effect. Its users link their identity
once they are logged in.`,
    invalid: [
      providerExample('create: »true«'),
      providerExample('issuer: "https://login.microsoftonline.com/0b8f7c2e/v2.0", link: »verified_email«'),
    ],
    valid: [providerExample('create: true, domains: [example.com]'), providerExample('link: verified_email')],
    project({ config }, report) {
      if (config === undefined) return
      for (const { value, path } of providersIn(config)) {
        const { issuer, create, link, domains } = value
        const isEntra = parseUrl(String(issuer))?.hostname === ENTRA_HOST
        for (const [key, isSet] of [
          ['create', create === true],
          ['link', link === 'verified_email'],
        ] as const) {
          if (isEntra && isSet)
            report(
              config.source,
              [...path, key],
              `Microsoft Entra ID sends no verified addresses, so '${key}' has no effect; its users link their identity`,
            )
        }
        if (create === true && domains === undefined && !isEntra) {
          report(
            config.source,
            [...path, 'create'],
            'Everyone with an account at this provider gets one here; name the domains of your addresses in domains',
          )
        }
      }
    },
  },
  'config/provider-group': {
    severity: 'warn',
    summary: 'A provider gives a group that does not exist',
    details: `The values of groups.map of a provider are names of groups. A name that no role defines gives no group, until it is
created.`,
    invalid: [
      {
        files: {
          'roles/editors.yaml': 'name: Editors\npermissions: [view_post]\n',
          'admin.config.yaml': providerText('groups: { claim: teams, map: { eng: »Editor« } }'),
        },
      },
      providerExample('groups: { claim: teams, map: { eng: »Editors« } }'),
    ],
    valid: [
      {
        files: {
          'roles/editors.yaml': 'name: Editors\npermissions: [view_post]\n',
          'admin.config.yaml': providerText('groups: { claim: teams, map: { eng: Editors } }'),
        },
      },
      {
        files: {
          'seed/group.yaml': '- { name: Editors }\n',
          'admin.config.yaml': providerText('groups: { claim: teams, map: { eng: Editors } }'),
        },
      },
    ],
    project({ config, groups }, report) {
      if (config === undefined || groups === undefined) return
      for (const { value, path } of providersIn(config)) {
        const map: unknown = isObject(value.groups) ? value.groups.map : undefined
        for (const [claimed, name] of Object.entries(isObject(map) ? map : {})) {
          if (typeof name !== 'string' || groups.includes(name)) continue
          report(config.source, [...path, 'groups', 'map', claimed], `There is no group '${name}'${meantOrKnown(name, groups)}`)
        }
      }
    },
  },
  'role/invalid': {
    severity: 'error',
    summary: 'A role has a key or a value that is not allowed',
    details: `A role is a group with permissions. The server creates the group if there is none of that name.`,
    invalid: [
      roleExample('name: Editors\npermissions: »view_post«\n'),
      roleExample('name: Editors\npermissions: [view_post]\n»permision«: view_tag\n'),
    ],
    valid: [
      roleExample('name: Editors\npermissions: [view_post, change_post]\n'),
      roleExample('- { name: Editors, permissions: [change_post] }\n- { name: Guests, permissions: [] }\n'),
    ],
  },
  'role/unknown-permission': {
    severity: 'error',
    summary: 'A role has a permission that does not exist',
    details: `Each model has four permissions, such as view_post, add_post, change_post and delete_post.`,
    invalid: [
      roleExample('name: Editors\npermissions: [view_post, »veiw_tag«]\n'),
      roleExample('name: Editors\npermissions: [»publish_post«]\n'),
    ],
    valid: [
      roleExample('name: Editors\npermissions: [view_post, add_tag]\n'),
      roleExample('name: Staff\npermissions: [view_user, change_group, delete_permission]\n'),
    ],
  },
  'seed/invalid-record': {
    severity: 'error',
    summary: 'A seed record breaks its model',
    details: `The records of seed/ are created at the first start and by a reset, all or none. A record whose values break a constraint of its model,
are not unique, or refer to records that do not exist prevents both.

Correct the record, or the model. Relations are ids: records without an id get 1, 2, … in the order of the file.`,
    invalid: [
      seedExample('seed/note.yaml', '- { text: short }\n- { text: »far too long« }\n'),
      seedExample('seed/note.json', '[\n  { "text": "same" },\n  { "text": »"same"« }\n]\n'),
      seedExample('seed/note.yaml', '- { titel: »short« }\n'),
      { files: { 'seed/post.yaml': '- { title: Hello, author_id: »7« }\n' } },
    ],
    valid: [
      seedExample('seed/note.yaml', '- { text: short }\n- { text: another }\n'),
      { files: { 'seed/post.yaml': '- { title: Hello, tags: [1] }\n', 'seed/tag.csv': 'name\nnews\n' } },
    ],
  },
} as const satisfies Readonly<Record<string, LintRule>>

const isLocal = (host: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host)
