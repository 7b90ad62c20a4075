import type { RetrievalGuide } from '@spillway/core'
import { quoteForShell } from '../format.ts'
import { formatCommand } from '../retrieval-commands.ts'

/** How an agent reads on in what was stored: by its retrieval tool, or by commands in its shell. */
export type Reading = 'tool' | 'command'

/** Say in one line beside a reference how somebody who has a shell reads it: a history has many of them. */
export const referenceGuide = (storeArguments: string): RetrievalGuide => ({
  instructions: ([reference = 'REFERENCE'], isText = true) => [
    `spillway get ${quoteForShell(reference)}${storeArguments} reads it${isText ? ' (--pattern REGEX, --lines A:B)' : ''}.`,
  ],
  formatCall: (call) => formatCommand(call, storeArguments),
})
