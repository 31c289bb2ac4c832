// The thread in which a journal is folded while requests are served.
import { parentPort, workerData } from 'node:worker_threads'
import { nodeDisk } from './disk.ts'
import { type FoldTask, foldFolder } from './fold.ts'

parentPort?.postMessage(await foldFolder(workerData as FoldTask, nodeDisk))
