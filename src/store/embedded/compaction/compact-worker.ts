// The thread in which a journal is folded while requests are served.
import { parentPort, workerData } from 'node:worker_threads'
import { nodeDisk } from '../files/disk.ts'
import { type CompactionTask, compactFiles } from './compact.ts'

parentPort?.postMessage(await compactFiles(workerData as CompactionTask, nodeDisk))
