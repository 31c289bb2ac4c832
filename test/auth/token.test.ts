import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Claims, type TokenCodec, TokenIssuer, type TokenType } from '../../src/auth/token.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'

const NOW = Date.parse('2026-01-15T12:00:00.000Z')
const SECOND = NOW / 1000
const LIFETIMES = { access_token_minutes: 30, refresh_token_minutes: 10080 }

/** A codec whose tokens are plain JSON, so that any claims can be verified. */
const plainCodec: TokenCodec = {
  sign: (claims) => JSON.stringify(claims),
  open: (token) => {
    try {
      return JSON.parse(token)
    } catch {
      return undefined
    }
  },
}

function tokensAt(now: number, codec: TokenCodec = plainCodec, lifetimes = LIFETIMES): TokenIssuer {
  return new TokenIssuer({ codec, lifetimes, clock: () => now, random: (bytes) => Buffer.alloc(bytes, 7) })
}

const SOUND: Claims = {
  iss: 'admin-folder',
  aud: 'admin-folder',
  sub: '5',
  iat: SECOND,
  exp: SECOND + 1800,
  jti: 'abc',
  type: 'access',
}

const verify = (claims: unknown, type: TokenType = 'access', now = NOW): Claims | undefined =>
  tokensAt(now).verify(JSON.stringify(claims), type)

describe('issuing', () => {
  const rows: readonly (readonly [TokenType, number])[] = [
    ['access', 1800],
    ['refresh', 604_800],
  ]
  for (const [type, seconds] of rows) {
    test(`${type}: ${seconds} seconds`, () => {
      const tokens = tokensAt(NOW)
      const { token, claims } = tokens.issue(type, 5)
      const jti = Buffer.alloc(16, 7).toString('base64url')
      assert.deepEqual(claims, { ...SOUND, exp: SECOND + seconds, jti, type })
      assert.deepEqual(JSON.parse(token), claims)
      assert.deepEqual(tokens.verify(token, type), claims)
      assert.equal(tokens.lifetimeSeconds(type), seconds)
    })
  }

  test('with a given token id', () => assert.equal(tokensAt(NOW).issue('refresh', 5, 'mine').claims.jti, 'mine'))

  test('times are whole seconds, for all clocks and lifetimes', () => {
    const tokens = tokensAt(NOW + 999, plainCodec, { access_token_minutes: 0.505, refresh_token_minutes: 1 })
    const { token, claims } = tokens.issue('access', 5)
    assert.deepEqual([claims.iat, claims.exp], [SECOND, SECOND + 30])
    assert.ok(tokens.verify(token, 'access'))
  })
})

describe('a valid token', () => {
  test('is valid until the second it expires', () => {
    for (const later of [0, 1000, 1_799_999]) assert.deepEqual(verify(SOUND, 'access', NOW + later), SOUND)
    for (const later of [1_800_000, 1_801_000]) assert.equal(verify(SOUND, 'access', NOW + later), undefined)
  })

  test('is valid for its own type only', () => {
    assert.equal(verify(SOUND, 'refresh'), undefined)
    assert.equal(verify({ ...SOUND, type: 'refresh' }, 'access'), undefined)
    assert.ok(verify({ ...SOUND, type: 'refresh' }, 'refresh'))
  })

  test('may be issued by a clock that is at most 30 seconds ahead', () => {
    const issued = (ahead: number): Claims => ({ ...SOUND, iat: SECOND + ahead, exp: SECOND + ahead + 1800 })
    assert.ok(verify(issued(30)))
    assert.equal(verify(issued(31)), undefined)
    assert.equal(verify(issued(100_000)), undefined)
  })

  test('is invalid if it lives longer than the configured lifetime', () => {
    assert.ok(verify({ ...SOUND, exp: SECOND + 1830 }))
    assert.equal(verify({ ...SOUND, exp: SECOND + 1831 }), undefined)
    assert.equal(verify({ ...SOUND, exp: SECOND + 604_800 }), undefined)
    assert.ok(verify({ ...SOUND, type: 'refresh', exp: SECOND + 604_800 }, 'refresh'))
  })

  test('may contain further claims', () => assert.ok(verify({ ...SOUND, extra: 1 })))
})

describe('every claim is required', () => {
  for (const claim of Object.keys(SOUND)) {
    test(`${claim} is missing`, () =>
      assert.equal(verify(Object.fromEntries(Object.entries(SOUND).filter(([name]) => name !== claim))), undefined))
  }

  const wrong: Readonly<Record<keyof Claims, readonly unknown[]>> = {
    iss: [null, '', 'other', 1, ['admin-folder']],
    aud: [null, '', 'other', 1, ['admin-folder']],
    sub: [null, '', '0', '-1', '01', '5.0', ' 5', '5x', 5, '1e3', '12345678901234567', 'admin'],
    iat: [null, String(SECOND), SECOND + 0.5, true, [SECOND]],
    exp: [null, String(SECOND + 1800), SECOND + 1799.5, true, [SECOND + 1800]],
    jti: [null, '', 1, true, ['abc']],
    type: [null, '', 'Access', 'id', 1, ['access']],
  }
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values) {
      test(`${claim} is ${JSON.stringify(value)}`, () => assert.equal(verify({ ...SOUND, [claim]: value }), undefined))
    }
  }

  for (const payload of [null, 5, 'text', true, [], [SOUND], {}]) {
    test(`a payload of ${JSON.stringify(payload).slice(0, 20)}`, () => assert.equal(verify(payload), undefined))
  }

  test('inherited properties are not claims', () => {
    const codec: TokenCodec = { ...plainCodec, open: () => undefined }
    assert.equal(tokensAt(NOW, codec).verify('x', 'access'), undefined)
    assert.equal(verify({ ...SOUND, sub: undefined, ['__proto__']: { sub: '5' } }), undefined)
  })
})

