import type { Fields } from './check-fields.ts'

/** Gives calls and responses ids where the API has none, which pair them as it does. */
export interface NamedCalls {
  /** The id of a call. */
  ofCall(call: Fields, name: string, place: readonly [content: number, part: number]): string
  /** The id of the call that a response answers. */
  ofResponse(response: Fields, place: readonly [content: number, part: number]): string
  /** The name of the function of a call. */
  nameOf(id: string): string
}

/** Calls of one function in a turn, in their order. */
interface CallsOfName {
  readonly ids: string[]
  /** How many of them are known to have a response. */
  answered: number
}

/**
 * Pair calls with their responses where an API may leave out ids: by id, else by name, in the order in which they were made
 * in the turn before.
 *
 * @param allIds - Return the ids of all calls and responses, which those that are made up differ from.
 *
 * @example
 * ```ts
 * import { createNamedCalls } from '@spillway/history/format'
 *
 * const calls = createNamedCalls(() => [])
 * const id = calls.ofCall({}, 'read_log', [1, 0])
 * console.assert(calls.ofResponse({ name: 'read_log' }, [2, 0]) === id && calls.nameOf(id) === 'read_log')
 * ```
 */
export function createNamedCalls(allIds: () => readonly unknown[]): NamedCalls {
  const names = new Map<string, string>()
  /** Calls of the last turn by the name of their function, and how many of them with an id have no response yet. */
  const named = new Map<string, CallsOfName>()
  const open = new Map<string, number>()
  let isAnswered = false
  let taken: ReadonlySet<unknown> | undefined

  /** Ids are made up of the place of a part, and differ from all that are there. */
  function makeId(prefix: string, [content, part]: readonly [number, number]): string {
    taken ??= new Set(allIds())
    let id = `${prefix}_${content}_${part}`
    while (taken.has(id)) id += '_'
    return id
  }

  /** Count a response of the call with an id; `false` where there is no such call without one. */
  function close(id: string): boolean {
    const left = open.get(id) ?? 0
    if (left === 0) return false
    open.set(id, left - 1)
    return true
  }

  function firstOpen(name: unknown): string | undefined {
    const calls = typeof name === 'string' ? named.get(name) : undefined
    while (calls !== undefined && calls.answered < calls.ids.length) {
      const id = calls.ids[calls.answered] ?? ''
      calls.answered += 1
      if (close(id)) return id
    }
    return undefined
  }

  return {
    ofCall(call, name, place) {
      if (isAnswered) {
        open.clear()
        named.clear()
      }
      isAnswered = false
      const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : makeId('call', place)
      open.set(id, (open.get(id) ?? 0) + 1)
      names.set(id, name)
      const calls = named.get(name)
      if (calls === undefined) named.set(name, { ids: [id], answered: 0 })
      else calls.ids.push(id)
      return id
    },
    ofResponse({ id, name }, place) {
      isAnswered = true
      const own = typeof id === 'string' && id !== '' ? id : undefined
      if (own !== undefined && names.has(own)) {
        close(own)
        return own
      }
      return firstOpen(name) ?? own ?? makeId('response', place)
    },
    nameOf: (id) => names.get(id) ?? '',
  }
}
