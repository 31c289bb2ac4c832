module.exports = () => ({
  host: '127.0.0.1',
  port: Number(process.env.PEER_PORT),
  app: { keys: ['the-benchmarks-keep-no-secret'] },
})
