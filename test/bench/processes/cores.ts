import { execFileSync } from 'node:child_process'

/** The core of the server under load. The other one has the load, and PostgreSQL where there is one. */
export const SERVER_CORE = 0
export const OTHER_CORE = 1

/** Keeps a process, with its threads and those that it starts, on one core. Does nothing where `taskset` does not exist. */
export function keepOn(core: number, pid: number | undefined): void {
  if (pid === undefined) return
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], { stdio: 'ignore' })
  } catch {
    process.stderr.write('  taskset does not work here; the processes share the cores\n')
  }
}

/** Starts a process on the core of the servers. It inherits the core of this process at the moment when it is made. */
export function onServerCore<T>(start: () => T): T {
  keepOn(SERVER_CORE, process.pid)
  try {
    return start()
  } finally {
    keepOn(OTHER_CORE, process.pid)
  }
}
