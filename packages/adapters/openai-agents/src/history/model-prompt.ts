import type { AgentInputItem, ModelInputData } from '@openai/agents'

type Item = AgentInputItem
type Fields = Readonly<Record<string, unknown>>

/**
 * Return what a model is to get as one list of items: the instructions are the last of the system messages that it begins
 * with, so that a summary goes to their end. Items are copies.
 */
export function joinPrompt({ input, instructions = '' }: ModelInputData): Item[] {
  const items = input.map((item) => ({ ...item }))
  return items.toSpliced(systemCount(input), 0, { role: 'system', content: instructions })
}

/**
 * Take such a list apart again, once it is smaller. Each item is the one that came in, changed where it may be: the SDK knows
 * by it what a session still has to store.
 */
export function splitPrompt(
  { input, instructions, ...data }: ModelInputData,
  smaller: readonly Item[],
  changeable: ReadonlySet<Item>,
): ModelInputData {
  const at = systemCount(input)
  const { content } = smaller[at] as { readonly content: string }
  const items = smaller.toSpliced(at, 1)
  // From the end, as it is older items that are gone.
  let from = input.length - 1
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index]!
    const found = findBefore(input, from, item)
    if (found < 0) continue
    from = found - 1
    const came = input[found]!
    if (changeable.has(came)) items[index] = Object.assign(came, item)
  }
  return { ...data, input: items, ...(content !== '' || instructions !== undefined ? { instructions: content } : {}) }
}

/** Count the system messages that a list begins with. */
function systemCount(items: readonly Item[]): number {
  const end = items.findIndex((item) => roleOf(item) !== 'system')
  return end < 0 ? items.length : end
}

function findBefore(items: readonly Item[], from: number, wanted: Item): number {
  const key = keyOf(wanted)
  let index = from
  while (index >= 0 && keyOf(items[index]!) !== key) index -= 1
  return index
}

/** What stays of an item whatever is done to it. */
function keyOf(item: Item): string {
  const { type = 'message', callId, id } = item as Fields
  return JSON.stringify([type, roleOf(item), callId, id])
}

function roleOf(item: Item): unknown {
  const { role } = item as Fields
  return role === 'developer' ? 'system' : role
}
