/** 1 for letters and digits. Outside ASCII, all characters except blocks of punctuation and symbols count. */
const LETTERS = new Uint8Array(65_536)
LETTERS.fill(1, 0xc0, 0x2000)
LETTERS.fill(1, 0x2c00)
for (const [first, last] of ['09', 'AZ', 'az']) LETTERS.fill(1, first!.charCodeAt(0), last!.charCodeAt(0) + 1)

/** Return the index of the first unit from `start` on that is neither a space nor a tab. */
export function indentOf(text: string, start = 0): number {
  let at = start
  for (let code = text.charCodeAt(at); code === 32 || code === 9; code = text.charCodeAt(++at));
  return at
}

const SAMPLE = 24

export function estimateLetters(text: string, start: number, most: number): number {
  const sampled = Math.min(text.length, start + SAMPLE)
  let letters = 0
  for (let at = start; at < sampled; at++) letters += LETTERS[text.charCodeAt(at)]!
  const rest = Math.min(text.length - start, most) - SAMPLE
  return rest <= 0 ? letters : letters + (letters * rest) / SAMPLE
}
