import { ChatBuilder, type ReadChat } from './chat-builder.ts'

/** Agents of Magentic-One whose messages are what a tool returned. */
const TOOLS: ReadonlySet<string> = new Set(['WebSurfer', 'FileSurfer', 'ComputerTerminal'])

/**
 * Read a log of Magentic-One, as its orchestrator lived it: what it wrote in a row is one message, and an agent that acts for
 * it is a tool. What it asked of that agent stands in its text, so that the call has no arguments.
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
