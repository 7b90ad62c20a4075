import { countsNothing, isAdvice, isCommand, isHarmless, isLeveledLow, isProgress } from './line-tone.ts'
import { LineWords, LOOKED_AT_END, LOOKED_AT_START } from './line-words.ts'
import { GENERAL_RULES, WARNING_RULE } from './rules/general-words.ts'
import type { LineRule, SignalKind } from './rules/line-rule.ts'
import { LOG_RULES } from './rules/log-rules.ts'
import { bitsOfWords } from './signal-words.ts'

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

interface Gated extends LineRule {
  readonly bits: number
}

const gated = (rule: LineRule): Gated => ({ ...rule, bits: bitsOfWords(rule.words) })
const RULES = LOG_RULES.map(gated)
const GENERAL = GENERAL_RULES.map(gated)
const WARNING = gated(WARNING_RULE)

/** A warning, with no word of failure beside it, is no more than that. */
const FAILURE = /err|fail|exce|fatal|panic|abort|exit|cannot|unable|denied|✖|✗/i

/** At least three words. */
const SENTENCE = /\S\s+\S+\s+\S/

/** A line that announces what stands below it. */
const HEADING =
  /:\s*$|^[_=!─-]{2,} .*[_=!─-]{3,}|\bFAILURES\b|Traceback \(most recent|-{3} FAIL: |\bFAILED$|<<< (?:FAILURE|ERROR)!$|:-\(\s*$|^\s*(?:\d+\)|[●✕✘×]) /

const words = new LineWords()

/** Tell how much a cleaned line matters on its own. Pure: the same line always has the same signal. */
export function lineSignal(line: string): LineSignal {
  words.read(line, 0, line.length)
  const { bits } = words
  if (bits === 0) return NO_SIGNAL
  if (line.length <= LOOKED_AT_START + LOOKED_AT_END) return classify(line, bits)
  const signal = classify(`${line.slice(0, LOOKED_AT_START)} ${line.slice(-LOOKED_AT_END)}`, bits)
  if (signal.at < LOOKED_AT_START) return signal
  return { ...signal, at: signal.at + line.length - LOOKED_AT_START - LOOKED_AT_END - 1 }
}

function classify(text: string, bits: number): LineSignal {
  const warning = find(WARNING, text, bits)
  const command = isCommand(text)
  if (!command) {
    for (const rule of RULES) {
      const at = find(rule, text, bits)
      if (at < 0) continue
      const { kind, weight } = rule
      // What calls itself a warning is one, unless it speaks of failure or a rule knows better.
      if (warning >= 0 && kind !== 'exit' && (weight < LIKELY || (weight < FIRM && !FAILURE.test(text)))) break
      if (weight < SURE && (isHarmless(text) || ((weight < FIRM || kind === 'error') && isLeveledLow(text))))
        return { kind: 'none', weight: 8, at, heads: false }
      if (kind !== 'exit' && isAdvice(text)) return { kind, weight: 30, at, heads: false }
      return { kind, weight, at, heads: HEADING.test(text) }
    }
  }
  if (isHarmless(text) || isAdvice(text) || countsNothing(text) || isLeveledLow(text)) return NO_SIGNAL
  const damp = command ? 0.25 : isProgress(text) ? 0.4 : 1
  if (warning < 0) {
    for (const rule of GENERAL) {
      const at = find(rule, text, bits)
      if (at < 0) continue
      // A bare word or name reports nothing.
      if (!SENTENCE.test(text)) return NO_SIGNAL
      return { kind: damp < 1 ? 'none' : rule.kind, weight: rule.weight * damp, at, heads: HEADING.test(text) }
    }
    return NO_SIGNAL
  }
  return { kind: 'warning', weight: WARNING.weight * damp, at: warning, heads: HEADING.test(text) }
}

/** Where a rule applies, or -1. */
function find(rule: Gated, text: string, bits: number): number {
  return (rule.bits & bits) === 0 ? -1 : text.search(rule.pattern)
}
