module.exports = () => ({
  serveAdminPanel: false,
  auth: { secret: 'the-benchmarks-keep-no-secret' },
  apiToken: { salt: 'the-benchmarks-keep-no-secret' },
  transfer: { token: { salt: 'the-benchmarks-keep-no-secret' } },
  secrets: { encryptionKey: '0123456789abcdef0123456789abcdef' },
})
