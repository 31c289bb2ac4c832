import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULTS, resolveSettings, type Settings, type SettingsInput } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { assertLines, linesOf } from './marks.ts'
import { assertFaults, load } from './projects.ts'

interface Layers {
  readonly file?: unknown
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly flags?: SettingsInput
}

function resolve({ file, env = {}, flags = {} }: Layers): { settings: Settings; lines: string[]; warnings: string[] } {
  const definition = file === undefined ? undefined : { value: file, source: flatSource('admin.config.yaml') }
  const { settings, faults, warnings } = resolveSettings(definition, env, flags)
  return { settings, lines: linesOf(faults.list), warnings }
}

function resolveSound(layers: Layers): Settings {
  const { settings, lines } = resolve(layers)
  assert.deepEqual(lines, [])
  return settings
}

test('the defaults are the documented ones', () => {
  const expected = {
    host: '127.0.0.1',
    port: 8000,
    base_path: '',
    admin_path: '/admin',
    api_version: 'v1',
    store: 'embedded',
    data: 'data',
    jwt: { algorithm: 'HS256', access_token_minutes: 30, refresh_token_minutes: 10080 },
    views_auth: 'optional',
    validation_status: 400,
    rate_limits: { default: 100, auth: 5, upload: 10, download: 3000 },
    max_upload_bytes: 10485760,
    max_record_bytes: 1048576,
    trusted_proxies: 0,
    cors: [],
    log: { level: 'info', format: 'auto' },
    stop_delay_seconds: 0,
    metrics: 'local',
    mcp: false,
    webhooks: {
      retry_schedule: [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400],
      subscriptions: [],
      keep: { deliveries: 10000, days: 30 },
    },
    jobs: { run: true, concurrency: 4, keep_days: 7 },
    accounts: { password_reset: false, two_factor: 'optional', log_days: 90 },
    files: { max_size: 1073741824, pending_hours: 24, pending_bytes: 1073741824, keep_removed_days: 1, min_free: 268435456 },
    ui: { enabled: true },
    lint: { rules: {} },
  }
  assert.deepEqual(DEFAULTS, expected)
  assert.deepEqual(resolveSound({}), expected)
  assert.deepEqual(resolveSound({ file: null }), expected, 'an empty file changes nothing')
  assert.deepEqual(resolveSound({ file: {} }), expected)
})

test('a list of webhooks is a section with these subscriptions, and other layers may add to it', () => {
  const subscriptions = [
    { url: 'https://a.example/hook', events: ['create' as const], models: [], secret: 's'.repeat(16), active: false },
  ]
  const { webhooks } = resolveSound({ file: { webhooks: subscriptions }, env: { ADMIN_WEBHOOKS__ALLOW_PRIVATE: 'true' } })
  assert.deepEqual(webhooks, { ...DEFAULTS.webhooks, subscriptions, allow_private: true })
})

describe('precedence: defaults < file < environment < flags', () => {
  const rows: readonly (Layers & { name: string; expected: SettingsInput })[] = [
    { name: 'file', file: { port: 1 }, expected: { port: 1 } },
    { name: 'environment over file', file: { port: 1 }, env: { ADMIN_PORT: '2' }, expected: { port: 2 } },
    { name: 'flags over environment', file: { port: 1 }, env: { ADMIN_PORT: '2' }, flags: { port: 3 }, expected: { port: 3 } },
    { name: 'flags over file', file: { port: 1 }, flags: { port: 3 }, expected: { port: 3 } },
    { name: 'flags over defaults', flags: { host: '0.0.0.0' }, expected: { host: '0.0.0.0' } },
    {
      name: 'a falsy value overrides',
      file: { trusted_proxies: 2 },
      flags: { trusted_proxies: 0 },
      expected: { trusted_proxies: 0 },
    },
    {
      name: 'sections are merged, member by member',
      file: { rate_limits: { auth: 1, upload: 1 } },
      env: { ADMIN_RATE_LIMITS__UPLOAD: '2' },
      flags: { rate_limits: { default: 0 } },
      expected: { rate_limits: { default: 0, auth: 1, upload: 2, download: 3000 } },
    },
    {
      name: 'lists are replaced',
      file: { cors: ['https://a.example', 'https://b.example'] },
      env: { ADMIN_CORS: 'https://c.example' },
      expected: { cors: ['https://c.example'] },
    },
    {
      name: 'two variables of one section',
      env: { ADMIN_JWT__ALGORITHM: 'HS512', ADMIN_JWT__ACCESS_TOKEN_MINUTES: '1.5' },
      expected: { jwt: { algorithm: 'HS512', access_token_minutes: 1.5, refresh_token_minutes: 10080 } },
    },
  ]
  for (const { name, expected, ...layers } of rows) {
    test(name, () => assert.deepEqual(resolveSound(layers), { ...DEFAULTS, ...expected }))
  }
})