describe('a real signature', () => {
  const secret = 's'.repeat(32)
  for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
    test(algorithm, () => {
      const tokens = tokensAt(NOW, jwtCodec(algorithm, secret))
      const { token, claims } = tokens.issue('access', 5)
      assert.deepEqual(tokens.verify(token, 'access'), claims)
      const [header = '', payload = '', signature = ''] = token.split('.')
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: algorithm, typ: 'JWT' })
      const forged = Buffer.from(JSON.stringify({ ...claims, sub: '1' })).toString('base64url')
      const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
      for (const bad of [
        `${header}.${forged}.${signature}`,
        `${none}.${payload}.`,
        `${none}.${payload}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}.${payload}.${signature}x`,
        '',
        'x',
        'a.b.c',
      ]) {
        assert.equal(tokens.verify(bad, 'access'), undefined, bad)
      }
    })
  }

  test('of another key or algorithm is invalid', () => {
    const { token } = tokensAt(NOW, jwtCodec('HS256', secret)).issue('access', 5)
    assert.equal(tokensAt(NOW, jwtCodec('HS256', 'x'.repeat(32))).verify(token, 'access'), undefined)
    assert.equal(tokensAt(NOW, jwtCodec('HS512', secret)).verify(token, 'access'), undefined)
  })
})

describe('a token with a cached signature', () => {
  /** Tokens with a manual clock, and a count of signature checks. */
  function counted(codec: TokenCodec = plainCodec) {
    const time = { now: NOW }
    const opened: string[] = []
    const counting: TokenCodec = {
      ...codec,
      open: (token) => {
        opened.push(token)
        return codec.open(token)
      },
    }
    const random = (bytes: number) => Buffer.alloc(bytes, 7)
    const tokens = new TokenIssuer({ codec: counting, lifetimes: LIFETIMES, clock: () => time.now, random })
    return { tokens, time, opened }
  }

  test('is verified once', () => {
    const { tokens, opened } = counted()
    const { token, claims } = tokens.issue('access', 5)
    for (let request = 0; request < 5; request++) assert.deepEqual(tokens.verify(token, 'access'), claims)
    assert.equal(opened.length, 1)
  })

  test('expires at its second nevertheless', () => {
    const { tokens, time } = counted()
    const { token } = tokens.issue('access', 5)
    assert.ok(tokens.verify(token, 'access'))
    time.now += 1_799_999
    assert.ok(tokens.verify(token, 'access'))
    time.now += 1
    assert.equal(tokens.verify(token, 'access'), undefined)
  })

  test('is invalid while the clock is before its time of issue', () => {
    const { tokens, time } = counted()
    const { token } = tokens.issue('access', 5)
    assert.ok(tokens.verify(token, 'access'))
    time.now -= 31_000
    assert.equal(tokens.verify(token, 'access'), undefined)
    time.now += 1000
    assert.ok(tokens.verify(token, 'access'))
  })

  test('is valid for its own type only', () => {
    const { tokens } = counted()
    const { token } = tokens.issue('access', 5)
    assert.ok(tokens.verify(token, 'access'))
    assert.equal(tokens.verify(token, 'refresh'), undefined)
    assert.ok(tokens.verify(token, 'access'))
  })

  test('is not valid for another key', () => {
    const ours = counted(jwtCodec('HS256', 's'.repeat(32)))
    const theirs = counted(jwtCodec('HS256', 'x'.repeat(32)))
    const { token } = ours.tokens.issue('access', 5)
    assert.ok(ours.tokens.verify(token, 'access'))
    assert.equal(theirs.tokens.verify(token, 'access'), undefined)
  })

  test('is not cached if it is a refresh token or invalid', () => {
    const { tokens, time, opened } = counted()
    const { token: refresh } = tokens.issue('refresh', 5)
    const { token: expired } = tokens.issue('access', 5)
    time.now += 1_800_000
    const early = JSON.stringify({ ...SOUND, iat: SECOND + 3600, exp: SECOND + 5400 })
    for (const token of [expired, early, 'nonsense']) {
      for (let request = 0; request < 3; request++) assert.equal(tokens.verify(token, 'access'), undefined)
      assert.equal(opened.filter((each) => each === token).length, 3)
    }
    for (let request = 0; request < 3; request++) assert.ok(tokens.verify(refresh, 'refresh'))
    assert.equal(opened.filter((each) => each === refresh).length, 3)
  })

  test('is evicted when there are too many', () => {
    const { tokens, opened } = counted()
    const long = (name: number) => `${name}`.padEnd(100_000, 'x')
    const { token: first } = tokens.issue('access', 5, long(0))
    tokens.verify(first, 'access')
    for (let other = 1; other < 60; other++) tokens.verify(tokens.issue('access', 5, long(other)).token, 'access')
    assert.ok(tokens.verify(first, 'access'))
    assert.equal(opened.filter((each) => each === first).length, 2)
  })
})
