import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertShown, shownText } from './compare.ts'
import { blocksOf } from './markdown.ts'

describe('what a document shows', () => {
  test('is text in which … stands for anything within a line, or for lines', () => {
    const shown = shownText('id: …\n…\nend\n')
    assert.match('id: 7\nend\n', shown)
    assert.match('id: 7\na\nb\nend\n', shown)
    for (const other of ['id: 7\nend\nmore\n', 'di: 7\nend\n', 'id: 7\n']) assert.doesNotMatch(other, shown)
  })

  test('is JSON in which … stands for a text, or for other members', () => {
    assertShown({ id: 1, at: '2024', tags: [1] }, { id: 1, at: '…', tags: [1] })
    assertShown({ id: 1, at: '2024' }, { id: 1, '…': '…' })
    for (const shown of [{ id: 2, '…': '…' }, { id: 1 }, { id: 1, at: '2025' }, { id: 1, at: '2024', more: 1 }]) {
      assert.throws(() => assertShown({ id: 1, at: '2024' }, shown), JSON.stringify(shown))
    }
    assert.throws(() => assertShown([1, 2], [1]))
  })

  test('stands in blocks that are found with their lines and the files they name', () => {
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
