import type { App } from '../../../../src/app.ts'
import { FileSweep } from '../../../../src/files/file-sweep.ts'
import { silentLog } from '../../../../src/log/log.ts'
import { systemClock, systemTimer } from '../../../../src/util/clock.ts'

const HOUR_MS = 3_600_000

/** A sweep of an application without snapshots that removes uploads and files of former values of a certain age, in milliseconds. */
export const sweepOf = ({ store, records, blobs }: App, keptMs: number): FileSweep =>
  new FileSweep({
    ...{ store, records, blobs, snapshotHashes: async () => new Set<string>(), recorded: [] },
    settings: { files: { pending_hours: keptMs / HOUR_MS, keep_removed_days: keptMs / HOUR_MS / 24 } },
    ...{ clock: systemClock, blobClock: systemClock, uptime: () => 0, timer: systemTimer, log: silentLog },
  })
