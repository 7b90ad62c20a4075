import { countsNothing, isAdvice, isCommand, isHarmless, isLeveledLow, isProgress } from './line-tone.ts'
import { LineWords, LOOKED_AT_END, LOOKED_AT_START } from './line-words.ts'
import type { SignalKind } from './rules/line-rule.ts'
import { ALL_RULES, FIRST_GENERAL, RULE_SETS, SET_BITS, WARNING } from './telling-words.ts'

/** How much a line matters on its own, from 0 to 100, and where in it that shows. */
export interface LineSignal {
  readonly kind: SignalKind
  readonly weight: number
  /** Index of the match in UTF-16 units. */
  readonly at: number
  /** Whether the line is a heading: what it announces stands below it. */
  readonly heads: boolean
}

export const NO_SIGNAL: LineSignal = { kind: 'none', weight: 0, at: 0, heads: false }

/** Rules of this weight or more speak of the end itself, whatever else a line says. */
const SURE = 95
/** Rules of less weight say nothing on a line that says itself that it is of no importance. */
const FIRM = 85
/** Rules of less weight say less than the word "warning" does. */
const LIKELY = 72

/** A warning, with no word of failure beside it, is no more than that. */
const FAILURE = /err|fail|exce|fatal|panic|abort|exit|cannot|unable|denied|✖|✗/i

/** At least three words. */
const SENTENCE = /\S\s+\S+\s+\S/

/** A line that announces what stands below it. */
const HEADING =
  /^(?:[_=!─-]{2,} .{0,200}?[_=!─-]{3}|\s*(?:\d+\)|[●✕✘×]) |Traceback \(most recent|={3,} FAILURES)|-{3} FAIL: |(?::|\bFAILED|<<< (?:FAILURE|ERROR)!|:-\()$/

/** Sets of rules, see {@link rulesOf}. */
type RuleSets = LineWords['rules']

const words = new LineWords()

/** Tell how much a cleaned line matters on its own. Pure: the same line always has the same signal. */
export function lineSignal(line: string): LineSignal {
  words.read(line, 0, line.length, true)
  return words.telling ? signalByRules(line, words.rules) : NO_SIGNAL
}

/** The same for a line of which it is known which rules its words call for, see {@link LineWords.rules}. */
export function signalByRules(line: string, rules: RuleSets): LineSignal {
  if (line.length <= LOOKED_AT_START + LOOKED_AT_END) return classify(line, rules)
  const signal = classify(`${line.slice(0, LOOKED_AT_START)} ${line.slice(-LOOKED_AT_END)}`, rules)
  if (signal.at < LOOKED_AT_START) return signal
  return { ...signal, at: signal.at + line.length - LOOKED_AT_START - LOOKED_AT_END - 1 }
}

/** Apply the rules that a line calls for. */
function classify(text: string, rules: RuleSets): LineSignal {
  const warning = callsFor(rules, WARNING) ? text.search(ALL_RULES[WARNING]!.pattern) : -1
  let index = nextRule(rules, 0)
  for (; index < FIRST_GENERAL; index = nextRule(rules, index + 1)) {
    const { kind, weight, pattern } = ALL_RULES[index]!
    const at = text.search(pattern)
    if (at < 0) continue
    if (isCommand(text)) break
    // What calls itself a warning is one, unless it speaks of failure or a rule knows better.
    if (warning >= 0 && kind !== 'exit' && (weight < LIKELY || (weight < FIRM && !FAILURE.test(text)))) break
    if (weight < SURE && (isHarmless(text) || ((weight < FIRM || kind === 'error') && isLeveledLow(text))))
      return { kind: 'none', weight: 8, at, heads: false }
    if (kind !== 'exit' && isAdvice(text)) return { kind, weight: 30, at, heads: false }
    return { kind, weight, at, heads: HEADING.test(text) }
  }
  if (warning >= 0) return isNothing(text) ? NO_SIGNAL : signalOf(WARNING, warning, text)
  for (index = nextRule(rules, FIRST_GENERAL); index < WARNING; index = nextRule(rules, index + 1)) {
    const at = text.search(ALL_RULES[index]!.pattern)
    if (at < 0) continue
    // A bare word or name reports nothing.
    return SENTENCE.test(text) && !isNothing(text) ? signalOf(index, at, text) : NO_SIGNAL
  }
  return NO_SIGNAL
}

/** What a general rule tells of a line, less where the line names many things in passing. */
function signalOf(index: number, at: number, text: string): LineSignal {
  const { kind, weight } = ALL_RULES[index]!
  const damp = isCommand(text) ? 0.25 : isProgress(text) ? 0.4 : 1
  return { kind: damp < 1 && kind !== 'warning' ? 'none' : kind, weight: weight * damp, at, heads: HEADING.test(text) }
}

function isNothing(text: string): boolean {
  return isHarmless(text) || isAdvice(text) || countsNothing(text) || isLeveledLow(text)
}

function callsFor(rules: RuleSets, index: number): boolean {
  return (rules[Math.floor(index / SET_BITS)]! & (1 << (index % SET_BITS))) !== 0
}

/** The next rule, from an index on, that is called for. */
function nextRule(rules: RuleSets, from: number): number {
  let set = Math.floor(from / SET_BITS)
  let bits = set < RULE_SETS ? rules[set]! & (-1 << (from % SET_BITS)) : 0
  while (bits === 0 && ++set < RULE_SETS) bits = rules[set]!
  return set < RULE_SETS ? set * SET_BITS + 31 - Math.clz32(bits & -bits) : Infinity
}
