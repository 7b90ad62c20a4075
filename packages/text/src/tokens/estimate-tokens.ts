import { decodeBase64 } from '#platform'
import { TextCodes } from '../platform/text-codes.ts'

const OTHER = 0
const DIGIT = 1
const SPACE = 2
const NEWLINE = 3
const WIDE = 4
const BYTES = 5
const HAN = 6
/** Bits of letters. The lowest five bits are the position of the letter in the alphabet, from 1 to 26. */
const LOWER = 32
const UPPER = 64

/** Class of each UTF-16 unit. In the class `BYTES`, each of the three bytes of a character is about one token. */
const CLASSES = new Uint8Array(65_536).fill(WIDE)
for (const [first, end] of [
  [0x800, 0x900],
  [0x1100, 0x1200],
  [0x1380, 0x1780],
  [0x1800, 0x1e00],
  [0x2800, 0x3000],
  [0x3400, 0x4e00],
  [0xa000, 0xac00],
  [0xe000, 0xfe00],
] as const)
  CLASSES.fill(BYTES, first, end)
CLASSES.fill(HAN, 0x4e00, 0xa000)
CLASSES.fill(OTHER, 32, 127)
CLASSES.fill(DIGIT, 48, 58)
for (const code of [9, 11, 12, 32]) CLASSES[code] = SPACE
for (const code of [10, 13]) CLASSES[code] = NEWLINE

// A letter with an accent has the position of its base letter.
for (const [first, end] of [
  [0x41, 0x7b],
  [0xc0, 0x250],
  [0x1e00, 0x1f00],
] as const) {
  for (let code = first; code < end; code++) {
    const base = String.fromCharCode(code).normalize('NFD').charCodeAt(0)
    const letter = base < 128 ? base & 31 : 0
    if (letter > 0 && letter < 27) CLASSES[code] = (base > 96 ? LOWER : UPPER) | letter
  }
}

/** For each letter from a to z, the letters that often follow it. Letters of other pairs rarely share a token. */
const COMMON_PAIRS =
  'bcdgilmnprstuvwy aeijloruy acehiklorstu adeilorsu abcdefgijlmnopqrstvwxy aefilorsu aehilnorstu aeiortu ' +
  'abcdefgklmnoprstvz aeosu aeis abdeilostuvy abeimopsu acdefgiklnopstuv bcdfiklmnoprstuvw aehiloprstu u ' +
  'acdefgiklmnorstuvy acehiklmopqstuwy acehilmoprstuwy abcdefilmnprst aeio aehinor aceipt bemnopst aeio'
const RARE = new Uint8Array(1024).fill(1)
for (const [first, seconds] of COMMON_PAIRS.split(' ').entries()) {
  for (const second of seconds) RARE[((first + 1) << 5) | (second.charCodeAt(0) & 31)] = 0
}

/** Longest word in the tables. Each further letter adds 0.4 tokens. */
const LONGEST_WORD = 16

/**
 * Average tokens of words by length (1 to 16): lower case, capitalized, and upper case words. Each kind has three rows:
 * for words alone, words after a space, and words after another character. They were measured with o200k_base over
 * logs, JSON, tables, HTML, source code, terminal output, and agent transcripts.
 */
const WORD_COSTS: readonly (readonly (readonly number[])[])[] = [
  [
    [1, 1.02, 1.1, 1.1, 1.15, 1.26, 1.32, 1.4, 1.5, 2.0, 2.1, 2.6, 2.8, 3.4, 4, 4.2],
    [1, 1, 1.02, 1.03, 1.05, 1.1, 1.12, 1.15, 1.2, 1.27, 1.3, 1.5, 1.6, 1.9, 2.1, 2.6],
    [1.08, 1.25, 1.28, 1.33, 1.36, 1.5, 1.72, 1.95, 2.2, 2.3, 2.4, 2.6, 3, 3.4, 3.8, 4.1],
  ],
  [
    [1, 1.14, 1.17, 1.17, 1.17, 1.22, 1.3, 1.36, 1.5, 1.5, 1.6, 1.8, 1.9, 2.2, 2.6, 3.2],
    [1, 1.02, 1.04, 1.1, 1.18, 1.2, 1.2, 1.25, 1.55, 1.6, 1.8, 1.9, 2, 2.3, 2.7, 2.9],
    [1.05, 1.98, 1.9, 1.9, 2, 2.14, 2.1, 2.3, 2.5, 2.4, 2.5, 2.7, 3.2, 3.4, 4, 4.3],
  ],
  [
    [1, 1.05, 1.62, 1.79, 1.96, 2.24, 3.14, 3.25, 4.03, 4.48, 4.82, 5.04, 5.38, 5.6, 6.05, 7.28],
    [1, 1, 1.46, 1.51, 1.57, 1.68, 2.07, 2.24, 3.14, 3.25, 3.7, 3.92, 4.03, 4.26, 4.48, 4.82],
    [1.05, 1.74, 2.15, 2.07, 2.46, 2.46, 2.69, 2.8, 3.47, 3.7, 4.7, 4.82, 4.93, 5.04, 5.15, 5.6],
  ],
]

