import type { Lexis } from './lexis.ts'

const BACKSLASH = 92
const LF = 10
const SLASH = 47
const STAR = 42
const BACKTICK = 96
const QUOTE = 34
const APOSTROPHE = 39
const HASH = 35
const LESS = 60
const DOLLAR = 36
const OPEN = 123
const CLOSE = 125
const LONGEST_DELIMITER = 64
/** After so many failed searches, generated delimiters are no longer searched. */
const MOST_IN_VAIN = 64
const LONGEST_CHARACTER = 12
/** Words before a regular expression. After other words, `/` divides. */
const BEFORE_EXPRESSION = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await)$/

export interface Literal {
  readonly comment: boolean
  readonly end: number
  /** Characters of the delimiter at each end. */
  readonly edge: number
}

/** Finds comments and strings. An unclosed one does not count, and its delimiter is not searched again. */
export class LiteralEnds {
  readonly #text: string
  readonly #lexis: Lexis
  readonly #unclosed = new Set<string>()
  constructor(text: string, lexis: Lexis) {
    this.#text = text
    this.#lexis = lexis
  }

  at(index: number, code: number): Literal | undefined {
    const text = this.#text
    const lexis = this.#lexis
    for (const mark of lexis.lineComments) {
      if (text.charCodeAt(index) !== mark.charCodeAt(0) || !text.startsWith(mark, index)) continue
      // An attribute of PHP.
      if (mark === '#' && text[index + 1] === '[') continue
      return { comment: true, end: this.#lineEnd(index), edge: 0 }
    }
    if (code === SLASH) {
      if (text.charCodeAt(index + 1) === STAR && lexis.blockComments !== undefined) return this.#blockComment(index)
      return lexis.regularExpressions === true ? this.#regularExpression(index) : undefined
    }
    for (const mark of lexis.tripleQuotes ?? []) if (text.startsWith(mark, index)) return this.#until(index, mark, mark)
    if (code === BACKTICK) return this.#backtick(index)
    if (code === LESS) return lexis.heredocs === true ? this.#heredoc(index) : undefined
    const raw = this.#rawString(index, code)
    if (raw !== undefined) return raw
    if (code === APOSTROPHE && lexis.characters === true) return this.#character(index)
    if ((code === QUOTE || code === APOSTROPHE) && lexis.quotes.includes(String.fromCharCode(code)))
      return this.#string(index, code)
    return undefined
  }

  #lineEnd(index: number): number {
    const end = this.#text.indexOf('\n', index)
    return end === -1 ? this.#text.length : end
  }

  #until(index: number, open: string, close: string, comment = false): Literal | undefined {
    if (this.#unclosed.has(close) || this.#unclosed.size > MOST_IN_VAIN) return undefined
    const end = this.#text.indexOf(close, index + open.length)
    if (end !== -1) return { comment, end: end + close.length, edge: Math.max(open.length, close.length) }
    this.#unclosed.add(close)
    return undefined
  }

  #blockComment(index: number): Literal | undefined {
    if (this.#lexis.blockComments === 'plain') return this.#until(index, '/*', '*/', true)
    if (this.#unclosed.has('nested')) return undefined
    const text = this.#text
    let depth = 1
    for (let at = index + 2; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === SLASH && text.charCodeAt(at + 1) === STAR) {
        depth++
        at++
      } else if (code === STAR && text.charCodeAt(at + 1) === SLASH) {
        depth--
        at++
        if (depth === 0) return { comment: true, end: at + 1, edge: 2 }
      }
    }
    this.#unclosed.add('nested')
    return undefined
  }

