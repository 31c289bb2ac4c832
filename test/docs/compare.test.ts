import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertShown, shownText } from './compare.ts'
import { blocksOf } from './markdown.ts'

describe('comparing output with a documentation page', () => {
  test('in text, … matches any text within a line, or any number of lines', () => {
    const shown = shownText('id: …\n…\nend\n')
    assert.match('id: 7\nend\n', shown)
    assert.match('id: 7\na\nb\nend\n', shown)
    for (const other of ['id: 7\nend\nmore\n', 'di: 7\nend\n', 'id: 7\n']) assert.doesNotMatch(other, shown)
  })

  test('in JSON, … matches any text, or any other members', () => {
    assertShown({ id: 1, at: '2024', tags: [1] }, { id: 1, at: '…', tags: [1] })
    assertShown({ id: 1, at: '2024' }, { id: 1, '…': '…' })
    for (const shown of [{ id: 2, '…': '…' }, { id: 1 }, { id: 1, at: '2025' }, { id: 1, at: '2024', more: 1 }]) {
      assert.throws(() => assertShown({ id: 1, at: '2024' }, shown), JSON.stringify(shown))
    }
    assert.throws(() => assertShown([1, 2], [1]))
  })

  test('blocks have a language, a line number and the name of their file', () => {
    const blocks = blocksOf('# A\n\n```yaml\n# models/a.yaml\nname: A\n```\n\n```\nnothing\n```\n```sh\n# not/a.file\n```\n')
    assert.deepEqual(
      blocks.map(({ language, line, file }) => [language, line, file]),
      [
        ['yaml', 3, 'models/a.yaml'],
        ['', 8, undefined],
        ['sh', 11, undefined],
      ],
    )
  })
})
