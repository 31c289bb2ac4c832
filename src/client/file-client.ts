import { queryText } from './query.ts'
import type { AddressedFile, FileAddressOptions, LinkOptions } from './types-files.ts'

/** Sends a POST request and returns the JSON of its answer. */
type Post = (path: string, body: object, signal: AbortSignal | undefined) => Promise<unknown>

/** Addresses of the files of records. */
export class FileClient {
  readonly #origin: string
  readonly #post: Post

  /** @param base URL of the server, or a path of the page's own origin */
  constructor(base: string, post: Post) {
    this.#origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(base)?.[0] ?? ''
    this.#post = post
  }

  /**
   * Returns the address of a file, or of a thumbnail of it. It needs the credentials of a user who may read the record, unless everyone may; for
   * others there is `links`.
   *
   * @throws {TypeError} for a file of a dry run, which is in no record
   */
  url({ url }: AddressedFile, { thumbnail, download }: FileAddressOptions = {}): string {
    if (url === undefined) throw new TypeError('A file of a dry run has no address, since it is in no record')
    return (
      this.#origin +
      url +
      queryText([
        ['thumbnail', thumbnail],
        ['download', download],
      ])
    )
  }

  /**
   * Returns addresses that need no credentials until they expire, in the same order. Each use is checked again for the rights of the user.
   *
   * @param urls up to 100 addresses of `url`
   */
  async links(urls: readonly string[], { expiresIn, signal }: LinkOptions = {}): Promise<readonly string[]> {
    const files = urls.map((url) => (url.startsWith(this.#origin) ? url.slice(this.#origin.length) : url))
    const { data } = (await this.#post('/files/links', { files, expires_in: expiresIn }, signal)) as { data: readonly string[] }
    return data.map((url) => this.#origin + url)
  }
}
