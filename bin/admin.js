#!/usr/bin/env node
import { processIo } from '../dist/cli/terminal/io.js'

const argv = process.argv.slice(2)
// A shell asks at the press of a key: for that not all commands are loaded.
const run = argv[0] === 'complete' ? import('../dist/cli/completion/complete.js') : import('../dist/cli/main.js')
const { completeAtOnce, main } = await run
process.exitCode = await (completeAtOnce ?? main)(argv, processIo())
