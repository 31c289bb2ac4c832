import { readFile } from 'node:fs/promises'

/** Clock ticks of the kernel per second, which Linux reports times in. */
const TICKS_PER_SECOND = 100

/** Fields of `/proc/<pid>/stat` after the name of the program. */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** CPU time of a process in microseconds; NaN on systems other than Linux. */
export async function cpuTime(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * 1_000_000) / TICKS_PER_SECOND
}
