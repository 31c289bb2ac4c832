// A worker thread that asks `GET /healthz` of a server, one request after the other, and measures how long each answer takes.
// The thread that sends the work of a bench cannot measure: it waits itself while it makes a body of 10 MB.
// Messages: 'start' begins a measurement; 'stop' ends it, and is answered with the times in milliseconds.
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Pause between an answer and the next request, in milliseconds. */
const PAUSE = 2

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let times = []
let isMeasuring = false

parentPort.on('message', async (message) => {
  if (message === 'start') {
    times = []
    isMeasuring = true
    await ask()
    parentPort.postMessage('started')
    while (isMeasuring) {
      await delay(PAUSE)
      await ask()
    }
    parentPort.postMessage(times)
  } else isMeasuring = false
})

/** A connection that the server closed is opened again. */
async function ask() {
  const begin = performance.now()
  await new Promise((resolve) => {
    get(`${workerData}/healthz`, { agent }, (response) => response.resume().on('end', resolve).on('error', resolve)).on(
      'error',
      resolve,
    )
  })
  times.push(performance.now() - begin)
}
