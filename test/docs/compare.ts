import assert from 'node:assert/strict'
import { isObject } from '../../src/util/json.ts'

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Pattern for the text of a documentation page. `…` matches any text within a line; a line with only `…` matches any number of lines. */
export function shownText(text: string): RegExp {
  const lines = text.trimEnd().split('\n')
  const pattern = lines.map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escaped).join('.*?')}\\s*\\n`,
  )
  return new RegExp(`^${pattern.join('')}$`)
}

/** Compares JSON with that of a documentation page. In a text, `…` matches any text; a member named `…` matches any other members. */
export function assertShown(actual: unknown, shown: unknown, at = 'the answer'): void {
  if (typeof shown === 'string' && shown.includes('…') && typeof actual === 'string') {
    assert.match(`${actual}\n`, shownText(shown), at)
  } else if (Array.isArray(shown) && Array.isArray(actual)) {
    assert.equal(actual.length, shown.length, `${at} has ${actual.length} items: ${JSON.stringify(actual)}`)
    for (const [index, item] of shown.entries()) assertShown(actual[index], item, `${at}[${index}]`)
  } else if (isObject(shown) && isObject(actual)) {
    const { '…': others, ...members } = shown
    const names = Object.keys(actual).filter((name) => others === undefined || name in members)
    assert.deepEqual(names.sort(), Object.keys(members).sort(), `members of ${at}: ${JSON.stringify(actual)}`)
    for (const [name, member] of Object.entries(members)) assertShown(actual[name], member, `${at}.${name}`)
  } else {
    assert.deepEqual(actual, shown, at)
  }
}
