/** Takes in what a `JsonTokenizer` reads. Offsets are UTF-16 units from the start of the text, lines are 1-based. */
export interface JsonSink {
  /** What follows is read from this text, which starts at `origin`. */
  reading(text: string, origin: number): void
  /** It was read as far as `end`. */
  read(end: number): void
  /** An object or an array begins. */
  open(isObject: boolean, offset: number, line: number): void
  /** The innermost object or array ends before `offset`. */
  close(offset: number, line: number): void
  /** The name of the next member stands in `text` from `start` to `end`, without quotes and with its escapes. */
  key(text: string, start: number, end: number, offset: number, line: number): void
  string(text: string, start: number, end: number, offset: number, line: number): void
  /** A string of some length begins; its parts follow. */
  openString(offset: number, line: number): void
  /** The next part of a long string, cut anywhere. */
  stringPart(text: string, start: number, end: number): void
  closeString(): void
  number(text: string, start: number, end: number, offset: number, line: number): void
  /** `true`, `null`, `NaN` and the like. */
  word(text: string, start: number, end: number, offset: number, line: number): void
  /** What is open ends here, because its line ends. */
  abandon(offset: number): void
  /** Between two values stands a line that is none. */
  stray(line: number): void
}

/** Where a text stops being JSON. */
export interface JsonBreak {
  readonly offset: number
  readonly line: number
}
