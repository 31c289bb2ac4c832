import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import readWorkbook from 'read-excel-file/node'
import { RecordCounter } from '../../../src/cli/progress.ts'
import { AppError } from '../../../src/errors.ts'
import { type Answer, startReceiver } from '../../helpers/api/receiver.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { ADMIN_BIN } from '../../helpers/cli/process.ts'
import { inSituation, SITUATIONS } from '../../helpers/cli/situations.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'

const FILE = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="tag.csv"' }

const LINES = [
  'export post',
  'export post --format json --filters status=published --sort-by title --sort-order desc',
  'export user --format ndjson',
  'export tag --bom --fields slug',
  'export comment --format json --filters id=0',
]

describe('admin export', () => {
  test('writes the same bytes locally and remotely', async () => {
    const all: string[][] = []
    for (const situation of SITUATIONS) {
      await inSituation(situation, async (run) => {
        const written: string[] = []
        for (const line of LINES) {
          const { code, stdout, stderr } = await run(line)
          assert.deepEqual([code, stderr], [0, ''], situation)
          // Timestamps of seed records are those of the first start.
          written.push(stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'NOW'))
        }
        all.push(written)
      })
    }
    assert.match(all[0]?.[3] ?? '', /^\uFEFFid,slug\r\n1,/)
    assert.equal(all[0]?.[0]?.split('\r\n').length, 48)
    assert.deepEqual(all[1], all[0])
    assert.deepEqual(all[2], all[0])
  })

  for (const situation of SITUATIONS) {
    test(`writes files, one or all, ${situation}`, () =>
      inSituation(situation, async (run, path) => {
        const one = await run('export post -o posts.csv', { terminal: true })
        assert.equal(one.code, 0, one.stderr)
        assert.match(one.stderr, /^\rpost {2}█{24} {2}100 %\r.\[KWrote 46 records to posts.csv\n$/)
        const { code, stdout, stderr } = await run('export --all --format ndjson -o out/all')
        assert.deepEqual([code, stdout], [0, ''], stderr)
        const models = ['category', 'comment', 'fee', 'group', 'permission', 'post', 'savedview', 'tag', 'user']
        assert.deepEqual(
          (await readdir(join(path, 'out/all'))).sort(),
          models.map((name) => `${name}.ndjson`),
        )
        assert.match(stderr, /^Wrote 46 records to out\/all\/post.ndjson$/m)
        assert.equal((await readFile(join(path, 'out/all/tag.ndjson'), 'utf8')).split('\n').length, 13)
        const workbook = await run('export post --labels --format xlsx --fields title,author --list PostList -o posts.xlsx')
        assert.deepEqual([workbook.code, workbook.stderr], [0, 'Wrote posts.xlsx\n'])
        const [{ data } = assert.fail()] = await readWorkbook(await readFile(join(path, 'posts.xlsx')))
        assert.deepEqual([data.length, data[0]], [47, ['Title', 'Author']])
        const noFile = await run('export post --format xlsx')
        assert.deepEqual([noFile.code, noFile.stderr], [2, 'error XLSX is not written to stdout; name a file with -o\n'])
        const again = await run('export post -o posts.csv')
        assert.deepEqual([again.code, again.stderr], [1, 'error posts.csv already exists; --force overwrites it\n'])
        const unknown = await run('export pots -o x.csv')
        assert.deepEqual([unknown.code, unknown.stderr], [1, "error There is no model 'pots'; did you mean 'post'?\n"])
        assert.match((await run('export post --filters titel=x')).stderr, /did you mean 'title'/)
        assert.deepEqual(
          (await readdir(path)).filter((name) => /x\.csv|tmp/.test(name)),
          [],
        )
      }))
  }

  /** Exports from something that answers in a certain way, over a file that is there. */
  async function exportFrom(answer: Answer, interrupted?: (stop: AbortController) => Promise<void>) {
    const folder = await temporaryFolder()
    const server = await startReceiver(answer)
    const stop = new AbortController()
    await mkdir(join(folder.path, 'out'))
    await writeFile(join(folder.path, 'out/tag.csv'), 'precious')
    const env = { ADMIN_URL: new URL(server.url).origin, ADMIN_TOKEN: 'x' }
    const argv = ['export', 'tag', '-o', 'out/tag.csv', '--force']
    const running = runCli(argv, { cwd: folder.path, env, interrupted: stop.signal })
    await interrupted?.(stop)
    const result = await running
    await server.close()
    const found = {
      names: await readdir(join(folder.path, 'out')),
      text: await readFile(join(folder.path, 'out/tag.csv'), 'utf8'),
    }
    await folder.remove()
    return { ...result, ...found }
  }

  test('keeps the existing file when the connection closes before the end', async () => {
    const { code, stderr, names, text } = await exportFrom((response) => {
      response.writeHead(200, FILE).write('id,name\r\n1,x\r\n')
      setImmediate(() => response.destroy())
    })
    assert.equal(code, 1)
    assert.match(stderr, /^error The server at \S+ cut off the file: the connection was closed\n$/)
    assert.deepEqual([names, text], [['tag.csv'], 'precious'])
  })

  test('keeps the existing file when the end of the download is unknown', async () => {
    const { code, stderr, text } = await exportFrom((response) => {
      response.useChunkedEncodingByDefault = false
      response.writeHead(200, { ...FILE, connection: 'close' }).end('id,name\r\n')
    })
    assert.deepEqual([code, text], [1, 'precious'])
    assert.match(stderr, /does not show where a file ends; is there a proxy that speaks HTTP\/1\.0\?/)
  })

  test('rejects a response that is not a file', async () => {
    const { code, stderr, text } = await exportFrom((response) => response.writeHead(200).end('{"id":1}'))
    assert.deepEqual([code, text], [1, 'precious'])
    assert.match(stderr, /is not an admin server, or its API is at another path: the response is not a file/)
  })

  test('removes its temporary file when it is interrupted', async () => {
    let begun = () => {}
    const writing = new Promise<void>((resolve) => {
      begun = resolve
    })
    const { code, stderr, names, text } = await exportFrom(
      (response) => {
        response.writeHead(200, FILE).write('id,name\r\n1,x\r\n', () => begun())
      },
      async (stop) => {
        await writing
        stop.abort(new AppError('TASK_FAILED', 'Asked to stop'))
      },
    )
    assert.equal(code, 1)
    assert.match(stderr, /^error Asked to stop/)
    assert.deepEqual([names, text], [['tag.csv'], 'precious'])
  })
})

