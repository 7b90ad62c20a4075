import type { Fields } from './check-fields.ts'

/** Assigns ids to calls and responses. The API may omit these ids. */
export interface NamedCalls {
  ofCall(call: Fields, name: string, place: readonly [content: number, part: number]): string
  ofResponse(response: Fields, place: readonly [content: number, part: number]): string
  nameOf(id: string): string
}

/**
 * Create ids that pair responses with calls: by id, or by name and order with calls of the previous turn.
 *
 * @param allIds - Returns all existing ids. Created ids differ from them.
 */
export function createNamedCalls(allIds: () => readonly unknown[]): NamedCalls {
  const names = new Map<string, string>()
  /** Calls of the last turn by function name. The first `answered` calls already have responses. */
  const named = new Map<string, { readonly ids: string[]; answered: number }>()
  const open = new Map<string, number>()
  let isAnswered = false
  let taken: ReadonlySet<unknown> | undefined

  /** Create an id from the position of a part. The new id differs from all existing ids. */
  function makeId(prefix: string, [content, part]: readonly [number, number]): string {
    taken ??= new Set(allIds())
    let id = `${prefix}_${content}_${part}`
    while (taken.has(id)) id += '_'
    return id
  }

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
