import type { ResponseObject, ResponseToolkit } from '@hapi/hapi'

/** Answers with JSON that is text already. */
export const jsonResponse = (h: ResponseToolkit, text: string | Buffer): ResponseObject =>
  h.response(text).type('application/json')
