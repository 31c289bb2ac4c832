// Subscribes to the changes of a server many times, reads everything, and tells its parent how many events arrived.
// Arguments: address, then one token for each subscriber.
import { request } from 'node:http'

const [address, ...tokens] = process.argv.slice(2)
let open = 0
let bytes = 0

for (const token of tokens) {
  request(`${address}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
    if (response.statusCode !== 200) throw new Error(`/events answered ${response.statusCode}`)
    response.once('data', () => {
      if (++open === tokens.length) process.send({ open })
    })
    response.on('data', (chunk) => {
      bytes += chunk.length
    })
    response.on('error', () => {})
  })
    .on('error', () => {})
    .end()
}

process.on('message', () => process.send({ bytes }))
process.on('disconnect', () => process.exit())
