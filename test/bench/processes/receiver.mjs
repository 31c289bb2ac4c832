// A webhook receiver that answers every request with 200, and sends the number of requests after each message.
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    count++
    response.end()
  })
})
process.on('message', () => process.send({ count }))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
