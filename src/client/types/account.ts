/** The logged-in user and their permissions. */
export interface Me<User> {
  /** The record of the user. */
  readonly data: User
  /** Codenames such as `view_post`. */
  readonly permissions: readonly string[]
}

/** A session of the logged-in user. Those that an earlier version of the server started lack what is null. */
export interface LoginSession {
  readonly id: number
  readonly created_at: string
  /** Time of the last login or refresh. */
  readonly last_used_at: string | null
  /** Address of the client at that time; the /56 network of an IPv6 address. */
  readonly address: string | null
  /** The first 200 characters of its `User-Agent`. */
  readonly user_agent: string | null
  /** True for the session of this client. */
  readonly current: boolean
}
