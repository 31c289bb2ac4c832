import { parentPort, workerData } from 'node:worker_threads'
import { type CompactionTask, compactFiles } from './compact.ts'
import { nodeDisk } from './disk.ts'

// Entry point of the worker thread that compacts while requests are served.

parentPort?.postMessage(await compactFiles(workerData as CompactionTask, nodeDisk))
