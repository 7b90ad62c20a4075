/** Classes of characters: those up to `DIGIT` make up words. */
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 3
export const OTHER = 4
export const BLANK = 5
export const PATH = 6
/** From here on, a character is more than part of a word or between words. */
export const ESCAPE = 7
export const MARK = 8

/** The class of each UTF-16 unit. */
export const CLASSES: Uint8Array = new Uint8Array(65_536).fill(OTHER)
CLASSES.fill(LOWER, 97, 123)
CLASSES.fill(UPPER, 65, 91)
CLASSES.fill(DIGIT, 48, 58)
/** Letters of other scripts count as small ones; of those without blanks, a run of them is a word. */
CLASSES.fill(LOWER, 0xc0, 0x2000)
CLASSES.fill(LOWER, 0x3040, 0xd800)
for (const code of [9, 11, 12, 13, 32, 0xa0, 0xfeff]) CLASSES[code] = BLANK
CLASSES[27] = ESCAPE
for (const mark of './\\') CLASSES[mark.charCodeAt(0)] = PATH
/** Marks that test runners and tools put before what failed. */
for (const mark of '✗✘✕✖❌⨯●⚠╷┃×❯') CLASSES[mark.charCodeAt(0)] = MARK
