/** Size of a chunk, and length of the longest tag that is read, in UTF-16 units. */
const PIECE = 65_536
/** Longest element name, in UTF-16 units. */
const MAX_NAME = 128
/** Longest character reference that is kept whole. */
const MAX_REFERENCE = 12

/** Receives the parts of XML or HTML. Lines are 1-based. */
export interface MarkupHandler {
  /** `attributes` is the text after the name. `isEmpty` is set if the tag also ends the element. */
  open(name: string, attributes: string, isEmpty: boolean, line: number): void
  close(name: string, line: number): void
  /** Receives text, possibly in several parts. References in the text are not decoded. */
  text(text: string, line: number): void
  /** The text of a CDATA section. If this method is absent, the section is a comment up to the next ">", as in HTML. */
  cdata?(text: string, line: number): void
}

type Mode = 'text' | 'cdata' | 'skip'

/**
 * Splits XML or HTML into tags and text, tolerating errors.
 *
 * Comments, declarations, and processing instructions are left out. Entities are not decoded. Memory is limited to one
 * chunk, and time is linear.
 */
export class MarkupTokenizer {
  readonly #handler: MarkupHandler
  readonly #raw: ReadonlySet<string>
  readonly #skipsBlanks: boolean
  readonly #pieces = new FixedPieces(PIECE, (piece) => this.#read(piece, false))
  #rest = ''
  #mode: Mode = 'text'
  /** Text that ends a section or a skipped part. */
  #end = ''
  #rawName = ''
  #line = 1
  /** End of the current line in the window, or -1 if it is unknown. */
  #lineEnd = -1

  /**
   * @param raw - Names of elements whose content is text up to their end tag.
   * @param skipsBlanks - Whether to leave out blank text.
   */
  constructor(handler: MarkupHandler, raw: ReadonlySet<string>, skipsBlanks: boolean) {
    this.#handler = handler
    this.#raw = raw
    this.#skipsBlanks = skipsBlanks
  }

  push(text: string): void {
    this.#pieces.push(text)
  }

  finish(): void {
    this.#pieces.finish()
    this.#read('', true)
  }

  #read(piece: string, isLast: boolean): void {
    const window = this.#rest + piece
    let at = 0
    while (at < window.length) {
      const next = this.#mode === 'text' ? this.#readText(window, at, isLast) : this.#readSection(window, at, isLast)
      if (next === at) break
      at = next
    }
    this.#lineAt(window, at)
    this.#rest = window.slice(at)
    this.#lineEnd = -1
  }

  /** Returns the position after the text, or the start of an incomplete part. */
  #readText(window: string, from: number, isLast: boolean): number {
    const at = this.#nextTag(window, from)
    const textEnd = at >= 0 ? at : isLast ? window.length : beforeReference(window, from)
    if (textEnd > from && !(this.#skipsBlanks && isBlank(window, from, textEnd))) {
      this.#handler.text(window.slice(from, textEnd), this.#lineAt(window, from))
    }
    if (at < 0) return textEnd
    const second = window.charCodeAt(at + 1)
    if (!(second === BANG || second === QUESTION)) return this.#readTag(window, at, isLast)
    if (window.length - at < '<![CDATA['.length && !isLast) return at
    if (window.startsWith('<!--', at)) return this.#skipTo('-->', at + 4)
    if (this.#handler.cdata === undefined) return this.#readDeclaration(window, at, isLast)
    if (second === QUESTION) return this.#skipTo('?>', at + 2)
    if (!window.startsWith('<![CDATA[', at)) return this.#readDeclaration(window, at, isLast)
    this.#mode = 'cdata'
    this.#end = ']]>'
    return at + 9
  }

  #readTag(window: string, at: number, isLast: boolean): number {
    let end = tagEnd(window, at + 1)
    if (end < 0) {
      if (window.length - at < PIECE) return isLast ? window.length : at
      // A quote that is never closed ends with its tag.
      end = window.indexOf('>', at)
    }
    if (end < 0) {
      this.#emitTag(window, at, window.length, false)
      return this.#skipTo('>', window.length)
    }
    this.#emitTag(window, at, end, true)
    return end + 1
  }

  /** Finds the next tag. Inside raw text, only the element's own end tag counts. */
  #nextTag(window: string, from: number): number {
    for (let at = window.indexOf('<', from); at >= 0; at = window.indexOf('<', at + 1)) {
      if (at + 1 >= window.length) return at
      const code = window.charCodeAt(at + 1)
      if (this.#rawName === '') {
        if (isNameStart(code) || code === SLASH || code === BANG || code === QUESTION) return at
      } else if (code === SLASH) {
        const name = window.slice(at + 2, at + 2 + this.#rawName.length).toLowerCase()
        if (name === this.#rawName || at + 2 + this.#rawName.length > window.length) return at
      }
    }
    return -1
  }

  #readDeclaration(window: string, at: number, isLast: boolean): number {
    const end = window.indexOf('>', at)
    const subset = window.indexOf('[', at)
    // A document type may have declarations in brackets.
    if (subset >= 0 && (end < 0 || subset < end) && /^<!doctype\b/i.test(window.slice(at, at + 10))) {
      return this.#skipTo(']', subset + 1)
    }
    if (end >= 0) return end + 1
    if (isLast || window.length - at >= PIECE) return this.#skipTo('>', window.length)
    return at
  }

  #skipTo(end: string, from: number): number {
    this.#mode = 'skip'
    this.#end = end
    return from
  }

  #readSection(window: string, at: number, isLast: boolean): number {
    const found = window.indexOf(this.#end, at)
    // After its declarations, a document type continues to its end.
    if (found >= 0 && this.#end === ']') return this.#skipTo('>', found + 1)
    const end = found >= 0 ? found : isLast ? window.length : Math.max(at, window.length - this.#end.length + 1)
    if (this.#mode === 'cdata' && end > at) this.#handler.cdata?.(window.slice(at, end), this.#lineAt(window, at))
    if (found < 0) return end
    this.#mode = 'text'
    return found + this.#end.length
  }

  #emitTag(window: string, at: number, end: number, isWhole: boolean): void {
    const isEnd = window.charCodeAt(at + 1) === SLASH
    const from = at + (isEnd ? 2 : 1)
    let nameEnd = from
    while (nameEnd < end && nameEnd - from < MAX_NAME && !isNameEnd(window.charCodeAt(nameEnd))) nameEnd++
    const name = window.slice(from, nameEnd)
    const line = this.#lineAt(window, at)
    if (isEnd) {
      this.#rawName = ''
      this.#handler.close(name, line)
      return
    }
    const isEmpty = isWhole && window.charCodeAt(end - 1) === SLASH
    const attributes = window.slice(nameEnd, isEmpty ? Math.max(nameEnd, end - 1) : end)
    this.#handler.open(name, attributes, isEmpty, line)
    if (!isEmpty && this.#raw.size > 0 && this.#raw.has(name.toLowerCase())) this.#rawName = name.toLowerCase()
  }

  /** `at` must not decrease between calls. */
  #lineAt(window: string, at: number): number {
    if (this.#lineEnd < 0) this.#lineEnd = endOfLine(window, 0)
    while (this.#lineEnd < at) {
      this.#line++
      this.#lineEnd = endOfLine(window, this.#lineEnd + 1)
    }
    return this.#line
  }
}

function isBlank(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) > 32) return false
  return true
}

