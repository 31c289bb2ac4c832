import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly content: string
  /** The value of a header field. */
  field(name: string): string | undefined
}

/** Errors of one mail: at its receiver, or after its contents. None takes the mail. */
interface MailAnswer {
  readonly to?: readonly [status: number, text: string]
  readonly data?: readonly [status: number, text: string]
}

interface ReceiverOptions {
  /** False to offer no STARTTLS. */
  readonly tls?: boolean
  /** Called when the contents have arrived, before the answer. */
  readonly onArrival?: () => Promise<void>
}

/** A mail server on this machine. */
export interface MailReceiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Mails that were taken. */
  readonly received: readonly ReceivedMail[]
  /** Mails whose contents have arrived, those that were refused then included. */
  readonly seen: readonly ReceivedMail[]
}

/** Starts a mail server. @param answers those of the first mails; further ones are taken */
export async function startMailReceiver(
  answers: readonly MailAnswer[] = [],
  { tls = true, onArrival }: ReceiverOptions = {},
): Promise<MailReceiver> {
  const received: ReceivedMail[] = []
  const seen: ReceivedMail[] = []
  const left = [...answers]
  const errorOf = ([status, text]: readonly [number, string]) => Object.assign(new Error(text), { responseCode: status })
  let answer: MailAnswer = {}
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    ...(tls ? {} : { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }),
    onMailFrom(_address, _session, done) {
      answer = left.shift() ?? {}
      done()
    },
    onRcptTo(_address, _session, done) {
      done(answer.to && errorOf(answer.to))
    },
    async onData(stream, { envelope }, done) {
      const content = await text(stream)
      const from = envelope.mailFrom === false ? '' : (envelope.mailFrom?.address ?? '')
      const head = content.slice(0, content.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
      const mail: ReceivedMail = {
        ...{ from, to: envelope.rcptTo.map(({ address }) => address), content },
        field: (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(head.replaceAll('\r', ''))?.[1],
      }
      seen.push(mail)
      await onArrival?.()
      if (answer.data === undefined) received.push(mail)
      done(answer.data && errorOf(answer.data))
    },
  })
  // A client that is killed resets its connection.
  server.on('error', () => {})
  const { server: listener } = server
  server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    seen,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}
