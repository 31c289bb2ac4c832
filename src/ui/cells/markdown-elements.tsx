import { lexer, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'

/** Levels of quotes and lists within each other that are shown as such. */
const MAX_DEPTH = 20

/** Characters of a text that is rendered; a longer one is shown as it is written. */
const MAX_LENGTH = 200_000

/**
 * A text in Markdown (CommonMark with the tables, tasks and struck text of GitHub), as React elements. HTML in it is shown as text; links
 * lead to web and mail addresses only, and images are links, since the page loads nothing from other servers.
 */
export const markdownElements = (text: string): ReactNode => blocks(tokensOf(text), 0)

/** The parts of a text. One that the parser gives up, such as thousands of nested quotes, is one part. */
function tokensOf(text: string): readonly Token[] {
  const whole: Token = { type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text }] }
  if (text.length > MAX_LENGTH) return [whole]
  try {
    return lexer(text)
  } catch {
    return [whole]
  }
}

/** Several tokens, each with its place as its key: what a text is made of has no other identity. */
const each = (tokens: readonly Token[] | undefined, render: (token: Token) => ReactNode): ReactNode =>
  (tokens ?? []).map((token, place) => <Fragment key={place}>{render(token)}</Fragment>)

const blocks = (tokens: readonly Token[] | undefined, depth: number): ReactNode => each(tokens, (token) => block(token, depth))

function block(token: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <Heading {...(token as Tokens.Heading)} />
    case 'paragraph':
      return <p>{inlines(token.tokens, depth)}</p>
    case 'hr':
      return <hr />
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth + 1)}</blockquote>
    case 'list':
      return list(token as Tokens.List, depth)
    case 'table':
      return table(token as Tokens.Table, depth)
    case 'html':
      return <p>{token.raw.trim()}</p>
    default:
      return inline(token, depth)
  }
}

/** A heading. It is no part of the outline of the page, whose headings the form has. */
function Heading({ depth, tokens }: Tokens.Heading) {
  return <p className={`markdown-heading markdown-heading-${Math.min(depth, 3)}`}>{inlines(tokens, 0)}</p>
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const children = items.map((item, place) => <li key={place}>{blocks(item.tokens, depth + 1)}</li>)
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>
}

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map((cell, place) => {
      const Tag = cell.header ? 'th' : 'td'
      return (
        <Tag key={place} className={cell.align === 'right' ? 'number' : undefined}>
          {inlines(cell.tokens, depth)}
        </Tag>
      )
    })
  return (
    <table>
      <thead>
        <tr>{cells(header)}</tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>{cells(row)}</tr>
        ))}
      </tbody>
    </table>
  )
}

const inlines = (tokens: readonly Token[] | undefined, depth: number): ReactNode => each(tokens, (token) => inline(token, depth))

function inline(token: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw
  const inner = () => inlines('tokens' in token ? token.tokens : undefined, depth + 1)
  switch (token.type) {
    case 'strong':
      return <strong>{inner()}</strong>
    case 'em':
      return <em>{inner()}</em>
    case 'del':
      return <del>{inner()}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ '
    case 'link':
      return link(token as Tokens.Link, inner())
    case 'image':
      return link(token as Tokens.Image, (token as Tokens.Image).text || (token as Tokens.Image).href)
    case 'escape':
      return (token as Tokens.Escape).text
    case 'text':
      return token.tokens === undefined ? plain(token as Tokens.Text) : inner()
    default:
      return token.raw
  }
}

/** A text as it is written; with its character references read where Markdown has them. */
const plain = ({ text, escaped }: Tokens.Text): string => (escaped === false ? withCharacters(text) : text)

function link(
  { href, title, autolink = false }: Pick<Tokens.Link, 'href' | 'title' | 'autolink'>,
  children: ReactNode,
): ReactNode {
  const address = safeAddress(autolink ? href : withCharacters(href))
  if (address === undefined) return children
  return (
    <a href={address} title={title ? withCharacters(title) : undefined} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Makes a relative address whole. */
const BASE = 'https://relative.invalid/'

const SAFE: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link that is followed: of the web, of mail, or relative; undefined for others, such as `javascript:`. */
export function safeAddress(href: string): string | undefined {
  if (!URL.canParse(href, BASE)) return undefined
  return SAFE.has(new URL(href, BASE).protocol) ? href : undefined
}

/** The character references that people write; others are shown as they are written. */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

const withCharacters = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? written
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