/** Returns the end of the window, or the position of an "&" that may start a reference. */
function beforeReference(window: string, from: number): number {
  const at = window.lastIndexOf('&')
  return at >= from && window.length - at < MAX_REFERENCE ? at : window.length
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? Infinity : end
}

const BANG = 33
const SLASH = 47
const QUESTION = 63

/** Whether a character starts a name: letters, "_", ":", and all others outside ASCII, even if XML forbids them. */
function isNameStart(code: number): boolean {
  const lower = code | 32
  return (lower >= 97 && lower <= 122) || code === 95 || code === 58 || code > 127
}

function isNameEnd(code: number): boolean {
  return code <= 32 || code === SLASH || code === 62
}

/** Finds the end of a tag. A ">" in quotes does not count. */
function tagEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 62) return at
    if (code === 34 || code === 39) {
      // Only values have quotes. Another quote must not hide the rest of the tag.
      if (!followsEquals(text, from, at)) continue
      const close = text.indexOf(code === 34 ? '"' : "'", at + 1)
      if (close < 0) return -1
      at = close
    }
  }
  return -1
}

function followsEquals(text: string, from: number, at: number): boolean {
  let before = at - 1
  while (before > from && at - before < 16 && text.charCodeAt(before) <= 32) before--
  return text.charCodeAt(before) === 61
}

/** Cuts a text into chunks of equal size, so that the result does not depend on the chunks of the input. */
export class FixedPieces {
  readonly #size: number
  readonly #take: (piece: string) => void
  #waiting: string[] = []
  #length = 0

  constructor(size: number, take: (piece: string) => void) {
    this.#size = size
    this.#take = take
  }

  push(text: string): void {
    if (this.#length + text.length < this.#size) {
      this.#waiting.push(text)
      this.#length += text.length
      return
    }
    let from = this.#size - this.#length
    this.#waiting.push(text.slice(0, from))
    this.#take(this.#waiting.join(''))
    for (; from + this.#size <= text.length; from += this.#size) this.#take(text.slice(from, from + this.#size))
    this.#waiting = from < text.length ? [text.slice(from)] : []
    this.#length = text.length - from
  }

  finish(): void {
    const rest = this.#waiting.join('')
    this.#waiting = []
    this.#length = 0
    if (rest !== '') this.#take(rest)
  }
}
