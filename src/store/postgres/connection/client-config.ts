import type { ClientConfig } from 'pg'
import type { DatabaseAddress } from './address.ts'

/**
 * The settings of the driver for a connection.
 *
 * @param patience milliseconds in which the connection must be made
 */
export function clientConfig({ tls, applicationName, ...address }: DatabaseAddress, patience: number): ClientConfig {
  return {
    ...address,
    ssl: tls === false ? false : { ...tls },
    application_name: applicationName,
    connectionTimeoutMillis: patience,
    keepAlive: true,
  }
}