/**
 * One bit for each character outside ASCII that is one token of o200k_base, and for each pair of letters that usually
 * shares a token. `benchmarks/tokens/common-pairs.ts` prints these bits. Because of equal hashes, a quarter of all
 * other pairs have a bit, too.
 */
const COMMON = decodeBase64(
  'BAgwCgEQgRGIYGECCpxrAA1MUIQEANVoAhSkAC4hAC5GkAYCAiCCIiACKGAASyQFOAEBGBGiwgQOUKAERBQgBIAUDIAFoAEGQi4F4AADKAgCohEKsoAiosAtAgCtUkAQCggANQFQuIoQrzCBLskIwhRAJZAAZIVIQyzABAMQByokACZCBNSKBjoAIwACkAACgoCoCCmBZFKAgAhIMRJbBSAMAQCAUAJoQQAlBCAgAcIxOAIAAFBhwUAgNEIhJLE0ACUYgGUfAQESAAEKgiAFICoREdCp0aEKiFkkFAgMhAAESiWgKEOgFCIgCAtXQ2AOIBFQMTF5QAkAV6olQBAAARAAAwjgC6gAiDABAAREZDQD4GQiAmAHsOIBlnABAhAjVYBPUBQMNQIBUMQwKIqABEQqQABEWBQJhEBFFYRAgNGIBc7ADjSCkGuAAAqqA6YgYQ+gAQEiBZIBEUIZUGoRBJEvBBkEISAIAKQAgiQQAAIBwKBKSEskMAAAUAAUAEAXUEDwRSCAggEOcIACKCNQyZBRg1AImAAohWDIBBCQMAGFAEBMSQUAVLDQAURCoCShsBoCQAQIFQgBEAARhkxYyBQJ7YSZiVqCC9OA6ogIgkEBWEkEBwrgBAQCCgYGImRgkxEAYAAB84AAAUCMEQPkxZAJYVgIAYC4LsACLADgXGgFBEAAdsCBSAA0IGBDAwDoBgLDAxggA1dgAhdQARFYEAIg0A+jiSACgrSICIhACrREAAroBSrTBOBIEpwhgAgVAFFADZoBAESAMQYCjSAtkAABlQBBOpAAAz4ASAJ2ERAQDRcFRAgkISgFCkiQQAQGYERCJEpAIAghlAwARAAgRDHgQNChEhoPoodTJJKiCIIIgADF4ckGVASFRAAqjBghEiAvIoJiABAloIAWAlAgAQAUAG+QAQEIAEAJjgdBAQDJFE7CEEACJARMECbEJiBFJ2AHCQYBAAVQIhAIQVABlEMEARgSESENkqopIKAQAQqwwcxcgWQZQAEcQSVAAEJA4Aok4hKAEo60KQJQQgERAggxoAAAEQVQCFZQUDHCAAAACASkCBAExgEsCJgApQIQYYli4AFLCGrARwAscJQjOIalIgMIEAgDECABCIiGAIUJKAQxCBEoihQJjMCMFEREGADMAEIEBGQIAhACMDAjMLKFEkAdccARYYAJCXWBCSgUIASaIACIgQAFgBhBBARABCYEEgAIIkJkTQIASIAACgsgBgKwEVVAw3Ab6VmUTDmZgBqAgkiJCAFCwCCkDEAQoLXoCiAAoA6cgAYqsgAKgsKEVoEVQghIkRWaAJWABAKM2gAJwgIZAAEIgAngAUBIAQIgiIEIEMHjBItwimAIBgAhBFIANZQAIGCAiiApCSCkQIEkqYuRCRuYrIEQDURADCQACEKEBAAWhmDQQIQIYqggQhBEaAkIoCUAABABG5EI7pDljIyAWMmAjFgJGKDHfMRKRCRIQEQAIATAgAAMIAgMaALgIAI8FrLBEBGCgQg5GDCQkAhBwBCblqDNARxoMRYqEBAgV4xIJAIggqqQBoFAJBIiAgQUYScQABilWAQVhItLGYCSIYaD6SA2QMiWXElVxCDAlAgEMATEAyQaAYImcAREcgghuwAIoIBQIAQEoMEGCijACoggDQgQIVBARAABFABUQGREC0AQBGgoBsqEBsAAAiQECDBaoBCQEQAAFWF4BQAIoRI9MFiSIWUREIABQMgTgAQAhEIkQmJlUyCQA8IAEiImJFIAQYQEFQDwAlERKUNBAAXBUBAIkAiECQAEoBQKkmEkQQZEJAAgQATEEgKAAIG0AgpZIBESIAUQgQGRoDhAgRhJgAKMGAlCJEAEUUEVWYTZ0EBcFAgB0IgAKgQIFkY5JoEAKRQCgFIBEGGDMyAAAWoJuAIEEQAE4AEGBAIQogQIQMTASgAgGOiBBAgwAgAIABABQRwQJCAUAFhCcTRiIAIQA1xGAG2MAAwiCwlJACqECkRUyKEFuK5BSIxCQWohAAwgAioAQkYDgDAAETAD4RMAgSgFIJmAmmiIFpgQJCUlmECrjNJEBMEqCFVDQmoEKQHQwjgSsVgyEAGQABAqsggBkRBTyJobxAkkiwIpwCKIaNwIQYQCQEAAxAUQRBALGACVhcI27qAgamUCdXEBE1CCOFQBGDmDCxoYDogAlNEgBKCAHDEIBIAAAoEAAgABFAgpEgAEAlAAAIBgggggIBwgQSHGAEBCFQiAAAUgECAEAAyhMAuBKNTQggzFUQQCAIQKoQEmNIIkIgqGJmABFiEVAk10FABUAiAQCiEICAo0BniQgQTIAQ1AEShUQRRAWEAcDgGWJAkAIkIPcmERIjAgOmgRHoChgKkMgQSUQIAkioisQJAIDIFUCMBGQBQUeCBAQAFGIAAqIgNiJKAAAAABMIAWmiYAJYgRCCBgq7iAm5mhAigUDhjARAAAgdxEBkRsBEGA8iNCFjYCRoABIAQAIDMBAYiJCCMOAEAkFYAIJQgR0QDMgQZgcARAsAoRCAAIGACkCCECIEIoREKiLEcgAD46lREwKNMIEgECZAGWCFEoAkoAhxIMwBCIIAwGQCEKSApgwWHkRQYkKlYiIQoCAEHAAAGwAWNCKAyMAYCVEQoTARwIgJCoSYgYQAAEJoQCoEIEhEAHFgACIAUFXzIDgkAiMQZhUIsEQMQAlUIFELgQogCICSiaCSFYAVCJSQAASFAAD5BEDWzhwCrJAiowCyAQEQYqsxQAEDAhAwQAEAIgAAgEQJqhIcFAMjBwEgkAgAJYXwAwzAFAAhEiQAJARkAUQXEVARGBIhJDoGgQgCEACTEBmwECGgAogYAMAACIAAAQQAESAECDAJ4AAQyCpAEmgCAQRBJCpgIRJAY4AAFTkwBJ2AFsAoOQiIJaVICElNVeAUlQBESEBwQ0QmQABiBEQgIGuUExGaAHAzIBC5PIQjCAMZCoicnRKIUAgcgArEhpBEVgRGzTFAgkjCAEMgCBINMBTAAQIjVgAVVw0RLBAABZhDusAMFQEynkCMhCmMHAABwIASlAAgRICKIABASXJjEAABEAABoQAgACIgOIAAQCACgBAKAuSAkAUJUlKAAAAJgIREjEUYnQVUAUAICESgMADgCCIlgD5EBHkwxBARI1MIIhwJhhAAhUCMCgi4IoUYAeaEBFZEKFVKBdqoguIEkYMioABoUCIiIAQAAjOSMxATKAEBDAC4AABEgAgi3RRICQBEFJEAxFQhRCAUa0CqEgEhhAiXAAQ6BiGxISAAAGDSCQBQH0DwopRIEIox+wgBusEAgQgRQUSQU3QAAkYFYkBFoEAAoiABIkAEIEAAQSAQAiBWCRAgQCAAwBAiQUB5LAUQIIZAEGQJQAfPCqcASAMCwCgwQAEASioCTCeRQgGBFtERZZYSARJTYRCOSCKJh6iIgqAKURqUQUBJAgAgoEAEIjBACAKDECJWSGHSJjNgAFEAIBUJEgChQByEACEYCO6AkQUyBMiUqBEAYgAAYGVgwBQyJkACCioXBgAhaypSIAABKQlxCCAMkBACiQCoiAKAgwASgUEIxggZAIAzXIgKBCtEAs4AquwMAMo2NKEAMTAAMLoQEYwJMYIAGwsQAJwACMCAKpQJDIBGk2IAvggAyAwAJBAjKAMiAHQBAAAFDAAmNgATBJgIIwKqSgQiIADoKQjIEQqIBkCIQQjgZUxFwhCEAIVEpRIAg4wqAASiGsqswGAjTEpghBOUAACpBDDrSmCYiACMBAhuaAABgFZEAEVADEAp5BZhREklI2AAIkIQMgqZCEgyi2BAzYYBAAAQBQCEEoUQzIEC5EhIwPAiAgAYRFMAR4hAoEgAGmBJcAAAUGwggAAhAd4QUhURUUBgCLsaACyAAYGMA0mpoAQdhGCAwmgBEEQKiOCgAgAEIF3EAYgEEYwQACAGMUAR0CCdgBVEkA0cqAhQYQBFkQgQEAgOTgAmRMlEKBhGooAmAAAiJwEmQACQQQAhB6A7BCAIsIYAsCAAAAATGAAxhBkgngAMACEEQDBnTyLiLYKOIgAAIjIqKwICAAJAGAmAFRYBAn0wDDASqRgRDISQxAAAEYyQRUwwAlAQYsQAbkxAAkEAM0RisQEAGsgQFSCIUTMKBRuiJAgSiQAIuQoAkEBCKBmYwBWIZElIWDlCXB2iASNGaAphQCKQUzJEeSACAFKAABDIAHoEAAAAh0QSIoBBKFAIBCAMwAQJQAhAwhAxgAkkAIggAEABBgEBABDBBG7TASIRGWGAk4ERgRmSgAkLmBAQiAAkgQFIUEjcBJEhBQCaLD4AIcwE4gRjAgBBEpgREAARECjwHYUaCoAIUQslYljJDkgIgYlcRAQIxJDaRUUgDkgQIABQYQRgsgMAIRAxECIzNBkIHaSgIYCAIEyBIAiACtoGpJBAZEMC1GwEQALEFBSIXARKKCKKKE6nwCBdILVsQDExEYapMA8QQHgIUIGKiJGMkEDAFZCmkQQaAAhyAHGLiIAKkBkEIgpKKEAhABSAwhAAVgAIiGCAshMRgIgAPIAG2RGmAAGgiBApXAAoRQ4ABAgRVACgI4ACGADKiAVughAkEAACEAAEyAMYiEgFqBgoiAMAZJhEQEREbhQATGTEQMDaJVBwoEIkAOMJCBETBIogMSIiAAgySowAIdGgIJCCCUwMCBHIAACANcREUGNFECBAABIQRKrBomAAB0JxYQMCMgEgARJQpIAUABFagEjxiIMmiBMr1gXBAJFEggRuRGAWEGBaYABABAogAIBhEBUhADCYBMAoQEQIES1OCMBQrQBARAAjQgAAEFUIRIAZUmAoATRhJAkERqBU4ABtZDQEEmBEIghAGYABAQACcwkCEQgCICkwKoC5I8BQBk2FCsRAFMgAUgIAIgaJpiAQKiGiBQAgEarAADEBQVERCnHIEAGRgAAJjBrcAACBCgJBhALMCKYGIAZCBGMGYWFGSsoyICjCFCEiCBAIw+EYBBUEAJADCABtIVKxADIAjoBkgkQnDBR1RADzTgYwyGGjiA0wlgISM0a6FCCQAhAJkBBlkAQQqmIELTRyyETMYABj4jGiYYgAEQABAEAAphCBJIKAIcQHCIAgAIBCQwYASYaiFUAilAqiHQjKAYCiKAwoIIVACETAQ0QEQwQOEQYAgUxADBAAIFIJQGGQEQASSwQr0Ro0Ed0tkoIIozgIAAiIIKAAhKqIGABOGAgAJAiAQAIkIEBYCEJKJCAC0hpDQhQLIwSbEICxQECeoITJCICRAgCYAMFMGQVGCUMgAjlEEEIsggAjiioACwIRpiInTwVwVhoRVgRBVQEgxRCpmYGAwJAACADEjABHRoAQdABQAECAJohVCAIwsRIACHUAAxUgEQQBM2KUBjMgAAsCQgIUAgQAgAAUAQgEikSggIxAyQGADdUhACpSoKICoOpUYASABAAQQhkBYBlA==',
)!
const COMMON_BITS = 32_768

