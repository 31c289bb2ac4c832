import { join } from 'node:path'
import { describe, test } from 'node:test'
import { typesOf } from '../../src/openapi/typescript.ts'
import { assertSnapshot } from '../helpers/snapshot.ts'
import { documentOf, fixture } from './documents.ts'

const snapshot = (name: string): string => join(import.meta.dirname, 'snapshots', name)

/** A document with a line for each operation and each component, so that a diff names what has changed. */
function linesOf(document: object): string {
  const lines = Object.entries(document).flatMap(([part, members]) => {
    if (part !== 'paths' && part !== 'components') return [`${part} ${JSON.stringify(members)}`]
    return Object.entries(members as Readonly<Record<string, object>>).flatMap(([name, inner]) =>
      Object.entries(inner).map(([key, value]) => `${part} ${name} ${key} ${JSON.stringify(value)}`),
    )
  })
  return `${lines.join('\n')}\n`
}

describe('the contract with clients changes on purpose only: UPDATE_SNAPSHOTS=1 writes the files again', () => {
  for (const name of ['blog', 'minimal'] as const) {
    test(`the OpenAPI document of fixtures/${name}`, async () => {
      assertSnapshot(linesOf(documentOf(await fixture(name))), snapshot(`${name}.openapi.txt`))
    })

    test(`the TypeScript types of fixtures/${name}`, async () => {
      assertSnapshot(typesOf(await fixture(name)), snapshot(`${name}.types.txt`))
    })
  }
})
