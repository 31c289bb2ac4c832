#!/usr/bin/env node
import { processIo } from '../dist/cli/io.js'

const argv = process.argv.slice(2)
// Shell completion runs at each key press, so it does not load the commands.
const run =
  argv[0] === 'complete' ? (await import('../dist/cli/complete.js')).runCompletion : (await import('../dist/cli/main.js')).main
// No top-level await: Node.js 22 prints a warning of its own if a project file never finishes loading.
run(argv, processIo()).then((code) => {
  process.exitCode = code
})