describe('the environment', () => {
  const key = 'k'.repeat(32)
  const rows: readonly { name: string; value: string; expected: SettingsInput }[] = [
    { name: 'ADMIN_PORT', value: '0', expected: { port: 0 } },
    { name: 'ADMIN_HOST', value: '::1', expected: { host: '::1' } },
    { name: 'ADMIN_SECRET_KEY', value: key, expected: { secret_key: key } },
    { name: 'ADMIN_VALIDATION_STATUS', value: '422', expected: { validation_status: 422 } },
    { name: 'ADMIN_VIEWS_AUTH', value: 'required', expected: { views_auth: 'required' } },
    { name: 'ADMIN_BASE_PATH', value: '', expected: { base_path: '' } },
    {
      name: 'ADMIN_RATE_LIMITS__DEFAULT',
      value: '7',
      expected: { rate_limits: { default: 7, auth: 5, upload: 10, download: 3000 } },
    },
    {
      name: 'ADMIN_CORS',
      value: 'https://a.example, https://b.example',
      expected: { cors: ['https://a.example', 'https://b.example'] },
    },
    { name: 'ADMIN_EMAIL', value: 'not ours', expected: {} },
    { name: 'ADMIN_', value: 'x', expected: {} },
    { name: 'ADMIN___PROTO__', value: 'x', expected: {} },
    { name: 'PORT', value: '1', expected: {} },
  ]
  for (const { name, value, expected } of rows) {
    test(`${name}=${value}`, () => assert.deepEqual(resolveSound({ env: { [name]: value } }), { ...DEFAULTS, ...expected }))
  }

  test('a variable that is not set is absent', () => assert.deepEqual(resolveSound({ env: { ADMIN_PORT: undefined } }), DEFAULTS))

  test('an empty variable is absent, and does not hide the file', () => {
    const env = { ADMIN_PORT: '', ADMIN_BASE_PATH: '', ADMIN_SECRET_KEY: '', ADMIN_CORS: '', ADMIN_JWT__ALGORITHM: '' }
    assert.deepEqual(resolveSound({ env }), DEFAULTS)
    const file = { port: 9000, base_path: '/backend', cors: ['https://a.example'] }
    assert.deepEqual(resolveSound({ file, env }), { ...DEFAULTS, ...file })
  })

  const slips: readonly (readonly [string, string | undefined])[] = [
    ['ADMIN_PROT', 'ADMIN_PORT'],
    ['ADMIN_SECRETKEY', 'ADMIN_SECRET_KEY'],
    ['ADMIN_RATE_LIMIT__AUTH', 'ADMIN_RATE_LIMITS'],
    ['ADMIN_VIEW_AUTH', 'ADMIN_VIEWS_AUTH'],
    ['ADMIN_EMAIL', undefined],
    ['ADMIN_PASSWORD', undefined],
    ['ADMIN_', undefined],
    ['ADMIN_PORT', undefined],
    ['ADMINPORT', undefined],
    ['admin_prot', undefined],
  ]
  for (const [name, meant] of slips) {
    test(`${name} is ${meant === undefined ? 'not warned about' : `warned about, suggesting ${meant}`}`, () => {
      const { settings, lines, warnings } = resolve({ env: { [name]: '8000' } })
      assert.deepEqual(warnings, meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`])
      assert.deepEqual([lines, settings], [[], DEFAULTS], 'a warning changes nothing')
    })
  }

  test('an empty misspelt variable causes no warning', () => assert.deepEqual(resolve({ env: { ADMIN_PROT: '' } }).warnings, []))

  test('the project has every warning', async () => {
    const { warnings } = await load({ 'admin.config.yaml': '' }, { env: { ADMIN_PROT: '1', ADMIN_HOSTT: 'x', ADMIN_EMAIL: 'x' } })
    assert.deepEqual(warnings, [
      'ADMIN_PROT is not a setting; did you mean ADMIN_PORT?',
      'ADMIN_HOSTT is not a setting; did you mean ADMIN_HOST?',
    ])
  })

  const bad: readonly (readonly [string, string, string])[] = [
    ['ADMIN_PORT', 'abc', "'port' must be a number"],
    ['ADMIN_PORT', '65536', "'port' must be a valid port"],
    ['ADMIN_JWT__ALGORITHM', 'none', "'jwt.algorithm' must be one of…"],
    ['ADMIN_JWT__ALGORITM', 'HS256', "Unknown key 'algoritm'; did you mean 'algorithm'?"],
    ['ADMIN_JWT', 'HS256', "'jwt' must be a mapping of keys to values"],
    ['ADMIN_RATE_LIMITS__DEFAULT', '-1', "'rate_limits.default' must be greater than or equal to 0"],
    ['ADMIN_VALIDATION_STATUS', '404', "'validation_status' must be one of [400, 422]"],
    ['ADMIN_SECRET_KEY', 'too short', "'secret_key' must be at least 32 bytes long; generate one with `openssl rand -base64 32`"],
  ]
  for (const [name, value, message] of bad) {
    test(`${name}=${value} is reported`, () => {
      const { lines } = resolve({ env: { [name]: value, ADMIN_HOST: 'fine' } })
      assertLines(lines, [`environment ${name}:1:1: ${message}`])
    })
  }

  test('every invalid variable is reported together with the faults of the file', () =>
    assert.rejects(load({ 'admin.config.yaml': 'prot: 1\n' }, { env: { ADMIN_PORT: 'x', ADMIN_RATE_LIMITS__AUTH: 'y' } }), {
      message:
        "admin.config.yaml:1:1: Unknown key 'prot'; did you mean 'port'?\n" +
        "environment ADMIN_PORT:1:1: 'port' must be a number\n" +
        "environment ADMIN_RATE_LIMITS__AUTH:1:1: 'rate_limits.auth' must be a number",
    }))
})

test('an invalid flag is reported for the command line', () => {
  assertLines(resolve({ flags: { port: 70_000 } }).lines, ["command line:1:1: 'port' must be a valid port"])
})

describe('a file must have the right types', () => {
  const accepted: readonly SettingsInput[] = [
    { port: 0 },
    { port: 65535 },
    { base_path: '/backend' },
    { base_path: '/a/b-c_d.e~f' },
    { admin_path: '' },
    { api_version: 'v2' },
    { secret_key: 'é'.repeat(16) },
    { jwt: { algorithm: 'HS384' } },
    { jwt: { access_token_minutes: 1, refresh_token_minutes: 5_256_000 } },
    { validation_status: 422 },
    { rate_limits: { default: 0, auth: 0, upload: 0, download: 0 } },
    { rate_limits: { default: 100_000, auth: 100_000, upload: 100_000, download: 100_000 } },
    { history: { days: 1, files: false } },
    { cors: ['*'] },
    { lint: { rules: { 'no-x': 'off', y: 'warn', z: 'error' } } },
    { webhooks: { allow_private: true, retry_schedule: [1, 60], subscriptions: [{ url: 'http://127.0.0.1:1/' }] } },
  ]
  for (const file of accepted) {
    test(`accepted: ${JSON.stringify(file)}`, () => {
      const settings: object = resolveSound({ file })
      for (const [name, value] of Object.entries(file)) {
        const below: unknown = name === 'jwt' ? DEFAULTS.jwt : name === 'webhooks' ? DEFAULTS.webhooks : undefined
        const merged = below === undefined ? value : Object.assign({}, below, value)
        assert.deepEqual(Reflect.get(settings, name), merged)
      }
    })
  }

  const rejected: readonly (readonly [unknown, string])[] = [
    [{ port: '8000' }, "'port' must be a number"],
    [{ port: 1.5 }, "'port' must be a valid port…"],
    [{ port: -1 }, "'port' must be a valid port"],
    [{ host: 1 }, "'host' must be a string"],
    [{ base_path: 'backend' }, "'base_path' must be a path such as /backend, without a slash at the end"],
    [{ base_path: '/backend/' }, "'base_path' must be a path such as /backend, without a slash at the end"],
    ...['/docs', '/healthz', '/readyz', '/metrics'].map((admin_path): [SettingsInput, string] => [
      { admin_path },
      `'admin_path' must not be ${admin_path}, where the server answers something else; choose another path such as /admin`,
    ]),
    [{ base_path: '/' }, "'base_path' must be a path such as /backend, without a slash at the end"],
    [{ admin_path: '/a b' }, "'admin_path' must be a path such as /backend, without a slash at the end"],
    [{ admin_path: '//a' }, "'admin_path' must be a path such as /backend, without a slash at the end"],
    [{ api_version: 'v1/x' }, "'api_version' must be a path segment such as v1"],
    [{ api_version: '' }, "'api_version' …"],
    [{ secret_key: 'x'.repeat(31) }, "'secret_key' must be at least 32 bytes long; generate one with `openssl rand -base64 32`"],
    [{ jwt: { algorithm: 'none' } }, "'jwt.algorithm' must be one of…"],
    [{ jwt: { access_token_minutes: 0 } }, "'jwt.access_token_minutes' must be greater than or equal to 1"],
    [{ jwt: { access_token_minutes: 0.5 } }, "'jwt.access_token_minutes' must be greater than or equal to 1"],
    [{ jwt: { refresh_token_minutes: 0 } }, "'jwt.refresh_token_minutes' must be greater than or equal to 1"],
    [{ jwt: { access_token_minutes: 5_256_001 } }, "'jwt.access_token_minutes' must be less than or equal to 5256000"],
    [{ jwt: { refresh_token_minutes: 1e9 } }, "'jwt.refresh_token_minutes' must be less than or equal to 5256000"],
    [{ jwt: 'HS256' }, "'jwt' must be a mapping of keys to values"],
    [{ views_auth: 'maybe' }, "'views_auth' must be one of…"],
    [{ validation_status: 500 }, "'validation_status' must be one of [400, 422]"],
    [{ rate_limits: { default: 1.5 } }, "'rate_limits.default' must be an integer"],
    [{ rate_limits: { default: 100_001 } }, "'rate_limits.default' must be less than or equal to 100000"],
    [{ rate_limits: { auth: -1 } }, "'rate_limits.auth' must be greater than or equal to 0"],
    [{ rate_limits: { uplod: 1 } }, "Unknown key 'uplod'; did you mean 'upload'?"],
    [{ trusted_proxies: -1 }, "'trusted_proxies' must be greater than or equal to 0"],
    [{ cors: 'https://a.example' }, "'cors' must be an array"],
    [{ cors: [1] }, "'cors[0]' must be a string"],
    [{ lint: { rules: { x: 'loud' } } }, "'lint.rules.x' must be one of…"],
    [{ webhooks: { subscriptions: [{}] } }, "Key 'webhooks.subscriptions[0].url' is missing"],
    [
      { webhooks: [{ url: 'http://a.test/' }, { url: 'http://a.test/', events: ['delete', 'update', 'create'] }] },
      "'webhooks[1]' has the same URL, events and models as subscription 1; remove one",
    ],
    [{ webhooks: { retry_schedule: [0] } }, "'webhooks.retry_schedule[0]' must be a positive number"],
    [{ webhooks: { retry_schedule: [604_801] } }, "'webhooks.retry_schedule[0]' must be less than or equal to 604800"],
    [{ webhooks: { keep: { deliveries: -1 } } }, "'webhooks.keep.deliveries' must be greater than or equal to 0"],
    [{ webooks: [] }, "Unknown key 'webooks'; did you mean 'webhooks'?"],
    [[], 'The definition must be a mapping of keys to values'],
    ['port', 'The definition must be a mapping of keys to values'],
  ]
  for (const [file, message] of rejected) {
    test(`rejected: ${JSON.stringify(file)}`, () => {
      assertLines(resolve({ file }).lines, [`admin.config.yaml:1:1: ${message}`])
    })
  }

  test('a key under 32 bytes is reported by its position and not shown', () =>
    assertFaults({ 'admin.config.yaml': 'port: 1\nsecret_key: »too-short-a-key\n' }, [
      "'secret_key' must be at least 32 bytes long; generate one with `openssl rand -base64 32`",
    ]))

  test('a __proto__ key is rejected and pollutes no prototype', async () => {
    await assertFaults({ 'admin.config.yaml': 'port: 1\njwt:\n  »__proto__: { algorithm: none }\n' }, [
      "'__proto__' cannot be a key",
    ])
    assert.equal(Reflect.get({}, 'algorithm'), undefined)
  })

  const lists: Readonly<Record<string, string>> = {
    'admin.config.yaml': '»- port: 1\n',
    'admin.config.yml': '»[]\n',
    'admin.config.json': '»[{ "port": 1 }]\n',
    'admin.config.js': '»export default [{ port: 1 }, { port: 2 }]\n',
    'admin.config.ts': '»export default [{ port: 1 }]\n',
  }
  for (const [file, text] of Object.entries(lists)) {
    test(`a list is rejected as settings: ${file}`, () =>
      assertFaults({ [file]: text }, ['Settings must be a mapping of names to values, not a list']))
  }

  test('an empty list exported by a module is rejected as settings', () =>
    assertFaults({ 'admin.config.ts': '»export default []\n' }, ['Settings must be a mapping of names to values, not a list']))
})

test('settings are deeply frozen', () => {
  const settings = resolveSound({ file: { cors: ['https://a.example'], lint: { rules: { x: 'off' } } } })
  for (const part of [settings, settings.jwt, settings.rate_limits, settings.cors, settings.lint, settings.lint.rules]) {
    assert.ok(Object.isFrozen(part))
  }
  assert.throws(() => Object.assign(settings.jwt, { algorithm: 'none' }), TypeError)
})
