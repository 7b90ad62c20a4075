import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import type { Question } from './subjects/subject.ts'

/** A generated pattern and its kind. */
export interface GeneratedPattern extends Question {
  readonly kind: string
}

const SEED = 2_026
const LEVELS = ['INFO', 'WARN', 'ERROR', 'DEBUG', 'FATAL']
const SERVICES = ['api-gateway', 'billing', 'catalog', 'search', 'auth', 'ledger', 'mailer', 'worker-7', 'kubelet']
const WORDS = [
  ...['timeout', 'upstream', 'retrying', 'connection', 'reset', 'cache', 'miss', 'shard', 'replica', 'lag'],
  ...['queue', 'drained', 'token', 'expired', 'container', 'handler', 'undefined', 'payment', 'refused', 'segfault'],
]
const FIELDS = ['status', 'bytes', 'dur', 'attempt', 'backoff', 'page', 'heap', 'order', 'pause']
const VERBS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']
const LITERALS = [
  ...['OOMKilled (137)', 'TypeError: cannot read', "reading 'id'", 'gc pause=', 'ledger.ts:', 'code=E7731'],
  ...['/v1/items/', '"level":"debug"', '"service":"auth"', 'processTicksAndRejections', 'pod=billing', 'no such line'],
]

type Random = () => number
type Write = (random: Random) => string

const pick = (random: Random, from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? ''
const count = (random: Random, least: number, most: number): number => least + Math.floor(random() * (most - least + 1))
const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
const several = (random: Random, from: readonly string[], least: number, most: number): readonly string[] => {
  const chosen = new Set<string>()
  for (const wanted = count(random, least, most); chosen.size < wanted;) chosen.add(pick(random, from))
  return [...chosen]
}
const anyOf = (random: Random, writers: readonly Write[]): string =>
  writers[Math.floor(random() * writers.length)]?.(random) ?? ''

/** Kinds of patterns that agents write: words of the log in the forms of everyday patterns. */
const KINDS: Readonly<Record<string, readonly Write[]>> = {
  literal: [
    (random) => pick(random, WORDS),
    (random) => escape(pick(random, LITERALS)),
    (random) => `${pick(random, WORDS)} ${pick(random, WORDS)}`,
    (random) => `${pick(random, LEVELS)} ${pick(random, SERVICES)}`,
    (random) => `${pick(random, FIELDS)}=${count(random, 1, 500)}`,
  ],
  alternation: [
    (random) => several(random, WORDS, 2, 5).join('|'),
    (random) => several(random, LITERALS, 2, 3).map(escape).join('|'),
    (random) => `(${several(random, LEVELS, 2, 3).join('|')}) +(${several(random, SERVICES, 2, 3).join('|')})`,
    (random) => `(?:${several(random, VERBS, 2, 3).join('|')}) /v1/items/${count(random, 1, 9)}`,
  ],
  class: [
    (random) => `req=[0-9a-f]{4}${count(random, 0, 9)}`,
    (random) => `[${pick(random, ['a-m', 'n-z', 'aeiou'])}]+-${count(random, 1, 9)}`,
    (random) => `${pick(random, LEVELS)}\\s+\\S+`,
    (random) => `"(?:msg|service)":"[^"]*${pick(random, WORDS)}`,
    (random) => `[A-Z][a-z]+(?:Error|Exception): ${pick(random, ['cannot', 'could', '[a-z]+'])}`,
  ],
  digits: [
    (random) => `status=${pick(random, ['4', '5', '[45]'])}\\d\\d`,
    (random) => `${pick(random, FIELDS)}=\\d{${count(random, 1, 3)},${count(random, 4, 6)}}`,
    (random) => `dur=${count(random, 1, 3)}\\d\\d\\.\\d+ms`,
    (random) => `T0${count(random, 0, 9)}:${count(random, 0, 5)}\\d:\\d\\d`,
    () => String.raw`(?:\d{1,3}\.){3}\d{1,3}`,
    (random) => `${pick(random, ['backoff', 'attempt'])}=\\d+`,
  ],
  anchored: [
    (random) => `^${pick(random, ['FATAL', 'ERROR', String.raw`\{"ts"`, String.raw`\d{4}-\d\d-\d\dT`])}`,
    (random) => `^\\s+at ${pick(random, ['async', 'process', 'Ledger', String.raw`\S+`])}`,
    (random) => `^\\S+ ${pick(random, LEVELS)} +${pick(random, SERVICES)}`,
    (random) => `${pick(random, ['ms', 'MB', 'code=E7731', String.raw`:\d+\)`, ...WORDS])}$`,
    (random) => `^FATAL.*${pick(random, ['order', 'code', 'refused'])}=?`,
  ],
  gap: [
    (random) => `${pick(random, LEVELS)}.*${pick(random, WORDS)}`,
    (random) => `${pick(random, LEVELS)}.*?${pick(random, FIELDS)}=`,
    (random) => `${pick(random, SERVICES)}.*${pick(random, VERBS)}.*status=${count(random, 2, 5)}`,
    (random) => `${pick(random, WORDS)}.*${pick(random, WORDS)}`,
    (random) => `req=.*?${pick(random, WORDS)}.*ms`,
  ],
  bounded: [
    (random) => `(?:\\w+ ){${count(random, 1, 2)},${count(random, 3, 4)}}attempt=${count(random, 1, 5)}`,
    (random) => `[0-9a-f]{8} ${pick(random, [...WORDS, ...VERBS])}`,
    (random) => `bytes=\\d{${count(random, 1, 5)}} dur`,
    (random) => `${pick(random, ['0', '1', '7', '9', 'a', 'f'])}{${count(random, 3, 6)}}`,
  ],
  edges: [
    (random) => `\\b${pick(random, [...WORDS, ...SERVICES])}\\b`,
    (random) => `\\b\\w+${pick(random, ['Error', 'Exception', 'Killed', 'ing', 'ed'])}\\b`,
    (random) => `\\b${pick(random, ['5', '4'])}\\d\\d\\b`,
    (random) => `\\b(?:${several(random, WORDS, 2, 3).join('|')})\\b`,
  ],
  optional: [
    (random) => `${pick(random, WORDS)}(?: ${pick(random, WORDS)})? attempt`,
    (random) => `(?:async )?handler \\(\\S+/${pick(random, SERVICES)}\\.ts`,
    (random) => `${pick(random, ['WARN(?:ING)?', 'ERR(?:OR)?', 'FATAL?', 'INFO?'])}\\s+${pick(random, SERVICES)}`,
    (random) => `${pick(random, SERVICES)}-?${count(random, 0, 9)}?`,
  ],
}

/** Generate this many different patterns of all kinds in turn, the same in each run. One in five ignores case. */
export function generatePatterns(wanted: number): readonly GeneratedPattern[] {
  const random = seededRandom(SEED)
  const generated = new Map<string, GeneratedPattern>()
  while (generated.size < wanted) {
    for (const [kind, writers] of Object.entries(KINDS)) {
      const written = anyOf(random, writers)
      const ignoreCase = random() < 0.2
      const pattern =
        ignoreCase && random() < 0.5 ? written.replaceAll(/(?<!\\)[A-Z]+/g, (text) => text.toLowerCase()) : written
      generated.set(`${ignoreCase} ${pattern}`, { kind, pattern, ignoreCase })
    }
  }
  return [...generated.values()].slice(0, wanted)
}
