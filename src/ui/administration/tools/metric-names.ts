/** Counter of requests, by route and status. */
export const REQUESTS = 'admin_http_requests_total'
/** Histogram of the durations of requests, in seconds. */
export const DURATIONS = 'admin_http_request_duration_seconds'
/** Number of records, by model. */
export const RECORDS = 'admin_records'
/** Number of pending deliveries of webhooks. */
export const OUTBOX = 'admin_webhook_outbox_depth'
/** Start of the server, in seconds since the Unix epoch. */
export const STARTED = 'process_start_time_seconds'
/** Memory of the server, in bytes. */
export const MEMORY = 'process_resident_memory_bytes'
