// Entry point of the worker thread that compacts while requests are served.
import { parentPort, workerData } from 'node:worker_threads'
import { nodeDisk } from '../files/disk.ts'
import { type CompactionTask, compactFiles } from './compact.ts'

parentPort?.postMessage(await compactFiles(workerData as CompactionTask, nodeDisk))
