// Opens the store of a project (the first argument) as the server does, and reports the time, the memory and the number of records.
import { join } from 'node:path'
import { loadProject } from '../../../src/project/project.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { memoryInUse } from './memory.mjs'

const [folder = ''] = process.argv.slice(2)
const { registry } = await loadProject({ folder, env: {}, flags: {} })
const before = await memoryInUse()
const begin = performance.now()
const store = await FileStore.open(join(folder, 'data'), registry, 'write')
const milliseconds = performance.now() - begin
// The memory of the indexes that the server builds in the background is included.
for (const field of ['username', 'email']) {
  await store.find('member', { filters: [{ field, operator: 'eq', value: '' }], sort: [], offset: 0, limit: 1 })
}
const bytes = (await memoryInUse()) - before
const { total } = await store.find('member', { filters: [], sort: [], offset: 0, limit: 1 })
await store.close()
process.stdout.write(JSON.stringify({ milliseconds, bytes, total }))
