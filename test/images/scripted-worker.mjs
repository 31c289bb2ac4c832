// An image process that does what the path of its job says.
let jobs = 0
process.on('message', ({ path }) => {
  jobs++
  if (path.endsWith('hang')) return
  if (path.endsWith('crash')) process.abort()
  if (path.endsWith('full')) {
    process.send({ outcome: { kind: 'failed', message: 'ENOSPC: no space left', code: 'ENOSPC' }, memory: 1000 })
    return
  }
  const memory = path.endsWith('large') ? 1e9 : 1000
  const type = `${process.pid} ${jobs}`
  process.send({ outcome: { kind: 'done', result: { type } }, memory })
})
process.on('disconnect', () => process.exit())
