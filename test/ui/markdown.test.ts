import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderToStaticMarkup } from 'react-dom/server'
import { markdownElements, safeAddress } from '../../src/ui/cells/markdown-elements.tsx'
import { plainMarkdown } from '../../src/ui/cells/plain-markdown.ts'
import { type MarkdownChange, type MarkdownEdit, markdownEdit, pastedLink } from '../../src/ui/widgets/markdown-edits.ts'

const rendered = (text: string) => renderToStaticMarkup(markdownElements(text))

/** A text whose selection is in brackets of the form ⟨…⟩. */
function selectedIn(marked: string) {
  const start = marked.indexOf('⟨')
  return { text: marked.replace(/[⟨⟩]/g, ''), start, end: marked.indexOf('⟩') - 1 }
}

function edited(marked: string, edit: MarkdownChange | undefined): string | undefined {
  if (edit === undefined) return undefined
  const { text } = selectedIn(marked)
  const next = text.slice(0, edit.from) + edit.insert + text.slice(edit.to)
  return `${next.slice(0, edit.start)}⟨${next.slice(edit.start, edit.end)}⟩${next.slice(edit.end)}`
}

const EDITS: readonly (readonly [MarkdownEdit, string, string])[] = [
  ['bold', 'a ⟨word⟩ b', 'a **⟨word⟩** b'],
  ['bold', 'a **⟨word⟩** b', 'a ⟨word⟩ b'],
  ['bold', 'a ⟨ word ⟩b', 'a  **⟨word⟩** b'],
  ['bold', '⟨⟩', '**⟨⟩**'],
  ['bold', '*⟨word⟩*', '***⟨word⟩***'],
  ['italic', '**⟨word⟩**', '***⟨word⟩***'],
  ['italic', '***⟨word⟩***', '**⟨word⟩**'],
  ['italic', '*⟨word⟩*', '⟨word⟩'],
  ['code', 'a ⟨b⟩', 'a `⟨b⟩`'],
  ['code', '⟨a\nb⟩', '```\n⟨a\nb⟩\n```\n'],
  ['code', 'x ⟨a\nb⟩', 'x \n```\n⟨a\nb⟩\n```\n'],
  ['heading', 'one\nt⟨⟩wo', 'one\n## t⟨⟩wo'],
  ['heading', '### t⟨⟩wo', '## t⟨⟩wo'],
  ['heading', '## two⟨⟩', 'two⟨⟩'],
  ['list', '⟨one\n\ntwo⟩\nthree', '⟨- one\n\n- two⟩\nthree'],
  ['list', '⟨- one\n- two⟩', '⟨one\ntwo⟩'],
  ['list', '⟨one\n⟩two', '⟨- one⟩\ntwo'],
  ['quote', 'a⟨⟩', '> a⟨⟩'],
  ['quote', '⟨⟩', '> ⟨⟩'],
  ['link', 'the ⟨page⟩', 'the [page](⟨https://⟩)'],
  ['link', '⟨⟩', '[⟨⟩](https://)'],
]

for (const [kind, before, after] of EDITS)
  test(`the button '${kind}' makes ${JSON.stringify(after)} of ${JSON.stringify(before)}`, () => {
    assert.equal(edited(before, markdownEdit(kind, selectedIn(before))), after)
  })

test('an address that is pasted over words becomes their link; other texts are pasted as they are', () => {
  const paste = (marked: string, pasted: string) => edited(marked, pastedLink(selectedIn(marked), pasted))
  assert.equal(paste('the ⟨page⟩ is', ' https://example.org/a?b=1 '), 'the [page](https://example.org/a?b=1)⟨⟩ is')
  for (const [marked, pasted] of [
    ['the ⟨⟩page', 'https://example.org'],
    ['the ⟨page⟩', 'words'],
    ['the ⟨page⟩', 'javascript:alert(1)'],
    ['⟨https://example.com⟩', 'https://example.org'],
    ['⟨two\nlines⟩', 'https://example.org'],
  ] as const)
    assert.equal(paste(marked, pasted), undefined, marked)
})

test('a text in Markdown becomes elements', () => {
  const text =
    '# One\n\nA **b** *c* ~~d~~ `<e>`  \nf\n\n> q\n\n3. x\n4. - [x] y\n\n---\n\n```\n<pre>\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n'
  assert.equal(
    rendered(text),
    '<p class="markdown-heading markdown-heading-1">One</p>' +
      '<p>A <strong>b</strong> <em>c</em> <del>d</del> <code>&lt;e&gt;</code><br/>f</p><blockquote><p>q</p></blockquote>' +
      '<ol start="3"><li>x</li><li><ul><li>☑ y</li></ul></li></ol><hr/><pre><code>&lt;pre&gt;</code></pre>' +
      '<table><thead><tr><th>a</th><th class="number">b</th></tr></thead><tbody><tr><td>1</td><td class="number">2</td></tr></tbody></table>',
  )
})

test('HTML is text, images are links, and links lead to web and mail addresses only', () => {
  const tags = (text: string) =>
    [...rendered(text).matchAll(/<(\w+)([^>]*)>/g)].map(([, tag = '', attributes = '']) => tag + attributes)
  assert.deepEqual(tags('<script>alert(1)</script>\n\nA <img src=x onerror=alert(1)> <b>b</b>'), ['p', 'p'])
  assert.match(rendered('<script>alert(1)</script>'), /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
  const link = (href: string) => ['p', `a href="${href}" target="_blank" rel="noopener noreferrer"`]
  assert.deepEqual(tags('[a](https://example.org)'), link('https://example.org'))
  assert.deepEqual(tags('![a](https://example.org/a.png)'), link('https://example.org/a.png'))
  assert.deepEqual(tags('[a](../b)'), link('../b'))
  assert.deepEqual(tags('<a@example.org>'), link('mailto:a@example.org'))
  for (const href of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,a',
    'file:///a',
    'vbscript:a',
  ])
    assert.deepEqual(tags(`[a](<${href}>)`), ['p'], href)
  assert.equal(safeAddress('java\nscript:alert(1)'), undefined)
  assert.equal(safeAddress('\u0001javascript:alert(1)'), undefined)
})

test('character references are read in text, not in code; what the parser gives up is shown as it is written', () => {
  assert.equal(rendered('&copy; &amp; &lt;b&gt; &#x2713; `&amp;`'), '<p>&amp;copy; &amp; &lt;b&gt; ✓ <code>&amp;amp;</code></p>')
  const deep = `${'>'.repeat(5000)} a`
  assert.equal(rendered(deep), `<p>${deep.replaceAll('>', '&gt;')}</p>`)
  assert.ok(rendered(`${'> '.repeat(100)}a`).includes('&gt; '))
})

test('a cell shows a text without its marks, in one line', () => {
  const text =
    '# Past\n\n- **Asthma** since _2010_\n- see [the letter](https://example.org/a "b")\n\n> quoted\n\n```\ncode_with_words\n```\n1. a * b \\* `c`'
  assert.equal(plainMarkdown(text), 'Past Asthma since 2010 see the letter quoted code_with_words a * b * c')
  assert.equal(plainMarkdown('x'.repeat(600)), `${'x'.repeat(500)} …`)
})
