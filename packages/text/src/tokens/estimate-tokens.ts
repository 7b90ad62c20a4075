import { decodeBase64 } from '#platform'
import { TextCodes } from '../shared/text-codes.ts'

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const SPACE = 4
const NEWLINE = 5
const WIDE = 6
const BYTES = 7
const HAN = 8

/** Class of each UTF-16 unit. A character of the class `BYTES` is one token for each of its three bytes. */
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

/** Numbers of letters from 1 to 26. A letter with an accent has the number and the class of its base letter. */
const LOWERS = new Uint8Array(65_536)
const UPPERS = new Uint8Array(65_536)
function addLetter(code: number, base: number): void {
  const isLower = base > 96
  CLASSES[code] = isLower ? LOWER : UPPER
  ;(isLower ? LOWERS : UPPERS)[code] = base & 31
}
for (let base = 65; base < 91; base++) {
  addLetter(base, base)
  addLetter(base + 32, base + 32)
}
for (const [first, end] of [
  [0xc0, 0x250],
  [0x1e00, 0x1f00],
] as const) {
  for (let code = first; code < end; code++) {
    const base = String.fromCharCode(code).normalize('NFD').charCodeAt(0)
    if (base < 128) addLetter(code, base)
  }
}

/** For each letter from a to z, the letters that often follow it. Other pairs rarely share a token. */
const COMMON_PAIRS =
  'bcdgilmnprstuvwy aeijloruy acehiklorstu adeilorsu abcdefgijlmnopqrstvwxy aefilorsu aehilnorstu aeiortu ' +
  'abcdefgklmnoprstvz aeosu aeis abdeilostuvy abeimopsu acdefgiklnopstuv bcdfiklmnoprstuvw aehiloprstu u ' +
  'acdefgiklmnorstuvy acehiklmopqstuwy acehilmoprstuwy abcdefilmnprst aeio aehinor aceipt bemnopst aeio'
const RARE = new Uint8Array(1024).fill(1)
for (const [first, seconds] of COMMON_PAIRS.split(' ').entries()) {
  for (const second of seconds) RARE[((first + 1) << 5) | (second.charCodeAt(0) & 31)] = 0
}

/** Longest word in the tables. Each further letter costs 0.4 tokens. */
const LONGEST_WORD = 16

/**
 * Average tokens of a run of letters by its length (1 to 16). A preceding space or other character is included. The
 * numbers were measured with o200k_base over logs, JSON, tables, HTML, source code, terminal output and agent
 * transcripts.
 */
const WORD_COSTS: Record<'lower' | 'capital' | 'upper', Record<'bare' | 'spaced' | 'joined', readonly number[]>> = {
  lower: {
    bare: [1, 1.02, 1.1, 1.1, 1.15, 1.26, 1.32, 1.4, 1.5, 2.0, 2.1, 2.6, 2.8, 3.4, 4, 4.2],
    spaced: [1, 1, 1.02, 1.03, 1.05, 1.1, 1.12, 1.15, 1.2, 1.27, 1.3, 1.5, 1.6, 1.9, 2.1, 2.6],
    joined: [1.08, 1.25, 1.28, 1.33, 1.36, 1.5, 1.72, 1.95, 2.2, 2.3, 2.4, 2.6, 3, 3.4, 3.8, 4.1],
  },
  capital: {
    bare: [1, 1.14, 1.17, 1.17, 1.17, 1.22, 1.3, 1.36, 1.5, 1.5, 1.6, 1.8, 1.9, 2.2, 2.6, 3.2],
    spaced: [1, 1.02, 1.04, 1.1, 1.18, 1.2, 1.2, 1.25, 1.55, 1.6, 1.8, 1.9, 2, 2.3, 2.7, 2.9],
    joined: [1.05, 1.98, 1.9, 1.9, 2, 2.14, 2.1, 2.3, 2.5, 2.4, 2.5, 2.7, 3.2, 3.4, 4, 4.3],
  },
  upper: {
    bare: [1, 1.05, 1.62, 1.79, 1.96, 2.24, 3.14, 3.25, 4.03, 4.48, 4.82, 5.04, 5.38, 5.6, 6.05, 7.28],
    spaced: [1, 1, 1.46, 1.51, 1.57, 1.68, 2.07, 2.24, 3.14, 3.25, 3.7, 3.92, 4.03, 4.26, 4.48, 4.82],
    joined: [1.05, 1.74, 2.15, 2.07, 2.46, 2.46, 2.69, 2.8, 3.47, 3.7, 4.7, 4.82, 4.93, 5.04, 5.15, 5.6],
  },
}

/**
 * One bit for each character beyond ASCII that is one token of o200k_base, and for each pair of letters that usually
 * shares one. `benchmarks/tokens/common-pairs.ts` prints it. Because of equal hashes, a quarter of all other pairs have
 * a bit, too.
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

const COSTS = new Float64Array(9 * (LONGEST_WORD + 1))
for (const [letters, kind] of [WORD_COSTS.lower, WORD_COSTS.capital, WORD_COSTS.upper].entries()) {
  for (const [lead, costs] of [kind.bare, kind.spaced, kind.joined].entries()) {
    for (const [index, cost] of costs.entries()) COSTS[(letters * 3 + lead) * (LONGEST_WORD + 1) + index + 1] = cost
  }
}

const RARE_PAIR_TOKENS = 0.35
/** Factor that makes estimates slightly too high, so that real text almost never has more tokens. */
const MARGIN = 1.1

