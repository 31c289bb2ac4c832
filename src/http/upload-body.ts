import type { Request } from '@hapi/hapi'
import { AppError } from '../errors.ts'

/** The bytes of a body, read as fast as they are taken. The connection stays open for the answer if they are not read to the end. */
export async function* streamedBody({ raw: { req: sent } }: Request): AsyncGenerator<Buffer> {
  try {
    // The stream is not destroyed where a reader stops: the answer goes through the same connection.
    for await (const chunk of sent.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch (error) {
    throw new AppError('INVALID_REQUEST', 'The request body ended early', { cause: error })
  }
}