  /** An unclosed string ends with its line, if strings of the language do. */
  #string(index: number, quote: number): Literal | undefined {
    const text = this.#text
    const long = this.#lexis.longStrings === true
    const name = `string ${quote}`
    if (long && this.#unclosed.has(name)) return undefined
    for (let at = index + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) return { comment: false, end: at + 1, edge: 1 }
      if (code === BACKSLASH) at++
      else if (code === LF && !long) return { comment: false, end: at, edge: at }
    }
    if (long) this.#unclosed.add(name)
    return long ? undefined : { comment: false, end: text.length, edge: text.length }
  }

  #character(index: number): Literal | undefined {
    const text = this.#text
    if (text.charCodeAt(index + 1) !== BACKSLASH) {
      const after = index + 1 + ((text.codePointAt(index + 1) ?? 0) > 0xffff ? 2 : 1)
      return text.charCodeAt(after) === APOSTROPHE ? { comment: false, end: after + 1, edge: after } : undefined
    }
    for (let at = index + 3; at < index + LONGEST_CHARACTER; at++)
      if (text.charCodeAt(at) === APOSTROPHE) return { comment: false, end: at + 1, edge: at }
    return undefined
  }

  #backtick(index: number): Literal | undefined {
    const { backticks } = this.#lexis
    if (backticks === 'raw') return this.#until(index, '`', '`')
    if (backticks === 'template') return this.#template(index)
    if (backticks === undefined) return undefined
    const end = this.#text.indexOf('`', index + 1)
    if (end === -1 || end > index + LONGEST_DELIMITER) return undefined
    return { comment: false, end: end + 1, edge: end }
  }

  #template(index: number): Literal | undefined {
    if (this.#unclosed.has('`')) return undefined
    const text = this.#text
    /** Open braces of each enclosing `${}`; inside of text, one more level than there are such expressions. */
    const braces: number[] = []
    let inText = true
    for (let at = index + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inText) {
        if (code === BACKSLASH) at++
        else if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN) {
          braces.push(0)
          inText = false
          at++
        } else if (code === BACKTICK) {
          if (braces.length === 0) return { comment: false, end: at + 1, edge: 1 }
          inText = false
        }
        continue
      }
      if (code === BACKTICK) inText = true
      else if (code === OPEN) braces[braces.length - 1]!++
      else if (code === CLOSE) {
        if (braces.at(-1) === 0) {
          braces.pop()
          inText = true
        } else braces[braces.length - 1]!--
      } else if (code === QUOTE || code === APOSTROPHE) at = this.#string(at, code)!.end - 1
    }
    this.#unclosed.add('`')
    return undefined
  }

  #regularExpression(index: number): Literal | undefined {
    const text = this.#text
    const before = text.slice(Math.max(0, index - 24), index).trimEnd()
    if (!/(?:^|[(,=:[!&|?{;+*%<>~^-])$/.test(before) && !BEFORE_EXPRESSION.test(before)) return undefined
    let inClass = false
    for (let at = index + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LF) return undefined
      if (code === BACKSLASH) at++
      else if (code === 91) inClass = true
      else if (code === 93) inClass = false
      else if (code === SLASH && !inClass) return { comment: false, end: at + 1, edge: at }
    }
    return undefined
  }

  #heredoc(index: number): Literal | undefined {
    if (!this.#text.startsWith('<<<', index)) return undefined
    const opening = /^<<<[ \t]*(["']?)([A-Za-z_]\w*)\1\r?\n/.exec(this.#text.slice(index, index + LONGEST_DELIMITER))
    const name = opening?.[2]
    if (name === undefined || this.#unclosed.has(name) || this.#unclosed.size > MOST_IN_VAIN) return undefined
    const start = index + opening![0].length - 1
    for (let at = start; ; at++) {
      at = this.#text.indexOf(name, at)
      if (at === -1) break
      // The name ends the text only if it is the first word of its line.
      let first = at
      while (first > start && (this.#text[first - 1] === ' ' || this.#text[first - 1] === '\t')) first--
      if (this.#text[first - 1] === '\n' && !/\w/.test(this.#text.charAt(at + name.length)))
        return { comment: false, end: at + name.length, edge: at }
    }
    this.#unclosed.add(name)
    return undefined
  }

  #rawString(index: number, code: number): Literal | undefined {
    const { rawStrings } = this.#lexis
    if (rawStrings === undefined) return undefined
    const text = this.#text
    if (rawStrings === 'cpp' && code === QUOTE && text.charCodeAt(index - 1) === 82) {
      const delimiter = /^"([^\s()\\]{0,16})\(/.exec(text.slice(index, index + 18))?.[1]
      return delimiter === undefined ? undefined : this.#until(index, `"${delimiter}(`, `)${delimiter}"`)
    }
    if (rawStrings === 'csharp' && code === QUOTE && /@\$?$/.test(text.slice(Math.max(0, index - 2), index))) {
      for (let at = index + 1; !this.#unclosed.has('@"');) {
        const end = text.indexOf('"', at)
        if (end === -1) this.#unclosed.add('@"')
        else if (text.charCodeAt(end + 1) !== QUOTE) return { comment: false, end: end + 1, edge: 1 }
        at = end + 2
      }
      return undefined
    }
    if (rawStrings === 'rust' && code === QUOTE && text.charCodeAt(index - 1) === 114)
      return this.#until(index, '"', '"')
    if ((rawStrings === 'rust' || rawStrings === 'swift') && code === HASH) {
      let end = index
      while (text.charCodeAt(end) === HASH && end < index + LONGEST_DELIMITER) end++
      if (text.charCodeAt(end) !== QUOTE || text.charCodeAt(index - 1) === HASH) return undefined
      const hashes = text.slice(index, end)
      return this.#until(index, `${hashes}"`, `"${hashes}`)
    }
    return undefined
  }
}
