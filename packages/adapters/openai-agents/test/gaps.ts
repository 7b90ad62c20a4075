/** Reasons why the SDK cannot support a case, by the case's id. */
import { isOldest } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const NO_MARK = 'The SDK changes errors of tools to text before any hook, and does not mark them as errors.'
const NO_ID = 'The SDK fails for calls with an empty id.'
const ONE_RESULT = 'The program, too, gets the replacement that a guardrail makes.'
const JSON_AS_TEXT = 'The SDK changes values to JSON text before the filter, and text is stored byte for byte.'

const NOT_WRAPPED = 'A tool resolves references only if offloadTools has wrapped it. Otherwise, the runner rejects.'

const EVERYWHERE: Gaps = {
  'errors/what-the-offloader-is-told': NO_MARK,
  ...(isOldest ? {} : { 'calls/hostile-id-empty': NO_ID }),
}

/** Gaps of tools with a guardrail. */
export const TOOLS_GAPS: Gaps = { ...EVERYWHERE, 'outputs/text': ONE_RESULT, 'outputs/json': ONE_RESULT }

/** Gaps of unwrapped tools, whose results the runner replaces. */
export const RUNNER_GAPS: Gaps = {
  ...EVERYWHERE,
  'results/large-json-lines': JSON_AS_TEXT,
  'references/resolved': NOT_WRAPPED,
  'references/refused': NOT_WRAPPED,
  'references/schema': NOT_WRAPPED,
  'references/not-opted-in': NOT_WRAPPED,
  'references/allowed': NOT_WRAPPED,
  'references/approval': NOT_WRAPPED,
}