function isCommon(first: number, second: number): boolean {
  const bit = ((Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 7) & (COMMON_BITS - 1)
  return ((COMMON[bit >> 3]! >> (bit & 7)) & 1) === 1
}

const isJoined = (first: number, second: number): boolean => first !== 0 && first !== second && isCommon(first, second)

/** A character that is rarely part of the next word's token. */
const BACKSLASH = 92
const BAR = 124
const BARE = 0
const SPACED = 1
const JOINED = 2

const RARE_PAIR_TOKENS = 0.35
/** Factor that raises estimates slightly, so that real text almost never has more tokens than estimated. */
const MARGIN = 1.1

/**
 * Estimate the tokens of a text without a tokenizer. This is the default of `CountTokens`.
 *
 * The function splits the text like o200k_base and adds the average tokens of each part, in one pass. For most texts,
 * the estimate is about 10 % too high.
 *
 * @example
 * ```ts
 * import { estimateTokens } from '@spillway/text'
 *
 * console.assert(estimateTokens('') === 0)
 * console.assert(estimateTokens('a few plain words') < estimateTokens('0f3a9c7e1b5d2846'))
 * ```
 */
export function estimateTokens(text: string): number {
  return Math.ceil(scanTokens(text) * MARGIN)
}

/** Buffer for all texts except very large ones. Large texts are rarely counted whole, so they get their own buffer. */
const shared = new TextCodes()

function scanTokens(text: string): number {
  const end = text.length
  const codes = (end > WHOLE_UNITS ? new TextCodes() : shared).followedByZero(text)
  sum[0] = 0
  partEnd = 0
  partLead = BARE
  for (;;) {
    const index = scanUsual(codes, partEnd, end, partLead << ROW_BITS)
    if (index > end) return sum[0]
    sum[0] = scanPart(codes, index, end, partLead, sum[0])
  }
}

/** The sum so far. An array element, because V8 would allocate a new number for each change of a variable. */
const sum = new Float64Array(1)
let partEnd = 0
let partLead = BARE

/** Add the tokens of usual parts. Returns the start of an unusual part, or the end plus 1, and sets `partLead`. */
function scanUsual(codes: Uint16Array, from: number, end: number, first: number): number {
  let tokens = sum[0]!
  let at = 0
  let state = first
  let previous = 0
  let index = from
  for (; index <= end; index++) {
    // The end of the text is treated like a tab.
    const code = index < end ? codes[index]! : 9
    at = state | (code < 128 ? SYMBOLS[(previous << 7) | code]! : WIDE)
    previous = code & 127
    tokens += ADDED[at]!
    state = NEXT[at]!
    if (state === RESCAN << ROW_BITS) break
  }
  sum[0] = tokens
  partLead = LEADS[at >> ROW_BITS]!
  return index > end ? index : index - LENGTHS[at >> ROW_BITS]!
}

/** Add the tokens of the part at `from`, which may have any kind. Sets `partEnd` and `partLead`. */
function scanPart(codes: Uint16Array, from: number, end: number, lead: number, before: number): number {
  const first = codes[from]!
  const kind = CLASSES[first]!
  let tokens = before
  let index = from
  partLead = BARE
  if (kind >= LOWER) {
    let rare = 0
    let capitals = 0
    for (; index < end; index++) {
      const letter = CLASSES[codes[index]!]!
      const isCapital = (letter & UPPER) !== 0
      if (letter < LOWER || (isCapital && capitals < index - from)) break
      if (isCapital) capitals++
      if (index > from) rare += RARE[((CLASSES[codes[index - 1]!]! & 31) << 5) | (letter & 31)]!
    }
    tokens += wordTokens(index - from, capitals, rare, lead) + accentTokens(codes, from, index)
  } else if (kind === DIGIT) {
    while (index < end && CLASSES[codes[index]!] === DIGIT) index++
    tokens += Math.ceil((index - from) / 3) + (lead === BARE ? 0 : 1)
  } else if (kind === OTHER) {
    while (index < end && CLASSES[codes[index]!] === OTHER) index++
    const run = index - from
    if (run === 1 && lead === BARE && first !== BACKSLASH) partLead = JOINED
    else tokens += punctuationTokens(codes, from, run)
  } else if (kind <= NEWLINE) {
    let newlines = 0
    let changes = 0
    let repeats = 0
    let previous = 0
    for (; index < end; index++) {
      const code = codes[index]!
      const blank = CLASSES[code]!
      if (index > from && code === previous) repeats += BLANK_REPEATS[code]!
      else if (index > from && (code !== LINE_FEED || previous !== CARRIAGE_RETURN)) changes++
      if (blank < SPACE || blank > NEWLINE) break
      if (blank === NEWLINE) newlines++
      previous = code
    }
    if (lead !== BARE) tokens++
    // The last blank of a run belongs to the next word.
    const joins = newlines === 0 || previous === 32
    const run = index - from - (joins ? 1 : 0)
    if (run > 0) tokens += 1 + Math.floor(newlines > 0 ? run / 24 : run / 64)
    // Only indentation and empty lines form separate tokens.
    tokens += Math.max(0, changes - 4) / 2 + Math.floor(repeats)
    if (joins) partLead = SPACED
  } else {
    if (lead === JOINED) tokens++
    let previous = 0
    let joined = 0
    for (; index < end; index++) {
      let wide = codes[index]!
      if (CLASSES[wide]! < WIDE || CLASSES[wide]! >= LOWER) break
      if ((wide & 0xfc00) === 0xd800 && (codes[index + 1]! & 0xfc00) === 0xdc00) {
        const low = codes[index + 1]
        const isRun = codes[index - 4] === wide && codes[index - 3] === low && codes[index - 1] === low
        tokens += !isEmoji(wide) ? PAIR_TOKENS : isRun ? RUN_TOKENS : EMOJI_TOKENS
        index++
        wide = 0
      } else if (CLASSES[wide] === WIDE && isJoined(previous, wide)) {
        if (++joined > FREE_LETTERS) tokens += LONG_WORD_TOKENS
      } else {
        joined = 0
        tokens += wideTokens(wide, previous, previous === wide && codes[index - 2] === wide)
      }
      previous = wide
    }
  }
  partEnd = index
  return tokens
}

/** Whether a high surrogate mostly begins emoji. */
const isEmoji = (code: number): boolean => code >= 0xd83c && code <= 0xd83e
const EMOJI_TOKENS = 1.9
const PAIR_TOKENS = 3.6
/** Tokens of a character after two equal characters. The average of its class may be too low for a single character. */
const RUN_TOKENS = 2.3
/** Number of letters that share a token with the first letter of their word. */
const FREE_LETTERS = 4
const LONG_WORD_TOKENS = 0.37

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
/** Tokens of a blank that equals the previous blank, in addition to the tokens of the run. */
const BLANK_REPEATS = new Float64Array(128)
BLANK_REPEATS.fill(0.9, 11, 13)
BLANK_REPEATS[CARRIAGE_RETURN] = 1 / 2
BLANK_REPEATS[9] = 1 / 18
BLANK_REPEATS[LINE_FEED] = 1 / 60

function wordTokens(length: number, capitals: number, rare: number, lead: number): number {
  let tokens = WORD_COSTS[Math.min(capitals, 2)]![lead]![Math.min(length, LONGEST_WORD) - 1]!
  if (length > LONGEST_WORD) tokens += (length - LONGEST_WORD) * 0.4
  if (capitals > 1 && capitals < length) tokens += 0.4
  // A short word with several rare pairs is probably from a rare language, or not a word.
  if (rare > 1 && capitals === 0 && length <= LONGEST_WORD) tokens += (rare - 1) * 0.2
  return tokens + rare * RARE_PAIR_TOKENS
}

/** Tokens of a punctuation character that equals the previous character. Rules like `====` have few tokens. */
const PUNCTUATION_REPEATS = new Float64Array(128).fill(1 / 32)
for (const [characters, tokens] of [
  ['!:;', 1 / 15],
  ['<>?@^', 1 / 8],
  ['"$\'(),\\|', 1 / 4],
  ['&[]`{}', 1 / 2],
] as const)
  for (const character of characters) PUNCTUATION_REPEATS[character.charCodeAt(0)] = tokens

/** Count the tokens of a run. One repeated character has few tokens. Otherwise each character may be a token. */
function punctuationTokens(codes: Uint16Array, from: number, run: number): number {
  let changes = 0
  let bars = 0
  let repeats = 0
  let previous = codes[from]!
  for (let index = from + 1; index < from + run; index++) {
    const code = codes[index]!
    if (code === previous) repeats += PUNCTUATION_REPEATS[code]!
    else {
      changes++
      // A bar rarely shares a token with another character, for example in `<|end|>`.
      if (code === BAR || previous === BAR) bars++
    }
    previous = code
  }
  return markTokens(run, changes, bars, repeats)
}

function markTokens(run: number, changes: number, bars: number, repeats: number): number {
  if (run < 3) return 1.02 + bars / 2
  return 1 + (changes > 3 ? (changes - 3) * 0.72 + 0.9 : changes * 0.3 + bars / 2) + Math.floor(repeats)
}

function accentTokens(codes: Uint16Array, from: number, end: number): number {
  let tokens = 0
  for (let index = from; index < end; index++) {
    const code = codes[index]!
    if (code < 128) continue
    // Letters of Latin Extended-A, for example of Czech and Latvian, share fewer tokens than letters of Latin-1.
    const isExtended = code >= 0x100 && code < 0x180
    if (isJoined(index === 0 ? 0 : codes[index - 1]!, code)) tokens += isExtended ? 0.4 : 0.1
    else if (!isCommon(0, code) || (codes[index - 1] === code && codes[index - 2] === code)) tokens += 1.5
    else tokens += isExtended ? 1.2 : 0.5
  }
  return tokens
}

/** Symbols that are one token of o200k_base. */
const COMMON_SYMBOLS = new Uint8Array(0x3040)
for (const symbol of '\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿\u2002\u2003\u2005\u2009\u200a\u200b\u200c\u200d\u200e\u200f‐‑–—―‘’‚“”„‟†‡•․…\u2028\u202a\u202b\u202c\u202d\u202e\u202f‰′″‹›※‼\u2060\u2063₂₪€₹\u20e3℃№™ΩⅠⅡⅤⅴⅼ←↑→↓⇒∀∆−∙√∞∨≈≤≥≫①②③④⑤─━│┃├┣═║╗╝▀▄█▋░▒▓■□▪▫▬▲△▶▷►▼▽◆◇○◎●★☆☎☴☺♀♂♡♥♦♪♫✅✓✔✨❤➡⠀⭐⭕\u3000、。々〇〈〉《》「」『』【】〒〔〕〖〜')
  COMMON_SYMBOLS[symbol.charCodeAt(0)] = 1

function wideTokens(code: number, previous: number, isRun: boolean): number {
  if (CLASSES[code] === BYTES) return 2.75
  if (CLASSES[code] === HAN) return isRun ? RUN_TOKENS : isCommon(0, code) ? 0.75 : 2
  if (code < 0xa0) return code < 128 ? 1.6 : 1.9
  if (code === 0xfffd || (code >= 0xd800 && code < 0xe000)) return 1
  if (code < 0xc0 || (code >= 0x2000 && code < 0x2e00) || (code >= 0x3000 && code < 0x3040)) {
    if (COMMON_SYMBOLS[code] === 0) return 2.3
    return code === previous ? 0.73 : 1
  }
  if (isRun) return RUN_TOKENS
  if (isCommon(0, code)) return previous === 0 ? 0.67 : 1.24
  return code < 0x800 ? 2.8 : 3.2
}

/**
 * A table of states counts the usual parts of ASCII text. For each state and symbol, it has the tokens to add and the
 * next state. The states `BARE`, `SPACED` and `JOINED` follow a part. The symbol of a character depends on the previous
 * character. The second letter of a common pair has one symbol, and the second letter of a rare pair has the next
 * symbol. Other symbols are classes.
 */
const ROW_BITS = 4
const OTHER_BLANK = 5
const MARK_ALONE = 6
const SMALL = 7
const CAPITAL = 9
const NEXT_MARK = 11

/** State for an unusual part, which must be scanned again. */
const RESCAN = 3
const BLANK_STATE = 4
const MARKS = 5
/** Largest number of punctuation characters, digits, or blanks in a usual part. */
const LONGEST_RUN = 20
const NUMBERS = MARKS + LONGEST_RUN + 1
const BLANKS = NUMBERS + 2 * LONGEST_RUN
const WORDS = BLANKS + 2 * (LONGEST_RUN + 1)
const STATES = WORDS + 3 * 2 * 3 * LONGEST_WORD

const SYMBOLS = new Uint8Array(128 * 128)
const NEXT = new Uint16Array(STATES << ROW_BITS).fill(RESCAN << ROW_BITS)
const ADDED = new Float64Array(STATES << ROW_BITS)
/** For each state, the length of the part so far, and the state before the part. */
const LENGTHS = new Uint8Array(STATES)
const LEADS = new Uint8Array(STATES)

for (let code = 0; code < 128; code++) {
  const kind = CLASSES[code]!
  SYMBOLS[code] = kind < LOWER ? kind : kind < UPPER ? SMALL : CAPITAL
}
for (const code of [9, 11, 12, 13]) SYMBOLS[code] = OTHER_BLANK
SYMBOLS[BACKSLASH] = MARK_ALONE
for (let previous = 1; previous < 128; previous++) SYMBOLS.copyWithin(previous << 7, 0, 128)
for (let pair = 0; pair < 27 << 5; pair++) {
  const first = (pair >> 5) << 7
  const second = pair & 31
  if (RARE[pair] === 0 || first === 0 || second === 0 || second > 26) continue
  for (const previous of [first + (64 << 7), first + (96 << 7)])
    for (const code of [64 + second, 96 + second]) SYMBOLS[previous + code]!++
}
for (let first = 33; first < 127; first++) {
  for (let code = 33; CLASSES[first] === OTHER && code < 127; code++) {
    if (CLASSES[code] === OTHER)
      SYMBOLS[(first << 7) + code] = code === first || code === BAR || first === BAR ? WIDE : NEXT_MARK
  }
}

function addStep(state: number, symbol: number, next: number, tokens = 0): void {
  NEXT[(state << ROW_BITS) | symbol] = next << ROW_BITS
  ADDED[(state << ROW_BITS) | symbol] = tokens
}
/** Add a state. If its part ends, the part has `tokens`, and the next part begins in the state `leaves`. */
function addState(state: number, length: number, lead: number, tokens: number, leaves: number): void {
  LENGTHS[state] = length
  LEADS[state] = lead
  NEXT.copyWithin(state << ROW_BITS, leaves << ROW_BITS, (leaves << ROW_BITS) + NEXT_MARK)
  ADDED.fill(tokens, state << ROW_BITS, (state << ROW_BITS) + NEXT_MARK)
  addStep(state, WIDE, RESCAN)
}
/** Return the state of a word: in lower case, with one capital, or in upper case. */
const wordState = (shape: number, length: number, rare: number, lead: number): number =>
  length > LONGEST_WORD || rare > 1 ? RESCAN : WORDS + ((lead * 2 + rare) * 3 + shape) * LONGEST_WORD + length - 1

for (const lead of [BARE, SPACED, JOINED]) {
  const joins = lead === BARE ? 0 : 1
  LEADS[lead] = lead
  for (const rare of [0, 1]) {
    addStep(lead, SMALL + rare, wordState(0, 1, 0, lead))
    addStep(lead, CAPITAL + rare, wordState(1, 1, 0, lead))
  }
  addStep(lead, DIGIT, NUMBERS + joins * LONGEST_RUN)
  addStep(lead, SPACE, BLANKS + 1, joins)
  addStep(lead, NEWLINE, BLANKS + LONGEST_RUN + 1, joins)
  addStep(lead, OTHER_BLANK, BLANK_STATE, joins)
  addStep(lead, OTHER, MARKS + joins)
  addStep(lead, MARK_ALONE, MARKS + 1)
  for (let at = 0; at < 2 * LONGEST_WORD; at++) {
    const length = (at % LONGEST_WORD) + 1
    const rare = at < LONGEST_WORD ? 0 : 1
    for (const [shape, capitals] of [0, 1, length].entries()) {
      const state = wordState(shape, length, rare, lead)
      addState(state, length, lead, wordTokens(length, capitals, rare, lead), BARE)
      for (const more of [0, 1]) {
        addStep(state, SMALL + more, shape < 2 ? wordState(shape, length + 1, rare + more, lead) : RESCAN)
        if (capitals === length) addStep(state, CAPITAL + more, wordState(2, length + 1, rare + more, lead))
      }
    }
  }
}
LENGTHS[BLANK_STATE] = 1
addState(MARKS, 1, BARE, 0, JOINED)
for (const symbol of [SPACE, NEWLINE, OTHER_BLANK]) ADDED[(MARKS << ROW_BITS) | symbol] = 1
addStep(MARKS, NEXT_MARK, MARKS + 2)
for (let length = 1; length <= LONGEST_RUN; length++) {
  addState(MARKS + length, length, SPACED, markTokens(length, length - 1, 0, 0), BARE)
  if (length < LONGEST_RUN) addStep(MARKS + length, NEXT_MARK, MARKS + length + 1)
  for (const joins of [0, 1]) {
    const number = NUMBERS + joins * LONGEST_RUN + length - 1
    addState(number, length, joins * JOINED, Math.ceil(length / 3) + joins, BARE)
    addStep(number, DIGIT, length < LONGEST_RUN ? number + 1 : RESCAN)
  }
}
for (const lines of [0, 1]) {
  for (let blanks = 1 - lines; blanks <= LONGEST_RUN; blanks++) {
    const state = BLANKS + lines * (LONGEST_RUN + 1) + blanks
    addState(state, blanks + lines, BARE, blanks + lines > 1 ? 1 : lines, blanks > 0 ? SPACED : BARE)
    for (const symbol of [SPACE, NEWLINE, OTHER_BLANK])
      addStep(state, symbol, symbol === SPACE && blanks < LONGEST_RUN ? state + 1 : RESCAN)
  }
}

/** Length of a text, in UTF-16 units, up to which it is counted whole. Larger texts are sampled. */
const WHOLE_UNITS = 131_072
const SLICES = 64
const SLICE_UNITS = 1_024

/** Estimate the tokens of a large text. Over 128 K characters, 64 evenly spaced slices are counted. Deterministic. */
export function estimateLargeTokens(text: string, countTokens: CountTokens = estimateTokens): number {
  if (text.length <= WHOLE_UNITS) return countTokens(text)
  const step = (text.length - SLICE_UNITS) / (SLICES - 1)
  let tokens = 0
  for (let slice = 0; slice < SLICES; slice++) {
    const start = Math.floor(slice * step)
    tokens += countTokens(text.slice(start, start + SLICE_UNITS))
  }
  return Math.ceil((tokens / (SLICES * SLICE_UNITS)) * text.length)
}

/** Count the tokens of a text for a model. Must be deterministic. May be slow, since it gets texts of a few budgets. */
export type CountTokens = (text: string) => number

/** Wrap `countTokens` so that it throws a `TypeError` for invalid counts, which would make all comparisons wrong. */
export function checkedCountTokens(countTokens: CountTokens): CountTokens {
  return (text) => {
    const tokens: unknown = countTokens(text)
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens
    const got = typeof tokens === 'number' ? tokens : tokens instanceof Promise ? 'a promise' : typeof tokens
    throw new TypeError(`countTokens must return a number of tokens, 0 or more, got ${got}.`)
  }
}

/** Number of characters that are counted first, for each token of the limit. */
const UNITS_PER_TOKEN = 5
/** Number of tokens by which the start must exceed the limit, because the cut may split a token into several. */
const CUT_SLACK = 16

/** Return whether a text has more than `limit` tokens. Counts only as much of the text as necessary. */
export function longerThan(text: string, limit: number, countTokens: CountTokens): boolean {
  if (limit === Infinity) return false
  let units = Math.max(256, Math.ceil(limit) * UNITS_PER_TOKEN)
  for (; units < text.length; units *= 2) {
    if (countTokens(text.slice(0, units)) > limit + CUT_SLACK) return true
  }
  return countTokens(text) > limit
}

const STEP_UNITS = 65_536
const SAMPLE_UNITS = 1_024

/** Estimate the tokens of a text that arrives in chunks, from the first 1,024 of each 65,536 characters. */
export class TokenSampler {
  readonly #countTokens: CountTokens
  #position = 0
  #sample = ''
  #sampled = 0
  #tokens = 0

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  push(text: string): void {
    let at = 0
    while (at < text.length) {
      const offset = this.#position % STEP_UNITS
      const end = Math.min(text.length, at + (offset < SAMPLE_UNITS ? SAMPLE_UNITS : STEP_UNITS) - offset)
      if (offset < SAMPLE_UNITS) this.#sample += text.slice(at, end)
      this.#position += end - at
      at = end
      if (this.#sample.length === SAMPLE_UNITS) this.#count()
    }
  }

  /** Return the estimate for all text so far. */
  tokens(): number {
    this.#count()
    return this.#sampled === 0 ? 0 : Math.ceil((this.#tokens / this.#sampled) * this.#position)
  }

  #count(): void {
    this.#tokens += this.#countTokens(this.#sample)
    this.#sampled += this.#sample.length
    this.#sample = ''
  }
}
