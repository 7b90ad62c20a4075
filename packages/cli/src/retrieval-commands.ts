import type { RetrievalCall, RetrievalGuide } from '@spillway/core'
import { quoteForShell } from './output.ts'
import { programName } from './program-name.ts'

/** Write a retrieval as a command. Without a reference, write only its options. */
export function formatCommand(call: RetrievalCall, storeArguments = '', program: string = programName()): string {
  const options = formatOptions(call, '--pattern')
  const [reference = call.reference, ...others] = call.references ?? []
  if (reference === undefined) return options.join(' ')
  const shown = [reference, ...others].map(shownReference).join(' ')
  // Without a filter, a pipe gets all bytes, which an agent would read.
  if (options.length === 0) options.push('--raw > FILE')
  return [`${program} get ${shown}${storeArguments}`, ...options].join(' ')
}

/** Write a search of the whole scope as a command. */
export function formatGrep(call: RetrievalCall, storeArguments = ''): string {
  return [`${programName()} grep${storeArguments}`, ...formatOptions(call, '-e')].join(' ')
}

function formatOptions(call: RetrievalCall, patternOption: string): string[] {
  const { line_range: range, byte_range: bytes } = call
  const text = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, quoteForShell(value)]
  const count = (name: string, value: number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)]
  const flag = (name: string, value: boolean | undefined): string[] => (value === true ? [name] : [])
  return [
    ...text(patternOption, call.pattern),
    ...text('--query', call.query),
    ...text('--json-path', call.json_path),
    ...text('--sql', call.sql),
    ...text('--lines', range === undefined ? undefined : `${range.start}:${range.end}`),
    ...text('--bytes', bytes === undefined ? undefined : `${bytes.start}:${bytes.end}`),
    ...count('--context', call.context_lines),
    ...flag('--ignore-case', call.ignore_case),
    ...flag('--count', call.count_only),
    ...flag('--from-end', call.from_end),
    ...count('--after', call.after),
    ...text('--wait', call.wait_seconds === undefined ? undefined : `${call.wait_seconds}s`),
  ]
}

/** Create the retrieval help for agents that have a shell but no retrieval tool. */
export function commandGuide(storeArguments: string, program: string = programName()): RetrievalGuide {
  return {
    instructions: ([reference = 'REFERENCE'], isText = true) => {
      const command = `${program} get ${reference}${storeArguments}`
      if (!isText) return [`It is binary. To write it to a file: ${command} --raw > FILE`]
      return [
        'If you need more, run:',
        `  ${command} --pattern REGEX   (matching lines with context; --ignore-case, --context N)`,
        `  ${command} --lines A:B       (a span of lines)`,
        `  ${command} --raw             (everything: only into a file or a pipe)`,
      ]
    },
    formatCall: (call) => formatCommand(call, storeArguments, program),
  }
}

/** Create the retrieval help for one reference. It is one line, because a history has many references. */
export const referenceGuide = (storeArguments: string): RetrievalGuide => ({
  instructions: ([reference = 'REFERENCE'], isText = true) => [
    `${programName()} get ${quoteForShell(reference)}${storeArguments} reads it${isText ? ' (--pattern REGEX, --lines A:B)' : ''}.`,
  ],
  formatCall: (call) => formatCommand(call, storeArguments),
})

/** Retrieval help for content that will not be available later. */
export const NO_RETRIEVAL: RetrievalGuide = {
  instructions: () => [
    'What is not shown is gone: it was kept in memory only (--store memory:). Run it again for more.',
  ],
  formatCall: () => 'not kept',
}

/** Return a reference for an example. In a shell, the `<` of a placeholder such as `<reference>` would redirect. */
const shownReference = (reference: string): string =>
  reference.startsWith('<') ? reference.slice(1, -1).toUpperCase() : quoteForShell(reference)
