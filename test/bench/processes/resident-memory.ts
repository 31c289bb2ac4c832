import { readFile } from 'node:fs/promises'

/** Current and peak resident memory of a process in MiB. Undefined on systems other than Linux, and once the process has ended. */
export async function residentMemory(pid: number | undefined): Promise<{ now: number; peak: number } | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1])
  const memory = { now: kibibytes('VmRSS') / 1024, peak: kibibytes('VmHWM') / 1024 }
  return Number.isNaN(memory.now + memory.peak) ? undefined : memory
}
