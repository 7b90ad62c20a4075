import { ChatBuilder, type ReadChat } from './chat-builder.ts'

interface Trajectory {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

const COMMAND = /```bash\n([\s\S]*?)\n```/g

/**
 * Read a trajectory of mini-swe-agent, which has no tool calls. The only bash block of a text becomes a call, and the
 * next message its result. A text with several blocks stays a text, because no command ran.
 */
export function readMiniSweAgent(file: string): ReadChat {
  const builder = new ChatBuilder()
  for (const [index, { role, content }] of (JSON.parse(file) as Trajectory).messages.entries()) {
    if (role === 'assistant') {
      const blocks = [...content.matchAll(COMMAND)]
      const [block] = blocks
      builder.write(
        block === undefined || blocks.length > 1 ? content : content.replace(block[0], '').trim(),
        String(index),
      )
      if (block !== undefined && blocks.length === 1)
        builder.call({ name: 'bash', input: { command: block[1] } }, String(index), false)
      continue
    }
    const call = builder.openCall()
    if (call !== undefined) builder.result(call, content)
    else builder.say(role === 'system' ? 'system' : 'user', content)
  }
  return builder.build()
}
