import { DecoderMissing } from './decoder.ts'
import type { ImageJob, ImageJobResult, JobAnswer, JobOutcome } from './image-jobs.ts'
import { inspectFile, RefusedFile, writeThumbnail } from './inspect-file.ts'

// Entry point of the image process. Answers each message, a job, by another one. A hostile image that brings a decoder down ends this process,
// not the server.

async function run(job: ImageJob): Promise<ImageJobResult> {
  if (job.kind === 'inspect') return inspectFile(job)
  await writeThumbnail(job)
  return {}
}

function failureOf(error: unknown): JobOutcome {
  if (error instanceof RefusedFile) return { kind: 'refused', problem: error.message }
  if (error instanceof DecoderMissing) return { kind: 'unavailable', reason: String(error.cause) }
  const { message, code } = error as NodeJS.ErrnoException
  return { kind: 'failed', message: String(message), code }
}

process.on('message', async (job: ImageJob) => {
  const outcome = await run(job).then((result): JobOutcome => ({ kind: 'done', result }), failureOf)
  process.send?.({ outcome, memory: process.memoryUsage.rss() } satisfies JobAnswer)
})

// The server has ended. The end of this process must not wait for a decoder that runs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
