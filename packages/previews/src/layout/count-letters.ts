/** Letters and digits of ASCII, and of other scripts what is neither punctuation nor drawn: 1. */
const LETTERS = new Uint8Array(65_536)
LETTERS.fill(1, 0xc0, 0x2000)
LETTERS.fill(1, 0x2c00)
for (const [first, last] of ['09', 'AZ', 'az']) LETTERS.fill(1, first!.charCodeAt(0), last!.charCodeAt(0) + 1)

/** Count the letters and digits among the first `most` units of a text. */
export function countLetters(text: string, most: number): number {
  const end = Math.min(text.length, most)
  let letters = 0
  for (let at = 0; at < end; at++) letters += LETTERS[text.charCodeAt(at)]!
  return letters
}

/** Units of a line that tell how much of it is letters. */
const SAMPLE = 24

/** Estimate the letters and digits among the first `most` units of a line from `start` on, by how it begins. */
export function estimateLetters(text: string, start: number, most: number): number {
  const sampled = Math.min(text.length, start + SAMPLE)
  let letters = 0
  for (let at = start; at < sampled; at++) letters += LETTERS[text.charCodeAt(at)]!
  const rest = Math.min(text.length - start, most) - SAMPLE
  return rest <= 0 ? letters : letters + (letters * rest) / SAMPLE
}
