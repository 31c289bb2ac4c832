// npm run bench [-- name… --json]: every figure beside a baseline measured in the same run.
import { type Figure, printFigures } from './figures.ts'
import { startBench } from './start.ts'

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = { start: startBench }

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = names.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  process.stderr.write(`Unknown bench ${unknown.join(', ')} (known: ${Object.keys(BENCHES).join(', ')})\n`)
  process.exitCode = 2
} else {
  const figures: Figure[] = []
  for (const [name, bench] of Object.entries(BENCHES))
    if (names.length === 0 || names.includes(name)) figures.push(...(await bench()))
  printFigures(figures, process.argv.includes('--json'))
}
