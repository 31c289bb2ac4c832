// The thread in which a journal is folded while requests are served.
import { parentPort, workerData } from 'node:worker_threads'
import { nodeDisk } from '../files/disk.ts'
import { type FoldTask, foldFolder } from './compact.ts'

parentPort?.postMessage(await foldFolder(workerData as FoldTask, nodeDisk))
