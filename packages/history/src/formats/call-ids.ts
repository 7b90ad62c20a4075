import type { HistoryMessage } from '../history-message.ts'

/** What an API accepts as the id of a call. */
export interface CallIdRules {
  readonly maxLength: number
  /** Matches every character that an id must not have. */
  readonly forbidden?: RegExp | undefined
}

/** Gives calls of other formats ids that an API accepts. */
export interface CallIds {
  /** The id of a call, which no other call has. */
  ofCall(id: string): string
  /** The id of the call that a result answers: of calls with one id, those without a result come first. */
  ofResult(callId: string): string
}

/** The ids that calls of one id were given, and how many of them have a result. */
interface Given {
  readonly ids: string[]
  answered: number
}

/**
 * Make ids for calls that are converted. An id stays where the API accepts it and no call before has it.
 *
 * @param others - Messages of the same conversation that are not converted: their ids are taken.
 */
export function createCallIds(others: readonly HistoryMessage[], rules: CallIdRules): CallIds {
  const taken = new Set<string>()
  for (const { parts } of others) for (const part of parts) if (part.type === 'tool-call') taken.add(part.id)
  const given = new Map<string, Given>()
  /** The number of the next one of those that are alike. */
  const numbers = new Map<string, number>()

  function give(id: string): string {
    const plain = plainOf(id, rules)
    let free = plain
    let number = numbers.get(plain) ?? 2
    for (; taken.has(free); number += 1) {
      const suffix = `_${number}`
      free = plain.slice(0, rules.maxLength - suffix.length) + suffix
    }
    numbers.set(plain, number)
    taken.add(free)
    return free
  }

  return {
    ofCall(id) {
      const own = give(id)
      const known = given.get(id)
      if (known === undefined) given.set(id, { ids: [own], answered: 0 })
      else known.ids.push(own)
      return own
    },
    ofResult(callId) {
      const known = given.get(callId)
      // A result may stand alone, and its call among the messages that are not converted.
      if (known === undefined) return taken.has(callId) ? callId : plainOf(callId, rules)
      known.answered += 1
      return known.ids[known.answered - 1] ?? known.ids.at(-1) ?? callId
    },
  }
}

const plainOf = (id: string, { forbidden, maxLength }: CallIdRules): string =>
  (forbidden === undefined ? id : id.replace(forbidden, '_')).slice(0, maxLength) || 'call'