/**
 * Estimate the tokens of a text without a tokenizer. This is the default of `CountTokens`.
 *
 * It splits the text like o200k_base, and adds the average tokens of each part, in one pass. For most text, the
 * estimate is about a tenth too high.
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

/** Used for all texts except very large ones, which are seldom counted whole. */
const shared = new TextCodes()

function scanTokens(text: string): number {
  const end = text.length
  const codes = (end > WHOLE_UNITS ? new TextCodes() : shared).of(text)
  let tokens = 0
  let lead = BARE
  let index = 0
  while (index < end) {
    const code = codes[index]!
    const kind = CLASSES[code]!
    if (kind === LOWER || kind === UPPER) {
      const from = index++
      let rare = 0
      let accents = code > 127 ? accentTokens(text, from) : 0
      let previous = kind === UPPER ? UPPERS[code]! : LOWERS[code]!
      let letter: number
      if (kind === UPPER) {
        for (; index < end && (letter = UPPERS[codes[index]!]!) !== 0; index++) {
          rare += RARE[(previous << 5) | letter]!
          previous = letter
          if (codes[index]! > 127) accents += accentTokens(text, index)
        }
      }
      const capitals = kind === UPPER ? index - from : 0
      for (; index < end && (letter = LOWERS[codes[index]!]!) !== 0; index++) {
        rare += RARE[(previous << 5) | letter]!
        previous = letter
        if (codes[index]! > 127) accents += accentTokens(text, index)
      }
      tokens += wordTokens(index - from, capitals, rare, lead) + accents
      lead = BARE
    } else if (kind === DIGIT) {
      const from = index++
      while (index < end && CLASSES[codes[index]!] === DIGIT) index++
      tokens += Math.ceil((index - from) / 3) + (lead === BARE ? 0 : 1)
      lead = BARE
    } else if ((code === 32 || code === LINE_FEED) && isAlone(index + 1 < end ? CLASSES[codes[index + 1]!]! : SPACE)) {
      if (lead !== BARE) tokens++
      if (code === LINE_FEED) tokens++
      lead = code === 32 ? SPACED : BARE
      index++
    } else if (kind === SPACE || kind === NEWLINE) {
      const from = index
      let newlines = 0
      let next: number = kind
      let nextCode = code
      let changes = 0
      let repeats = 0
      while (next >= SPACE && next <= NEWLINE) {
        if (next === NEWLINE) newlines++
        if (++index >= end) break
        const previous = nextCode
        nextCode = codes[index]!
        next = CLASSES[nextCode]!
        if (nextCode === previous) repeats += BLANK_REPEATS[nextCode]!
        else if (nextCode !== LINE_FEED || previous !== CARRIAGE_RETURN) changes++
      }
      if (lead !== BARE) tokens++
      // The last blank of a run belongs to the next word.
      const joins = newlines === 0 || codes[index - 1] === 32
      const run = index - from - (joins ? 1 : 0)
      if (run > 0) tokens += 1 + Math.floor(newlines > 0 ? run / 24 : run / 64)
      // Only indentation and empty lines are separate tokens.
      tokens += Math.max(0, changes - 4) / 2 + Math.floor(repeats)
      lead = joins ? SPACED : BARE
    } else if (kind === OTHER) {
      const from = index++
      while (index < end && CLASSES[codes[index]!] === OTHER) index++
      const run = index - from
      if (run === 1 && lead === BARE && code !== BACKSLASH) lead = JOINED
      else {
        tokens += punctuationTokens(text, from, run)
        lead = BARE
      }
    } else {
      if (lead === JOINED) tokens++
      lead = BARE
      let previous = 0
      let joined = 0
      for (let wide = code; ; previous = wide, wide = codes[index]!) {
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
        if (++index >= end || CLASSES[codes[index]!]! < WIDE) break
      }
    }
  }
  return tokens + (lead === BARE ? 0 : 1)
}

/** Whether a blank before a character of this class is a run of its own, as most blanks are. */
const isAlone = (next: number): boolean => next < SPACE || next > NEWLINE

/** Whether a high surrogate is mostly used for emoji. */
const isEmoji = (code: number): boolean => code >= 0xd83c && code <= 0xd83e
const EMOJI_TOKENS = 1.9
const PAIR_TOKENS = 3.6
/** Tokens of a character after two equal ones. Those of its class are an average, which one character can exceed. */
const RUN_TOKENS = 2.3
/** Number of letters that share the token of the first letter of their word. */
const FREE_LETTERS = 4
const LONG_WORD_TOKENS = 0.37

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
/** Tokens of a blank that equals the one before it, in addition to those of its run. */
const BLANK_REPEATS = new Float64Array(128)
BLANK_REPEATS.fill(0.9, 11, 13)
BLANK_REPEATS[CARRIAGE_RETURN] = 1 / 2
BLANK_REPEATS[9] = 1 / 18
BLANK_REPEATS[LINE_FEED] = 1 / 60

