import type { RetrievalCall, RetrievalGuide } from '@spillway/core'
import { quoteForShell } from './format.ts'

/**
 * Write a retrieval as the command that makes it. Without a reference in the call, only its options: what stands in a
 * preview belongs to the one reference below it.
 *
 * @param storeArguments - What the command needs to find the store, each word with a space before it.
 */
export function formatCommand(call: RetrievalCall, storeArguments = ''): string {
  const { reference, pattern, line_range: range, context_lines: context, ignore_case: ignoreCase } = call
  const words: string[] = []
  if (pattern !== undefined) words.push('--pattern', quoteForShell(pattern))
  if (range !== undefined) words.push('--lines', `${range.start}:${range.end}`)
  if (context !== undefined) words.push('--context', String(context))
  if (ignoreCase === true) words.push('--ignore-case')
  if (reference === undefined) return words.join(' ')
  return [`spillway get ${shownReference(reference)}${storeArguments}`, ...words].join(' ')
}

/** Say in a replacement how somebody who has a shell, and no retrieval tool, gets more. */
export function commandGuide(storeArguments: string): RetrievalGuide {
  return {
    instructions: ([reference = 'REFERENCE']) => {
      const command = `spillway get ${reference}${storeArguments}`
      return [
        'If you need more, run:',
        `  ${command} --pattern REGEX   (matching lines with context; --ignore-case, --context N)`,
        `  ${command} --lines A:B       (a span of lines)`,
        `  ${command} --raw             (everything: only into a file or a pipe)`,
      ]
    },
    formatCall: (call) => formatCommand(call, storeArguments),
  }
}

/** What a replacement says where nothing is kept. */
export const NO_RETRIEVAL: RetrievalGuide = {
  instructions: () => [
    'What is not shown is gone: it was kept in memory only (--store memory:). Run it again for more.',
  ],
  formatCall: () => 'not kept',
}

/** A placeholder such as `<reference>` would be a redirection in a shell. */
const shownReference = (reference: string): string =>
  reference.startsWith('<') ? reference.slice(1, -1).toUpperCase() : quoteForShell(reference)
