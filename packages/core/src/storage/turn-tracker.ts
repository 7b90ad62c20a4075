import { RecencyMap } from '@spillway/text/internal'

interface ScopeTurns {
  turn: number
  listed: boolean
  /** In the order of use, so that finding what is due costs what is due. */
  readonly lastUse: RecencyMap<string, number>
}

/**
 * Remember when each entry was last used, counted in turns of its scope, and say which have gone unused too long.
 *
 * One turn is one model call. An entry neither stored nor retrieved for more than `evictAfterTurns` turns is due.
 */
export class TurnTracker {
  readonly #evictAfterTurns: number
  readonly #scopes = new Map<string, ScopeTurns>()

  constructor(evictAfterTurns: number) {
    this.#evictAfterTurns = evictAfterTurns
  }

  /** Note that an entry was stored or retrieved in the present turn. */
  used(scope: string, reference: string): void {
    const state = this.#state(scope)
    state.lastUse.set(reference, state.turn)
  }

  /** Tell whether the entries that a scope had from the start are known. */
  isListed(scope: string): boolean {
    return this.#scopes.get(scope)?.listed ?? false
  }

  /** Note that all entries of a scope have been {@link found}; an empty one is looked at again. */
  listed(scope: string): void {
    const state = this.#scopes.get(scope)
    if (state !== undefined) state.listed = true
  }

  /** Note an entry that was found in the storage; one that is known keeps its last use. */
  found(scope: string, reference: string): void {
    const state = this.#state(scope)
    if (!state.lastUse.has(reference)) state.lastUse.set(reference, state.turn)
  }

  /** End a turn of a scope and return the references that are due, least recently used first. */
  endTurn(scope: string): string[] {
    const due: string[] = []
    const state = this.#scopes.get(scope)
    if (state === undefined) return due
    state.turn += 1
    for (const [reference, turn] of state.lastUse) {
      if (state.turn - turn <= this.#evictAfterTurns) break
      due.push(reference)
    }
    return due
  }

  /** Tell whether an entry is due now. */
  isDue(scope: string, reference: string): boolean {
    const state = this.#scopes.get(scope)
    const turn = state?.lastUse.get(reference)
    return state !== undefined && turn !== undefined && state.turn - turn > this.#evictAfterTurns
  }

  /** Forget an entry that is gone, and with the last one its scope, so that sessions which have ended cost nothing. */
  forget(scope: string, reference: string): void {
    const lastUse = this.#scopes.get(scope)?.lastUse
    lastUse?.delete(reference)
    if (lastUse?.size === 0) this.#scopes.delete(scope)
  }

  #state(scope: string): ScopeTurns {
    let state = this.#scopes.get(scope)
    if (state === undefined) this.#scopes.set(scope, (state = { turn: 0, listed: false, lastUse: new RecencyMap() }))
    return state
  }
}
