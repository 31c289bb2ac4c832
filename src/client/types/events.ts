/** A change of a record, as a subscription is told of it. It contains no data of the record. */
export interface ChangeEvent<Key extends string = string> {
  readonly model: Key
  readonly record_id: number
  readonly action: 'create' | 'update' | 'delete'
  readonly at: string
}

/** Options of `subscribe`. Callbacks may return a promise; the next event waits for it. An error that they throw ends the subscription. */
export interface SubscribeOptions<Key extends string = string> {
  /** Models whose changes are reported; by default all that the user may view. */
  readonly models?: readonly Key[] | undefined
  /** Called for each change, in the order of the commits. */
  readonly onChange: (change: ChangeEvent<Key>) => void | Promise<void>
  /** Called when changes may have been missed, so that what was read before must be read again. Later changes are reported. */
  readonly onReset?: (() => void | Promise<void>) | undefined
  /** Called before each request for the stream: the first, and those after a connection was lost or did not come about. */
  readonly onRequest?: (() => void | Promise<void>) | undefined
  /** Called with true when changes are reported from now on, and with false when the connection is lost. */
  readonly onConnection?: ((isConnected: boolean) => void | Promise<void>) | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined
}