function wordTokens(length: number, capitals: number, rare: number, lead: number): number {
  const mixed = capitals > 1 && capitals < length
  const letters = capitals === 0 ? 0 : capitals > 1 ? 2 : 1
  const size = length > LONGEST_WORD ? LONGEST_WORD : length
  let tokens = COSTS[(letters * 3 + lead) * (LONGEST_WORD + 1) + size]!
  if (length > LONGEST_WORD) tokens += (length - LONGEST_WORD) * 0.4
  if (mixed) tokens += 0.4
  // Several rare pairs make a short word one of a rare language, or no word.
  if (rare > 1 && capitals === 0 && length <= LONGEST_WORD) tokens += (rare - 1) * 0.2
  return tokens + rare * RARE_PAIR_TOKENS
}

/** Tokens of a punctuation character that equals the one before it. Rules such as `====` have few tokens. */
const PUNCTUATION_REPEATS = new Float64Array(128).fill(1 / 32)
for (const [characters, tokens] of [
  ['!:;', 1 / 15],
  ['<>?@^', 1 / 8],
  ['"$\'(),\\|', 1 / 4],
  ['&[]`{}', 1 / 2],
] as const)
  for (const character of characters) PUNCTUATION_REPEATS[character.charCodeAt(0)] = tokens

/** Runs of one repeated character have few tokens. In other runs, each character may be one token. */
function punctuationTokens(text: string, from: number, run: number): number {
  if (run === 1) return 1.02
  let changes = 0
  let bars = 0
  let repeats = 0
  let previous = text.charCodeAt(from)
  for (let index = from + 1; index < from + run; index++) {
    const code = text.charCodeAt(index)
    if (code === previous) repeats += PUNCTUATION_REPEATS[code]!
    else {
      changes++
      // A bar rarely shares a token with another character, for example in `<|end|>`.
      if (code === BAR || previous === BAR) bars++
    }
    previous = code
  }
  if (run === 2) return 1.02 + bars / 2
  return 1 + (changes > 3 ? (changes - 3) * 0.72 + 0.9 : changes * 0.3 + bars / 2) + Math.floor(repeats)
}

/** Returns the tokens that a letter with an accent adds to its word. */
function accentTokens(text: string, index: number): number {
  const code = text.charCodeAt(index)
  const previous = index === 0 ? 0 : text.charCodeAt(index - 1)
  if (isJoined(previous, code)) return 0.1
  return isCommon(0, code) && !(previous === code && text.charCodeAt(index - 2) === code) ? 0.5 : 1.5
}

/** The symbols that are one token of o200k_base. */
const COMMON_SYMBOLS = new Uint8Array(0x3040)
for (const symbol of '\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿\u2002\u2003\u2005\u2009\u200a\u200b\u200c\u200d\u200e\u200f‐‑–—―‘’‚“”„‟†‡•․…\u2028\u202a\u202b\u202c\u202d\u202e\u202f‰′″‹›※‼\u2060\u2063₂₪€₹\u20e3℃№™ΩⅠⅡⅤⅴⅼ←↑→↓⇒∀∆−∙√∞∨≈≤≥≫①②③④⑤─━│┃├┣═║╗╝▀▄█▋░▒▓■□▪▫▬▲△▶▷►▼▽◆◇○◎●★☆☎☴☺♀♂♡♥♦♪♫✅✓✔✨❤➡⠀⭐⭕\u3000、。々〇〈〉《》「」『』【】〒〔〕〖〜')
  COMMON_SYMBOLS[symbol.charCodeAt(0)] = 1

/** Returns the tokens of a character that does not share a token with the one before it. */
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

/** Length up to which a text is counted whole, in UTF-16 units. Larger texts are sampled. */
const WHOLE_UNITS = 131_072
const SLICES = 64
const SLICE_UNITS = 1_024

/** Estimate the tokens of a large text. Beyond 128 K characters, 64 evenly spaced slices are used. Deterministic. */
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

/** Count the tokens of a text for a model. Must be deterministic. May be slow: texts are a few times the budget. */
export type CountTokens = (text: string) => number

/** Wrap `countTokens` so that it throws a `TypeError` for invalid counts, which would break every comparison. */
export function checkedCountTokens(countTokens: CountTokens): CountTokens {
  return (text) => {
    const tokens: unknown = countTokens(text)
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens
    throw new TypeError(`countTokens must return a number of tokens, 0 or more, got ${describe(tokens)}.`)
  }
}

const describe = (value: unknown): string =>
  typeof value === 'number' ? String(value) : value instanceof Promise ? 'a promise' : typeof value

/** Number of characters to count first, for each token of the limit. */
const UNITS_PER_TOKEN = 5
/** Number of tokens by which the start must exceed the limit, because a cut may split one token into several. */
const CUT_SLACK = 16

/** Return whether a text has more than `limit` tokens. Only as much of it as necessary is counted. */
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
