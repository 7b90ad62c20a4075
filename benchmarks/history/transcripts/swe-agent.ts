import { ChatBuilder, type ReadChat } from './chat-builder.ts'

interface Trajectory {
  readonly history: readonly {
    readonly role: string
    readonly content: string
    readonly thought?: string
    readonly action?: string
  }[]
  readonly trajectory: readonly { readonly observation: string }[]
}

/**
 * Read a trajectory of SWE-agent. Its shell has no tool calls: an action becomes a call, and the next message, as the
 * model saw it, the result. Steps are counted in the list without the prompts.
 */
export function readSweAgent(file: string): ReadChat {
  const { history, trajectory } = JSON.parse(file) as Trajectory
  const builder = new ChatBuilder()
  const prompts = history.findIndex(({ role }) => role === 'assistant')
  const { messages } = withPrompts(history.slice(0, prompts))
  let observed = 0
  for (const { role, content, thought, action } of history.slice(prompts)) {
    if (role === 'assistant') {
      builder.write((thought ?? content).trimEnd(), String(observed))
      builder.call({ name: 'shell', input: { command: action ?? '' } }, String(observed), false)
      continue
    }
    const call = builder.openCall()
    if (call === undefined) throw new Error('A message of the user follows no action.')
    builder.result(call, content, trajectory[observed]?.observation)
    observed += 1
  }
  // The result of the last action ends the trajectory, and no model saw it.
  const call = builder.openCall()
  const last = trajectory[observed]
  if (call !== undefined && last !== undefined) builder.result(call, last.observation)
  const { messages: rest, steps } = builder.build()
  const moved = steps.map((step) => ({
    ...step,
    message: step.message === undefined ? undefined : step.message + messages.length,
  }))
  return { messages: [...messages, ...rest], steps: moved }
}

function withPrompts(history: Trajectory['history']): ReadChat {
  const builder = new ChatBuilder()
  for (const { role, content } of history) builder.say(role === 'system' ? 'system' : 'user', content)
  return builder.build()
}
