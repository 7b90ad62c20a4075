/**
 * Return a text as it is previewed: NULs that alternate with other characters, as in Latin text in UTF-16 that was read as
 * UTF-8, and those that pad a value are left out, and a NUL between two values is a blank.
 */
export function withoutNuls(text: string): string {
  return replaced(text, 0, text.length)
}

/** Does as {@link withoutNuls} with a text that arrives in pieces: the result does not depend on how it was split. */
export class NulFilter {
  /** Up to two characters that were returned, as they came: they tell about the next NULs. */
  #before = ''
  /** Up to two characters that wait for those that follow them. */
  #held = ''

  /** Return what is certain of the text up to now. */
  push(piece: string): string {
    const text = this.#before + this.#held + piece
    const from = this.#before.length
    const end = text.slice(-2).includes('\0') ? Math.max(from, text.length - 2) : text.length
    this.#before = text.slice(Math.max(0, end - 2), end)
    this.#held = text.slice(end)
    return replaced(text, from, end)
  }

  /** Return the rest. */
  finish(): string {
    return replaced(this.#before + this.#held, this.#before.length)
  }
}

function replaced(text: string, from: number, end: number = text.length): string {
  const part = text.slice(from, end)
  if (!part.includes('\0')) return part
  return part.replace(/\0/g, (_nul, at: number) => (isWide(text, from + at) ? '' : ' '))
}

const isWide = (text: string, at: number): boolean => text[at - 2] === '\0' || text[at + 2] === '\0'
