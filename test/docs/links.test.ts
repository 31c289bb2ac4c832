import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { parseCommand } from '../helpers/cli/commands.ts'
import { anchorsOf, blocksOf, codesIn, linksOf, proseOf } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')
const documents = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

for (const path of [...documents, 'README.md']) {
  describe(path, () => {
    test('every link has a target', () => {
      for (const link of linksOf(read(path))) {
        if (/^https?:/.test(link)) continue
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? path : join(dirname(path), file)
        assert.ok(existsSync(join(ROOT, target)), `${link} has no target`)
        if (anchor !== undefined) assert.ok(anchorsOf(read(target)).has(anchor), `${link} names no heading`)
      }
    })

    // Until the package is published, its name on npm is free for anyone.
    test('the package is installed from its tarball', () => {
      const installed = [...read(path).matchAll(/\bnpm (?:install|i|add|exec)((?: -\S+)*) (\S+)/g)].map(([, , what = '']) => what)
      for (const what of installed) assert.match(what, /^\.\/admin-folder-[\d.]+\.tgz$/)
    })

    // `npx admin` without an installation runs another package of npm. The first blocks of a page install it; these run elsewhere.
    test('workflows, hooks and services call npx with --no-install', () => {
      for (const { language, code } of blocksOf(read(path))) {
        const isUnattended = !['sh', 'text'].includes(language) || code.includes('.git/hooks')
        if (isUnattended) assert.doesNotMatch(code, /npx (?!--no-install )/)
      }
    })

    test('every command in the text is accepted by the CLI', async () => {
      const commands = codesIn(proseOf(read(path))).filter((code) => /^(?:npx )?admin [a-z-]/.test(code))
      for (const command of commands) {
        // Placeholders are replaced by a value of their kind.
        const words = command
          .replace(/^npx /, '')
          .replace(/[[\]]/g, '')
          .replace(/\b(?:ID|DELIVERY)\b/, '1')
          .replace('SHELL', 'bash')
        const [, ...argv] = words.split(' ')
        await parseCommand(argv).catch((error: unknown) => {
          // The text may name a command without its arguments.
          assert.match(String(error), /outputHelp|missing/, `${command}: ${error}`)
        })
      }
    })
  })
}

test('every page is in the index and, if it has blocks, in a test that runs them', () => {
  const index = linksOf(read('docs/README.md'))
  for (const path of documents.filter((each) => each !== join('docs', 'README.md'))) {
    const name = relative('docs', path)
    assert.ok(index.includes(name), `${name} is not in the index`)
    if (blocksOf(read(path)).length === 0) continue
    const runner = join(import.meta.dirname, `${name.replace(/\.md$/, '')}.slow.test.ts`)
    assert.ok(existsSync(runner) && readFileSync(runner, 'utf8').includes(`runDocument('${name}'`), `no test runs ${name}`)
  }
  assert.deepEqual(blocksOf(read('docs/README.md')), [])
})
