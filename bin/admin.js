#!/usr/bin/env node
import module from 'node:module'
import { isAbsolute, join } from 'node:path'

// Node.js 22 and newer keep compiled code. Not in its default, the temporary folder, where another user could plant code.
const { HOME = '', XDG_CACHE_HOME = join(HOME, '.cache') } = process.env
if (isAbsolute(XDG_CACHE_HOME)) module.enableCompileCache?.(join(XDG_CACHE_HOME, 'admin-folder'))

const argv = process.argv.slice(2)
// Shell completion runs at each key press, so it does not load the commands.
const [{ processIo }, run] = await Promise.all([
  import('../dist/cli/io.js'),
  argv[0] === 'complete'
    ? import('../dist/cli/complete.js').then(({ runCompletion }) => runCompletion)
    : import('../dist/cli/main.js').then(({ main }) => main),
])
// No top-level await: Node.js 22 prints a warning of its own if a project file never finishes loading.
run(argv, processIo()).then((code) => {
  process.exitCode = code
})
