module.exports = () => ({
  connection: {
    client: 'postgres',
    connection: { connectionString: process.env.PEER_DATABASE, schema: 'strapi' },
    pool: { min: 10, max: 10 },
  },
})
