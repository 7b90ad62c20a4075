import { ChatBuilder, type ReadChat } from './chat-builder.ts'

/** Agents of Magentic-One whose messages are treated as tool results. */
const TOOLS: ReadonlySet<string> = new Set(['WebSurfer', 'FileSurfer', 'ComputerTerminal'])

/**
 * Read a log of Magentic-One from the view of its orchestrator: its consecutive messages become one message. An agent
 * that acts for it becomes a tool. A call has no arguments, because the request is in the text.
 */
export function readWhoAndWhen(file: string): ReadChat {
  const builder = new ChatBuilder()
  let turn = 0
  let before = ''
  for (const { role, content } of (
    JSON.parse(file) as { readonly history: readonly { readonly role: string; readonly content: string }[] }
  ).history) {
    const speaker = role.replace(/ \(.*\)$/, '')
    if (speaker === 'human') builder.say('user', content)
    else if (TOOLS.has(speaker)) {
      if (before !== 'Orchestrator') turn += 1
      builder.result(builder.call({ name: speaker, input: {} }, String(turn), false), content)
    } else {
      if (speaker !== before) turn += 1
      builder.write(content, String(turn))
    }
    before = speaker
  }
  return builder.build()
}
