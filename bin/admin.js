#!/usr/bin/env node
import { processIo } from '../dist/cli/terminal/io.js'

const argv = process.argv.slice(2)
// Shell completion runs at every press of the Tab key, so it does not load the commands.
const { main } = await (argv[0] === 'complete' ? import('../dist/cli/completion/complete.js') : import('../dist/cli/main.js'))
process.exitCode = await main(argv, processIo())
