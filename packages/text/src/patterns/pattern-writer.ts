/** An expression of JavaScript that is written piece by piece, and where each unit of it comes from. */
export class PatternWriter {
  source = ''
  /** Set by what only the flag `u` reads as it is meant. */
  needsUnicode = false
  readonly #positions: number[] = []

  /** Write syntax that stands for what was read at `position`. */
  write(syntax: string, position: number): void {
    this.source += syntax
    for (let unit = 0; unit < syntax.length; unit++) this.#positions.push(position)
  }

  /** Write a character that stands for itself. */
  writeCharacter(code: number, position: number): void {
    const character = String.fromCodePoint(code)
    const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff
    if (isLoneSurrogate) this.write(`\\u${code.toString(16)}`, position)
    else if (code < 0x20) this.write(`\\x${code.toString(16).padStart(2, '0')}`, position)
    else this.write(/[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character, position)
  }

  /** Return where a unit of the source comes from; of its end, `end`. */
  positionOf(unit: number, end: number): number {
    return this.#positions[unit] ?? end
  }
}