test('--all that fails at a model names its file and the number of files written', async () => {
  await using folder = await temporaryFolder()
  const described = Object.fromEntries(['Tag', 'Post', 'User'].map((name) => [name, { 'x-display-field': 'id' }]))
  const forbidden = { error: 'Insufficient permissions', status_code: 403, details: 'Not for you' }
  await using server = await startReceiver((response, { url = '' }) => {
    if (url.endsWith('/openapi.json')) response.end(JSON.stringify({ components: { schemas: described } }))
    else if (url.includes('/post/')) response.writeHead(403).end(JSON.stringify(forbidden))
    else response.writeHead(200, FILE).end('id\r\n')
  })
  const env = { ADMIN_URL: new URL(server.url).origin, ADMIN_TOKEN: 'x' }
  const { code, stderr } = await runCli(['export', '--all', '-o', 'out'], { cwd: folder.path, env })
  const told = 'error out/post.csv was not written: Not for you\nerror 1 of 3 files written\n'
  assert.deepEqual([code, stderr], [1, `Wrote 0 records to out/tag.csv\n${told}`])
  assert.deepEqual(await readdir(join(folder.path, 'out')), ['tag.csv'])
})

test('the real program leaves no temporary file after SIGINT', async () => {
  const folder = await temporaryFolder()
  const server = await startReceiver((response) => response.writeHead(200, FILE).write('id,name\r\n'))
  const argv = [ADMIN_BIN, 'export', 'tag', '-o', 'tag.csv', '--url', new URL(server.url).origin]
  const env = { ...process.env, ADMIN_TOKEN: 'x' }
  const child = spawn(process.execPath, argv, { cwd: folder.path, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const closed = once(child, 'close')
  while (!(await readdir(folder.path)).some((name) => name.endsWith('.tmp'))) {}
  child.kill('SIGINT')
  let stderr = ''
  for await (const chunk of child.stderr) stderr += chunk
  assert.deepEqual([(await closed)[0], stderr], [1, 'error Interrupted by SIGINT; tag.csv was not written\n'])
  assert.deepEqual(await readdir(folder.path), [])
  await server.close()
  await folder.remove()
})

test('RecordCounter counts records for any split of the text', async () => {
  for (const [format, text, count] of [
    ['csv', 'id,a\r\n1,"x\r\n""y"""\r\n2,\r\n', 2],
    ['csv', 'id\r\n', 0],
    ['json', '[{"a":"\\n"},\n{"a":1}]\n', 2],
    ['json', '[]\n', 0],
    ['ndjson', '{"a":1}\n{"a":2}\n', 2],
    ['ndjson', '\n', 0],
  ] as const) {
    for (let cut = 0; cut <= text.length; cut++) {
      const counter = new RecordCounter(format)
      const pieces = (async function* () {
        yield text.slice(0, cut)
        yield text.slice(cut)
      })()
      let same = ''
      for await (const piece of counter.counted(pieces)) same += piece
      assert.deepEqual([counter.count, same], [count, text], `${format} cut at ${cut}`)
    }
  }
})
