import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventParser, type StreamEvent } from '../../src/client/subscription.ts'

const parsed = (...pieces: string[]): StreamEvent[] => {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

const event = (data: string, type = 'message', id?: string): StreamEvent => ({ type, data, id })

describe('a stream of Server-Sent Events', () => {
  const cases: readonly { readonly name: string; readonly text: string; readonly events: readonly StreamEvent[] }[] = [
    { name: 'has events with type, id and data', text: 'event: a\nid: 1\ndata: x\n\n', events: [event('x', 'a', '1')] },
    { name: 'joins lines of data', text: 'data: a\ndata\ndata:b\n\n', events: [event('a\n\nb')] },
    { name: 'removes one space after the colon', text: 'data:  a:b\n\n', events: [event(' a:b')] },
    { name: 'has comments, which are ignored', text: ':\n\n: x\ndata: a\n\n', events: [event('a')] },
    { name: 'ignores unknown fields and retry', text: 'retry: 5\nx: y\ndata: a\n\n', events: [event('a')] },
    { name: 'ignores events without data', text: 'event: a\n\ndata: b\n\n', events: [event('b')] },
    { name: 'ignores an id with NUL', text: 'id: a\0\ndata: b\n\n', events: [event('b')] },
    {
      name: 'gives an id to one event only',
      text: 'id: 1\ndata: a\n\ndata: b\n\n',
      events: [event('a', 'message', '1'), event('b')],
    },
    { name: 'drops an event that is cut off', text: 'data: a\n\nid: 2\ndata: b\n', events: [event('a')] },
  ]
  for (const { name, text, events } of cases) {
    test(name, () => {
      for (const ending of ['\n', '\r\n', '\r']) {
        const sent = text.replaceAll('\n', ending)
        assert.deepEqual(parsed(sent), events)
        assert.deepEqual(parsed(...sent), events, 'in pieces of one character')
      }
    })
  }

  test('has a last id, also of an event without data, but not of one that is cut off', () => {
    const parser = new EventParser()
    assert.equal(parser.lastEventId, undefined)
    parser.push('id: 1\ndata: a\n\nid: 2\n\ndata: b\n\nid: 3\ndata: c\n')
    assert.equal(parser.lastEventId, '2')
    parser.push('\n')
    assert.equal(parser.lastEventId, '3')
  })
})
